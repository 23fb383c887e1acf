// The frame check of RFC 1662, appendix C.2: polynomial 0x1021 reflected, start 0xFFFF, complemented at the end.

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >> 1) ^ 0x8408 : rest >> 1
  return rest
})

/** What the check starts with, before the first byte. */
export const fcsStart = 0xffff

/** What remains after a whole frame, its own check included, when nothing was damaged. */
export const fcsGood = 0xf0b8

/** The check after one more byte. */
export function fcsStep(fcs: number, byte: number): number {
  return (fcs >> 8) ^ table[(fcs ^ byte) & 0xff]!
}

/** The FCS-16 of bytes, as it is sent (low byte first): 0x906E for the text `123456789`. */
export function fcs16(bytes: Uint8Array): number {
  let fcs = fcsStart
  for (const byte of bytes) fcs = fcsStep(fcs, byte)
  return fcs ^ 0xffff
}
