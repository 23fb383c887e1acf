import type { Clock } from '../../../runtime/index.ts'

/** Fires once when nothing came for a period, and again only after something came. Stands still until it is first fed. */
export class FailSafe {
  readonly #clock: Clock
  readonly #fire: () => void
  #periodMs: number
  #fedAt = 0
  #timer: unknown = undefined

  constructor(clock: Clock, periodMs: number, fire: () => void) {
    this.#clock = clock
    this.#periodMs = periodMs
    this.#fire = fire
  }

  /** The period that is in force. */
  get periodMs(): number {
    return this.#periodMs
  }

  /** Changes the period, from the next time it is fed on. */
  set periodMs(ms: number) {
    this.stop()
    this.#periodMs = ms
  }

  /** Something came. */
  feed(): void {
    this.#fedAt = this.#clock.now()
    if (this.#timer === undefined) this.#wait(this.#periodMs)
  }

  /** Nothing is waited for any more. */
  stop(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(ms: number): void {
    // One timer for many frames: it looks when it fires, instead of being set anew with each of them.
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined
      const left = this.#fedAt + this.#periodMs - this.#clock.now()
      // A clock that was set back must not make the period longer.
      if (left > 0 && left <= this.#periodMs) this.#wait(left)
      else this.#fire()
    }, ms)
  }
}
