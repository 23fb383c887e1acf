import type { Clock } from '../../runtime/index.ts'

interface Waiting {
  arrived(): void
  failed(reason: Error): void
}

/** Those who wait for a device to be there. */
export class Presence {
  readonly #clock: Clock
  readonly #waiting = new Set<Waiting>()
  #here = false
  #over: Error | undefined = undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get here(): boolean {
    return this.#here
  }

  /** It is there: whoever waits goes on. */
  arrive(): void {
    this.#here = true
    for (const { arrived } of [...this.#waiting]) arrived()
  }

  leave(): void {
    this.#here = false
  }

  /** Runs something once it is there, now or later, unless it is cancelled by the function that this returns. */
  whenHere(run: () => void): () => void {
    if (this.#here) {
      run()
      return () => {}
    }
    const waiting: Waiting = {
      arrived: () => {
        this.#waiting.delete(waiting)
        run()
      },
      failed: () => {
        this.#waiting.delete(waiting)
      },
    }
    this.#waiting.add(waiting)
    return () => void this.#waiting.delete(waiting)
  }

  /** Nobody needs to wait any longer. */
  refuse(reason: Error): void {
    for (const { failed } of [...this.#waiting]) failed(reason)
  }

  /** It never comes back: whoever waits, or will, is told. */
  end(reason: Error): void {
    this.#here = false
    this.#over = reason
    this.refuse(reason)
  }

  /**
   * Resolves when it is there.
   *
   * @param late makes the error when it did not come within `ms`
   */
  wait(ms: number, late: () => Error, signal?: AbortSignal): Promise<void> {
    if (this.#here) return Promise.resolve()
    if (this.#over !== undefined) return Promise.reject(this.#over)
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#clock.clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
        this.#waiting.delete(waiting)
      }
      const waiting: Waiting = {
        arrived: () => {
          done()
          resolve()
        },
        failed: reason => {
          done()
          reject(reason)
        },
      }
      const aborted = () => waiting.failed(signal?.reason)
      const timer = this.#clock.setTimeout(() => waiting.failed(late()), ms)
      this.#waiting.add(waiting)
      signal?.addEventListener('abort', aborted, { once: true })
      if (signal?.aborted) aborted()
    })
  }
}
