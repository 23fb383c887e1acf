import type { SensorValue } from '../board.ts'

/** A value and when it was taken, in milliseconds since 1970-01-01 UTC. */
export interface TimedValue {
  value: SensorValue
  time: number
}
