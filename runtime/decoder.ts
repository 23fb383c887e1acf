import { decodeUtf8 } from './json.ts'

/**
 * Bytes to text. Most lines are ASCII, which is decoded several times faster; of a whole chunk it is known in one go. And
 * what was read before need not be decoded again.
 */
export interface Decoder {
  /** Text of a part of `bytes`, or nothing when it is not UTF-8. */
  utf8(bytes: Uint8Array, start: number, end: number): string | undefined
  isAscii(bytes: Uint8Array): boolean
  /** Text of a part of `bytes` that is ASCII. */
  ascii(bytes: Uint8Array, start: number, end: number): string
  /** Whether `part` stands in `bytes` at `start`, where there is room for it. */
  isAt(part: Uint8Array, bytes: Uint8Array, start: number): boolean
}

/** The one of every platform. */
export const standardDecoder: Decoder = {
  utf8: decodeUtf8,
  isAscii: () => false,
  ascii: (bytes, start, end) => String.fromCharCode(...bytes.subarray(start, end)),
  isAt,
}

/** Whether `part` stands in `bytes` at `start`. Short parts are compared so on every platform. */
export function isAt(part: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[start + i] !== part[i]) return false
  return true
}
