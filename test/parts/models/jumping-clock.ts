import type { Clock } from '../../../runtime/clock.ts'

/** A clock whose time passes by waiting only, at once. */
export class JumpingClock implements Clock {
  #now = 0

  now(): number {
    return this.#now
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const due = this.#now + ms
    queueMicrotask(() => {
      this.#now = Math.max(this.#now, due)
      callback()
    })
    return undefined
  }

  clearTimeout(): void {}
}
