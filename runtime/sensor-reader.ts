import type { Sensor, SensorValue } from './board.ts'
import type { Clock } from './clock.ts'
import { differs } from './differs.ts'
import { publicMessage, SensorError } from './errors.ts'
import type { Crossings } from './history/crossings.ts'
import * as deferredHistory from './history/records.ts'
import { SensorHistory } from './history/sensor-history.ts'
import type { TimedValue } from './history/timed-value.ts'
import { LazySignal } from './lazy-signal.ts'
import { within } from './within.ts'

/** How often an actuator of the board has moved. Shared by its sensors, so that a move costs the same however many they are. */
export interface Moves {
  count: number
}

const defaultTimeoutMs = 10_000
const defaultMinIntervalMs = 1000

/**
 * Reads one sensor for all who ask: one reading at a time, kept as long as no new value can be there, and watched only
 * while somebody is subscribed.
 */
export class SensorReader {
  readonly name: string
  readonly sensor: Sensor
  /** What its values were, whoever saw them; nothing when it keeps none. */
  readonly history: SensorHistory | undefined
  /** Its thresholds; nothing when it has none. */
  readonly crossings: Crossings | undefined
  readonly #clock: Clock
  readonly #moves: Moves
  #movesSeen: number
  #last: TimedValue | undefined = undefined
  #running: Promise<TimedValue> | undefined = undefined
  /** What is being read may be past when it comes: it is good for those who asked before, and for nobody else. */
  #outdated = false
  readonly #listeners = new Set<() => void>()
  #stopSource: (() => void) | undefined = undefined
  #told: SensorValue | undefined = undefined
  #toldAt = Number.NEGATIVE_INFINITY
  #failing = false
  #pending: unknown = undefined

  /**
   * @param last the reader of the sensor of this name on the board before: what it remembers is kept, if it is alike
   * @param moves after each of which it forgets what was read before
   */
  constructor(name: string, sensor: Sensor, clock: Clock, last?: SensorReader, moves: Moves = { count: 0 }) {
    this.name = name
    this.sensor = sensor
    this.#clock = clock
    this.#moves = moves
    this.#movesSeen = moves.count
    const kept = last !== undefined && remembersAlike(last.sensor, sensor) ? last : undefined
    this.history = sensor.history === false ? undefined : (kept?.history ?? new SensorHistory(sensor))
    const { thresholds = [] } = sensor
    this.crossings = thresholds.length === 0 ? undefined : (kept?.crossings ?? deferredHistory.crossings(thresholds))
  }

  /**
   * The sensor's value: a new one, or the last where no newer one can be there yet.
   *
   * @throws SensorError when it does not answer in time, or gives what this sensor cannot give
   */
  read(): TimedValue | Promise<TimedValue> {
    this.#seeMoves()
    const last = this.#last
    const age = last === undefined ? 0 : this.#clock.now() - last.time
    if (last !== undefined && age >= 0 && age < (this.sensor.ttlMs ?? 0)) return last
    const running = this.#running
    if (running === undefined) return this.#take()
    if (!this.#outdated) return running
    // One reading at a time: the next begins when this one is over.
    const next = () => this.read()
    return running.then(next, next)
  }

  /** An actuator moved: what was read before may be past, and so may be what is being read. */
  forget(): void {
    this.#last = undefined
    this.#outdated = this.#running !== undefined
  }

  /** Calls `changed` after each change that is larger than the dead band, until the function returned is called. */
  watch(changed: () => void): () => void {
    // A listener of its own for each call, so that the same function may watch twice.
    const listener = () => changed()
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop()
    }
  }

  #seeMoves(): void {
    if (this.#movesSeen === this.#moves.count) return
    this.#movesSeen = this.#moves.count
    this.forget()
  }

