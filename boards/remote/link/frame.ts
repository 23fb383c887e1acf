import { fcsGood, fcsStart, fcsStep } from './fcs16.ts'
import { marker } from './line.ts'

// One frame on the line:
//
//   FE  stuffed( CBOR array, FCS low, FCS high )  0A
//       └ each byte XOR C0; what is reserved then travels as 7D and itself XOR 20
//
// Reserved are 00-1F, 7D, 7F, FE and FF.

const escapeByte = 0x7d
const mask = 0xc0
const flip = 0x20
const newline = 0x0a
const carriageReturn = 0x0d
const poolBytes = 8192
const roomAtLeast = 256

/** The most bytes of a frame, its check included, before stuffing. */
export const maxFrameBytes = 1024

/** The longest line that a receiver needs room for when text may stand before the frame. */
export const maxFrameLineBytes = 4096

/** Something that takes bytes one by one. */
export interface ByteSink {
  byte(value: number): void
}

const reserved = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === escapeByte || byte === 0x7f || byte >= marker ? 1 : 0,
)

/** Tells whether a byte of a message takes two bytes on the line. */
export function travelsEscaped(byte: number): boolean {
  return reserved[(byte ^ mask) & 0xff] === 1
}

/**
 * Builds frames, byte by byte, straight into the memory that is given to the line: check, mask and escapes are made on
 * the way. A frame that was given out is never written to again.
 */
export class FrameWriter implements ByteSink {
  #pool = new Uint8Array(0)
  #start = 0
  #at = 0
  #fcs = fcsStart
  #length = 0

  /** Begins a frame, in place of one that was begun and not ended. */
  begin(): void {
    if (this.#pool.length - this.#start < roomAtLeast) {
      this.#pool = new Uint8Array(poolBytes)
      this.#start = 0
    }
    this.#at = this.#start
    this.#fcs = fcsStart
    this.#length = 0
    this.#raw(marker)
  }

  /** Takes the next byte of the message. */
  byte(value: number): void {
    this.#fcs = fcsStep(this.#fcs, value)
    this.#stuff(value)
  }

  /** How long the message is so far, with the two bytes of its check and before stuffing. */
  get length(): number {
    return this.#length + 2
  }

  /** Ends the frame and gives it out, from its marker to its newline. */
  end(): Uint8Array {
    const fcs = this.#fcs ^ 0xffff
    this.#stuff(fcs & 0xff)
    this.#stuff(fcs >> 8)
    this.#raw(newline)
    const frame = this.#pool.subarray(this.#start, this.#at)
    this.#start = this.#at
    return frame
  }

  #stuff(value: number): void {
    const masked = value ^ mask
    this.#length++
    if (reserved[masked] === 1) {
      this.#raw(escapeByte)
      this.#raw(masked ^ flip)
    } else {
      this.#raw(masked)
    }
  }

  #raw(value: number): void {
    if (this.#at === this.#pool.length) this.#grow()
    this.#pool[this.#at++] = value
  }

  #grow(): void {
    const begun = this.#pool.subarray(this.#start, this.#at)
    this.#pool = new Uint8Array(Math.max(poolBytes, begun.length * 2))
    this.#pool.set(begun)
    this.#at = begun.length
    this.#start = 0
  }
}

/**
 * Takes the stuffing off the frame that stands behind a marker, from `start` up to `end` (its newline excluded).
 *
 * @param into where the message goes, at most `into.length - 2` bytes; what it holds is undefined when -1 is returned
 * @returns the length of the message without its check, or -1 for a frame that is damaged, cut or too long
 */
export function readFrame(bytes: Uint8Array, start: number, end: number, into: Uint8Array): number {
  let fcs = fcsStart
  let length = 0
  for (let at = start; at < end; at++) {
    let byte = bytes[at]!
    // Terminals and drivers make CR LF of a newline; a frame never holds one.
    if (byte === carriageReturn) continue
    if (byte === escapeByte) {
      byte = at + 1 < end ? bytes[++at]! ^ flip : 0x20
      if (reserved[byte] !== 1) return -1
    } else if (reserved[byte] === 1) {
      return -1
    }
    if (length === into.length) return -1
    byte ^= mask
    into[length++] = byte
    fcs = fcsStep(fcs, byte)
  }
  return fcs === fcsGood && length > 2 ? length - 2 : -1
}
