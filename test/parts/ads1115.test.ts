import { describe, expect, it } from 'vitest'
import { type ADS1115Channel, ads1115 } from '../../boards/parts/ads1115.ts'
import { ADS1115Model } from './models/ads1115-model.ts'
import { JumpingClock } from './models/jumping-clock.ts'
import { reading } from './reading.ts'

function wired<Name extends string>(volts: number[], channels: Record<Name, ADS1115Channel>) {
  const clock = new JumpingClock()
  const i2c = new ADS1115Model(clock, volts)
  return { i2c, part: ads1115({ i2c, clock, channels }) }
}

const four = {
  soil: { input: 'A0' },
  light: { input: 'A1' },
  battery: { input: 'A2', fullScale: 6.144 },
  bridge: { input: 'A0-A1', fullScale: 0.256 },
} as const

describe('an ADS1115', () => {
  it('reads many inputs asked for at once, each its own', async () => {
    const { i2c, part } = wired([1, 1.1, 5, 0], four)
    await part.open()
    const { soil, light, battery, bridge } = part.sensors
    const all = (await Promise.all([soil, light, battery, bridge].map(reading))) as number[]
    for (const [i, volts] of [1, 1.1, 5, -0.1].entries()) expect(all[i]).toBeCloseTo(volts, 3)
    await part.close()
    expect(i2c.closed).toBe(true)
  })

  it.each([6.144, 4.096, 2.048, 1.024, 0.512, 0.256] as const)('one step of %f V is 1/32768 of it', async fullScale => {
    const { i2c, part } = wired([0, 0, 0, 0], { one: { input: 'A3', fullScale } })
    expect(await reading(part.sensors.one)).toBe(0)
    // SBAS444, "Input Signal versus Ideal Output Code": one step above nothing.
    i2c.volts[3] = fullScale / 32768
    expect(await reading(part.sensors.one)).toBeCloseTo(fullScale / 32768, 6)
    i2c.volts[3] = fullScale * (32766 / 32768)
    expect(await reading(part.sensors.one)).toBeCloseTo(fullScale, 3)
  })

  it.each([
    ['A0', 4.2, 'beyond 4.096 V at A0 (probe)'],
    ['A1-A3', 4.2, 'beyond 4.096 V at A1-A3 (probe)'],
  ] as const)('at the end of its scale at %s gives no value', async (input, volts, message) => {
    const { part } = wired([volts, 0, 0, volts], { probe: { input } })
    await expect(reading(part.sensors.probe)).rejects.toThrow(`ADS1115 at 0x48 on i2c-1 has a voltage ${message}`)
  })

  it('with an oscillator slow by 10 % is waited for, and a slower one gives no value', async () => {
    const { i2c, part } = wired([1, 0, 0, 0], { soil: { input: 'A0' } })
    i2c.slowness = 1.1
    expect(await reading(part.sensors.soil)).toBeCloseTo(1, 3)
    i2c.slowness = 2
    await expect(reading(part.sensors.soil)).rejects.toThrow('has not converted within 8.6 ms')
  })

  it('that loses its power during a conversion gives no value, and then the next one', async () => {
    const { i2c, part } = wired([1, 0, 0, 0], { soil: { input: 'A3' } })
    await part.open()
    const failing = reading(part.sensors.soil)
    await new Promise<void>(resolve => queueMicrotask(resolve))
    i2c.powerUp()
    const outcome = await failing.then(
      () => 'a value',
      (thrown: Error) => thrown.message,
    )
    expect(outcome).toBe(
      'ADS1115 at 0x48 on i2c-1 does not keep its configuration: it is another chip, or it lost its power',
    )
    expect(await reading(part.sensors.soil)).toBe(0)
  })

  it('tells a range for each input', () => {
    const { sensors } = wired([], four).part
    expect([sensors.soil.minimum, sensors.soil.maximum]).toEqual([-0.3, 4.096])
    expect([sensors.bridge.minimum, sensors.bridge.maximum]).toEqual([-0.256, 0.256])
  })
})
