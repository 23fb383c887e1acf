import { describe, expect, it } from 'vitest'
import type { I2C } from '../../boards/io.ts'
import { answeringAddresses } from '../../boards/raspberry-pi/scan/i2c-probe.ts'
import { scan } from '../../boards/raspberry-pi/scan/index.ts'
import { ADS1115Model } from '../parts/models/ads1115-model.ts'
import { BH1750Model } from '../parts/models/bh1750-model.ts'
import { BME280Model } from '../parts/models/bme280-model.ts'
import { I2CChip, RegisterChip } from '../parts/models/i2c-chip.ts'
import { INA219Model } from '../parts/models/ina219-model.ts'
import { JumpingClock } from '../parts/models/jumping-clock.ts'
import { MCP3424Model } from '../parts/models/mcp3424-model.ts'
import { MPU6050Model } from '../parts/models/mpu6050-model.ts'
import { PCA9685Model } from '../parts/models/pca9685-model.ts'
import { SHTModel } from '../parts/models/sht-model.ts'
import { SingleRegister } from '../parts/models/single-register.ts'
import { plainWithoutQuick } from './fake-i2c-buses.ts'
import { headerBus, WiredPi, type WiredPiOptions } from './wired-pi.ts'

const clock = new JumpingClock()

/** Somebody at an address, of whom nothing more is known. */
class Anybody extends RegisterChip {}

function pi(chips: readonly I2C[], bus: Partial<NonNullable<WiredPiOptions['buses']>[number]> = {}) {
  return new WiredPi({ buses: { 1: { name: headerBus, chips, ...bus } } })
}

async function chipsOf(fake: WiredPi, options: object = {}) {
  const { i2c } = await scan({ ...fake.options, clock, ...options })
  return i2c.flatMap(({ chips }) => chips)
}

describe('who answers on an I2C bus', () => {
  it('is asked by a write of nothing, and by reading a byte where that could damage an EEPROM', async () => {
    const fake = pi([new Anybody(0x20), new Anybody(0x50), new Anybody(0x77)])
    expect(await answeringAddresses(1, fake.options)).toEqual([0x20, 0x50, 0x77])
    expect(fake.i2c.transfers).toHaveLength(0x77 - 0x08 + 1)
    const read = fake.i2c.transfers.filter(transfer => transfer.endsWith('byte')).map(transfer => transfer.slice(0, 2))
    const expected = [0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, ...Array.from({ length: 16 }, (_, i) => 0x50 + i)]
    expect(read).toEqual(expected.map(address => address.toString(16)))
    expect(fake.i2c.descriptors).toBe(0)
  })

  it('by reading a byte everywhere, on an adapter that cannot write nothing', async () => {
    const fake = pi([new Anybody(0x20)], { functions: plainWithoutQuick })
    expect(await answeringAddresses(1, fake.options)).toEqual([0x20])
    expect(fake.i2c.transfers.every(transfer => transfer.endsWith('byte'))).toBe(true)
  })

  it('an address that a driver of the kernel has is not asked, and the driver is told', async () => {
    const fake = new WiredPi({
      buses: { 1: { name: headerBus, chips: [new Anybody(0x68)], driven: [0x68] } },
      links: { 'sys/bus/i2c/devices/1-0068/driver': '../../../../bus/i2c/drivers/rtc-ds1307' },
    })
    expect(await chipsOf(fake)).toEqual([{ bus: 1, address: 0x68, driver: 'rtc-ds1307', maybe: [] }])
    expect(fake.i2c.transfers.filter(transfer => transfer.startsWith('68'))).toEqual([])
  })

  it('a bus that hangs is left after a few addresses, and what to check is told', async () => {
    const fake = pi([], { trouble: 'hangs' })
    const { i2c, hints } = await scan(fake.options)
    expect(fake.i2c.transfers).toHaveLength(3)
    expect(i2c[0]).toMatchObject({ asked: false, why: expect.stringContaining('i2c-1 hangs') })
    expect(hints.find(({ what }) => what === 'I2C')?.text).toContain('Check that SDA and SCL are not swapped')
    expect(fake.i2c.descriptors).toBe(0)
  })

  it('an answer at every address is SDA held low, and no hundred chips', async () => {
    const { i2c, hints } = await scan(pi([], { trouble: 'low' }).options)
    expect(i2c[0]!.chips).toEqual([])
    expect(hints.find(({ what }) => what === 'I2C')?.text).toContain('SDA is held low')
  })
})

