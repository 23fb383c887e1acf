/** A board as a service of the real systemd: every way out leaves its outputs safe, and it comes back. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { text } from './rig/files.ts'
import { GpioSim } from './rig/gpio-sim.ts'
import { Systemd } from './rig/systemd.ts'

const ferrule = `${process.env.FERRULE_PROJECT}/dist/bin/ferrule.js`
const unit = 'ferrule-heater'
const url = 'http://127.0.0.1:8970/mcp'
/** A folder that every way of quoting has trouble with. */
const folder = `/home/pi/50% "of" it's $HOME; ünder a:b`
const brightness = '/sys/class/leds/ferrule:lamp/brightness'

const board = `
  import { actuator } from 'ferrule'
  import { digital, led } from 'ferrule/boards/raspberry-pi'
  const on = { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] }
  let heater, lamp
  export default {
    name: 'heater',
    open() {
      heater = digital({ pin: 'GPIO17', mode: 'output' })
      lamp = led({ name: 'ferrule:lamp' })
    },
    close() {
      heater.close()
      lamp.close()
    },
    actuators: {
      heater: actuator({ inputSchema: on, safe: { on: false }, set: ({ on }) => heater.write(on) }),
      lamp: actuator({ inputSchema: on, safe: { on: false }, set: ({ on }) => lamp.write(on) }),
      jam: actuator({ inputSchema: { type: 'object' }, safe: null, set() { for (;;); } }),
    },
  }`

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Calls a tool over a connection of its own: one that is kept would be closed with the service. */
async function call(name: string, args: object, at = url): Promise<void> {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
  }
  const params = { name, arguments: args, _meta: meta }
  const asked = request(at, { method: 'POST', headers, agent: false })
  asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const answer = JSON.parse(Buffer.concat(await response.toArray()).toString())
  assert.ok(answer.result !== undefined && answer.result.isError !== true, JSON.stringify(answer))
}