  #take(): TimedValue | Promise<TimedValue> {
    const request = new LazySignal()
    try {
      const value = this.sensor.read(request)
      if (!(value instanceof Promise)) return this.#keep(value)
      const running = this.#within(value, request).then(
        settled => this.#keep(settled),
        thrown => {
          throw this.#error(publicMessage(thrown))
        },
      )
      this.#running = running
      const done = () => {
        if (this.#running !== running) return
        this.#running = undefined
        this.#outdated = false
      }
      running.then(done, done)
      return running
    } catch (thrown) {
      throw thrown instanceof SensorError ? thrown : this.#error(publicMessage(thrown))
    }
  }

  #within(value: Promise<SensorValue>, request: LazySignal): Promise<SensorValue> {
    const timeoutMs = this.sensor.timeoutMs ?? defaultTimeoutMs
    return within(value, timeoutMs, this.#clock, () => {
      const error = new Error(`no answer in ${timeoutMs / 1000} s: check its wiring and its power`)
      request.abort(error)
      return error
    })
  }

  #keep(value: SensorValue): TimedValue {
    this.#check(value)
    this.#seeMoves()
    const taken = { value, time: this.#clock.now() }
    if (!this.#outdated) this.#last = taken
    this.#remember(taken)
    return taken
  }

  #remember(taken: TimedValue): void {
    this.history?.add(taken)
    const { value, time } = taken
    if (this.crossings === undefined || typeof value !== 'number' || !this.crossings.take(value, time)) return
    if (this.#stopSource === undefined) return
    // A threshold is what somebody waits for: neither the dead band nor the interval holds it back.
    this.#told = value
    this.#clock.clearTimeout(this.#pending)
    this.#pending = undefined
    this.#tell()
  }

  /** A source of changes told a value. It is told on as it is; only what the sensor can give is remembered. */
  #heard(value: SensorValue): void {
    if (this.#stopSource === undefined) return
    this.#last = undefined
    if (this.#fits(value)) this.#remember({ value, time: this.#clock.now() })
    this.#changedTo(value)
  }

  #fits(value: SensorValue): boolean {
    try {
      this.#check(value)
      return true
    } catch {
      return false
    }
  }

  #check(value: SensorValue): void {
    const { type = 'number', unit = '', minimum = -Infinity, maximum = Infinity } = this.sensor
    if (type === 'number' || type === 'integer') {
      if (typeof value !== 'number' || !Number.isFinite(value)) {
        throw this.#error(`it gave ${shown(value)} instead of a number`)
      }
      if (type === 'integer' && !Number.isInteger(value))
        throw this.#error(`it gave ${value} instead of a whole number`)
      if (value < minimum || value > maximum) {
        throw this.#error(
          `it gave ${value} ${unit}, which lies outside ${minimum} to ${maximum}: check its wiring, or the range declared for it`,
        )
      }
    } else if (type === 'data' ? !(value instanceof Uint8Array) : typeof value !== type) {
      throw this.#error(`it gave ${shown(value)} instead of a ${type === 'data' ? 'Uint8Array' : type}`)
    }
  }

  /** What a failed reading is told as. It is remembered as one, too. */
  #error(message: string): SensorError {
    this.history?.fail(message, this.#clock.now())
    return new SensorError(`${this.name}: ${message}`)
  }

  #start(): void {
    this.#told = undefined
    this.#failing = false
    this.#toldAt = Number.NEGATIVE_INFINITY
    if (this.sensor.watch !== undefined) {
      this.#stopSource = this.sensor.watch(value => this.#heard(value))
      // What stands now is no change: the subscriber reads it when it wants to know.
      this.#settle(this.#reading(), value => {
        this.#told ??= value
      })
      return
    }
    let timer: unknown
    let stopped = false
    const { ttlMs = 0, minIntervalMs = defaultMinIntervalMs } = this.sensor
    const period = Math.max(ttlMs, minIntervalMs, 10)
    const poll = (first: boolean) => {
      this.#settle(
        this.#reading(),
        value => {
          if (first) this.#told = value
          else this.#changedTo(value)
        },
        () => {
          if (!stopped) timer = this.#clock.setTimeout(() => poll(false), period)
        },
      )
    }
    this.#stopSource = () => {
      stopped = true
      this.#clock.clearTimeout(timer)
    }
    poll(true)
  }

  #stop(): void {
    this.#stopSource?.()
    this.#stopSource = undefined
    this.#clock.clearTimeout(this.#pending)
    this.#pending = undefined
  }

  async #reading(): Promise<SensorValue> {
    return (await this.read()).value
  }

  #settle(reading: Promise<SensorValue>, took: (value: SensorValue) => void, then: () => void = () => {}): void {
    reading
      .then(
        value => {
          this.#failing = false
          took(value)
        },
        () => {
          // That it stopped answering is a change, once, and so is whatever it gives afterwards.
          if (!this.#failing) this.#tell()
          this.#failing = true
          this.#told = undefined
        },
      )
      .then(then)
  }

  #changedTo(value: SensorValue): void {
    if (this.#stopSource === undefined) return
    this.#last = undefined
    if (this.#told !== undefined && !differs(this.#told, value, this.sensor.deadBand ?? 0)) return
    const { minIntervalMs = defaultMinIntervalMs } = this.sensor
    const wait = this.#toldAt + minIntervalMs - this.#clock.now()
    this.#told = value
    if (wait <= 0) return this.#tell()
    this.#pending ??= this.#clock.setTimeout(() => {
      this.#pending = undefined
      this.#tell()
    }, wait)
  }

  #tell(): void {
    this.#toldAt = this.#clock.now()
    for (const listener of this.#listeners) listener()
  }
}

/** Whether what was remembered of one sensor can be gone on with for another one. */
function remembersAlike(one: Sensor, other: Sensor): boolean {
  const kept = ({ type = 'number', unit, deadBand, thresholds, history }: Sensor) =>
    JSON.stringify([type, unit, deadBand, thresholds, history])
  return kept(one) === kept(other)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `the text "${value.slice(0, 40)}"` : String(value)
}
