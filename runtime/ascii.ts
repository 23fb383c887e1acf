/** The byte of `0`. */
export const digit0 = 0x30
const digit9 = 0x39

/** Whether a byte is a decimal digit. */
export function isDigit(byte: number): boolean {
  return byte >= digit0 && byte <= digit9
}

/** Whether a text has nothing but ASCII. */
export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}

/** The bytes of a text that {@link isAscii}. */
export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0))
}
