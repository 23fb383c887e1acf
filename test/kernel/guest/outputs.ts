import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { GpioSim } from './rig/gpio-sim.ts'

/** A server on a pin, driven by hand. */
class Heater {
  readonly process: ChildProcess
  readonly exited: Promise<unknown>
  #lastId = 0
  readonly #answers = new Map<number, (message: any) => void>()

  constructor() {
    this.process = spawn(process.execPath, ['programs/heater.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.exited = once(this.process, 'exit')
    createInterface({ input: this.process.stdout! }).on('line', line => {
      const message = JSON.parse(line)
      this.#answers.get(message.id)?.(message)
    })
  }

  async open(): Promise<void> {
    const clientInfo = { name: 'test', version: '1.0.0' }
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  }

  call(name: string, args: object = {}): Promise<any> {
    return this.request('tools/call', { name, arguments: args })
  }

  request(method: string, params: object): Promise<any> {
    const id = ++this.#lastId
    this.process.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise(resolve => this.#answers.set(id, resolve))
  }
}

describe('outputs after the program ends', () => {
  let header: GpioSim
  before(() => {
    header = new GpioSim({ label: 'pinctrl-bcm2711', lines: 58 })
  })
  after(() => header.remove())

  const ends: Record<string, (heater: Heater) => unknown> = {
    'its host goes away': heater => heater.process.stdin!.end(),
    SIGTERM: heater => heater.process.kill('SIGTERM'),
    SIGINT: heater => heater.process.kill('SIGINT'),
    'a timer throws, and then its host goes away': async heater => {
      await heater.call('crash')
      heater.process.stdin!.end()
    },
    SIGKILL: heater => heater.process.kill('SIGKILL'),
  }
  for (const [how, end] of Object.entries(ends)) {
    test(`${how}: off`, async () => {
      const heater = new Heater()
      await heater.open()
      await heater.call('heater', { on: true })
      assert.equal(header.level(17), true)
      await end(heater)
      await heater.exited
      // After SIGKILL it is the kernel that lets go of the line, and gpio-sim that takes it to the pull's level.
      assert.equal(header.level(17), false)
    })
  }

  test('the next start has the line, off', async () => {
    const heater = new Heater()
    await heater.open()
    await heater.call('heater', { on: false })
    assert.equal(header.level(17), false)
    heater.process.stdin!.end()
    await heater.exited
  })
})
