import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { i2c, i2cBuses } from '../../../boards/raspberry-pi/index.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { BME280Model } from '../../parts/models/bme280-model.ts'
import { PCA9685Model } from '../../parts/models/pca9685-model.ts'
import { configure, steer } from './rig/files.ts'
import { GpioSim } from './rig/gpio-sim.ts'

const command = `${process.env.FERRULE_PROJECT}/dist/bin/ferrule.js`
const file = '/run/board.json'
const stub = i2cBuses().find(({ name }) => name === 'SMBus stub driver')!.number
const addresses = [0x40, 0x49, 0x50, 0x76]

/** The registers of the stub's chips: of a PCA9685, an ADS1115, nothing in particular, and a BME280. */
async function fill(address: number, registers: Iterable<[number, number]>): Promise<void> {
  const chip = i2c({ address, bus: stub })
  for (const [register, byte] of registers) await chip.write(Uint8Array.of(register, byte))
  chip.close()
}

async function words(address: number, values: Record<number, number>): Promise<void> {
  const chip = i2c({ address, bus: stub })
  for (const [register, word] of Object.entries(values))
    await chip.write(Uint8Array.of(Number(register), word >> 8, word & 0xff))
  chip.close()
}

/** The registers of a BME280 that has measured once: the stub does so never. */
async function measured(): Promise<Uint8Array> {
  const model = new BME280Model(systemClock)
  model.measurementMs = 0
  await model.write(Uint8Array.of(0xf2, 0x01))
  await model.write(Uint8Array.of(0xf4, 0x25))
  await model.writeRead(Uint8Array.of(0xf3), 1)
  return model.registers
}

/** All that the stub's chips hold. */
async function registers(): Promise<string> {
  let all = ''
  for (const address of addresses) {
    const chip = i2c({ address, bus: stub })
    for (let register = 0; register < 256; register++)
      all += Buffer.from(await chip.writeRead(Uint8Array.of(register), 2)).toString('hex')
    chip.close()
  }
  return all
}

function ferrule(...words: string[]) {
  return spawnSync(process.execPath, [command, ...words], { encoding: 'utf8' })
}

describe('ferrule scan, through the kernel', () => {
  let header: GpioSim
  before(async () => {
    header = new GpioSim({ label: 'pinctrl-bcm2711', lines: 58, hogs: { 4: 'onewire@0' } })
    configure('/sys/kernel/config/iio/devices/dummy/converter')
    steer('cpu_temp', 48_250)
    await fill(0x40, new PCA9685Model().registers.entries())
    await fill(0x76, (await measured()).entries())
    await words(0x49, { 0: 0x2000, 1: 0x8583, 2: 0x8000, 3: 0x7fff })
    writeFileSync(`/sys/bus/i2c/devices/i2c-${stub}/new_device`, 'lm75 0x48')
  })
  after(() => {
    writeFileSync(`/sys/bus/i2c/devices/i2c-${stub}/delete_device`, '0x48')
    header.remove()
    rmSync(file, { force: true })
  })

  test('finds what is there, says who has what, writes a board file, and leaves all as it was', async () => {
    const before = await registers()
    const { status, stdout, stderr } = ferrule('scan', '--bus', String(stub), '--write', file)
    assert.equal(stderr, '')
    assert.equal(status, 0)
    for (const line of [
      new RegExp(`0x40 on i2c-${stub} +PCA9685: 16 servos or lamps`),
      new RegExp(`0x48 on i2c-${stub} +with the driver lm75 of the kernel`),
      new RegExp(`0x49 on i2c-${stub} +ADS1115: four voltages .* adc_a0 … adc_a3`),
      new RegExp(`0x76 on i2c-${stub} +BME280: temperature, humidity, air pressure +air`),
      new RegExp(`0x50 on i2c-${stub} +AT24C \\(EEPROM\\)`),
      /28-00000a0b0c0d +DS18B20 thermometer +21\.5 °C +thermometer_0c0d/,
      /28-00000a0b0c0e +DS18B20 thermometer +-10\.1 °C +thermometer_0c0e/,
      /cpu-thermal +temperature of the processor +48\.3 °C +cpu/,
      /converter voltage0 .* V +converter_voltage0/,
      /lm75 temp1 .* °C +lm75_temp1/,
      /^Pins: 20 of 28 are free$/m,
      /GPIO4 \(pin 7\) +onewire@0/,
      /i2c-\d+ +not known to be for parts \(hwsim i2c\): not asked; --bus \d+ asks it/,
      /"pump": \{ "driver": "relay", "pin": "GPIO17"/,
    ])
      assert.match(stdout, line)
    assert.equal(await registers(), before)
    assert.equal(header.level(17), false)
  })

  test('the board file serves: each sensor is read', async () => {
    const { sensors } = JSON.parse(readFileSync(file, 'utf8'))
    for (const key of ['air', 'adc_a0', 'thermometer_0c0d', 'cpu', 'converter_voltage0', 'lm75_temp1'])
      assert.ok(key in sensors, `${key} in ${Object.keys(sensors)}`)
    const readings = await served([file])
    assert.equal(readings.air_temperature, 25.08)
    assert.equal(readings.adc_a0, 1.024)
    assert.equal(readings.thermometer_0c0d, 21.5)
    assert.equal(readings.cpu, 48.25)
  })

  test('without a file, what is found and the pins that are named', async () => {
    header.pull(23, true)
    const readings = await served(['@raspberry-pi', '--input', 'GPIO23', '--output', 'GPIO17'])
    assert.equal(readings.thermometer_0c0e, -10.125)
    assert.equal(readings.gpio23, true)
    assert.equal(readings.air_temperature, undefined, 'the bus is none for parts')
  })

  test('a bus that another program has is asked who is there, and not what', async () => {
    const held = i2c({ address: 0x76, bus: stub })
    const { stdout } = ferrule('scan', '--bus', String(stub))
    held.close()
    assert.match(stdout, /uses it, so chips were not asked what they are/)
    assert.match(stdout, /0x76 on i2c-\d+ +BME280 \(temperature, humidity, air pressure\), BMP280/)
  })
})

/** All readings of a board that the command serves, by the names of its sensors. */
async function served(words: readonly string[]): Promise<Record<string, number | boolean | undefined>> {
  const child = spawn(process.execPath, [command, 'serve', ...words, '--record', 'off'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const request = async (id: number, method: string, params: object): Promise<any> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    for (;;) {
      const { value, done } = await lines.next()
      assert.ok(!done, 'the server goes on')
      const message = JSON.parse(value)
      if (message.id === id) return message.result
    }
  }
  const clientInfo = { name: 'test', version: '1.0.0' }
  const { serverInfo } = await request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  const { contents } = await request(2, 'resources/read', { uri: `sensor://${serverInfo.name}` })
  child.stdin.end()
  await once(child, 'close')
  const pack = JSON.parse(contents[0].text)
  let base = ''
  const readings: Record<string, number | boolean | undefined> = {}
  for (const record of pack) {
    base = record.bn ?? base
    const name = `${base}${record.n ?? ''}`
    readings[name.slice(name.search(/[^/:]+$/))] = record.v ?? record.vb
  }
  return readings
}
