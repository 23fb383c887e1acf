import type { Clock } from '../runtime/clock.ts'

interface Timer {
  due: number
  callback: () => void
}

/** A clock that stands still until the test moves it, so that no test sleeps. */
export class OwnedClock implements Clock {
  #now: number
  readonly #timers = new Set<Timer>()

  /** @param now the first time it shows, in milliseconds since 1970 */
  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now
  }

  /** How many timers wait to fire: 0 at the end of a test shows that nothing was left behind. */
  get pending(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#now
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const timer = { due: this.#now + Math.max(0, ms), callback }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  /**
   * Moves on by `ms` milliseconds. Timers fire in order, each at its own time, also those that an earlier one made;
   * before and after each, whatever waits for a promise gets to run.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settled()
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, timer.due)
      timer.callback()
      await settled()
    }
    this.#now = end
  }

  /** The earliest timer up to `end`; of two for the same time the one that was made first. */
  #next(end: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) if (next === undefined ? timer.due <= end : timer.due < next.due) next = timer
    return next
  }
}

/** Resolves when every promise that can settle by itself has settled. */
export function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