describe('a service of systemd', () => {
  let header: GpioSim
  let systemd: Systemd
  let lamp: number

  const heaterIsOn = () => header.level(17)
  const lampIsOn = () => text(brightness) !== '0'
  const safe = () => !heaterIsOn() && !lampIsOn()

  async function switchedOn(): Promise<void> {
    await call('heater', { on: true })
    await call('lamp', { on: true })
    assert.deepEqual([heaterIsOn(), lampIsOn()], [true, true])
  }

  /** Waits until something is so. Tells how many milliseconds that was after `since`. */
  async function msUntil(isSo: () => boolean, since = performance.now()): Promise<number> {
    const began = performance.now()
    while (!isSo()) {
      assert.ok(performance.now() - began < 120_000, `the outputs are on\n${systemd.log()}`)
      await delay(5)
    }
    return Math.round(performance.now() - since)
  }

  /** Adds the unit that the command prints. */
  function added(file: string, ...options: string[]): string {
    const words = [ferrule, 'service', file, '--user', 'daemon', ...options]
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    systemd.add(/^SyslogIdentifier=(.*)$/m.exec(stdout)![1]!, stdout)
    return stdout
  }

  async function isBack(restarts: number): Promise<void> {
    await systemd.until(unit, 'NRestarts', value => Number(value) > restarts)
    await systemd.until(unit, 'ActiveState', value => value === 'active')
  }

  before(async () => {
    header = new GpioSim({ label: 'pinctrl-bcm2711', lines: 58 })
    // An LED that keeps what it was set to, whoever set it: unlike a line, nobody takes it back.
    const uleds = Buffer.alloc(68)
    uleds.write('ferrule:lamp')
    uleds.writeInt32LE(1, 64)
    lamp = openSync('/dev/uleds', 'r+')
    writeSync(lamp, uleds)
    for (const file of [brightness, '/sys/class/leds/ferrule:lamp/trigger']) chmodSync(file, 0o666)
    // As udev does it on a Raspberry Pi.
    writeFileSync('/run/group', `${readFileSync('/etc/group', 'utf8')}gpio:x:997:\n`)
    execFileSync('mount', ['--bind', '/run/group', '/etc/group'])
    chownSync(`/dev/${header.name}`, 0, 997)
    chmodSync(`/dev/${header.name}`, 0o660)
    for (const place of ['/home', '/var/lib']) execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', place])
    mkdirSync(folder, { recursive: true })
    writeFileSync(`${folder}/heater.mjs`, board)
    systemd = await Systemd.start()
    added(`${folder}/heater.mjs`, '--allow', 'heater', '--allow', 'lamp', '--allow', 'jam')
    systemd.systemctl('start', unit)
  })
  after(() => {
    systemd.end()
    closeSync(lamp)
    header.remove()
  })

  test('is ready when it listens, as a user who may do little', async () => {
    assert.equal(systemd.show(unit, 'ActiveState'), 'active')
    assert.equal(systemd.show(unit, 'StatusText'), 'heater at http://localhost:8970/mcp, no client')
    const status = readFileSync(`/proc/${systemd.mainPid(unit)}/status`, 'utf8')
    for (const line of ['NoNewPrivs:\t1', 'Seccomp:\t2', 'CapBnd:\t0000000000000000', 'Uid:\t1\t1\t1\t1']) {
      assert.ok(status.includes(line), `${line} is not in\n${status}`)
    }
    const environment = readFileSync(`/proc/${systemd.mainPid(unit)}/environ`, 'utf8').split('\0')
    assert.ok(environment.includes('FERRULE_RUNTIME_DIR=/run/ferrule/heater'))
  })

  test('systemctl stop: off, in good order', async t => {
    await switchedOn()
    const began = performance.now()
    systemd.systemctl('stop', unit)
    t.diagnostic(`stopped after ${Math.round(performance.now() - began)} ms, with the making safe behind it`)
    assert.ok(safe())
    assert.deepEqual([systemd.show(unit, 'ActiveState'), systemd.show(unit, 'Result')], ['inactive', 'success'])
    systemd.systemctl('start', unit)
    assert.ok(safe())
  })

  test('SIGKILL: off before it is started anew, and back', async t => {
    await switchedOn()
    const restarts = Number(systemd.show(unit, 'NRestarts'))
    const since = performance.now()
    process.kill(systemd.mainPid(unit), 'SIGKILL')
    const lineMs = await msUntil(() => !heaterIsOn(), since)
    const lampMs = await msUntil(safe, since)
    await isBack(restarts)
    t.diagnostic(`the line is off after ${lineMs} ms, what nobody takes back after ${lampMs} ms,`)
    t.diagnostic(`and it serves again after ${await msUntil(safe, since)} ms`)
    await switchedOn()
  })

  test('a loop that is blocked: killed by the watchdog, off, and back', async t => {
    await switchedOn()
    const restarts = Number(systemd.show(unit, 'NRestarts'))
    const since = performance.now()
    call('jam', {}).catch(() => {})
    const lineMs = await msUntil(() => !heaterIsOn(), since)
    const lampMs = await msUntil(safe, since)
    assert.ok(systemd.log().includes('Watchdog timeout'), systemd.log())
    await isBack(restarts)
    t.diagnostic(`the line is off after ${lineMs} ms, what nobody takes back after ${lampMs} ms,`)
    t.diagnostic(`and it serves again after ${await msUntil(safe, since)} ms`)
    await switchedOn()
  })

  test('a loop that is blocked, and systemctl stop: killed, and off', async t => {
    await switchedOn()
    call('jam', {}).catch(() => {})
    await delay(500)
    const began = performance.now()
    systemd.run('stop', unit)
    t.diagnostic(`stopped after ${Math.round(performance.now() - began)} ms`)
    // No next start made the lamp safe: it was "ferrule safe".
    assert.ok(safe())
    assert.notEqual(systemd.show(unit, 'ActiveState'), 'active')
    systemd.systemctl('reset-failed', unit)
    systemd.systemctl('start', unit)
  })

  test('SIGUSR1 and ferrule stop: off, and it stays off while the service goes on', async () => {
    for (const stop of [
      () => systemd.systemctl('kill', '-s', 'SIGUSR1', unit),
      () => systemd.inside([process.execPath, ferrule, 'stop'], { uid: 1, gid: 1 }),
    ]) {
      await switchedOn()
      stop()
      await msUntil(safe)
      await assert.rejects(call('heater', { on: true }))
      await systemd.until(unit, 'StatusText', value => value.includes('stopped, until somebody says'))
      const armed = systemd.inside([process.execPath, ferrule, 'arm', 'heater', '--yes'], { uid: 1, gid: 1 })
      assert.equal(armed.status, 0, `${armed.stdout}${armed.stderr}`)
    }
    // Root finds the services of all users.
    const status = systemd.inside([process.execPath, ferrule, 'status'])
    assert.equal(status.status, 0, `${status.stdout}${status.stderr}`)
    assert.match(status.stdout, /clients {2}0, at http:\/\/localhost:8970\/mcp/)
    assert.match(status.stdout, /record {3}\/var\/lib\/ferrule\/heater\/record\/heater\.jsonl/)
    const log = systemd.inside([process.execPath, ferrule, 'log', 'heater'], { uid: 1, gid: 1 })
    assert.match(log.stdout, /lamp/)
  })

  test('a board of data in a home: it sees that file, and only this computer', async () => {
    writeFileSync(
      '/home/pi/tap.json',
      JSON.stringify({ name: 'tap', actuators: { valve: { driver: 'relay', pin: 'GPIO27' } } }),
    )
    const tap = added('/home/pi/tap.json', '--http', '8971')
    assert.match(tap, /^BindReadOnlyPaths=\/home\/pi\/tap\.json/m)
    assert.match(tap, /^IPAddressDeny=any$/m)
    systemd.systemctl('start', 'ferrule-tap')
    assert.equal(systemd.show('ferrule-tap', 'StatusText'), 'tap at http://localhost:8971/mcp, no client')
    await call('valve', { on: true }, 'http://127.0.0.1:8971/mcp')
    assert.equal(header.level(27), true)
    const home = `/proc/${systemd.mainPid('ferrule-tap')}/root/home`
    assert.deepEqual([readdirSync(home), readdirSync(`${home}/pi`)], [['pi'], ['tap.json']])
    systemd.systemctl('stop', 'ferrule-tap')
    assert.equal(header.level(27), false)
  })
})
