import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { i2c, i2cBuses } from '../../boards/raspberry-pi/bus/i2c.ts'
import { type FakeBusOptions, FakeI2C, smbusOnly, smbusWithoutBlocks } from './fake-i2c.ts'
import { systemRoot } from './system-root.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function eeprom(options: FakeBusOptions = {}) {
  const bus = new FakeI2C(options)
  return { bus, chip: i2c({ address: 0x50, ...bus.system }) }
}

describe.each([8, 4] as const)('a place on an I2C bus, with pointers of %i bytes', pointerBytes => {
  it('writes, reads, and reads after a repeated start in one transfer', async () => {
    const { bus, chip } = eeprom({ pointerBytes })
    await chip.write(Uint8Array.of(0x10, 1, 2, 3))
    expect(hex(await chip.writeRead(Uint8Array.of(0x10), 4))).toBe('01020313')
    expect(hex(await chip.read(2))).toBe('1415')
    expect(bus.transfers).toEqual(['50 w10010203', '50 w10 r4', '50 r2'])
    expect(chip.address).toBe(0x50)
  })

  it('on a bus of SMBus only, by the transfers that SMBus has', async () => {
    const { bus, chip } = eeprom({ pointerBytes, functions: smbusOnly })
    await chip.write(Uint8Array.of(0x20))
    expect(hex(await chip.read(1))).toBe('20')
    await chip.write(Uint8Array.of(0x20, 0xa1))
    await chip.write(Uint8Array.of(0x21, 0xa2, 0xa3))
    await chip.write(Uint8Array.of(0x23, 0xa4, 0xa5, 0xa6, 0xa7))
    expect(hex(await chip.writeRead(Uint8Array.of(0x20), 1))).toBe('a1')
    expect(hex(await chip.writeRead(Uint8Array.of(0x20), 2))).toBe('a1a2')
    expect(hex(await chip.writeRead(Uint8Array.of(0x20), 8))).toBe('a1a2a3a4a5a6a727')
    expect(bus.transfers).toEqual([
      '50 smbus w 32 1',
      '50 smbus r 0 1',
      '50 smbus w 32 2',
      '50 smbus w 33 3',
      '50 smbus w 35 8',
      '50 smbus r 32 2',
      '50 smbus r 32 3',
      '50 smbus r 32 8',
    ])
  })
})

describe('what SMBus lacks', () => {
  it.each<[string, (chip: ReturnType<typeof eeprom>['chip']) => Promise<unknown>]>([
    ['reading 2 bytes without a register before them', chip => chip.read(2)],
    ['reading 33 bytes at once', chip => chip.writeRead(Uint8Array.of(0), 33)],
    ['reading after 2 bytes', chip => chip.writeRead(Uint8Array.of(0, 0), 1)],
    ['writing 34 bytes at once', chip => chip.write(new Uint8Array(34))],
    ['a transfer of nothing', chip => chip.write(new Uint8Array())],
  ])('%s is refused', async (what, transfer) => {
    const { bus, chip } = eeprom({ functions: smbusOnly })
    await expect(transfer(chip)).rejects.toThrow(`this I2C bus speaks SMBus only, which has no way of ${what}`)
    expect(bus.transfers).toEqual([])
  })

  it('blocks, where the adapter has none', async () => {
    const { chip } = eeprom({ functions: smbusWithoutBlocks })
    await expect(chip.writeRead(Uint8Array.of(0), 3)).rejects.toThrow('no way of reading 3 bytes at once')
    await expect(chip.write(Uint8Array.of(0, 1, 2, 3))).rejects.toThrow('no way of writing 4 bytes at once')
  })
})

