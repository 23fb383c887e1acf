import { type Clock, systemClock } from '../../runtime/clock.ts'

/** For parts that need time. */
export interface WaitOptions {
  /** The clock that they wait by; that of the machine when left out. */
  clock?: Clock
}

/** Waits. A millisecond is added, since timers may be early by one. */
export function wait(ms: number, { clock = systemClock }: WaitOptions): Promise<void> {
  return new Promise(resolve => void clock.setTimeout(resolve, Math.ceil(ms) + 1))
}
