import type { Clock } from './clock.ts'

const windowMs = 10_000
/** So many calls of one tool within the window are a loop, and no longer somebody who looks or tries. */
const loopCalls = 20

/** Notices that a tool is called in a loop. A model is a slow regulator, and an expensive one. */
export class BusyLoop {
  readonly #clock: Clock
  /** When the last calls came, as a ring. */
  readonly #times = new Float64Array(loopCalls).fill(Number.NEGATIVE_INFINITY)
  #at = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A call came. Tells whether it is one of a loop. */
  comes(): boolean {
    const now = this.#clock.now()
    const oldest = this.#times[this.#at]!
    this.#times[this.#at] = now
    this.#at = (this.#at + 1) % loopCalls
    return now - oldest <= windowMs
  }
}

/** What a model is told that calls a tool in a loop. */
export function loopAdvice(tool: string, instead: string): string {
  return `${tool} was called more than ${loopCalls} times in ${windowMs / 1000} seconds. ${instead}`
}
