import type { I2C } from '../io.ts'
import { Chip, joined } from './chip.ts'
import { checkedWords } from './crc8.ts'
import { type PartOptions, type SensorPart, titled } from './part.ts'
import { I2CPlace } from './place.ts'
import { rounded } from './rounded.ts'
import { type WaitOptions, wait } from './wait.ts'

/** Where a thermometer and hygrometer of Sensirion is. */
export interface SHTOptions extends PartOptions, WaitOptions {
  /** At 0x44, or at another address that it was made or wired for. */
  i2c: I2C
}

/** What differs between the families. */
export interface SHTFamily {
  name: string
  /** Ends what the chip may be doing, and the longest time that takes. */
  stop: readonly { command: readonly number[]; ms: number }[]
  /** Asks for something that tells whether the chip is there, of some words, ready after a while. */
  identify: { command: readonly number[]; words: number; ms: number }
  /** Measures once, at its best, and the longest time that takes. */
  measure: { command: readonly number[]; ms: number }
  /** Percent of relative humidity of a raw value. */
  humidity(raw: number): number
}

/** A part of one of the families. Both measure once and then sleep by themselves. */
export function shtPart(family: SHTFamily, options: SHTOptions): SensorPart<'temperature' | 'humidity'> {
  const place = new I2CPlace(family.name, options.i2c)

  async function ask(command: readonly number[], words: number, ms: number): Promise<number[]> {
    await place.write(...command)
    await wait(ms, options)
    const answer = checkedWords(await place.read(words * 3))
    if (answer === undefined)
      throw place.failure('gave an answer with a wrong checksum: check its wiring and how long its cable is')
    return answer
  }

  async function configure(): Promise<void> {
    for (const { command, ms } of family.stop) {
      await place.write(...command)
      await wait(ms, options)
    }
    const { command, words, ms } = family.identify
    await ask(command, words, ms)
  }

  const chip = new Chip({ configure, io: options.i2c })
  const measure = joined(() => chip.use(() => ask(family.measure.command, 2, family.measure.ms)))
  return {
    sensors: {
      temperature: {
        title: titled(options, 'temperature'),
        unit: 'Cel',
        minimum: -40,
        maximum: 125,
        ttlMs: 1000,
        read: async () => rounded(-45 + (175 * (await measure())[0]!) / 65535, 2),
      },
      humidity: {
        title: titled(options, 'humidity'),
        unit: '%RH',
        minimum: 0,
        maximum: 100,
        ttlMs: 1000,
        read: async () => rounded(family.humidity((await measure())[1]!), 2),
      },
    },
    open: () => chip.open(),
    close: () => chip.close(),
  }
}
