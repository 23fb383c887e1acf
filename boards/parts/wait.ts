import { type Clock, systemClock } from '../../runtime/clock.ts'

/** For parts that need time. */
export interface WaitOptions {
  /** The clock that they wait by; that of the machine when left out. */
  clock?: Clock
}

/** Waits. A millisecond is added, since timers may be early by one. Rejects at once when the signal aborts. */
export function wait(ms: number, { clock = systemClock }: WaitOptions, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clock.clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, Math.ceil(ms) + 1)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
