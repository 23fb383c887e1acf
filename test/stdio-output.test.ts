import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Child, promisedExitMs, startRig } from './child.ts'

/** A folder that is gone after the test. */
function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const call = (id: number, name: string, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
}
const inLines = (...messages: object[]) => messages.map(message => `${JSON.stringify(message)}\n`).join('')

describe('stdout carries the protocol only', () => {
  it('what is printed while the program and its dependencies load goes to stderr', async () => {
    const child = startRig()
    await child.initialize()
    await child.tells('the rig prints while it loads')
    await child.tells('a dependency prints while it loads')
    expect(child.lines).toHaveLength(1)
  })

  it.each(['console', 'write', 'end'])('what a handler prints by %s goes to stderr', async via => {
    const child = startRig()
    await child.initialize()
    expect(await child.call('log', { text: 'a print-out', via })).toBe('logged')
    await child.tells('a print-out')
    expect(await child.call('echo', { text: 'still here' })).toBe('still here')
    expect(child.lines).toHaveLength(3)
    expect(child.messages.map(({ jsonrpc }) => jsonrpc)).toEqual(['2.0', '2.0', '2.0'])
  })

  it.runIf(process.platform === 'linux')(
    'a stderr that nobody reads holds up nothing and fills no memory',
    async () => {
      const child = startRig()
      await child.initialize()
      const before = child.peakMemoryMiB()
      child.process.stderr!.pause()
      const text = 'x'.repeat(1024 * 1024)
      for (let i = 0; i < 200; i++) expect(await child.call('log', { text, via: 'write' })).toBe('logged')
      // Half of what was printed; most of it is what the collector has not got round to yet.
      expect(child.peakMemoryMiB() - before).toBeLessThan(100)
      child.process.stderr!.resume()
      await child.rests()
      await child.call('log', { text: 'somebody reads again', via: 'console' })
      await child.tells('print-outs are missing here, because nobody read stderr\nsomebody reads again')
    },
  )
})

describe('a host that closes stderr', () => {
  it('is served all the same', async () => {
    const child = startRig()
    child.process.stderr!.destroy()
    await child.initialize()
    expect(await child.call('log', { text: 'nobody hears this', via: 'console' })).toBe('logged')
    await child.call('reject')
    expect(await child.call('echo', { text: 'still here' })).toBe('still here')
    child.endInput()
    expect((await child.exit()).code).toBe(0)
  })
})

it.runIf(process.platform === 'linux')(
  'answers reach a slow reader whole, wherever in a character the pipe is full',
  async () => {
    // Node gives a child sockets, which take a text whole or not at all. A pipe takes a part.
    const command = `exec "${process.execPath}" --import tsx test/rig.ts stdio > >(cat)`
    const child = new Child('bash', ['-c', command], {})
    onTestFinished(() => child.stop())
    await child.initialize()
    child.process.stdout!.pause()
    const text = 'grün € 温度 🌱 '.repeat(700)
    const count = 60
    const ids = Array.from({ length: count }, (_, i) => i + 1)
    child.write(...ids.map(id => call(id, 'echo', { text })))
    await child.rests()
    child.process.stdout!.resume()
    await child.answer(count)
    expect(child.messages.slice(1).map(({ id }) => id)).toEqual(ids)
    expect(child.messages.slice(1).every(({ result }) => result.content[0].text === text)).toBe(true)
  },
)

