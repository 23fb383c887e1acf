import type { Board, Clock } from '../../runtime/index.ts'
import type { DescriptionStore } from './description-store.ts'

/** What a remote device needs of the line to it: something that takes bytes, and rejects while the line is gone. */
export interface DeviceLine {
  write(data: Uint8Array | string): Promise<void>
}

/** What a device is that speaks MCP itself. */
export interface McpDevice {
  /** `modern` when it answered a discovery; otherwise its client finds out. */
  era: 'modern' | undefined
}

/** How a remote device is made. */
export interface RemoteDeviceOptions {
  line: DeviceLine
  /** How people call it before it has said its own name: `/dev/ttyACM0`. */
  label: string
  clock?: Clock
  /** Numbers from 0 up to 1, for sessions and for the jitter of repeats. */
  random?: () => number
  /** Bits a second of the line; 0 for one on which bytes take no time (a socket). 115 200 when left out. */
  baud?: number
  /** What drivers, schedulers and a network add to each exchange, in milliseconds; 20 when left out. */
  marginMs?: number
  /** Where the last description is kept between two runs, and under which key: the device's USB identity, or its path. */
  store?: DescriptionStore
  storeKey?: string
  /** How long a request waits for a device that is away, in milliseconds; 2500 when left out. */
  awayMs?: number
  /** How long it waits for one that was just connected, and may be booting, in milliseconds; 8000 when left out. */
  bootMs?: number
  /** How long one answer may take, in milliseconds; as the device's description says when left out. */
  answerMs?: number
  /** The longest line that is read, in bytes; 4 MiB when left out. */
  maxLineBytes?: number
  /** The board is another one now: the first description, new firmware. */
  onBoard(board: Board): void
  /** A device that speaks MCP itself was found: its lines come through `onMcpLine` until `onMcpLost`. */
  onMcp?(mcp: McpDevice): void
  /** One JSON-RPC message of such a device, with all texts in it clean. */
  onMcpLine?(text: string): void
  onMcpLost?(why: string): void
  /** A line of text that the device printed: bounded, without control characters. */
  onText?(line: string): void
  /** A message of the device's log, with its RFC 5424 severity: 0 (emergency) to 7 (debug). */
  onLog?(severity: number, text: string): void
  /** Takes lines for the operator. What stays the same is told once. */
  diagnose?(text: string): void
}
