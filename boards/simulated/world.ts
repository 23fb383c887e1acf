import type { Clock } from '../../runtime/clock.ts'

/** What a {@link World} is made of. */
export interface WorldOptions<State> {
  clock: Clock
  /** Simulated seconds to one second of the clock; 1 when left out. */
  speed?: number
  state: State
  /** Moves the state on by `dt` seconds; `time` is the number of simulated seconds at the end of this step. */
  step(state: State, dt: number, time: number): void
}

const shortestStep = 0.25
const mostSteps = 2000

/**
 * A piece of the world that goes on by the clock. It needs no timer: the time since the last look is made up for when
 * somebody looks, so an idle world costs nothing.
 */
export class World<State> {
  readonly #clock: Clock
  readonly #speed: number
  readonly #state: State
  readonly #step: WorldOptions<State>['step']
  #last: number
  #time = 0

  constructor({ clock, speed = 1, state, step }: WorldOptions<State>) {
    this.#clock = clock
    this.#speed = speed
    this.#state = state
    this.#step = step
    this.#last = clock.now()
  }

  /** Simulated seconds since the world was made, up to the last look. */
  get time(): number {
    return this.#time
  }

  /** Brings the world up to now and returns its state, which may be changed. */
  now(): State {
    const now = this.#clock.now()
    // A clock that was set back must not stop the world until it has caught up.
    const elapsed = Math.max(0, ((now - this.#last) / 1000) * this.#speed)
    this.#last = now
    const steps = Math.ceil(elapsed / Math.max(shortestStep, elapsed / mostSteps))
    for (let done = 0; done < steps; done++) {
      const dt = elapsed / steps
      this.#time += dt
      this.#step(this.#state, dt, this.#time)
    }
    return this.#state
  }
}

/** Where a value gets in `dt` seconds that goes to `goal` by 63 % every `seconds`; exact for every `dt`. */
export function approach(value: number, goal: number, seconds: number, dt: number): number {
  return goal + (value - goal) * Math.exp(-dt / seconds)
}

/**
 * A smooth wander between -1 and 1 with a new direction every `seconds`. It depends on the seed and the time alone, so
 * two runs look the same however often somebody looked.
 */
export function wander(seed: number, time: number, seconds: number): number {
  const place = Math.floor(time / seconds)
  const part = time / seconds - place
  const from = scatter(seed, place)
  return from + (scatter(seed, place + 1) - from) * part * part * (3 - 2 * part)
}

/** A number between -1 and 1 that looks random: a 32-bit integer hash (the finalizer of MurmurHash3). */
function scatter(seed: number, place: number): number {
  let bits = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(place, 0x85ebca77)) | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return ((bits ^ (bits >>> 16)) >>> 0) / 0x7fffffff - 1
}

/** A number as it is told: to so many decimals. */
export function rounded(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}

/** Waits for `ms` milliseconds of the clock, or less when a signal aborts. */
export function pause(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise(resolve => {
    if (signals.some(({ aborted }) => aborted)) return resolve()
    const end = () => {
      clock.clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = clock.setTimeout(end, ms)
    for (const signal of signals) signal.addEventListener('abort', end)
  })
}
