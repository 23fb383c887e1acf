import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { elapsedMs } from '../../bin/elapsed.ts'
import { orphaned } from '../../bin/share/orphan.ts'
import { projectDir } from '../child-process.ts'
import { Copies } from './copies.ts'

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

describe('who counts as an orphan', () => {
  const started = process.ppid
  let parent = started
  const parentOf = () => parent

  beforeEach(() => {
    vi.useFakeTimers()
    parent = started
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('a process whose parent is gone and whose host is silent since', () => {
    const signal = orphaned({ heard: () => 0, silentMs: 5000, parentOf })
    vi.advanceTimersByTime(60_000)
    expect(signal.aborted).toBe(false)
    parent = 1
    vi.advanceTimersByTime(5000)
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(1000)
    expect(signal.reason.message).toBe(
      `The host is gone without closing the pipe: process ${started}, which started this one, ended`,
    )
  })

  it('not one whose host speaks on: what started it was a launcher', () => {
    let heard = 0
    const signal = orphaned({ heard: () => heard, silentMs: 5000, parentOf })
    parent = 1
    vi.advanceTimersByTime(4000)
    heard = elapsedMs()
    vi.advanceTimersByTime(3_600_000)
    expect(signal.aborted).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })
})

/** Starts the program as a host does, with its own pipes. */
const host = `
  const { spawn } = require('node:child_process')
  const args = ['--import', 'tsx', 'test/share/bridge.ts']
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  console.error('launched ' + child.pid + '.')
`

describe.skipIf(process.platform === 'win32')('a host that died without closing the pipe', () => {
  it('has its copy give the device back, and another takes it', async () => {
    const copies = new Copies()
    // A pipe that this process keeps open, whatever becomes of the host.
    const fifo = join(copies.folder, 'stdin')
    execFileSync('mkfifo', [fifo])
    const pipe = openSync(fifo, constants.O_RDWR)
    onTestFinished(() => closeSync(pipe))
    const first = copies.run(process.execPath, ['-e', host], { SHARE_ORPHAN_MS: '300' }, [pipe, 'pipe', 'pipe'])
    writeSync(pipe, `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`)
    await first.answer(1)
    const pid = Number(/launched (\d+)\./.exec(first.stderr)![1])
    const second = await copies.start()
    expect(await second.call('who')).toBe(String(pid))
    first.process.kill('SIGKILL')
    await second.tells('is gone')
    expect(await second.call('who')).toBe(String(second.process.pid))
    expect(copies.owners()).toEqual([pid, second.process.pid])
    expect(first.stderr).toContain('The host is gone without closing the pipe')
  })
})

/** Starts the program with its own pipes, and stays until it is ended. */
const launcher = `
  const { spawn } = require('node:child_process')
  const args = ['--import', 'tsx', 'bin/ferrule.ts', 'serve', '@greenhouse', '--record', 'off']
  spawn(process.execPath, args, { stdio: 'inherit', detached: true })
`

describe.skipIf(process.platform === 'win32')('a host that speaks on when its launcher has ended', () => {
  it.each([
    ['2025-11-25', undefined],
    ['2026-07-28', modernMeta],
  ])(
    'is served on, in %s',
    async (protocolVersion, _meta) => {
      // A pipe that this process keeps open, whatever becomes of the launcher.
      const fifo = join(new Copies().folder, 'stdin')
      execFileSync('mkfifo', [fifo])
      const pipe = openSync(fifo, constants.O_RDWR)
      onTestFinished(() => closeSync(pipe))
      const launched = spawn(process.execPath, ['-e', launcher], { cwd: projectDir, stdio: [pipe, 'pipe', 'pipe'] })
      let printed = ''
      let told = ''
      launched.stdout!.on('data', text => (printed += text))
      launched.stderr!.on('data', text => (told += text))
      const answer = async (id: number, method: string, params: object = {}) => {
        const line = { jsonrpc: '2.0', id, method, params: { ...params, ...(_meta && { _meta }) } }
        writeSync(pipe, `${JSON.stringify(line)}\n`)
        await expect.poll(() => printed, { timeout: 30_000 }).toContain(`"id":${id},"result"`)
      }
      if (_meta === undefined) {
        await answer(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } })
      }
      await answer(1, 'tools/list')
      launched.kill('SIGKILL')
      // Longer than a host may be silent then.
      const until = performance.now() + 8000
      for (let id = 2; performance.now() < until; id++) {
        await answer(id, 'tools/list')
        await delay(500)
      }
      expect(told).not.toContain('The host is gone')
    },
    60_000,
  )
})

describe.skipIf(process.platform === 'win32')('an owner that is frozen', () => {
  it('is named to whoever comes, and served from again when it wakes', async () => {
    const copies = new Copies()
    const first = await copies.start()
    first.process.kill('SIGSTOP')
    const second = copies.launch()
    await second.tells('does not answer')
    first.process.kill('SIGCONT')
    const third = await copies.start()
    expect(await third.call('who')).toBe(String(first.process.pid))
  })
})
