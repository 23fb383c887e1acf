import type { Sensor } from '../../runtime/board.ts'
import type { I2C } from '../io.ts'
import {
  centiCelsius,
  fineTemperature,
  pascals256,
  relativeHumidity1024,
  type Trimming,
} from './bme280-compensation.ts'
import { Chip, joined } from './chip.ts'
import { type PartOptions, type SensorPart, titled } from './part.ts'
import { hex, I2CPlace } from './place.ts'
import { rounded } from './rounded.ts'
import { type WaitOptions, wait } from './wait.ts'

// Bosch Sensortec "BME280 Combined humidity and pressure sensor", BST-BME280-DS002, section 5 (memory map);
// "BMP280 Digital pressure sensor", BST-BMP280-DS001, section 4.
const register = Object.freeze({
  calib00: 0x88,
  dig_H1: 0xa1,
  id: 0xd0,
  dig_H2: 0xe1,
  ctrl_hum: 0xf2,
  status: 0xf3,
  ctrl_meas: 0xf4,
  press_msb: 0xf7,
})
const status = Object.freeze({ measuring: 0x08, im_update: 0x01 })
/** One sample of everything, then to sleep: `osrs_t`, `osrs_p` and `osrs_h` are 1. */
const forced = 0b001_001_01
const asleep = 0b001_001_00
const oneSample = 0b001
const id = Object.freeze({ BME280: [0x60], BMP280: [0x56, 0x57, 0x58] })

/** The longest measurement of one sample each (BST-BME280-DS002, section 9.1). */
const measurementMs = 9.3
/** What the output registers hold when nothing was measured. */
const skipped = 0x80000

/** Where a BME280 or a BMP280 is. */
export interface BME280Options extends PartOptions, WaitOptions {
  /** At 0x76, or at 0x77 with SDO high. */
  i2c: I2C
}

interface Measured {
  temperature: number
  pressure: number
  humidity: number
}

/** A BME280: temperature, relative humidity and air pressure. It sleeps between readings. */
export function bme280(options: BME280Options): SensorPart<'temperature' | 'humidity' | 'pressure'> {
  const { measure, life } = environment('BME280', options)
  return {
    sensors: {
      temperature: temperature(options, measure),
      humidity: {
        title: titled(options, 'humidity'),
        unit: '%RH',
        minimum: 0,
        maximum: 100,
        ttlMs: 1000,
        read: async () => (await measure()).humidity,
      },
      pressure: pressure(options, measure),
    },
    ...life,
  }
}

/** A BMP280: temperature and air pressure. It sleeps between readings. */
export function bmp280(options: BME280Options): SensorPart<'temperature' | 'pressure'> {
  const { measure, life } = environment('BMP280', options)
  return { sensors: { temperature: temperature(options, measure), pressure: pressure(options, measure) }, ...life }
}

function temperature(options: BME280Options, measure: () => Promise<Measured>): Sensor {
  return {
    title: titled(options, 'temperature'),
    unit: 'Cel',
    minimum: -40,
    maximum: 85,
    ttlMs: 1000,
    read: async () => (await measure()).temperature,
  }
}

function pressure(options: BME280Options, measure: () => Promise<Measured>): Sensor {
  return {
    title: titled(options, 'air pressure'),
    unit: 'hPa',
    minimum: 300,
    maximum: 1100,
    ttlMs: 1000,
    read: async () => (await measure()).pressure,
  }
}

function environment(part: 'BME280' | 'BMP280', options: BME280Options) {
  const place = new I2CPlace(part, options.i2c)
  const hasHumidity = part === 'BME280'

  async function configure(): Promise<Trimming> {
    const found = await place.byte(register.id)
    if (!id[part].includes(found)) throw place.failure(wrongId(part, found))
    if ((await place.byte(register.status)) & status.im_update)
      throw place.failure('is still starting: try again, and check its power if that goes on')
    return trimmingOf(
      await place.register(register.calib00, 24),
      hasHumidity ? await place.byte(register.dig_H1) : 0,
      hasHumidity ? await place.register(register.dig_H2, 7) : new DataView(new ArrayBuffer(7)),
    )
  }

  async function measured(trimming: Trimming): Promise<Measured> {
    // Written each time: a chip that lost its power meanwhile would measure no humidity.
    if (hasHumidity) await place.write(register.ctrl_hum, oneSample)
    await place.write(register.ctrl_meas, forced)
    await wait(measurementMs, options)
    if ((await place.byte(register.status)) & status.measuring)
      throw place.failure(`has not measured within ${measurementMs} ms: check its power`)
    const data = await place.register(register.press_msb, hasHumidity ? 8 : 6)
    const adcP = data.getUint32(0) >>> 12
    const adcT = (data.getUint16(3) << 4) | (data.getUint8(5) >> 4)
    // One of them alone may be a true value.
    if (adcT === skipped && adcP === skipped) throw place.failure('has measured nothing: check its power')
    const fine = fineTemperature(adcT, trimming)
    const pressure = pascals256(adcP, fine, trimming)
    if (pressure === undefined) throw place.failure('has no trimming values: it is broken, or its wiring is bad')
    return {
      temperature: centiCelsius(fine) / 100,
      pressure: rounded(pressure / 25600, 2),
      humidity: hasHumidity ? rounded(relativeHumidity1024(data.getUint16(6), fine, trimming) / 1024, 2) : 0,
    }
  }

  const chip = new Chip({ configure, sleep: () => place.write(register.ctrl_meas, asleep), io: options.i2c })
  return {
    measure: joined(() => chip.use(measured)),
    life: { open: () => chip.open(), close: () => chip.close() },
  }
}

function wrongId(part: 'BME280' | 'BMP280', found: number): string {
  const other = part === 'BME280' ? 'BMP280' : 'BME280'
  if (id[other].includes(found)) return `is a ${other}, which looks the same: use ${other.toLowerCase()}`
  const right = id[part].map(hex).join(' or ')
  return `has the id ${hex(found)} in the place of ${right}: it is another chip, or its wiring is bad`
}

/** @param calib 0x88 to 0x9f @param h1 0xa1 @param calibH 0xe1 to 0xe7 */
function trimmingOf(calib: DataView, h1: number, calibH: DataView): Trimming {
  const unsigned = (at: number) => calib.getUint16(at, true)
  const signed = (at: number) => calib.getInt16(at, true)
  return {
    T1: unsigned(0),
    T2: signed(2),
    T3: signed(4),
    P1: unsigned(6),
    P2: signed(8),
    P3: signed(10),
    P4: signed(12),
    P5: signed(14),
    P6: signed(16),
    P7: signed(18),
    P8: signed(20),
    P9: signed(22),
    H1: h1,
    H2: calibH.getInt16(0, true),
    H3: calibH.getUint8(2),
    // Two signed numbers of 12 bits share 0xe5.
    H4: (calibH.getInt8(3) << 4) | (calibH.getUint8(4) & 0x0f),
    H5: (calibH.getInt8(5) << 4) | (calibH.getUint8(4) >> 4),
    H6: calibH.getInt8(6),
  }
}
