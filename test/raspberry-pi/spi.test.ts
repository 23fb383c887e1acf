import { describe, expect, it } from 'vitest'
import { spi } from '../../boards/raspberry-pi/bus/spi.ts'
import { FakeSPI } from './fake-spi.ts'

describe('a place on an SPI bus', () => {
  it('is set as it is told to, and gives as many bytes as it was given', async () => {
    const bus = new FakeSPI()
    const chip = spi({ hz: 500_000, mode: 3, ...bus.system })
    expect(bus.settings).toEqual(['mode 3', '500000 Hz'])
    expect(await chip.transfer(Uint8Array.of(1, 2, 3))).toEqual(Buffer.of(1, 2, 3))
    chip.close()
    chip.close()
    expect(bus.descriptors).toBe(0)
    await expect(chip.transfer(Uint8Array.of(1))).rejects.toThrow('spidev0.0 is closed')
  })

  it('transfers of one bus follow each other, whichever chip they are for', async () => {
    const bus = new FakeSPI()
    const chips = [0, 1].map(select => spi({ select, ...bus.system }))
    const all = chips.flatMap((chip, i) => [chip.transfer(Uint8Array.of(i)), chip.transfer(Uint8Array.of(i))])
    expect((await Promise.all(all)).map(([byte]) => byte)).toEqual([0, 0, 1, 1])
    expect(bus.mostAtOnce).toBe(1)
  })

  it('has one owner', () => {
    const bus = new FakeSPI()
    spi(bus.system)
    expect(() => spi(bus.system)).toThrow('spidev0.0 is taken by another part of this program')
  })

  it('what cannot be is said, and nothing stays open', async () => {
    const bus = new FakeSPI()
    expect(() => spi({ bus: 1, ...bus.system })).toThrow(
      'spidev1.0 is not there: switch SPI on with sudo raspi-config nonint do_spi 0',
    )
    expect(() => spi({ hz: 99_000_000, ...bus.system })).toThrow('spidev0.0 has no mode 0 at 99000000 Hz')
    expect(bus.descriptors).toBe(0)
    const chip = spi(bus.system)
    await expect(chip.transfer(new Uint8Array(5000))).rejects.toThrow('spidev takes 4096')
    await expect(chip.transfer(new Uint8Array())).rejects.toThrow('a transfer has at least a byte')
  })
})
