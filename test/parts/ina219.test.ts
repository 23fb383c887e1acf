import { describe, expect, it } from 'vitest'
import { ina219 } from '../../boards/parts/ina219.ts'
import { INA219Model } from './models/ina219-model.ts'
import { JumpingClock } from './models/jumping-clock.ts'
import { reading } from './reading.ts'

function wired(raw: { shunt: number; bus: number }, shuntOhms?: number) {
  const clock = new JumpingClock()
  const i2c = new INA219Model(clock, raw)
  return { i2c, part: ina219({ i2c, clock, ...(shuntOhms === undefined ? {} : { shuntOhms }) }) }
}

describe('an INA219', () => {
  it("gives the values of the datasheet's example: 10 A at 11.98 V over 2 mΩ (SBOS448, table 8)", async () => {
    // The example's registers: shunt 07D0h, bus 5D98h.
    const { i2c, part } = wired({ shunt: 0x07d0, bus: 0x5d98 >> 3 }, 0.002)
    await part.open()
    expect(await reading(part.sensors.voltage)).toBe(11.98)
    expect(await reading(part.sensors.current)).toBe(10)
    expect(await reading(part.sensors.power)).toBe(119.8)
    await part.close()
    expect(i2c.mode).toBe(0)
    expect(i2c.closed).toBe(true)
  })

  it('tells current that flows back as negative', async () => {
    const { part } = wired({ shunt: -500, bus: 3000 })
    expect(await reading(part.sensors.current)).toBe(-0.05)
    expect(await reading(part.sensors.power)).toBe(-0.6)
  })

  it.each([31999, -31999])('up to %i steps of its shunt is a value', async shunt => {
    expect(await reading(wired({ shunt, bus: 0 }).part.sensors.current)).toBe(shunt / 10000)
  })

  it.each([32000, -32000])('at %i steps gives none, since more would look the same', async shunt => {
    await expect(reading(wired({ shunt, bus: 0 }).part.sensors.current)).rejects.toThrow(
      'INA219 at 0x40 on i2c-1 has more than the 3.2 A in its shunt that it can tell: take a smaller shunt resistor',
    )
  })

  it('that has not measured in its time gives no value', async () => {
    const { i2c, part } = wired({ shunt: 1, bus: 1 })
    i2c.conversionMs = 20
    await expect(reading(part.sensors.voltage)).rejects.toThrow('INA219 at 0x40 on i2c-1 has not measured within')
  })

  it('another chip, which does not keep what is written, is refused', async () => {
    const { i2c, part } = wired({ shunt: 1, bus: 1 })
    Object.defineProperty(i2c.words, 0, { get: () => 0x6060, set: () => {} })
    await expect(part.open()).rejects.toThrow('INA219 at 0x40 on i2c-1 does not keep its configuration')
  })

  it('has a shunt of more than nothing', () => {
    expect(() => wired({ shunt: 1, bus: 1 }, 0)).toThrow('more than 0 ohms')
  })
})