const sht = (commands: ConstructorParameters<typeof SHTModel>[0]['commands']) => new SHTModel({ clock, commands })

describe('what a chip is', () => {
  it.each<[string, I2C, string[]]>([
    ['BME280', new BME280Model(clock), ['76 r1', '76 wd0 r1']],
    ['BMP280', new BME280Model(clock, { id: 0x58 }), ['76 r1', '76 wd0 r1']],
    ['BME680', new BME280Model(clock, { id: 0x61 }), ['76 r1', '76 wd0 r1']],
    ['SHT3x', sht({ f32d: { ms: 1, words: [0x8010] } }), ['44 r1', '44 w89', '44 wf32d', '44 r3']],
    ['SHT4x', sht({ 89: { ms: 1, words: [0x1234, 0x5678] } }), ['44 r1', '44 w89', '44 r6']],
    ['ADS1115', new ADS1115Model(clock, [1, 2, 3, 0]), ['48 r1', '48 w02 r2', '48 w03 r2']],
    ['INA219', new INA219Model(clock, { shunt: 1, bus: 1 }), ['40 r1', '40 w00 r2']],
    ['MPU-6050', new MPU6050Model(), ['68 r1', '68 r6', '68 w75 r1']],
    ['MPU-6500', new MPU6050Model(0x70), ['68 r1', '68 r6', '68 w75 r1']],
    ['PCA9685', new PCA9685Model(), ['40 r1', '40 w00 r2', '40 w02 r1', '40 w03 r1', '40 w04 r1', '40 w05 r1']],
  ])('%s', async (name, chip, transfers) => {
    const fake = pi([chip])
    const [found] = await chipsOf(fake)
    expect(found?.part?.name).toBe(name)
    expect(fake.i2c.transfers.filter(transfer => !/quick|byte/.test(transfer))).toEqual(transfers)
    expect(fake.i2c.descriptors).toBe(0)
  })

  it('a wrong checksum is no SHT', async () => {
    const chip = sht({ f32d: { ms: 1, words: [0x8010] } })
    chip.damaged = 0
    const [found] = await chipsOf(pi([chip]))
    expect(found?.part).toBeUndefined()
    expect(found?.maybe.map(({ name }) => name)).toContain('SHT3x')
  })

  it('a register chip gets no command of two bytes, which would write a register', async () => {
    const chip = new (class extends RegisterChip {
      readonly stores: number[] = []
      protected override store(register: number): void {
        this.stores.push(register)
      }
    })(0x44)
    await chipsOf(pi([chip]))
    expect(chip.stores).toEqual([])
  })

  it('one without a number to know it by is told as what has the address', async () => {
    const [found] = await chipsOf(pi([new BH1750Model(clock, 100)]))
    expect(found?.part).toBeUndefined()
    expect(found?.maybe.map(({ name }) => name)).toEqual(['BH1750', 'PCF8574', 'MCP23017'])
  })
})

describe('nothing is written and nothing moves', () => {
  it('at every address there is: a chip that takes each byte as its output gets none', async () => {
    // Those at 0x40 to 0x4b, 0x68, 0x69, 0x76 and 0x77 are asked for a register; a converter and a multiplexer are below.
    const asked = new Set([...Array.from({ length: 12 }, (_, i) => 0x40 + i), 0x68, 0x69, 0x76, 0x77])
    const chips = Array.from({ length: 0x70 }, (_, i) => new SingleRegister(0x08 + i, 0x5a)).filter(
      ({ address }) => !asked.has(address),
    )
    // No more than a real bus has: more look like a short circuit.
    for (const some of [chips.slice(0, 48), chips.slice(48)]) {
      const fake = pi(some)
      await scan({ ...fake.options, clock })
      expect(fake.i2c.transfers.filter(transfer => / w/.test(transfer))).toEqual([])
      expect(some.flatMap(({ taken }) => taken)).toEqual([])
    }
  })

  it('a chip with registers keeps them all, wherever it is', async () => {
    const chips = Array.from({ length: 0x30 }, (_, i) => new Anybody(0x40 + i))
    for (const chip of chips) chip.registers.fill(0xa5)
    await scan({ ...pi(chips).options, clock })
    for (const chip of chips) expect(chip.registers.every(byte => byte === 0xa5)).toBe(true)
  })

  it('a converter at the address of an MPU-6050 keeps its configuration', async () => {
    const chip = new MCP3424Model()
    const [found] = await chipsOf(pi([chip]))
    expect(chip.configuration).toBe(0x90)
    expect(found?.maybe.map(({ name }) => name)).toContain('MCP3421')
  })

  it('a multiplexer at the address of a BME280 has its channels as before', async () => {
    const chip = new SingleRegister(0x77, 0x04)
    const [found] = await chipsOf(pi([chip]))
    expect(chip.value).toBe(0x04)
    expect(found?.part).toBeUndefined()
  })

  it('no pin is asked for', async () => {
    const fake = pi([new BME280Model(clock)])
    await scan({ ...fake.options, clock })
    expect(fake.gpio.physical).toEqual([])
    expect(fake.gpio.touched.filter(touched => touched.includes('line'))).toEqual([])
    expect(fake.gpio.descriptors).toBe(0)
  })

  it('where another program has the bus, it is asked who is there and not what they are', async () => {
    const fake = pi([new BME280Model(clock)])
    const usedBy = async (path: string) => (path.endsWith('/dev/i2c-1') ? 'node board.js (process 99)' : undefined)
    const { i2c } = await scan({ ...fake.options, clock, usedBy })
    expect(i2c[0]).toMatchObject({
      asked: true,
      why: 'node board.js (process 99) uses it, so chips were not asked what they are',
      chips: [{ address: 0x76 }],
    })
    expect(fake.i2c.transfers.filter(transfer => transfer.startsWith('76'))).toEqual(['76 quick'])
  })
})

