import type { Board, Clock } from '../../../runtime/index.ts'
import type { ByteOutlet } from './stream.ts'

/** How the device's side of the link is made. */
export interface LinkDeviceOptions {
  board: Board
  /** Where it writes. */
  outlet: ByteOutlet
  clock?: Clock
  /** What no other device has: a serial number, a MAC address. */
  id: string
  /** How often it was started, or any number that differs from that of the start before. */
  boot: number
  /** The version of its firmware; the board's version when left out. */
  firmware?: string
  /** Without a frame for this long everything goes to its safe state, in milliseconds; 5000 when left out. */
  failSafeMs?: number
  /** How many calls may run at a time, each on its own actuator; 4 when left out. */
  calls?: number
  /** How long an answer may take before it is said that the work goes on, in milliseconds; 50 when left out. */
  answerMs?: number
  /** Told what a person at the device should read. */
  diagnose?: (text: string) => void
}
