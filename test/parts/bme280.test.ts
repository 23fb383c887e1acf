import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bme280, bmp280 } from '../../boards/parts/bme280.ts'
import {
  centiCelsius,
  fineTemperature,
  pascals256,
  relativeHumidity1024,
} from '../../boards/parts/bme280-compensation.ts'
import { BME280Model, type BME280State, example } from './models/bme280-model.ts'
import { JumpingClock } from './models/jumping-clock.ts'
import { reading } from './reading.ts'

function wired(state?: BME280State) {
  const clock = new JumpingClock()
  const i2c = new BME280Model(clock, state)
  return { i2c, options: { i2c, clock } }
}

describe('compensation', () => {
  const { trimming, adcT, adcP, adcH } = example
  const fine = fineTemperature(adcT, trimming)

  it("gives the values of the datasheet's example (BST-BMP280-DS001, section 3.12)", () => {
    expect(fine).toBe(128422)
    expect(centiCelsius(fine)).toBe(2508)
    expect(Math.round(pascals256(adcP, fine, trimming)! / 256)).toBe(100653)
  })

  it("agrees with the datasheet's formula in floating point for humidity (BST-BME280-DS002, section 8.1)", () => {
    const { H1, H2, H3, H4, H5, H6 } = trimming
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65535 }), fc.integer({ min: 400000, max: 600000 }), (adcH, adcT) => {
        const fine = fineTemperature(adcT, trimming)
        const t = fine - 76800
        const h =
          (adcH - (H4 * 64 + (H5 / 16384) * t)) * ((H2 / 65536) * (1 + (H6 / 67108864) * t * (1 + (H3 / 67108864) * t)))
        const expected = Math.min(Math.max(h * (1 - (H1 * h) / 524288), 0), 100)
        expect(relativeHumidity1024(adcH, fine, trimming) / 1024).toBeCloseTo(expected, 1)
      }),
    )
    expect(relativeHumidity1024(adcH, fine, trimming) / 1024).toBeGreaterThan(0)
  })

  it('humidity stays within 0 and 100', () => {
    expect(relativeHumidity1024(0, fine, trimming)).toBe(0)
    expect(relativeHumidity1024(65535, fine, trimming)).toBe(102400)
  })

  it('no trimming values give no pressure', () => {
    expect(pascals256(adcP, fine, { ...trimming, P1: 0, P2: 0, P3: 0 })).toBeUndefined()
  })
})

