import type { Random } from './session.ts'

/** What a waiting time follows from. */
export interface Wait {
  /** Bits a second, ten to a byte; 0 where bytes take no time (a socket). */
  baud: number
  /** How long the device may take before the first byte of its answer, in milliseconds. */
  answerMs: number
  /** What drivers and schedulers add, in milliseconds. */
  marginMs: number
}

/** How long to wait for an answer before the same is sent again, in milliseconds, before doubling and jitter. */
export function waitMs({ baud, answerMs, marginMs }: Wait, bytesOut: number, bytesBack: number): number {
  const wire = baud > 0 ? ((bytesOut + bytesBack) * 10_000) / baud : 0
  return wire + answerMs + marginMs
}

/** The wait before repeat number `repeat` (0 is the first wait): doubled each time, and up to a half longer by chance. */
export function backOff(firstMs: number, repeat: number, random: Random): number {
  return firstMs * 2 ** repeat * (1 + random() / 2)
}
