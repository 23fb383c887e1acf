import { describe, expect, it } from 'vitest'
import { bh1750 } from '../../boards/parts/bh1750.ts'
import { BH1750Model } from './models/bh1750-model.ts'
import { JumpingClock } from './models/jumping-clock.ts'
import { reading } from './reading.ts'

function wired(lux: number) {
  const clock = new JumpingClock()
  const i2c = new BH1750Model(clock, lux)
  return { i2c, part: bh1750({ i2c, clock }) }
}

describe('a BH1750', () => {
  it("gives the value of the datasheet's example: 1000001110010000b is 28067 lx", async () => {
    const { i2c, part } = wired(0b1000001110010000 / 1.2)
    await part.open()
    const { illuminance } = part.sensors
    expect(Math.round((await reading(illuminance)) as number)).toBe(28067)
    expect(i2c.mode).toBe('down')
  })

  it('waits for its measurement, and gives no older one', async () => {
    const { i2c, part } = wired(100)
    expect(await reading(part.sensors.illuminance)).toBe(100)
    i2c.lux = 200
    expect(await reading(part.sensors.illuminance)).toBe(200)
  })

  it.each([
    [0, 0],
    [54000, 54000],
    // Beyond 65535 counts at the usual sensitivity.
    [55000, 55000],
    [100000, 100000],
  ])('in light of %i lx tells %i', async (lux, expected) => {
    const told = (await reading(wired(lux).part.sensors.illuminance)) as number
    expect(Math.abs(told - expected)).toBeLessThan(1)
  })

  it('in more light than it can tell gives no value', async () => {
    await expect(reading(wired(130000).part.sensors.illuminance)).rejects.toThrow(
      'BH1750 at 0x23 on i2c-1 sees more light than the 121556 lx that it can tell',
    )
  })

  it('is powered down when it is closed', async () => {
    const { i2c, part } = wired(100)
    await part.open()
    expect(i2c.mode).toBe('on')
    await part.close()
    expect(i2c.mode).toBe('down')
    expect(i2c.closed).toBe(true)
  })

  it('that is not there is told with its name and its place', async () => {
    const { i2c, part } = wired(100)
    i2c.plugged = false
    await expect(reading(part.sensors.illuminance)).rejects.toThrow('BH1750 at 0x23 on i2c-1 does not answer')
  })
})
