import type { Clock, Sensor } from '../../../runtime/index.ts'
import { LinkCode, LinkError } from './codes.ts'
import { LazyAbort } from './device-moves.ts'
import { type LinkValue, toValue } from './value.ts'

const defaultTimeoutMs = 10_000
const defaultMinIntervalMs = 1000
const leastPeriodMs = 10

/**
 * Takes one reading; at once where the sensor gives it at once.
 *
 * @throws LinkError, or rejects with what the sensor threw
 */
export function takeReading(sensor: Sensor, clock: Clock): LinkValue | Promise<LinkValue> {
  const abort = new LazyAbort()
  const value = sensor.read(abort)
  if (!(value instanceof Promise)) return reading(value)
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      const late = new LinkError(LinkCode.TimedOut, 'the sensor does not answer: check its wiring and its power')
      abort.abort(late)
      reject(late)
    }, sensor.timeoutMs ?? defaultTimeoutMs)
    value
      .finally(() => clock.clearTimeout(timer))
      .then(reading)
      .then(resolve, reject)
  })
}

function reading(value: unknown): LinkValue {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new LinkError(LinkCode.Failed, 'it gave no number')
  return toValue(value)
}

/** How one sensor is watched. */
export interface WatchOptions {
  sensor: Sensor
  clock: Clock
  /** Smaller changes are not told. */
  deadBand: number | undefined
  /** Changes are told at most this often. */
  minIntervalMs: number | undefined
  /** Takes each value that is to be told; `null` once when the sensor stopped answering. */
  changed(value: LinkValue): void
}

/**
 * Watches one sensor until the function that it returns is called. The first value is told by whoever asked for the
 * watch, through `start`.
 */
export function watchSensor(options: WatchOptions, start: LinkValue): () => void {
  const { sensor, clock } = options
  const deadBand = options.deadBand ?? sensor.deadBand ?? 0
  const minIntervalMs = options.minIntervalMs ?? sensor.minIntervalMs ?? defaultMinIntervalMs
  let told = start
  let toldAt = clock.now()
  let pending: { value: LinkValue } | undefined
  let pendingTimer: unknown
  let stopped = false

  const tell = (value: LinkValue) => {
    told = value
    toldAt = clock.now()
    options.changed(value)
  }
  const look = (value: LinkValue) => {
    if (stopped) return
    if (pending !== undefined) {
      pending.value = value
      return
    }
    if (!differs(told, value, deadBand)) return
    const wait = toldAt + minIntervalMs - clock.now()
    if (wait <= 0) return tell(value)
    pending = { value }
    pendingTimer = clock.setTimeout(() => {
      const last = pending!.value
      pending = undefined
      if (differs(told, last, deadBand)) tell(last)
    }, wait)
  }

  let stopSource: () => void
  if (sensor.watch !== undefined) stopSource = sensor.watch(value => look(reading(value)))
  else {
    let timer: unknown
    const periodMs = Math.max(sensor.ttlMs ?? 0, minIntervalMs, leastPeriodMs)
    const poll = async () => {
      try {
        look(await takeReading(sensor, clock))
      } catch {
        look(null)
      }
      if (!stopped) timer = clock.setTimeout(poll, periodMs)
    }
    timer = clock.setTimeout(poll, periodMs)
    stopSource = () => clock.clearTimeout(timer)
  }
  return () => {
    stopped = true
    clock.clearTimeout(pendingTimer)
    stopSource()
  }
}

function differs(a: LinkValue, b: LinkValue, deadBand: number): boolean {
  if (typeof a === 'number' && typeof b === 'number') return deadBand > 0 ? Math.abs(a - b) > deadBand : a !== b
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length !== b.length || a.some((byte, at) => byte !== b[at])
  }
  return a !== b
}
