import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer } from '../runtime/index.ts'
import { type Child, promisedExitMs, startRig } from './child.ts'

/** A rig whose pins record what happens to them, and what they recorded of one of them, oldest first. */
function recordingRig(env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
  const file = join(folder, 'gpio.log')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const start = (more = env) => startRig({ env: { RIG_GPIO_LOG: file, ...more } })
  const record = (line: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map(entry => entry.split(' '))
      .filter(([, name]) => name === line)
      .map(([, , direction, level]) => `${direction} ${level}`)
  return { child: start(), start, record }
}

async function heat(child: Child): Promise<void> {
  await child.initialize()
  expect(await child.call('pin_open', { line: 'heater', safe: 'inactive' })).toBe('open')
  expect(await child.call('pin_set', { line: 'heater', value: 1 })).toBe('set')
}

/** Starts a move of a minute, and returns when the arm moves. */
async function moveArm(child: Child, args: object = {}, more: object = {}): Promise<void> {
  child.write({
    jsonrpc: '2.0',
    id: 'move',
    method: 'tools/call',
    params: { name: 'arm', arguments: { ms: 60_000, ...args }, _meta: { progressToken: 'arm' }, ...more },
  })
  await child.until(() => child.lines.some(line => line.includes('notifications/progress')), 'a moving arm')
}

/** Waits for what the process leaves in the file of its pins. */
async function recorded(isSo: () => boolean): Promise<void> {
  for (let polls = 0; !isSo(); polls++) {
    if (polls > 3000) throw new Error('the pins did not record it within 30 s')
    await delay(10)
  }
}

/** Every way in which the program can end that a program can do something about. */
const ends: [what: string, code: number, end: (child: Child) => void][] = [
  ['the host closes the input', 0, child => child.endInput()],
  ['SIGTERM', 0, child => child.process.kill('SIGTERM')],
  ['SIGINT', 0, child => child.process.kill('SIGINT')],
  ['SIGHUP', 0, child => child.process.kill('SIGHUP')],
  ['a second SIGINT', 130, child => void (child.process.kill('SIGINT') && child.process.kill('SIGINT'))],
  ['a callback throws', 1, child => void child.call('crash').catch(() => {})],
  ['a handler calls process.exit()', 3, child => void child.call('exit', { code: 3 }).catch(() => {})],
  [
    'the reader goes away',
    0,
    child => {
      child.process.stdout!.destroy()
      child.write({ jsonrpc: '2.0', id: 'unread', method: 'ping' })
    },
  ],
]

describe.each(ends)('%s', (what, code, end) => {
  // Two signals in a row may arrive as one: then the process ends as after one.
  const codes = what === 'a second SIGINT' ? [code, 0] : [code]

  it('the heater is off', async () => {
    const { child, record } = recordingRig()
    await heat(child)
    expect(record('heater').at(-1)).toBe('out 1')
    end(child)
    expect(codes).toContain((await child.exit()).code)
    expect(record('heater').at(-1)).toBe('out 0')
  })

  it.each([
    ['a call', {}],
    ['a task', { task: {} }],
  ])('an arm in the middle of its move is at rest: %s', async (_, more) => {
    const { child, record } = recordingRig()
    await child.initialize()
    await moveArm(child, {}, more)
    end(child)
    expect(codes).toContain((await child.exit()).code)
    expect(record('arm').slice(-2)).not.toEqual(['out 1', 'out 1'])
    expect(record('arm').at(-1)).toBe('out 0')
  })
})

describe('actuators that make it hard', () => {
  it.each(ends.slice(0, 2))('a move that heeds no signal is not waited for: %s', async (_, code, end) => {
    const { child, record } = recordingRig()
    await child.initialize()
    await moveArm(child, { heedless: true })
    const since = performance.now()
    end(child)
    const exit = await child.exitAfter(since)
    expect(exit.code).toBe(code)
    expect(exit.ms).toBeLessThan(promisedExitMs)
    expect(record('arm').at(-1)).toBe('out 0')
  })

  it('a move that stops late while the program ends does not have the last word', async () => {
    const { child, record } = recordingRig()
    await child.initialize()
    await moveArm(child, { late: true })
    child.endInput()
    expect((await child.exit()).code).toBe(0)
    // Off at once when the end comes, on again by the move that still goes on, and off for good.
    expect(record('arm').join(', ')).toMatch(/out 1, out 0, out 1(, out 0)+$/)
  })

  it.each(['set', 'close'])('a %s that hangs keeps no other output from its safe state', async hangs => {
    const { child, record } = recordingRig({ RIG_HANG: hangs })
    await heat(child)
    await moveArm(child)
    const since = performance.now()
    child.endInput()
    expect((await child.exitAfter(since)).ms).toBeLessThan(promisedExitMs)
    expect(record('heater').at(-1)).toBe('out 0')
    expect(record('arm').at(-1)).toBe('out 0')
  })

  it('calls that wait for their turn never move anything once the end has come', async () => {
    const { child, record } = recordingRig()
    await child.initialize()
    await moveArm(child)
    for (let id = 0; id < 10; id++) {
      child.write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'arm', arguments: { ms: 10 } } })
    }
    child.endInput()
    expect((await child.exit()).code).toBe(0)
    expect(record('arm').filter(entry => entry === 'out 1')).toHaveLength(1)
    expect(record('arm').at(-1)).toBe('out 0')
  })

  it('after a signal no further request is begun', async () => {
    const { child, record } = recordingRig()
    await heat(child)
    await moveArm(child, { heedless: true })
    child.process.kill('SIGTERM')
    await recorded(() => record('arm').at(-1) === 'out 0')
    for (let id = 0; id < 10; id++) {
      const params = { name: 'pin_set', arguments: { line: 'heater', value: 1 } }
      child.write({ jsonrpc: '2.0', id, method: 'tools/call', params })
    }
    expect((await child.exit()).code).toBe(0)
    expect(record('heater').filter(entry => entry === 'out 1')).toHaveLength(1)
    expect(record('heater').at(-1)).toBe('out 0')
  })

  it('a call that is cancelled half-way leaves its actuator safe, and the session goes on', async () => {
    const { child, record } = recordingRig()
    await child.initialize()
    await moveArm(child)
    child.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'move' } })
    // One call after the other: this one runs when the other is over.
    await child.call('arm', { ms: 0 })
    expect(record('arm').at(-1)).toBe('out 0')
    expect(record('arm').filter(entry => entry === 'out 1')).toHaveLength(1)
  })
})

