/** The checksum of Sensirion's chips: polynomial 0x31, begun with 0xff (SHT3x-DIS datasheet, section 4.12). */
export function crc8(bytes: Iterable<number>): number {
  let crc = 0xff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x31) & 0xff : crc << 1
  }
  return crc
}

/** The words of 16 bits in an answer where each is followed by its checksum; nothing when one is wrong. */
export function checkedWords(answer: DataView): number[] | undefined {
  const words: number[] = []
  for (let at = 0; at < answer.byteLength; at += 3) {
    if (crc8([answer.getUint8(at), answer.getUint8(at + 1)]) !== answer.getUint8(at + 2)) return undefined
    words.push(answer.getUint16(at))
  }
  return words
}
