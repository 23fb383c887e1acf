import { Framer } from '../../runtime/index.ts'
import { findMessages, isResponse, type RpcMessage } from './json-rpc-line.ts'
import { isOfProbe } from './mcp-probe.ts'
import { Printed } from './printed.ts'
import { SentLines } from './sent-lines.ts'

/** What {@link DeviceLines} gives out. */
export interface DeviceLinesOptions {
  maxLineBytes: number | undefined
  /** Whether JSON-RPC messages mean anything now; otherwise they are text like any other. */
  findsMessages(): boolean
  /** A JSON-RPC message, and its text. */
  onMessage(message: RpcMessage, text: string): void
  /** Any other line. */
  onLine(bytes: Uint8Array, start: number, end: number): void
  onText(line: string): void
  /** Something came that is no text. Told once for each time that the line is opened. */
  onNoise(): void
  /** The line gives back what it is sent. */
  onEcho(): void
}

/** What a device sends, line by line, and which of it are messages. */
export class DeviceLines {
  readonly #options: DeviceLinesOptions
  readonly #printed: Printed
  readonly #sent = new SentLines()
  #framer: Framer
  #bytes = 0

  constructor(options: DeviceLinesOptions) {
    this.#options = options
    this.#printed = new Printed(options.onText, options.onNoise)
    this.#framer = this.#newFramer()
  }

  /** How many bytes came. */
  get bytes(): number {
    return this.#bytes
  }

  /** What came that was no message. */
  get printed(): Printed['kind'] {
    return this.#printed.kind
  }

  /** The line was opened: what was cut when it went is gone. */
  begin(): void {
    this.#framer = this.#newFramer()
    this.#printed.begin()
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    this.#framer.push(chunk)
  }

  /** Text that the device printed. */
  print(bytes: Uint8Array, start: number, end: number): void {
    this.#printed.take(bytes, start, end)
  }

  /** A message goes out: should it come back, it is an echo. */
  sent(text: string): void {
    this.#sent.add(text)
  }

  #newFramer(): Framer {
    const { maxLineBytes } = this.#options
    return new Framer({
      ...(maxLineBytes !== undefined && { maxLineBytes }),
      onLine: (bytes, start, end) => this.#line(bytes, start, end),
      onOverlong: () => this.#printed.noise(),
    })
  }

  #line(bytes: Uint8Array, start: number, end: number): void {
    const { findsMessages, onLine, onMessage, onEcho } = this.#options
    const found = findsMessages() ? findMessages(bytes, start, end) : undefined
    if (found === undefined) return onLine(bytes, start, end)
    if (found.start > start) this.print(bytes, start, found.start)
    for (const { message, text } of found.messages) {
      const isOwnProbe = isOfProbe(message) && !isResponse(message)
      if (isOwnProbe || this.#sent.isEcho(text)) onEcho()
      else onMessage(message, text)
    }
  }
}
