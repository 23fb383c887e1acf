import type { Sensor } from '../../runtime/board.ts'
import type { I2C } from '../io.ts'
import { Chip, joined } from './chip.ts'
import { type PartOptions, type SensorPart, titled } from './part.ts'
import { hex, I2CPlace } from './place.ts'
import { rounded } from './rounded.ts'
import { type WaitOptions, wait } from './wait.ts'

// InvenSense "MPU-6000 and MPU-6050 Register Map and Descriptions", RM-MPU-6000A-00 revision 4.2; the sensitivities are
// those of "MPU-6000 and MPU-6050 Product Specification", PS-MPU-6000A-00, section 6.
const register = Object.freeze({
  CONFIG: 0x1a,
  GYRO_CONFIG: 0x1b,
  ACCEL_CONFIG: 0x1c,
  ACCEL_XOUT_H: 0x3b,
  PWR_MGMT_1: 0x6b,
  WHO_AM_I: 0x75,
})
const SLEEP = 0x40
/** The gyroscope's oscillator as the clock, as the register map recommends. */
const CLKSEL_PLL_X = 0x01
/** Both filtered to 44 and 42 Hz. */
const DLPF_CFG = 3
const whoAmI = 0x68
const AFS_SEL = Object.freeze({
  2: { bits: 0, perG: 16384 },
  4: { bits: 1, perG: 8192 },
  8: { bits: 2, perG: 4096 },
  16: { bits: 3, perG: 2048 },
})
const FS_SEL = Object.freeze({
  250: { bits: 0, perDegree: 131 },
  500: { bits: 1, perDegree: 65.5 },
  1000: { bits: 2, perDegree: 32.8 },
  2000: { bits: 3, perDegree: 16.4 },
})
/** Until the gyroscope has started (30 ms, typically) and the filter has settled. */
const startMs = 100
const standardGravity = 9.80665
const axes = ['x', 'y', 'z'] as const
const quantities = [
  ...axes.map(axis => `acceleration_${axis}` as const),
  'temperature' as const,
  ...axes.map(axis => `rotation_${axis}` as const),
]

/** What an MPU-6050 gives: along and about its three axes, and the temperature of the chip. */
export type MPU6050Quantity = (typeof quantities)[number]

/** Where an MPU-6050 is. */
export interface MPU6050Options extends PartOptions, WaitOptions {
  /** At 0x68, or at 0x69 with AD0 high. */
  i2c: I2C
  /** The largest acceleration in g; 2 when left out. */
  maximumG?: keyof typeof AFS_SEL
  /** The largest rotation in degrees a second; 250 when left out. */
  maximumDegrees?: keyof typeof FS_SEL
}

/** An MPU-6050: acceleration, rotation and the temperature of the chip. It measures while open and sleeps when closed. */
export function mpu6050(options: MPU6050Options): SensorPart<MPU6050Quantity> {
  const { maximumG = 2, maximumDegrees = 250 } = options
  const acceleration = AFS_SEL[maximumG]
  const rotation = FS_SEL[maximumDegrees]
  const place = new I2CPlace('MPU6050', options.i2c)

  async function configure(): Promise<void> {
    const found = await place.byte(register.WHO_AM_I)
    if (found !== whoAmI)
      throw place.failure(
        `has the id ${hex(found)} in the place of ${hex(whoAmI)}: it is another chip, or its wiring is bad`,
      )
    await place.write(register.PWR_MGMT_1, CLKSEL_PLL_X)
    await place.write(register.CONFIG, DLPF_CFG)
    await place.write(register.GYRO_CONFIG, rotation.bits << 3)
    await place.write(register.ACCEL_CONFIG, acceleration.bits << 3)
    await wait(startMs, options)
  }

  async function measured(): Promise<Record<MPU6050Quantity, number>> {
    // A chip that was reset sleeps, and would give zeros or what it measured last.
    if ((await place.byte(register.PWR_MGMT_1)) !== CLKSEL_PLL_X)
      throw place.failure('lost its power and is started anew: read again, and check its supply if that goes on')
    const data = await place.register(register.ACCEL_XOUT_H, 14)
    const value = (quantity: MPU6050Quantity, at: number): number => {
      const raw = data.getInt16(at)
      if (quantity === 'temperature') return rounded(raw / 340 + 36.53, 2)
      if (quantity.startsWith('rotation')) return rounded(raw / rotation.perDegree, 3)
      return rounded((raw / acceleration.perG) * standardGravity, 4)
    }
    return Object.fromEntries(quantities.map((quantity, i) => [quantity, value(quantity, 2 * i)])) as Record<
      MPU6050Quantity,
      number
    >
  }

  const chip = new Chip({
    configure,
    sleep: () => place.write(register.PWR_MGMT_1, SLEEP | CLKSEL_PLL_X),
    io: options.i2c,
  })
  const measure = joined(() => chip.use(measured))
  const sensorOf = (quantity: MPU6050Quantity): Sensor => ({
    ...kindOf(quantity),
    ttlMs: 5,
    read: async () => (await measure())[quantity],
  })

  function kindOf(quantity: MPU6050Quantity): Omit<Sensor, 'read'> {
    if (quantity === 'temperature')
      return { title: titled(options, 'temperature of the chip'), unit: 'Cel', minimum: -40, maximum: 85 }
    const axis = quantity.slice(-1)
    if (quantity.startsWith('acceleration')) {
      const most = rounded(maximumG * standardGravity, 4)
      return { title: titled(options, `acceleration along ${axis}`), unit: 'm/s2', minimum: -most, maximum: most }
    }
    // The registry of SenML has no unit for it.
    const most = rounded(0x8000 / rotation.perDegree, 3)
    return { title: titled(options, `degrees a second about ${axis}`), minimum: -most, maximum: most }
  }

  return {
    sensors: Object.fromEntries(quantities.map(quantity => [quantity, sensorOf(quantity)])) as Record<
      MPU6050Quantity,
      Sensor
    >,
    open: () => chip.open(),
    close: () => chip.close(),
  }
}
