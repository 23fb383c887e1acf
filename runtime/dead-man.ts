import type { Clock } from './clock.ts'

/** What a dead-man's switch needs. */
export interface DeadManOptions {
  readonly clock: Clock
  /** How long it may be silent, in milliseconds. */
  readonly silenceMs: number
  /** Nothing was heard for that long. Called once for each silence. */
  readonly silent: () => void
}

/** Notices that nobody says anything any more, for a host that hangs while its pipe is open. */
export class DeadMan {
  readonly #options: DeadManOptions
  #heardAt = 0
  #timer: unknown = undefined

  constructor(options: DeadManOptions) {
    this.#options = options
  }

  /** Something was heard. Costs a look at the clock. */
  heard(): void {
    this.#heardAt = this.#options.clock.now()
    this.#timer ??= this.#wait(this.#options.silenceMs)
  }

  /** Waits for nobody any more. */
  close(): void {
    this.#options.clock.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(ms: number): unknown {
    const { clock, silenceMs, silent } = this.#options
    return clock.setTimeout(() => {
      const left = this.#heardAt + silenceMs - clock.now()
      this.#timer = left > 0 ? this.#wait(left) : undefined
      if (left <= 0) silent()
    }, ms)
  }
}
