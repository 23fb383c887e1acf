import type { Threshold } from '../board.ts'
import { Changes } from './changes.ts'
import { Crossings } from './crossings.ts'
import { NumberRecord } from './number-record.ts'
import { SwitchRecord } from './switch-record.ts'

// What sensors remember, from their first value on.

/** A record of numbers over time, empty. */
export function numberRecord(deadBand: number): NumberRecord {
  return new NumberRecord(deadBand)
}

/** A record of a switch over time, empty. */
export function switchRecord(): SwitchRecord {
  return new SwitchRecord()
}

/** The last changes of a sensor, none so far. */
export function changes(...args: ConstructorParameters<typeof Changes>): Changes {
  return new Changes(...args)
}

/** The thresholds of a sensor, none crossed so far. */
export function crossings(thresholds: readonly Threshold[]): Crossings {
  return new Crossings(thresholds)
}
