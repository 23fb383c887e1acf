import type { Clock } from '../../../runtime/index.ts'
import type { DeviceHello } from './hello.ts'
import type { Random } from './session.ts'
import type { ByteOutlet } from './stream.ts'

/** How the host's side of the link is made. */
export interface LinkHostOptions {
  /** Where it writes. */
  outlet: ByteOutlet
  clock?: Clock
  random?: Random
  /** Bits a second of the line; 0 for one on which bytes take no time. 115 200 when left out. */
  baud?: number
  /** What drivers and schedulers add to each exchange, in milliseconds; 20 when left out. */
  marginMs?: number
  /** How often a message is sent before the device counts as gone; 5 when left out. */
  tries?: number
  /** How long a question waits for a device that is away, in milliseconds; 3000 when left out. */
  awayMs?: number
  /** The fail-safe period to ask for, in milliseconds; the device's own when left out. It grants no longer one. */
  failSafeMs?: number
  /** The device answered the hello of a new session. `restarted` when it started anew since the session before. */
  onReady?: (hello: DeviceHello, restarted: boolean) => void
  /** The session is over, and why; the hello is repeated from now on. */
  onLost?: (why: string) => void
  /** Text that the device printed, without its newline. The bytes are good during the call only. */
  onText?: (bytes: Uint8Array, start: number, end: number) => void
  /** A line that is a JSON message; taken as text when left out. */
  onJson?: (bytes: Uint8Array, start: number, end: number) => void
  /** A log message of the device: RFC 5424 severity, 0 (emergency) to 7 (debug). */
  onLog?: (severity: number, text: string) => void
  /** For the person at the host: a late answer that was dropped, a version that does not match. */
  diagnose?: (text: string) => void
}

/** What a call may be given beside its arguments. */
export interface LinkCallOptions {
  /** Cancels it. The call then ends as the device says, or as unknown. */
  signal?: AbortSignal
  onProgress?: (progress: number, total?: number, text?: string) => void
  /** How long the move itself may take, in milliseconds; 60 000 when left out. */
  timeMs?: number
}
