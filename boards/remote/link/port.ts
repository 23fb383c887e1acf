import { Framer } from '../../../runtime/index.ts'
import { writeCbor } from './cbor-writer.ts'
import { type LinkCounters, newCounters } from './counters.ts'
import { FrameWriter, maxFrameBytes, maxFrameLineBytes, readFrame } from './frame.ts'
import { firstMarker, type LineKind, lastMarker, lineKind } from './line.ts'
import type { ByteOutlet } from './stream.ts'
import type { CborInput, FloatBytes } from './value.ts'

/** What a {@link FramePort} gives out. The bytes are good during the call only. */
export interface FramePortOptions {
  outlet: ByteOutlet
  /** A good frame: the message is the bytes up to `length`. */
  onFrame(message: Uint8Array, length: number): void
  /** Text of the device, without its newline. Never empty. */
  onText?(bytes: Uint8Array, start: number, end: number): void
  /** A line that is a JSON message; taken as text when left out. */
  onJson?(bytes: Uint8Array, start: number, end: number): void
  /** A frame was damaged. */
  onDamaged?(): void
}

/** Lines in, frames out: what both sides of the link have in common. */
export class FramePort {
  readonly counters: LinkCounters = newCounters()
  readonly #options: FramePortOptions
  readonly #framer: Framer
  readonly #writer = new FrameWriter()
  readonly #message = new Uint8Array(maxFrameBytes)

  constructor(options: FramePortOptions) {
    this.#options = options
    this.#framer = new Framer({
      maxLineBytes: maxFrameLineBytes,
      onLine: (bytes, start, end) => void this.line(bytes, start, end),
      onOverlong: () => this.damaged(),
    })
  }

  /** Takes the next bytes of the line. */
  receive(chunk: Uint8Array): void {
    this.counters.bytesIn += chunk.length
    this.#framer.push(chunk)
  }

  /** Takes one line, for those who have a framer of their own. Tells what it was. */
  line(bytes: Uint8Array, start: number, end: number): LineKind {
    const kind = lineKind(bytes, start, end)
    if (kind === 'json' && this.#options.onJson !== undefined) this.#options.onJson(bytes, start, end)
    else if (kind === 'frame') this.#frame(bytes, start, end)
    else this.#text(bytes, start, end)
    return kind
  }

  /**
   * Writes a message as a frame.
   *
   * @returns the bytes it takes on the line; 0 when it is longer than `limit` and was not sent
   * @throws RangeError for a value that the peer cannot take
   */
  send(message: CborInput, limit: number, floats: FloatBytes = 8): number {
    this.#writer.begin()
    writeCbor(this.#writer, message, floats)
    if (this.#writer.length > limit) return 0
    const frame = this.#writer.end()
    this.counters.framesOut++
    this.#write(frame)
    return frame.length
  }

  /** Ends whatever stands on the line. */
  newline(): void {
    this.#write(Uint8Array.of(0x0a))
  }

  /** Counts something that came in and was no good. */
  damaged(): void {
    this.counters.damaged++
    this.#options.onDamaged?.()
  }

  #write(bytes: Uint8Array): void {
    this.counters.bytesOut += bytes.length
    try {
      this.#options.outlet.write(bytes)
    } catch {
      // A line that is gone is a line on which frames get lost: the repeats find out.
    }
  }

  #frame(bytes: Uint8Array, start: number, end: number): void {
    this.#text(bytes, start, firstMarker(bytes, start, end))
    const from = lastMarker(bytes, start, end) + 1
    const length = readFrame(bytes, from, end, this.#message)
    if (length === -1) return this.damaged()
    this.counters.framesIn++
    this.#options.onFrame(this.#message, length)
  }

  #text(bytes: Uint8Array, start: number, end: number): void {
    const until = end > start && bytes[end - 1] === 0x0d ? end - 1 : end
    if (until > start) this.#options.onText?.(bytes, start, until)
  }
}
