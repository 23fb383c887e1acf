import type { Clock } from '../../runtime/index.ts'
import { cleanText } from './device-text.ts'

/** How long requests wait for a device, in milliseconds. */
export interface Patience {
  /** For one that is away. */
  awayMs: number
  /** For one that was just connected, and may be booting: counted from then. */
  bootMs: number
}

/** Where a device is: whether its line is open, since when, and why it does not answer. */
export class Whereabouts {
  readonly #clock: Clock
  readonly #patience: Patience
  #open = false
  #openedAt = Number.NEGATIVE_INFINITY
  #answeredAt = Number.NEGATIVE_INFINITY
  #why = 'the line to it is not open yet'

  constructor(clock: Clock, patience: Patience) {
    this.#clock = clock
    this.#patience = patience
  }

  /** Whether the line is open. */
  get open(): boolean {
    return this.#open
  }

  /** How long ago it was found, in milliseconds. */
  get sinceFoundMs(): number {
    return this.#clock.now() - this.#answeredAt
  }

  opened(): void {
    this.#open = true
    this.#openedAt = this.#clock.now()
  }

  /** The line is gone. */
  lost(why: string): void {
    this.#open = false
    this.#why = cleanText(why)
  }

  /** It was found. */
  answered(): void {
    this.#answeredAt = this.#clock.now()
  }

  /** It does not answer any more, though the line is open. */
  fellSilent(why: string): void {
    this.#why = cleanText(why)
  }

  /** How long a request that is made now may wait for it. `isThere` when it answers, and is being described. */
  waitMs(isThere: boolean): number {
    const { awayMs, bootMs } = this.#patience
    if (this.#isBooting) return Math.max(awayMs, this.#openedAt + bootMs - this.#clock.now())
    return isThere ? Math.max(awayMs, bootMs) : awayMs
  }

  /** Why it cannot be used, as the end of a sentence that begins with its name. */
  text(isThere: boolean): string {
    if (!this.#open) return `is away (${this.#why}): it is used again once it is back`
    if (isThere) return 'has not yet said what it can do: try again in a moment'
    if (this.#isBooting) {
      return 'has not answered since it was connected, and may be starting: check its power and its program'
    }
    return `does not answer (${this.#why}): check its power and its cable`
  }

  get #isBooting(): boolean {
    return this.#open && this.#answeredAt < this.#openedAt
  }
}
