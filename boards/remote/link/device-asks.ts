import type { Clock } from '../../../runtime/index.ts'
import type { BoardRecords } from './board-records.ts'
import { LinkCode } from './codes.ts'
import { told } from './device-errors.ts'
import { takeReading, watchSensor } from './device-sensors.ts'
import type { LinkValue } from './value.ts'

/** What {@link DeviceAsks} needs from the device around it. */
export interface DeviceAsksOptions {
  sensors: BoardRecords['sensors']
  clock: Clock
  /** After how long a reading that is not over says that it goes on, in milliseconds. */
  workingAfterMs: number
  result(id: number, value: LinkValue): void
  error(id: number, error: { code: number; text?: string }): void
  working(id: number): void
  update(sensor: number, value: LinkValue): void
}

/** How a sensor is to be watched; what is left out is as the sensor says. */
export interface WatchRequest {
  sensor: number
  minIntervalMs?: number
  deadBand?: number
}

/** The sensors of a device, as its host asks for them: reading and watching, none beyond the end of a session. */
export class DeviceAsks {
  readonly #options: DeviceAsksOptions
  readonly #watches = new Map<number, () => void>()
  /** The ids whose reading is under way. Made anew with each session, so that what is left of one finds itself gone. */
  #reading = new Set<number>()
  /** How many updates were sent in this session. */
  updates = 0

  constructor(options: DeviceAsksOptions) {
    this.#options = options
  }

  /** Answers with a reading, or says why there is none. */
  read(id: number, sensor: number): void {
    this.#read(id, sensor, () => {})
  }

  /** Answers with a reading, and tells changes from then on. */
  watch(id: number, request: WatchRequest): void {
    // A sensor that gives nothing now is watched all the same.
    this.#read(id, request.sensor, value => this.#begin(request, value))
  }

  /** Tells no more changes of a sensor. */
  unwatch(sensor: number): void {
    this.#watches.get(sensor)?.()
    this.#watches.delete(sensor)
  }

  /** Nobody waits for anything any more. */
  newSession(): void {
    for (const sensor of [...this.#watches.keys()]) this.unwatch(sensor)
    this.#reading = new Set()
    this.updates = 0
  }

  #read(id: number, number: number, took: (value: LinkValue) => void): void {
    const { sensors, clock, result, error, working, workingAfterMs } = this.#options
    const entry = sensors[number]
    if (entry === undefined) return error(id, { code: LinkCode.Unknown })
    const reading = this.#reading
    if (reading.has(id)) return working(id)
    const answer = (value: LinkValue) => {
      took(value)
      result(id, value)
    }
    const refuse = (thrown: unknown) => {
      took(null)
      error(id, told(thrown))
    }
    let value: LinkValue | Promise<LinkValue>
    try {
      value = takeReading(entry.sensor, clock)
    } catch (thrown) {
      return refuse(thrown)
    }
    if (!(value instanceof Promise)) return answer(value)
    reading.add(id)
    const timer = clock.setTimeout(() => {
      if (reading === this.#reading) working(id)
    }, workingAfterMs)
    const end = (tell: () => void) => {
      clock.clearTimeout(timer)
      reading.delete(id)
      if (reading === this.#reading) tell()
    }
    value.then(
      settled => end(() => answer(settled)),
      thrown => end(() => refuse(thrown)),
    )
  }

  #begin({ sensor: number, deadBand, minIntervalMs }: WatchRequest, value: LinkValue): void {
    this.unwatch(number)
    const { sensor } = this.#options.sensors[number]!
    const changed = (changedTo: LinkValue) => {
      this.updates++
      this.#options.update(number, changedTo)
    }
    this.#watches.set(
      number,
      watchSensor({ sensor, clock: this.#options.clock, deadBand, minIntervalMs, changed }, value),
    )
  }
}
