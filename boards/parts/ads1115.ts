import type { Sensor } from '../../runtime/board.ts'
import type { I2C } from '../io.ts'
import { Chip } from './chip.ts'
import { type PartOptions, type SensorPart, titled } from './part.ts'
import { I2CPlace } from './place.ts'
import { rounded } from './rounded.ts'
import { type WaitOptions, wait } from './wait.ts'

// Texas Instruments "ADS111x Ultra-Small, Low-Power, I2C-Compatible, 860-SPS, 16-Bit ADCs", SBAS444, Register Map.
const register = Object.freeze({ conversion: 0x00, config: 0x01 })
const OS = 0x8000
const MUX = Object.freeze({
  'A0-A1': 0b000,
  'A0-A3': 0b001,
  'A1-A3': 0b010,
  'A2-A3': 0b011,
  A0: 0b100,
  A1: 0b101,
  A2: 0b110,
  A3: 0b111,
})
/** By the full scale in volts. */
const PGA = Object.freeze({ 6.144: 0b000, 4.096: 0b001, 2.048: 0b010, 1.024: 0b011, 0.512: 0b100, 0.256: 0b101 })
/** MODE single-shot, DR 128 samples a second, comparator off. */
const singleShot = 0x0100 | (0b100 << 5) | 0b11
/** The config register after power-up, with OS clear, which starts nothing. */
const idle = 0x0583
/** At 128 samples a second, with an oscillator that may be slow by 10 %. */
const conversionMs = (1000 / 128) * 1.1

/** What one reading of an ADS1115 is taken of. */
export interface ADS1115Channel {
  /** An input against ground (`A0`), or the difference of two (`A0-A1`). */
  input: keyof typeof MUX
  /** The largest voltage that it can tell; 4.096 when left out. No input may go beyond the supply whatever this says. */
  fullScale?: keyof typeof PGA
  title?: string
  description?: string
}

/** Where an ADS1115 is, and what is wired to it. */
export interface ADS1115Options<Name extends string> extends PartOptions, WaitOptions {
  /** At 0x48 to 0x4b, as ADDR is wired. */
  i2c: I2C
  /** What is wired to it: a sensor for each, by name. */
  channels: Record<Name, ADS1115Channel>
}

/** An ADS1115: voltages, by 16 bits. It sleeps between readings. */
export function ads1115<Name extends string>(options: ADS1115Options<Name>): SensorPart<Name> {
  const place = new I2CPlace('ADS1115', options.i2c)

  const configured = (word: number) => place.write(register.config, word >> 8, word & 0xff)

  async function isKept(word: number): Promise<boolean> {
    const kept = (await place.register(register.config, 2)).getUint16(0)
    if ((kept & ~OS) !== (word & ~OS))
      throw place.failure('does not keep its configuration: it is another chip, or it lost its power')
    return (kept & OS) !== 0
  }

  async function configure(): Promise<void> {
    await configured(idle)
    await isKept(idle)
  }

  async function volts(name: string, { input, fullScale = 4.096 }: ADS1115Channel): Promise<number> {
    const word = OS | (MUX[input] << 12) | (PGA[fullScale] << 9) | singleShot
    await configured(word)
    await wait(conversionMs, options)
    if (!(await isKept(word)))
      throw place.failure(`has not converted within ${conversionMs.toFixed(1)} ms: check its power`)
    const code = (await place.register(register.conversion, 2)).getInt16(0)
    if (code === 0x7fff || code === -0x8000)
      throw place.failure(
        `has a voltage beyond ${fullScale} V at ${input} (${name}): check what is wired to it, or give it a larger fullScale`,
      )
    return rounded((code * fullScale) / 0x8000, 6)
  }

  const chip = new Chip({ configure, io: options.i2c })
  const sensorOf = (name: string, channel: ADS1115Channel): Sensor => ({
    title: channel.title ?? titled(options, name.replaceAll('_', ' ')),
    ...(channel.description === undefined ? {} : { description: channel.description }),
    unit: 'V',
    // An input against ground gives a little less than nothing at ground, and may not be 0.3 V below.
    minimum: channel.input.includes('-') ? -(channel.fullScale ?? 4.096) : -0.3,
    maximum: channel.fullScale ?? 4.096,
    ttlMs: 10,
    read: () => chip.use(() => volts(name, channel)),
  })
  const channels = Object.entries<ADS1115Channel>(options.channels)
  return {
    sensors: Object.fromEntries(channels.map(([name, channel]) => [name, sensorOf(name, channel)])) as Record<
      Name,
      Sensor
    >,
    open: () => chip.open(),
    close: () => chip.close(),
  }
}
