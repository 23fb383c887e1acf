const dataRecord = 0
const endRecord = 1
const segmentRecord = 2
const linearRecord = 4

/**
 * Reads a program in Intel HEX, as `avr-objcopy -O ihex` and the Arduino IDE write it.
 *
 * ```
 * :  10  0130 00  3F0156702B5E712B722B732146013421  C7
 *    |   |    |   data                              check: all bytes add up to 0
 *    |   |    kind: 0 data, 1 end, 2 and 4 base of the addresses, 3 and 5 where to start
 *    |   address
 *    how many bytes of data
 * ```
 *
 * @param text the file
 * @param bytes how much the chip's memory holds; what the file does not fill is FF, as on an erased chip
 * @throws Error that names the line, when it is no such file, is damaged, cut off, or too big
 */
export function readIntelHex(text: string, bytes: number): Uint8Array {
  const memory = new Uint8Array(bytes).fill(0xff)
  let base = 0
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const { kind, address, data } = readRecord(line, index + 1)
    if (kind === endRecord) return memory
    if (kind === segmentRecord) base = wordOf(data) * 16
    else if (kind === linearRecord) base = wordOf(data) * 0x10000
    else if (kind === dataRecord) {
      const from = base + address
      if (from + data.length > bytes) {
        throw new Error(`line ${index + 1} is for address ${from}, but the chip has ${bytes} bytes of program memory`)
      }
      memory.set(data, from)
    }
  }
  throw new Error('it has no end record (:00000001FF): is it cut off, or no Intel HEX file?')
}

interface HexRecord {
  kind: number
  address: number
  data: Uint8Array
}

function readRecord(line: string, number: number): HexRecord {
  const digits = line.trim().slice(1)
  if (!line.startsWith(':') || !/^([0-9a-f]{2}){5,}$/i.test(digits)) {
    throw new Error(`line ${number} is no record of Intel HEX: it begins with ":" and holds pairs of hex digits`)
  }
  const bytes = Uint8Array.from(digits.match(/../g)!, pair => Number.parseInt(pair, 16))
  const [length = 0, high = 0, low = 0, kind = 0] = bytes
  if (bytes.length !== length + 5) throw new Error(`line ${number} is cut off`)
  if (bytes.reduce((sum, byte) => sum + byte, 0) % 256 !== 0) {
    throw new Error(`line ${number} is damaged: its check does not fit`)
  }
  return { kind, address: high * 256 + low, data: bytes.subarray(4, 4 + length) }
}

function wordOf([high = 0, low = 0]: Uint8Array): number {
  return high * 256 + low
}