describe('a BME280', () => {
  it('gives temperature, humidity and pressure of one measurement', async () => {
    const { i2c, options } = wired()
    const part = bme280(options)
    await part.open()
    const [temperature, pressure, humidity] = await Promise.all([
      reading(part.sensors.temperature),
      reading(part.sensors.pressure),
      reading(part.sensors.humidity),
    ])
    expect(temperature).toBe(25.08)
    expect(pressure).toBe(1006.53)
    expect(humidity).toBeGreaterThan(20)
    expect(humidity).toBeLessThan(80)
    expect(i2c.measurements).toBe(1)
  })

  it('trimming values of 12 bits may be negative', async () => {
    const trimming = { ...example.trimming, H4: -3, H5: -1000 }
    const { options } = wired({ trimming, adcH: 20000 })
    const expected = relativeHumidity1024(20000, fineTemperature(example.adcT, trimming), trimming) / 1024
    expect(await reading(bme280(options).sensors.humidity)).toBeCloseTo(expected, 2)
  })

  it('sleeps between readings and after it was closed', async () => {
    const { i2c, options } = wired()
    const part = bme280(options)
    await part.open()
    expect(i2c.mode).toBe('sleep')
    await reading(part.sensors.humidity)
    expect(i2c.mode).toBe('sleep')
    const last = reading(part.sensors.humidity)
    await part.close()
    await last
    expect(i2c.mode).toBe('sleep')
    expect(i2c.closed).toBe(true)
    await expect(reading(part.sensors.humidity)).rejects.toThrow('closed')
  })

  it('that is not there is told with its name, its place and what to check', async () => {
    const { i2c, options } = wired()
    i2c.plugged = false
    const part = bme280(options)
    const message = 'BME280 at 0x76 on i2c-1 does not answer: check its wiring, its power and its address'
    await expect(part.open()).rejects.toThrow(message)
    await expect(reading(part.sensors.temperature)).rejects.toThrow(message)
    await part.close()
    expect(i2c.closed).toBe(true)
  })

  it('that is plugged in again is configured and read again', async () => {
    const { i2c, options } = wired()
    const part = bme280(options)
    await part.open()
    i2c.plugged = false
    await expect(reading(part.sensors.temperature)).rejects.toThrow('does not answer')
    i2c.plugged = true
    i2c.powerUp()
    expect(await reading(part.sensors.temperature)).toBe(25.08)
  })

  it('that lost its power measures humidity all the same', async () => {
    const { i2c, options } = wired()
    const part = bme280(options)
    const { trimming, adcT, adcH } = example
    const expected = relativeHumidity1024(adcH, fineTemperature(adcT, trimming), trimming) / 1024
    expect(await reading(part.sensors.humidity)).toBeCloseTo(expected, 2)
    i2c.powerUp()
    expect(await reading(part.sensors.humidity)).toBeCloseTo(expected, 2)
  })

  it('that another chip took the place of is noticed', async () => {
    const { i2c, options } = wired()
    const part = bme280(options)
    await part.open()
    i2c.plugged = false
    await expect(reading(part.sensors.temperature)).rejects.toThrow('does not answer')
    i2c.plugged = true
    i2c.registers[0xd0] = 0x58
    await expect(reading(part.sensors.temperature)).rejects.toThrow('is a BMP280')
  })

  it('that does not end its measurement gives no value', async () => {
    const { i2c, options } = wired()
    i2c.measurementMs = 50
    await expect(reading(bme280(options).sensors.temperature)).rejects.toThrow(
      'BME280 at 0x76 on i2c-1 has not measured within 9.3 ms',
    )
  })

  it('one raw value that looks like no measurement is a value; two are none', async () => {
    const one = wired({ adcT: 0x80000 })
    expect(await reading(bme280(one.options).sensors.temperature)).toBeGreaterThan(25)
    const two = wired({ adcT: 0x80000, adcP: 0x80000 })
    await expect(reading(bme280(two.options).sensors.temperature)).rejects.toThrow('has measured nothing')
  })

  it('that is still starting is told so', async () => {
    const { i2c, options } = wired()
    i2c.registers[0xf3] = 0x01
    await expect(bme280(options).open()).rejects.toThrow('is still starting')
  })

  it('without trimming values is told to be broken', async () => {
    const { options } = wired({ trimming: { ...example.trimming, P1: 0 } })
    await expect(reading(bme280(options).sensors.pressure)).rejects.toThrow('has no trimming values')
  })

  it.each([
    [0x58, 'is a BMP280, which looks the same: use bmp280'],
    [0x00, 'has the id 0x00 in the place of 0x60'],
    [0xff, 'has the id 0xff in the place of 0x60'],
  ])('the id %i is refused', async (id, message) => {
    await expect(bme280(wired({ id }).options).open()).rejects.toThrow(`BME280 at 0x76 on i2c-1 ${message}`)
  })
})

describe('a BMP280', () => {
  it.each([0x56, 0x57, 0x58])('with the id %i gives temperature and pressure', async id => {
    const part = bmp280({ ...wired({ id }).options, title: 'Attic' })
    expect(await reading(part.sensors.temperature)).toBe(25.08)
    expect(await reading(part.sensors.pressure)).toBe(1006.53)
    expect(part.sensors.pressure.title).toBe('Attic: air pressure')
    expect(part.sensors).not.toHaveProperty('humidity')
  })

  it('that is a BME280 is told so', async () => {
    await expect(bmp280(wired().options).open()).rejects.toThrow('is a BME280, which looks the same: use bme280')
  })
})
