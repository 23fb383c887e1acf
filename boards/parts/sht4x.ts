import type { SensorPart } from './part.ts'
import { type SHTOptions, shtPart } from './sht.ts'

// Sensirion "Datasheet SHT4x", section 4: SHT40, SHT41, SHT45.
const command = Object.freeze({
  softReset: [0x94],
  readSerialNumber: [0x89],
  /** High precision. */
  measure: [0xfd],
})

/** An SHT40, SHT41 or SHT45: temperature and relative humidity. It sleeps between readings. */
export function sht4x(options: SHTOptions): SensorPart<'temperature' | 'humidity'> {
  return shtPart(
    {
      name: 'SHT4x',
      stop: [{ command: command.softReset, ms: 1 }],
      identify: { command: command.readSerialNumber, words: 2, ms: 1 },
      measure: { command: command.measure, ms: 8.3 },
      // The formula reaches beyond what there is; the datasheet says to crop it.
      humidity: raw => Math.min(Math.max(-6 + (125 * raw) / 65535, 0), 100),
    },
    options,
  )
}
