import type { Sensor } from '../board.ts'
import type { Changes } from './changes.ts'
import type { NumberRecord } from './number-record.ts'
import * as deferredHistory from './records.ts'
import type { SwitchRecord } from './switch-record.ts'
import type { TimedValue } from './timed-value.ts'

/** Why a sensor could not be read the last time that it could not. */
export interface LastFailure {
  error: string
  time: number
}

const usualSamples = 16
const longestError = 300

/**
 * What one sensor gave, for whoever looks seldom: in all, by the minute, the ten minutes and the hour, and its last
 * changes. Its memory is of fixed size, and made with the first value: 2.3 kB for a number (bench/history.ts).
 */
export class SensorHistory {
  readonly #sensor: Sensor
  #numbers: NumberRecord | undefined = undefined
  #switch: SwitchRecord | undefined = undefined
  #changes: Changes | undefined = undefined
  #readings = 0
  #failures = 0
  #lastFailure: LastFailure | undefined = undefined
  #first: number | undefined = undefined
  #last: TimedValue | undefined = undefined

  constructor(sensor: Sensor) {
    this.#sensor = sensor
  }

  /** How many values were taken. What failed is none. */
  get readings(): number {
    return this.#readings
  }

  get failures(): number {
    return this.#failures
  }

  get lastFailure(): LastFailure | undefined {
    return this.#lastFailure
  }

  /** When the first value was taken, in milliseconds since 1970-01-01 UTC. */
  get since(): number | undefined {
    return this.#first
  }

  /** The last value, and when it was taken. */
  get last(): TimedValue | undefined {
    return this.#last
  }

  /** Numbers over time, or a switch; nothing for other types, or before the first value. */
  get record(): NumberRecord | SwitchRecord | undefined {
    return this.#numbers ?? this.#switch
  }

  /** The last changes; nothing before the first value. */
  get changes(): Changes | undefined {
    return this.#changes
  }

  /** Takes a value that was read or told. It is one that this sensor can give. */
  add(taken: TimedValue): void {
    const { value, time } = taken
    this.#changes ??= this.#begin(time)
    this.#readings++
    this.#last = taken
    this.#numbers?.add(value as number, time)
    this.#switch?.add(value as boolean, time)
    this.#changes.add(value, time)
  }

  /** It could not be read, or gave what it cannot give. */
  fail(error: string, time: number): void {
    this.#failures++
    this.#lastFailure = { error: error.slice(0, longestError), time }
    this.#switch?.fail(time)
  }

  #begin(time: number): Changes {
    const { type = 'number', deadBand = 0, history } = this.#sensor
    const { samples = usualSamples } = history || {}
    this.#first = time
    const kind = type === 'integer' ? 'number' : type
    if (kind === 'number') this.#numbers = deferredHistory.numberRecord(deadBand)
    if (kind === 'boolean') this.#switch = deferredHistory.switchRecord()
    return deferredHistory.changes(kind, samples, deadBand)
  }
}
