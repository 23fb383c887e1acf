import type { CborItem } from './value.ts'

/** Bytes that are no item of the link's CBOR profile. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

/** How deep arrays and maps may be nested, the outermost counted. */
export const maxDepth = 8

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads the one item that fills the bytes from `start` up to `end`. Strings of bytes are copied out.
 *
 * A float may have any of its three widths, since small devices have only one; everything else has one form.
 *
 * @throws CborError for anything else: a longer head than needed, an indefinite length, a tag, `undefined`, NaN or an
 *   infinity, an integer beyond 2^53, keys out of order or doubled, text that is no UTF-8, too deep, cut, bytes behind it
 */
export function readCbor(bytes: Uint8Array, start = 0, end = bytes.length): CborItem {
  const reader = new Reader(bytes, start, end)
  const item = reader.item(1)
  if (reader.at !== end) throw new CborError('bytes after the item')
  return item
}

class Reader {
  readonly #bytes: Uint8Array
  readonly #end: number
  readonly #view: DataView
  at: number

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = start
    this.#end = end
  }

  item(depth: number): CborItem {
    const head = this.#byte()
    switch (head >> 5) {
      case 0:
        return this.#argument(head)
      case 1: {
        const integer = -1 - this.#argument(head)
        if (!Number.isSafeInteger(integer)) throw new CborError('an integer beyond 2^53')
        return integer
      }
      case 2:
        return this.#take(this.#argument(head)).slice()
      case 3:
        return this.#text(this.#argument(head))
      case 4:
        return this.#array(this.#argument(head), depth)
      case 5:
        return this.#map(this.#argument(head), depth)
      case 6:
        throw new CborError('a tag')
      default:
        return this.#simple(head)
    }
  }

  #byte(): number {
    if (this.at >= this.#end) throw new CborError('cut')
    return this.#bytes[this.at++]!
  }

  #skip(count: number): number {
    const at = this.at
    if (count > this.#end - at) throw new CborError('cut')
    this.at = at + count
    return at
  }

  #take(count: number): Uint8Array {
    const at = this.#skip(count)
    return this.#bytes.subarray(at, this.at)
  }

  #argument(head: number): number {
    const short = head & 0x1f
    if (short < 24) return short
    const least = short === 24 ? 24 : short === 25 ? 0x100 : short === 26 ? 0x1_0000 : 0x1_0000_0000
    let argument: number
    if (short === 24) argument = this.#byte()
    else if (short === 25) argument = this.#view.getUint16(this.#skip(2))
    else if (short === 26) argument = this.#view.getUint32(this.#skip(4))
    else if (short === 27) {
      const at = this.#skip(8)
      argument = this.#view.getUint32(at) * 0x1_0000_0000 + this.#view.getUint32(at + 4)
      if (argument > Number.MAX_SAFE_INTEGER) throw new CborError('an integer beyond 2^53')
    } else throw new CborError(short === 31 ? 'an indefinite length' : 'a reserved head')
    if (argument < least) throw new CborError('a head longer than needed')
    return argument
  }

  #text(length: number): string {
    try {
      return utf8.decode(this.#take(length))
    } catch (thrown) {
      throw thrown instanceof CborError ? thrown : new CborError('text that is no UTF-8')
    }
  }

  #array(length: number, depth: number): CborItem[] {
    this.#enter(length, depth)
    const items: CborItem[] = []
    for (let i = 0; i < length; i++) items.push(this.item(depth + 1))
    return items
  }

  #map(length: number, depth: number): Map<number | string, CborItem> {
    this.#enter(length * 2, depth)
    const map = new Map<number | string, CborItem>()
    let before: Uint8Array | undefined
    for (let i = 0; i < length; i++) {
      const start = this.at
      const key = this.item(depth + 1)
      const major = this.#bytes[start]! >> 5
      if (major > 1 && major !== 3) throw new CborError('a key that is no integer and no text')
      const bytes = this.#bytes.subarray(start, this.at)
      if (before !== undefined && !isBefore(before, bytes)) throw new CborError('keys out of order or doubled')
      before = bytes
      map.set(key as number | string, this.item(depth + 1))
    }
    return map
  }

  /** Each item takes a byte at least: a length that cannot be there is refused before anything is made for it. */
  #enter(length: number, depth: number): void {
    if (depth > maxDepth) throw new CborError('nested too deeply')
    if (length > this.#end - this.at) throw new CborError('cut')
  }

  #simple(head: number): CborItem {
    switch (head) {
      case 0xf4:
        return false
      case 0xf5:
        return true
      case 0xf6:
        return null
      case 0xf9:
        return finite(half(this.#view.getUint16(this.#skip(2))))
      case 0xfa:
        return finite(this.#view.getFloat32(this.#skip(4)))
      case 0xfb:
        return finite(this.#view.getFloat64(this.#skip(8)))
      default:
        throw new CborError('a simple value that the link does not know')
    }
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new CborError('a number that is not finite')
  return value === 0 ? 0 : value
}

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 31) return Number.NaN
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}

function isBefore(a: Uint8Array, b: Uint8Array): boolean {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at]! < b[at]!
  return a.length < b.length
}
