/**
 * Bytes in, lines out. Only 0x0A ends a line; it is not part of the line. A carriage return before it is.
 *
 *   chunk   …tail of a line ⏎ whole line ⏎ whole line ⏎ head of a li…
 *           ────────┬──────   ────┬─────               ──────┬──────
 *           joined in the     given out in place,      copied to the
 *           spill buffer      nothing is copied        spill buffer
 *
 * The work is in proportion to the bytes, however they are cut: a byte is searched once and copied at most once
 * (twice, amortised, while the spill buffer grows).
 */

const newline = 0x0a
const keptSpillBytes = 64 * 1024
/** What is shorter is searched and copied byte by byte: a call of `indexOf` or `set` costs more. */
const shortBytes = 48

/** Takes a line: the bytes from `start` up to `end` (exclusive), good during the call only. `false` stops the framer. */
export type LineReceiver = (bytes: Uint8Array, start: number, end: number) => boolean | void

/** How a {@link Framer} is made. */
export interface FramerOptions {
  /** The longest line that is given out, without its newline; 4 MiB when left out. */
  maxLineBytes?: number
  onLine: LineReceiver
  /** Called once for each line over the limit, as soon as it is over. The rest of that line is dropped. */
  onOverlong: () => void
}

/** The longest line that is accepted when nothing else is said: 4 MiB. */
export const defaultMaxLineBytes = 4 * 1024 * 1024

/** Splits bytes into lines. Knows no stream, no text and no message. Never writes into memory that it did not make. */
export class Framer {
  readonly #maxLineBytes: number
  readonly #onLine: LineReceiver
  readonly #onOverlong: () => void
  #spill: Uint8Array = new Uint8Array(0)
  #spilled = 0
  #skipping = false

  constructor(options: FramerOptions) {
    this.#maxLineBytes = options.maxLineBytes ?? defaultMaxLineBytes
    this.#onLine = options.onLine
    this.#onOverlong = options.onOverlong
  }

  /**
   * Takes the next bytes and gives out every line that ends in them. A chunk may be reused by its owner afterwards.
   *
   * @returns where it stopped: `chunk.length`, or less when `onLine` returned `false`; go on from there later
   */
  push(chunk: Uint8Array, from = 0): number {
    let start = from
    while (start < chunk.length) {
      const isShort = chunk.length - start <= shortBytes
      const end = isShort ? indexOfNewline(chunk, start) : chunk.indexOf(newline, start)
      if (end === -1) {
        this.#keep(chunk, start)
        return chunk.length
      }
      const goOn = this.#line(chunk, start, end)
      start = end + 1
      if (goOn === false) return start
    }
    return chunk.length
  }

  /** The input is over: gives out what stands after the last newline, if anything does. */
  end(): void {
    this.#skipping = false
    if (this.#spilled > 0) this.#giveSpilled()
  }

  #line(chunk: Uint8Array, start: number, end: number): boolean | void {
    if (this.#skipping) {
      this.#skipping = false
      return
    }
    if (this.#spilled + end - start > this.#maxLineBytes) return this.#overlong()
    if (this.#spilled === 0) return this.#onLine(chunk, start, end)
    this.#append(chunk, start, end)
    return this.#giveSpilled()
  }

  #giveSpilled(): boolean | void {
    const line = this.#spill
    const length = this.#spilled
    this.#spilled = 0
    // A receiver that pushes from within its call must find a spill buffer of its own.
    this.#spill = empty
    const goOn = this.#onLine(line, 0, length)
    if (this.#spill === empty && line.length <= keptSpillBytes) this.#spill = line
    return goOn
  }

  #keep(chunk: Uint8Array, start: number): void {
    if (this.#skipping) return
    if (this.#spilled + chunk.length - start > this.#maxLineBytes) {
      this.#skipping = true
      this.#overlong()
    } else {
      this.#append(chunk, start, chunk.length)
    }
  }

  #overlong(): void {
    this.#spilled = 0
    this.#spill = empty
    this.#onOverlong()
  }

  #append(chunk: Uint8Array, start: number, end: number): void {
    const length = end - start
    const needed = this.#spilled + length
    if (needed > this.#spill.length) {
      const doubled = Math.max(1024, this.#spill.length * 2, needed)
      const grown = new Uint8Array(Math.min(doubled, this.#maxLineBytes))
      grown.set(this.#spill.subarray(0, this.#spilled))
      this.#spill = grown
    }
    // A view for `set` costs 96 bytes: more than a short piece is worth.
    if (length <= shortBytes) {
      for (let from = start, to = this.#spilled; from < end; from++, to++) this.#spill[to] = chunk[from]!
    } else {
      this.#spill.set(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end), this.#spilled)
    }
    this.#spilled = needed
  }
}

const empty = new Uint8Array(0)

function indexOfNewline(chunk: Uint8Array, start: number): number {
  for (let at = start; at < chunk.length; at++) if (chunk[at] === newline) return at
  return -1
}
