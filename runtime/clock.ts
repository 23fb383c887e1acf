/** Time as the runtime sees it. Handed in, so that a test can own it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Calls `callback` once after `ms` milliseconds. */
  setTimeout(callback: () => void, ms: number): unknown
  /** Undoes `setTimeout`; anything else is ignored. */
  clearTimeout(timer: unknown): void
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
  clearTimeout: timer => globalThis.clearTimeout(timer as ReturnType<typeof globalThis.setTimeout>),
}
