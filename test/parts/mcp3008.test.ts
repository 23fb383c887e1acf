import { describe, expect, it } from 'vitest'
import { mcp3008 } from '../../boards/parts/mcp3008.ts'
import { MCP3008Model } from './models/mcp3008-model.ts'
import { reading } from './reading.ts'

describe('an MCP3008', () => {
  it('reads each of its inputs', async () => {
    const spi = new MCP3008Model([0, 1, 2, 3, 511, 512, 1022, 1023])
    const channels = Object.fromEntries(
      ([0, 1, 2, 3, 4, 5, 6, 7] as const).map(input => [`in_${input}`, { input }] as const),
    )
    const part = mcp3008({ spi, channels, referenceVolts: 1.024 })
    await part.open()
    const all = await Promise.all(Object.values(part.sensors).map(reading))
    expect(all).toEqual([0, 0.001, 0.002, 0.003, 0.511, 0.512, 1.022, 1.023])
    expect(part.sensors.in_3!.title).toBe('In 3')
    await part.close()
    expect(spi.closed).toBe(true)
  })

  it('that is not there gives no value', async () => {
    const spi = new MCP3008Model([100])
    const part = mcp3008({ spi, channels: { light: { input: 0 } } })
    expect(await reading(part.sensors.light)).toBeCloseTo(0.322, 3)
    spi.plugged = false
    const message = 'MCP3008 at spidev0.0 does not answer: check its wiring, its power and its chip-select line'
    await expect(reading(part.sensors.light)).rejects.toThrow(message)
    await expect(part.open()).rejects.toThrow(message)
  })

  it('what SPI says is told with its name', async () => {
    const spi = new MCP3008Model([100])
    spi.transfer = async () => {
      throw new Error('spidev0.0 is closed')
    }
    await expect(mcp3008({ spi, channels: {} }).open()).rejects.toThrow('MCP3008 at spidev0.0 is closed')
  })
})
