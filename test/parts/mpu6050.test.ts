import { describe, expect, it } from 'vitest'
import { type MPU6050Options, mpu6050 } from '../../boards/parts/mpu6050.ts'
import { JumpingClock } from './models/jumping-clock.ts'
import { MPU6050Model } from './models/mpu6050-model.ts'
import { reading } from './reading.ts'

function wired(settings: Omit<MPU6050Options, 'i2c' | 'clock'> = {}, id?: number) {
  const i2c = new MPU6050Model(id)
  return { i2c, part: mpu6050({ i2c, clock: new JumpingClock(), ...settings }) }
}

describe('an MPU-6050', () => {
  it('on a table feels the weight of the world', async () => {
    const { part } = wired()
    await part.open()
    const { acceleration_x, acceleration_y, acceleration_z, temperature } = part.sensors
    const all = await Promise.all([acceleration_x, acceleration_y, acceleration_z, temperature].map(reading))
    expect(all.slice(0, 3)).toEqual([0, 0, 9.8067])
    expect(all[3]).toBeCloseTo(25, 2)
  })

  it.each([
    [2, 250],
    [4, 500],
    [8, 1000],
    [16, 2000],
  ] as const)('with a range of %i g and %i degrees a second', async (maximumG, maximumDegrees) => {
    const { i2c, part } = wired({ maximumG, maximumDegrees })
    i2c.truth.acceleration = [-0.75 * maximumG, 0.5 * maximumG, 9 * maximumG]
    i2c.truth.rotation = [-0.75 * maximumDegrees, 0.5 * maximumDegrees, -9 * maximumDegrees]
    const { sensors } = part
    expect(await reading(sensors.acceleration_x)).toBeCloseTo(-0.75 * maximumG * 9.80665, 2)
    expect(await reading(sensors.acceleration_y)).toBeCloseTo(0.5 * maximumG * 9.80665, 2)
    expect(await reading(sensors.rotation_x)).toBeCloseTo(-0.75 * maximumDegrees, 0)
    expect(await reading(sensors.rotation_y)).toBeCloseTo(0.5 * maximumDegrees, 0)
    // At the end of the scale it is within what the sensor says of itself.
    expect(await reading(sensors.acceleration_z)).toBeLessThanOrEqual(sensors.acceleration_z.maximum!)
    expect(await reading(sensors.rotation_z)).toBe(sensors.rotation_z.minimum!)
  })

  it('that lost its power gives no value, and then one again', async () => {
    const { i2c, part } = wired({ maximumG: 8 })
    expect(await reading(part.sensors.acceleration_z)).toBeCloseTo(9.8067, 3)
    i2c.powerUp()
    await expect(reading(part.sensors.acceleration_z)).rejects.toThrow('MPU6050 at 0x68 on i2c-1 lost its power')
    expect(await reading(part.sensors.acceleration_z)).toBeCloseTo(9.8067, 3)
  })

  it('sleeps when it is closed', async () => {
    const { i2c, part } = wired()
    await part.open()
    expect(i2c.registers[0x6b]).toBe(0x01)
    await part.close()
    expect(i2c.registers[0x6b]! & 0x40).toBe(0x40)
    expect(i2c.closed).toBe(true)
  })

  it('with another id is refused', async () => {
    await expect(wired({}, 0x71).part.open()).rejects.toThrow(
      'MPU6050 at 0x68 on i2c-1 has the id 0x71 in the place of 0x68: it is another chip, or its wiring is bad',
    )
  })
})