describe('one bus, many places', () => {
  it('transfers follow each other, and what comes later waits', async () => {
    const { bus, chip } = eeprom()
    const other = i2c({ address: 0x51, ...bus.system })
    let open = () => {}
    bus.gate = new Promise(resolve => {
      open = resolve
    })
    const bytes = Uint8Array.of(0x10, 7)
    const all = Promise.allSettled([
      chip.write(bytes),
      other.write(Uint8Array.of(1)),
      chip.writeRead(Uint8Array.of(0x10), 1),
    ])
    // What was handed in is the caller's again.
    bytes.fill(0xff)
    open()
    const [written, failed, read] = await all
    expect(written.status).toBe('fulfilled')
    expect(failed.status === 'rejected' && failed.reason.message).toBe(
      '0x51 on i2c-1 does not answer: check its wiring, its power and its address',
    )
    expect(read.status === 'fulfilled' && hex(read.value)).toBe('07')
    expect(bus.mostAtOnce).toBe(1)
  })

  it('an address has one owner, until it is given back', () => {
    const { bus, chip } = eeprom()
    expect(() => i2c({ address: 0x50, ...bus.system })).toThrow(
      '0x50 on i2c-1 is taken by another part of this program',
    )
    chip.close()
    chip.close()
    expect(bus.descriptors).toBe(0)
    i2c({ address: 0x50, ...bus.system }).close()
  })

  it('what waits when it is closed is not sent', async () => {
    const { bus, chip } = eeprom()
    let open = () => {}
    bus.gate = new Promise(resolve => {
      open = resolve
    })
    const first = chip.write(Uint8Array.of(1))
    const second = chip.write(Uint8Array.of(2))
    await Promise.resolve()
    chip.close()
    open()
    await first
    await expect(second).rejects.toThrow('0x50 on i2c-1 is closed')
    expect(bus.transfers).toEqual(['50 w01'])
  })
})

describe('what fails', () => {
  it.each([
    ['ENXIO', 'does not answer: check its wiring, its power and its address'],
    ['ETIMEDOUT', 'something holds the bus'],
    ['EMSGSIZE', 'cannot transfer as many bytes at once'],
  ])('%s: the next transfer is made as ever', async (code, words) => {
    const { bus, chip } = eeprom()
    bus.faults.push(code)
    const failed = chip.read(1)
    const next = chip.read(1)
    await expect(failed).rejects.toThrow(words)
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(/^0x50 on i2c-1 /) })
    expect(hex(await next)).toBe('00')
  })

  it('an address that a driver of the kernel has, and the driver is named', () => {
    const bus = new FakeI2C({ driven: [0x76] })
    mkdirSync(join(bus.root, 'sys/bus/i2c/devices/1-0076'), { recursive: true })
    symlinkSync('../../../../bus/i2c/drivers/bmp280', join(bus.root, 'sys/bus/i2c/devices/1-0076/driver'))
    const take = () => i2c({ address: 0x76, ...bus.system })
    expect(take).toThrow("0x76 on i2c-1 is in use by the kernel's driver bmp280: read it through that (hwmon, iio)")
    expect(take).toThrow('bmp280')
    expect(bus.descriptors).toBe(0)
  })

  it('a bus that is not there: what is, and how to switch it on', () => {
    const bus = new FakeI2C()
    expect(() => i2c({ address: 0x50, bus: 3, ...bus.system })).toThrow(
      /dev\/i2c-3 is not there, only i2c-1 \(bcm2835 \(i2c@7e804000\)\) is: add its dtoverlay to/,
    )
    expect(() => i2c({ address: 0x50, bus: 'hdmi', ...bus.system })).toThrow('no I2C bus is named hdmi; there is i2c-1')
    expect(() => i2c({ address: 0x50, root: systemRoot() })).toThrow(
      'no I2C bus is: switch I2C on with sudo raspi-config nonint do_i2c 0',
    )
  })

  it('a bus is found by the name of its adapter', async () => {
    const bus = new FakeI2C()
    const chip = i2c({ address: 0x50, bus: 'bcm2835 (i2c@7e804000)', ...bus.system })
    expect(hex(await chip.read(1))).toBe('00')
    expect(i2cBuses(bus.system)).toEqual([{ number: 1, name: 'bcm2835 (i2c@7e804000)' }])
  })

  it.each([0, 0x07, 0x78, 1.5, 0xec])('%s is no address', address => {
    expect(() => i2c({ address, ...new FakeI2C().system })).toThrow('an I2C address lies between 0x08 and 0x77')
  })
})
