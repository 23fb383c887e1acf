import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, afterEach, before, describe, test } from 'node:test'
import { i2c } from '../../../boards/raspberry-pi/index.ts'
import { steer } from './rig/files.ts'
import { GpioSim } from './rig/gpio-sim.ts'

/** `ferrule serve` with a board file, as a host starts it. */
class Served {
  readonly process: ChildProcess
  readonly exited: Promise<unknown>
  stderr = ''
  #lastId = 0
  readonly #answers = new Map<number, (message: any) => void>()

  constructor(board: object) {
    const file = join(process.env.FERRULE_RUN!, 'board.json')
    writeFileSync(file, JSON.stringify(board, null, 2))
    const command = join(process.env.FERRULE_PROJECT!, 'dist/bin/ferrule.js')
    this.process = spawn(process.execPath, [command, 'serve', file, '--read-sensors', '--record', 'off'])
    this.process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.exited = once(this.process, 'close')
    createInterface({ input: this.process.stdout! }).on('line', line => {
      const message = JSON.parse(line)
      this.#answers.get(message.id)?.(message)
    })
  }

  async open(): Promise<void> {
    const clientInfo = { name: 'test', version: '1.0.0' }
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  }

  async call(name: string, args: object = {}): Promise<any> {
    const { result } = await this.request('tools/call', { name, arguments: args })
    return result
  }

  request(method: string, params: object): Promise<any> {
    const id = ++this.#lastId
    this.process.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve, reject) => {
      this.#answers.set(id, resolve)
      void this.exited.then(() => reject(new Error(`the command ended: ${this.stderr}`)))
    })
  }

  /** Whatever a test did: a process that is left has pins that the next one wants. */
  kill(): void {
    this.process.kill('SIGKILL')
  }

  async end(): Promise<void> {
    this.process.stdin!.end()
    await this.exited
  }
}

const board = {
  name: 'rig',
  sensors: {
    cell: { driver: 'ina219', address: '0x40', bus: 'hwsim i2c' },
    soil: {
      driver: 'ads1115',
      address: '0x48',
      bus: 'SMBus stub driver',
      input: 'A0',
      calibration: [
        [2, 0],
        [1, 1],
      ],
      unit: '/',
    },
    water: { driver: 'ds18b20', id: '28-00000a0b0c0d' },
    cpu: { driver: 'thermal-zone' },
    door: { driver: 'digital-input', pin: 'pin 16', activeLow: true },
  },
  actuators: { pump: { driver: 'relay', pin: 'GPIO17', activeLow: true } },
}

describe('a board file, through the kernel', () => {
  let header: GpioSim
  const started: Served[] = []
  const serve = (board: object) => {
    const served = new Served(board)
    started.push(served)
    return served
  }
  before(() => {
    header = new GpioSim({ label: 'pinctrl-bcm2711', lines: 58, hogs: { 27: 'fan-shim' } })
  })
  afterEach(() => {
    for (const served of started.splice(0)) served.kill()
  })
  after(() => header.remove())

  test('is read and moved, and left safe', async () => {
    await preset('hwsim i2c', 0x40, { 1: 1000, 2: (5000 / 4) * 8 + 2 })
    await preset('SMBus stub driver', 0x48, { 0: Math.round((1.25 / 4.096) * 0x8000) })
    steer('cpu_temp', 61_234)
    header.pull(23, false)
    // The resistor that keeps a relay off which is on when its input is low.
    header.pull(17, true)
    const served = serve(board)
    await served.open()
    const { structuredContent } = await served.call('read_sensors')
    const values = Object.fromEntries(structuredContent.readings.map((each: any) => [each.sensor, each.value]))
    assert.deepEqual(values, {
      cell_voltage: 5,
      cell_current: 0.1,
      cell_power: 0.5,
      soil: 0.75,
      water: 21.5,
      cpu: 61.234,
      door: true,
    })
    assert.equal(header.level(17), true)
    await served.call('pump', { on: true })
    assert.equal(header.level(17), false)
    await served.end()
    assert.equal(header.level(17), true)
    assert.doesNotMatch(served.stderr, /not there now|could not be/)
  })

  test('what is not there or taken is told at the start, and nothing is held', async () => {
    const served = serve({
      name: 'rig',
      sensors: { air: { driver: 'bme280', address: '0x76', bus: 7 }, room: { driver: 'dht22', pin: 'GPIO5' } },
      actuators: {
        fan: { driver: 'relay', pin: 'GPIO27' },
        pump: { driver: 'relay', pin: 'GPIO17' },
        lamp: { driver: 'pwm', pin: 'GPIO12' },
      },
    })
    await served.open()
    const { isError, content } = await served.call('pump', { on: true })
    assert.equal(isError, true)
    assert.match(content[0].text, /GPIO27 \(pin 13\) is taken by "fan-shim"/)
    await served.end()
    assert.match(served.stderr, /^ {2}fan: GPIO27 \(pin 13\) is taken by "fan-shim": /m)
    assert.match(
      served.stderr,
      /^ {2}lamp: GPIO12 \(pin 32\) has no PWM controller; .*Add dtoverlay=pwm-2chan,pin=12,/m,
    )
  })

  test('sensors that are missing cost only themselves', async () => {
    const served = serve({
      name: 'rig',
      sensors: {
        air: { driver: 'bme280', address: '0x76', bus: 'hwsim i2c', quantity: 'temperature' },
        room: { driver: 'dht22', pin: 'GPIO5', quantity: 'humidity' },
        cpu: { driver: 'thermal-zone' },
      },
    })
    await served.open()
    const { content } = await served.call('read_sensors')
    assert.match(content[0].text, /Air: .*BME280 at 0x76 on i2c-\d+ does not answer/)
    assert.match(content[0].text, /Room: .*dtoverlay=dht11,gpiopin=5/)
    assert.match(content[0].text, /Cpu: [\d.]+ °C/)
    await served.end()
    assert.match(served.stderr, /^ {2}room: the kernel reads no DHT at GPIO5 \(pin 29\)/m)
  })
})

/** Puts words into the registers of a chip, high byte first. */
async function preset(bus: string, address: number, words: Record<number, number>): Promise<void> {
  const chip = i2c({ address, bus })
  for (const [register, word] of Object.entries(words)) {
    await chip.write(Uint8Array.of(Number(register), word >> 8, word & 0xff))
  }
  chip.close()
}
