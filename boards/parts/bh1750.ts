import type { I2C } from '../io.ts'
import { Chip } from './chip.ts'
import { type PartOptions, type SensorPart, titled } from './part.ts'
import { I2CPlace } from './place.ts'
import { rounded } from './rounded.ts'
import { type WaitOptions, wait } from './wait.ts'

// ROHM "BH1750FVI Digital 16bit Serial Output Type Ambient Light Sensor IC", Technical Note, Instruction Set Architecture.
const command = Object.freeze({
  powerDown: 0x00,
  powerOn: 0x01,
  /** 1 lx a step at the usual measurement time; powers down by itself. */
  oneTimeHResolution: 0x20,
  changeMeasurementTimeHigh: 0x40,
  changeMeasurementTimeLow: 0x60,
})
/** The measurement time register: what it is after power-up, and its least, for bright light. */
const MTreg = Object.freeze({ usual: 69, bright: 31 })
/** The longest measurement of H-resolution at the usual measurement time. */
const measurementMs = 180
const fullCount = 65535
const countsPerLux = 1.2

/** Where a BH1750 is. */
export interface BH1750Options extends PartOptions, WaitOptions {
  /** At 0x23, or at 0x5c with ADDR high. */
  i2c: I2C
}

/**
 * A BH1750 light meter. It sleeps between readings. In light too bright for its usual sensitivity it measures once more,
 * less sensitive.
 */
export function bh1750(options: BH1750Options): SensorPart<'illuminance'> {
  const place = new I2CPlace('BH1750', options.i2c)

  async function count(time: number): Promise<number> {
    await place.write(command.changeMeasurementTimeHigh | (time >> 5))
    await place.write(command.changeMeasurementTimeLow | (time & 0x1f))
    await place.write(command.oneTimeHResolution)
    await wait(measurementMs, options)
    return (await place.read(2)).getUint16(0)
  }

  async function illuminance(): Promise<number> {
    for (const time of [MTreg.usual, MTreg.bright]) {
      const counted = await count(time)
      if (counted < fullCount) return rounded(lux(counted, time), 1)
    }
    throw place.failure(
      `sees more light than the ${Math.floor(lux(fullCount, MTreg.bright))} lx that it can tell: shade it, or check its wiring`,
    )
  }

  // It has no id: what tells is that somebody answers.
  const chip = new Chip({
    configure: () => place.write(command.powerOn),
    sleep: () => place.write(command.powerDown),
    io: options.i2c,
  })
  return {
    sensors: {
      illuminance: {
        title: titled(options, 'illuminance'),
        unit: 'lx',
        minimum: 0,
        maximum: Math.ceil(lux(fullCount, MTreg.bright)),
        ttlMs: 1000,
        read: () => chip.use(illuminance),
      },
    },
    open: () => chip.open(),
    close: () => chip.close(),
  }
}

function lux(counted: number, time: number): number {
  return ((counted / countsPerLux) * MTreg.usual) / time
}