describe('large answers', () => {
  const size = 300_000

  it('reach a slow reader whole and in order, also when the input has ended', async () => {
    const child = startRig()
    await child.initialize()
    child.process.stdout!.pause()
    child.write(...[1, 2, 3].map(id => call(id, 'big', { bytes: size })))
    // Three times the size of a pipe: they cannot have been written when the server hears of the end of input.
    child.endInput()
    await new Promise(resolve => child.process.stdin!.once('close', resolve))
    child.process.stdout!.resume()
    expect((await child.exit()).code).toBe(0)
    expect(child.messages.slice(1).map(({ id, result }) => [id, result.content[0].text.length])).toEqual([
      [1, size],
      [2, size],
      [3, size],
    ])
    expect(child.unfinished).toBe('')
  })

  it.runIf(process.platform === 'linux')(
    'wait in bounded memory while the reader pauses: no more requests are read, and all are answered later',
    async () => {
      const child = startRig()
      await child.initialize()
      const before = child.peakMemoryMiB()
      child.process.stdout!.pause()
      const count = 500
      for (let id = 1; id <= count; id++) child.write(call(id, 'big', { bytes: size }))
      // It has read what it wants to read, and waits for the reader now.
      await child.rests()
      expect(child.peakMemoryMiB() - before).toBeLessThan(96)
      child.process.stdout!.resume()
      await child.answer(count)
      const ids = child.messages.slice(1).map(({ id }) => id)
      expect(ids).toEqual(Array.from({ length: count }, (_, i) => i + 1))
      expect(child.peakMemoryMiB() - before).toBeLessThan(96)
    },
  )
})

describe('what stdin and stdout may be', () => {
  it('a file each: everything is answered, then it ends', async () => {
    const folder = scratch()
    writeFileSync(
      join(folder, 'in'),
      inLines(initialize, call(1, 'big', { bytes: 200_000 }), call(2, 'echo', { text: 'a' })),
    )
    const child = startRig({ stdio: [openSync(join(folder, 'in'), 'r'), openSync(join(folder, 'out'), 'w'), 'pipe'] })
    expect((await child.exit()).code).toBe(0)
    const lines = readFileSync(join(folder, 'out'), 'utf8').split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map(line => JSON.parse(line).id)).toEqual([0, 1, 2])
  })

  it('nothing on stdin: it ends', async () => {
    const child = startRig({ stdio: ['ignore', 'pipe', 'pipe'] })
    expect((await child.exit()).code).toBe(0)
    expect(child.lines).toEqual([])
  })

  it('a socket in both directions', async () => {
    const path = process.platform === 'win32' ? String.raw`\\.\pipe\ferrule-${process.pid}` : join(scratch(), 'socket')
    const script = `
      import { connect } from 'node:net'
      import { spawn } from 'node:child_process'
      const socket = connect(${JSON.stringify(path)}, () => {
        spawn(process.execPath, ['--import', 'tsx', 'test/rig.ts', 'stdio'], { stdio: [socket, socket, 'inherit'] })
          .on('exit', code => process.exit(code))
      })`
    const sockets = createServer()
    onTestFinished(() => void sockets.close())
    const connected = new Promise<any>(resolve => sockets.once('connection', resolve))
    await new Promise<void>(resolve => sockets.listen(path, resolve))
    const launcher = new Child(process.execPath, ['--input-type=module', '-e', script], {})
    onTestFinished(() => launcher.stop())
    const socket = await connected
    socket.setEncoding('utf8')
    let text = ''
    socket.on('data', (part: string) => {
      text += part
    })
    socket.end(inLines(initialize, call(1, 'big', { bytes: 500_000 })))
    expect((await launcher.exit()).code).toBe(0)
    expect(text.split('\n').map(line => (line === '' ? '' : JSON.parse(line).id))).toEqual([0, 1, ''])
  })
})

describe('a reader that goes away', () => {
  it('is a quiet end', async () => {
    const child = startRig()
    await child.initialize()
    child.write(...[1, 2, 3].map(id => call(id, 'big', { bytes: 300_000 })))
    child.process.stdout!.destroy()
    const since = performance.now()
    child.write(call(4, 'echo', { text: 'anybody there?' }))
    const { code, ms } = await child.exitAfter(since)
    expect(code).toBe(0)
    expect(ms).toBeLessThan(promisedExitMs)
    expect(child.stderr).not.toMatch(/EPIPE|\n\s+at /)
  })
})
