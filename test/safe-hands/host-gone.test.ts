import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CabledBoard, greenhouse, linkFirmware } from '../bridge/cabled-board.ts'
import { type Child, projectDir } from '../child.ts'
import { noPtys } from '../serial/pty.ts'
import { boardFile, World } from './world.ts'

const ferrule = ['--import', 'tsx', join(projectDir, 'bin/ferrule.ts')]

/** A host that started a server and has it move something. */
async function moving(
  world: World,
  tool: string,
  args: object,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<{ host: Child; server: number }> {
  const own = [join(projectDir, 'test/safe-hands/host.mjs'), tool, JSON.stringify(args), '--', ...ferrule, ...words]
  const host = world.run(process.execPath, own, { HANDS_LOG: world.log(), ...env })
  await host.until(() => host.lines.some(line => line.startsWith('server ')), 'the id of the server')
  const server = Number(host.lines[0]!.slice('server '.length))
  onTestFinished(() => {
    if (isThere(server)) process.kill(server, 'SIGKILL')
  })
  return { host, server }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Waits until something is so. The bound of the test is the only one. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(20)
}

describe('a host that is killed', () => {
  it('leaves a server that breaks off what moves, makes everything safe and ends', async () => {
    const world = new World()
    const { host, server } = await moving(world, 'lift', { ms: 600_000 }, ['serve', boardFile])
    await until(() => world.values('lift').includes(600_000))
    host.process.kill('SIGKILL')
    await until(() => !isThere(server))
    expect(world.values('lift').at(-1)).toBe(0)
    expect(world.changes().at(-1)).toEqual({ output: 'board', value: 'closed' })
    const { out } = await world.finish(['log', 'hands'])
    expect(out).toMatch(/(cancelled|failed) +lift +host 1\.0\.0[\s\S]*close +.*The host closed the input/)
  })

  it.skipIf(process.platform === 'win32')('without closing the pipe: the server notices it all the same', async () => {
    const world = new World()
    const fifo = join(world.folder, 'stdin')
    execFileSync('mkfifo', [fifo])
    // A pipe that this process keeps open, whatever becomes of the host.
    const pipe = openSync(fifo, constants.O_RDWR)
    onTestFinished(() => closeSync(pipe))
    const launcher = `
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, ${JSON.stringify([...ferrule, 'serve', boardFile])}, { stdio: 'inherit' })
      console.error('launched ' + child.pid + '.')`
    const host = world.run(process.execPath, ['-e', launcher], { HANDS_LOG: world.log() }, [pipe, 'pipe', 'pipe'])
    await host.tells('launched ')
    const server = Number(/launched (\d+)/.exec(host.stderr)![1])
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pump', arguments: { seconds: 30 } } }
    const clientInfo = { name: 'host', version: '1.0.0' }
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    writeSync(pipe, `${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello })}\n`)
    writeSync(pipe, `${JSON.stringify(call)}\n`)
    await until(() => world.values('pump').includes(30))
    host.process.kill('SIGKILL')
    await until(() => !isThere(server))
    expect(world.values('pump').at(-1)).toBe(0)
    expect(world.changes().at(-1)).toEqual({ output: 'board', value: 'closed' })
  })
})

describe.skipIf(process.platform === 'win32')('a host that hangs', () => {
  it('is given up after --silence: everything is made safe, the server stays, and serves it when it goes on', async () => {
    const world = new World()
    const env = { HOST_CHATTY: '1' }
    const words = ['serve', boardFile, '--silence', '2']
    const { host, server } = await moving(world, 'pump', { seconds: 30 }, words, env)
    await until(() => world.values('pump').includes(30))
    host.process.kill('SIGSTOP')
    await until(() => world.values('pump').at(-1) === 0)
    expect(isThere(server)).toBe(true)
    const answers = host.lines.length
    host.process.kill('SIGCONT')
    await host.until(() => host.lines.length > answers, 'an answer after it went on')
    expect(host.stderr).toContain('The host said nothing for 2 s: everything is put into its safe state')
    const { out } = await world.finish(['log', 'hands'])
    expect(out).toMatch(/safe +The host said nothing for 2 s/)
  })

  it('disarms what wants to be armed', async () => {
    const world = new World()
    const env = { HANDS_ARMING: '1' }
    const { host } = await moving(world, 'pump', { seconds: 30 }, ['serve', boardFile, '--silence', '3'], env)
    await host.until(() => host.lines.some(line => line.includes('"id":1')), 'the refusal')
    expect(host.lines.at(-1)).toContain('"isError":true')
    expect(world.values('pump')).toEqual([0])
  })
})

describe.skipIf(noPtys !== undefined)('a board on a cable', () => {
  it('makes itself safe when its bridge is killed or hangs', async () => {
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      const world = new World()
      const moves: number[] = []
      const board = new CabledBoard(linkFirmware(greenhouse(moves)))
      const bridge = world.start(['bridge', '--port', board.path])
      await bridge.initialize()
      await bridge.call('fan', { percent: 70 })
      expect(moves.at(-1)).toBe(70)
      bridge.process.kill(signal)
      await until(() => moves.at(-1) === 0)
    }
  })

  it('is made safe when the host of its bridge is killed, and when it hangs with --silence', async () => {
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      const world = new World()
      const moves: number[] = []
      const board = new CabledBoard(linkFirmware(greenhouse(moves)))
      const words = ['bridge', '--port', board.path, '--silence', '2']
      const { host } = await moving(world, 'fan', { percent: 70 }, words, { HOST_CHATTY: '1' })
      await until(() => moves.includes(70))
      host.process.kill(signal)
      await until(() => moves.at(-1) === 0)
    }
  })
})