describe('what no program can do anything about', () => {
  it('after SIGKILL and a new start the output is off before anything else', async () => {
    const { child, start, record } = recordingRig()
    await heat(child)
    child.process.kill('SIGKILL')
    await child.exit()
    expect(record('heater').at(-1)).toBe('out 1')
    const before = record('heater').length
    const again = start()
    await again.initialize()
    expect(record('heater')[before]).toBe('in 0')
    expect(record('arm').at(-1)).toBe('out 0')
  })
})

describe('at the start', () => {
  it('every actuator is put into its safe state before the first move', async () => {
    const { child, record } = recordingRig()
    await child.initialize()
    await child.call('arm', { ms: 1 })
    expect(record('arm')[0]).toBe('out 0')
  })

  it('an active-low relay never sees a pulse', async () => {
    const { child, record } = recordingRig()
    await child.initialize()
    await child.call('pin_open', { line: 'relay', active_low: true, initial: 'inactive', safe: 'inactive' })
    await child.call('pin_set', { line: 'relay', value: 1 })
    await child.call('pin_set', { line: 'relay', value: 0 })
    child.endInput()
    await child.exit()
    expect(record('relay')).toEqual(['out 1', 'out 0', 'out 1', 'out 1', ...record('relay').slice(4)])
    expect(record('relay').at(-1)).toBe('out 1')
  })
})

it('a server without outputs of a board is disarmed like any other when it is made safe', async () => {
  const server = createServer({ name: 'bare' })
  await server.open()
  await server.arm('a person')
  expect(server.armed).toBe(true)
  await server.makeSafe()
  expect(server.armed).toBe(false)
  await server.close()
})
