import { describe, expect, it } from 'vitest'
import { encodePixels, neopixel } from '../../boards/parts/neopixel.ts'
import { WS2812BModel } from './models/ws2812b-model.ts'
import { moved } from './move.ts'

describe('a strip of WS2812B', () => {
  it('is dark when opened, takes a colour, and is dark when closed', async () => {
    const spi = new WS2812BModel(3)
    const part = neopixel({ spi, pixels: 3 })
    await part.open()
    expect(spi.lamps).toEqual([0, 0, 0].map(() => [0, 0, 0]))
    await moved(part.actuators.color, { red: 255, green: 1, blue: 0xa5 })
    expect(spi.lamps).toEqual([0, 0, 0].map(() => [255, 1, 0xa5]))
    await part.close()
    expect(spi.lamps).toEqual([0, 0, 0].map(() => [0, 0, 0]))
    expect(spi.closed).toBe(true)
  })

  it('gets every value of a colour as it is', async () => {
    for (let value = 0; value < 256; value++) {
      const spi = new WS2812BModel(1)
      await spi.transfer(encodePixels([[value, 255 - value, value ^ 0x55]]))
      expect(spi.lamps).toEqual([[value, 255 - value, value ^ 0x55]])
    }
  })

  it('gets the bits that are known for 0x00 and 0xff', () => {
    const data = encodePixels([[0xff, 0x00, 0x00]]).filter(byte => byte !== 0)
    expect(Buffer.from(data).toString('hex')).toBe('924924db6db6924924')
  })

  it('is as long as one transfer, and no longer', async () => {
    const spi = new WS2812BModel(435)
    await neopixel({ spi, pixels: 435 }).open()
    expect(spi.lamps.every(lamp => lamp.every(value => value === 0))).toBe(true)
    for (const pixels of [436, 0, 1.5]) expect(() => neopixel({ spi, pixels })).toThrow(`1 to 435 lamps, not ${pixels}`)
  })

  it('on a bus that fails is told with its name', async () => {
    const spi = new WS2812BModel(1)
    spi.transfer = async () => {
      throw new Error('spidev0.0 is closed')
    }
    await expect(neopixel({ spi, pixels: 1 }).open()).rejects.toThrow('NeoPixel at spidev0.0 is closed')
  })
})
