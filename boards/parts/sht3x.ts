import type { SensorPart } from './part.ts'
import { type SHTOptions, shtPart } from './sht.ts'

// Sensirion "Datasheet SHT3x-DIS", section 4: SHT30, SHT31, SHT35.
const command = Object.freeze({
  /** Ends periodic measurements. */
  break: [0x30, 0x93],
  readStatus: [0xf3, 0x2d],
  /** Single shot of high repeatability, without clock stretching, which not every bus can do. */
  measure: [0x24, 0x00],
})

/** An SHT30, SHT31 or SHT35: temperature and relative humidity. It sleeps between readings. */
export function sht3x(options: SHTOptions): SensorPart<'temperature' | 'humidity'> {
  return shtPart(
    {
      name: 'SHT3x',
      stop: [{ command: command.break, ms: 1 }],
      // It has no id: what tells is an answer with a right checksum.
      identify: { command: command.readStatus, words: 1, ms: 1 },
      measure: { command: command.measure, ms: 15.5 },
      humidity: raw => (100 * raw) / 65535,
    },
    options,
  )
}