describe('which buses are asked', () => {
  const named = (names: Record<number, string>) =>
    Object.fromEntries(Object.entries(names).map(([n, name]) => [n, { name, chips: [new Anybody(0x50)] }]))
  const answers = async (fake: WiredPi, options: object = {}) =>
    (await scan({ ...fake.options, clock, ...options })).i2c.map(
      ({ number, purpose, asked, chips }) => `${number} ${purpose} ${asked ? chips.length : 'not asked'}`,
    )

  it('those of the header, of the overlay i2c-gpio and behind USB: a screen and a memory module are left alone', async () => {
    const buses = {
      0: 'bcm2835 (i2c@7e205000)',
      1: headerBus,
      2: 'bcm2835 (i2c@7e805000)',
      3: 'bcm2835 (i2c@7e205600)',
      7: 'i2c@0',
      8: 'CP2112 SMBus Bridge on hidraw0',
      10: 'i2c-0-mux (chan_id 1)',
      11: 'i2c-1-mux (chan_id 0)',
      20: 'fef04500.i2c',
      30: 'SMBus I801 adapter at efa0',
    }
    expect(await answers(new WiredPi({ buses: named(buses) }))).toEqual([
      '0 hat not asked',
      '1 header 1',
      '2 display not asked',
      '3 header 1',
      '7 software 1',
      '8 usb 1',
      '10 camera not asked',
      '11 header 1',
      '20 display not asked',
      '30 unknown not asked',
    ])
  })

  it('on a Pi 5, whose buses all have one name, by the device tree', async () => {
    const name = 'Synopsys DesignWare I2C adapter'
    const node = (n: number, at: string) => [`sys/bus/i2c/devices/i2c-${n}/of_node`, `../base/axi/pcie/rp1/i2c@${at}`]
    const fake = new WiredPi({
      buses: named({ 0: name, 1: name, 4: name, 13: '107d508200.i2c' }),
      links: Object.fromEntries([node(0, '70000'), node(1, '74000'), node(4, '80000')]),
    })
    expect(await answers(fake)).toEqual(['0 hat not asked', '1 header 1', '4 camera not asked', '13 display not asked'])
  })

  it('those that are named, and only those', async () => {
    const fake = new WiredPi({ buses: named({ 1: headerBus, 20: 'fef04500.i2c' }) })
    expect(await answers(fake, { buses: [20] })).toEqual(['1 header not asked', '20 display 1'])
    const { hints } = await scan({ ...fake.options, buses: [5] })
    expect(hints).toContainEqual({ what: 'i2c-5', text: 'is no bus of this machine; there is i2c-1, i2c-20', todo: [] })
  })
})

it('a chip that goes away while it is asked costs nobody else anything', async () => {
  const shy = new (class extends I2CChip {
    protected written(): void {
      this.plugged = false
      this.nack()
    }
    protected given(byteLength: number): Uint8Array {
      return new Uint8Array(byteLength)
    }
  })(0x40)
  const found = await chipsOf(pi([shy, new BME280Model(clock)]))
  expect(found.map(({ part }) => part?.name)).toEqual([undefined, 'BME280'])
})
