import type { I2C } from '../io.ts'
import { Chip, joined } from './chip.ts'
import { type PartOptions, type SensorPart, titled } from './part.ts'
import { I2CPlace } from './place.ts'
import { rounded } from './rounded.ts'
import { type WaitOptions, wait } from './wait.ts'

// Texas Instruments "INA219 Zerø-Drift, Bidirectional Current/Power Monitor With I2C Interface", SBOS448G, section 8.6.
const register = Object.freeze({ configuration: 0x00, shuntVoltage: 0x01, busVoltage: 0x02 })
/** 32 V of bus, 320 mV of shunt (PGA /8), 12 bits: the reset value, but for its MODE. */
const configuration = 0x3998
const mode = Object.freeze({ powerDown: 0b000, shuntAndBusTriggered: 0b011 })
const CNVR = 0x02
/** Two conversions of 12 bits, at their longest. */
const conversionMs = 2 * 0.586
const shuntVolts = 10e-6
const busVolts = 4e-3
/** The shunt voltage register at 320 mV, where the converter ends. */
const fullShunt = 32000

/** Where an INA219 is, and what it measures over. */
export interface INA219Options extends PartOptions, WaitOptions {
  /** At 0x40 to 0x4f. */
  i2c: I2C
  /** The shunt resistor in ohms; 0.1, that of most modules, when left out. */
  shuntOhms?: number
}

/**
 * An INA219: the voltage at a load, the current into it, and their product. It sleeps between readings. Current that flows
 * back is negative.
 */
export function ina219(options: INA219Options): SensorPart<'voltage' | 'current' | 'power'> {
  const { shuntOhms = 0.1 } = options
  if (!(shuntOhms > 0)) throw new RangeError(`The shunt resistor of an INA219 has more than 0 ohms, not ${shuntOhms}`)
  const place = new I2CPlace('INA219', options.i2c)
  const most = rounded(0.32 / shuntOhms, 6)

  const configured = (bits: number) =>
    place.write(register.configuration, configuration >> 8, (configuration & 0xff) | bits)

  async function configure(): Promise<void> {
    await configured(mode.powerDown)
    // It has no id: what tells is that it keeps what was written.
    const kept = (await place.register(register.configuration, 2)).getUint16(0)
    if (kept !== configuration)
      throw place.failure('does not keep its configuration: it is another chip, or its wiring is bad')
  }

  async function measured(): Promise<{ volts: number; amperes: number }> {
    await configured(mode.shuntAndBusTriggered)
    await wait(conversionMs, options)
    const bus = (await place.register(register.busVoltage, 2)).getUint16(0)
    if ((bus & CNVR) === 0) throw place.failure(`has not measured within ${conversionMs} ms: check its power`)
    const shunt = (await place.register(register.shuntVoltage, 2)).getInt16(0)
    if (Math.abs(shunt) >= fullShunt)
      throw place.failure(`has more than the ${most} A in its shunt that it can tell: take a smaller shunt resistor`)
    return { volts: (bus >> 3) * busVolts, amperes: (shunt * shuntVolts) / shuntOhms }
  }

  const chip = new Chip({ configure, sleep: () => configured(mode.powerDown), io: options.i2c })
  const measure = joined(() => chip.use(measured))
  return {
    sensors: {
      voltage: {
        title: titled(options, 'voltage'),
        unit: 'V',
        minimum: 0,
        maximum: 26,
        ttlMs: 100,
        read: async () => rounded((await measure()).volts, 3),
      },
      current: {
        title: titled(options, 'current'),
        unit: 'A',
        minimum: -most,
        maximum: most,
        ttlMs: 100,
        read: async () => rounded((await measure()).amperes, 6),
      },
      power: {
        title: titled(options, 'power'),
        unit: 'W',
        minimum: -26 * most,
        maximum: 26 * most,
        ttlMs: 100,
        read: async () => {
          const { volts, amperes } = await measure()
          return rounded(volts * amperes, 6)
        },
      },
    },
    open: () => chip.open(),
    close: () => chip.close(),
  }
}
