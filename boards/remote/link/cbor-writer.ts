import type { ByteSink } from './frame.ts'
import type { CborInput, FloatBytes } from './value.ts'

// RFC 8949, section 4.2.1: the shortest heads, the shortest float that keeps the value, definite lengths, map keys in
// the order of their bytes. Beyond that, a whole number up to 2^53 always goes as an integer, and 0 has no sign.

const text = new TextEncoder()
const view = new DataView(new ArrayBuffer(8))

/**
 * Writes one item in deterministic CBOR.
 *
 * @param floats the widest float that the reader takes; a value that needs more is rounded to it
 * @throws RangeError for NaN, an infinity, or a fraction where the reader takes none
 */
export function writeCbor(sink: ByteSink, item: CborInput, floats: FloatBytes = 8): void {
  if (item === null) return sink.byte(0xf6)
  switch (typeof item) {
    case 'boolean':
      return sink.byte(item ? 0xf5 : 0xf4)
    case 'number':
      return writeNumber(sink, item, floats)
    case 'string':
      return writeString(sink, 0x60, text.encode(item))
  }
  if (item instanceof Uint8Array) return writeString(sink, 0x40, item)
  if (Array.isArray(item)) {
    writeHead(sink, 0x80, item.length)
    for (const member of item) writeCbor(sink, member, floats)
    return
  }
  writeMap(sink, item instanceof Map ? [...item] : Object.entries(item as object), floats)
}

/** Writes the head of an item: its major type, in the upper three bits, and its argument in the shortest form. */
export function writeHead(sink: ByteSink, major: number, argument: number): void {
  if (argument < 24) return sink.byte(major | argument)
  const size = argument < 0x100 ? 1 : argument < 0x1_0000 ? 2 : argument < 0x1_0000_0000 ? 4 : 8
  sink.byte(major | (size === 1 ? 24 : size === 2 ? 25 : size === 4 ? 26 : 27))
  if (size === 8) {
    writeBytes(sink, Math.floor(argument / 0x1_0000_0000), 4)
    writeBytes(sink, argument % 0x1_0000_0000, 4)
  } else {
    writeBytes(sink, argument, size)
  }
}

function writeBytes(sink: ByteSink, value: number, size: number): void {
  for (let shift = (size - 1) * 8; shift >= 0; shift -= 8) sink.byte((value >>> shift) & 0xff)
}

function writeString(sink: ByteSink, major: number, bytes: Uint8Array): void {
  writeHead(sink, major, bytes.length)
  for (const byte of bytes) sink.byte(byte)
}

function writeNumber(sink: ByteSink, value: number, floats: FloatBytes): void {
  if (Number.isSafeInteger(value)) return value < 0 ? writeHead(sink, 0x20, -1 - value) : writeHead(sink, 0, value)
  if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be sent over the link`)
  if (floats === 0) throw new RangeError(`${value}: this device takes whole numbers only`)
  if (floats === 8 && Math.fround(value) !== value) {
    view.setFloat64(0, value)
    sink.byte(0xfb)
    writeBytes(sink, view.getUint32(0), 4)
    return writeBytes(sink, view.getUint32(4), 4)
  }
  const single = Math.fround(value)
  // Rounding may have made it whole, which has one form only.
  if (Number.isSafeInteger(single)) return writeNumber(sink, single, floats)
  if (!Number.isFinite(single)) throw new RangeError(`${value}: too large for this device`)
  const half = halfOf(single, floats === 2)
  if (half !== undefined) {
    if (Number.isInteger(half.value)) return writeNumber(sink, half.value, floats)
    sink.byte(0xf9)
    return writeBytes(sink, half.bits, 2)
  }
  view.setFloat32(0, single)
  sink.byte(0xfa)
  writeBytes(sink, view.getUint32(0), 4)
}

/** A single as a half: exactly, or `undefined`; or, when told to round, the nearest one. */
function halfOf(single: number, round: boolean): { bits: number; value: number } | undefined {
  const size = Math.abs(single)
  const sign = single < 0 ? 0x8000 : 0
  if (size >= 65520) {
    if (round) throw new RangeError(`${single}: too large for this device`)
    return undefined
  }
  const exponent = Math.max(-14, Math.floor(Math.log2(size)))
  const steps = size / 2 ** (exponent - 10)
  const whole = Math.round(steps)
  if (whole !== steps && !round) return undefined
  // A carry out of the fraction raises the exponent by itself.
  const bits = sign | ((exponent + 14) * 1024 + whole)
  const value = Math.sign(single) * whole * 2 ** (exponent - 10)
  return { bits, value: value === 0 ? 0 : value }
}

function writeMap(sink: ByteSink, entries: [number | string, CborInput][], floats: FloatBytes): void {
  const encoded = entries.map(([key, value]) => {
    const bytes: number[] = []
    writeCbor({ byte: byte => void bytes.push(byte) }, key)
    return { bytes, value }
  })
  encoded.sort((a, b) => compare(a.bytes, b.bytes))
  writeHead(sink, 0xa0, encoded.length)
  for (const { bytes, value } of encoded) {
    for (const byte of bytes) sink.byte(byte)
    writeCbor(sink, value, floats)
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at]! - b[at]!
  return a.length - b.length
}
