import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Child } from './child.ts'
import { packAndInstall, plainEnv } from './packed.ts'

// What V8 compiled of the core lies beside it from the first start on, and the next start takes it.

const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
const consumer = join(folder, 'consumer')
const parts = join(consumer, 'node_modules/ferrule/dist/runtime/parts')
let core: string
let kept: string

const program = `
import { createServer, stdio } from 'ferrule/stdio'
await stdio().serve(createServer({ name: 'b' }, { tools: { led: { call: () => 'ok' } } }))
`

/**
 * Keeps what V8 compiles of a core that says another word: who takes it is heard. V8 cannot tell, since it looks at the
 * length of a source only.
 */
const keepOther = `
import { readFileSync, writeFileSync } from 'node:fs'
import { Script } from 'node:vm'
const [filename, kept] = process.argv.slice(2)
const script = new Script(readFileSync(filename, 'latin1').replace('Unknown tool: ', 'Unheard tool: '), { filename })
const core = script.runInThisContext()({ readPart: () => { throw new Error('no part is needed') } })
let answer
const connection = core.createServer({ name: 'b' }, { tools: { led: { call: () => 'ok' } } }).connect({ send: line => { answer = line } })
for (const message of JSON.parse(process.argv[4])) connection.receive(JSON.stringify(message))
if (!answer.includes('Unheard tool: x')) throw new Error(answer)
const code = script.createCachedData()
writeFileSync(kept, Buffer.concat([code, code]))
`

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
}
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }

beforeAll(() => {
  packAndInstall(folder)
  writeFileSync(join(consumer, 'server.js'), program)
  writeFileSync(join(consumer, 'keep-other.js'), keepOther)
  core = join(parts, readdirSync(parts).find(file => file.startsWith('core-'))!)
  kept = `${core}.${process.version}-${process.arch}.cache`
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => rmSync(kept, { recursive: true, force: true }))

async function start(env: Record<string, string> = {}): Promise<Child> {
  const child = new Child(process.execPath, ['server.js'], { cwd: consumer, env: { ...plainEnv, ...env } })
  onTestFinished(() => child.stop())
  await child.initialize()
  return child
}

/** What a server that is started now says of a tool that it does not have. */
async function answer(env?: Record<string, string>): Promise<string> {
  const child = await start(env)
  return (await child.request('tools/call', { name: 'x' })).error.message
}

function keepAnother(): void {
  const messages = JSON.stringify([initialize, call])
  execFileSync(process.execPath, ['keep-other.js', core, kept, messages], { cwd: consumer, env: plainEnv })
}

function strangeFiles(): string[] {
  return readdirSync(parts).filter(file => !file.endsWith('.cjs') && !kept.endsWith(file))
}

/** As of a Node that V8 does not take it of. */
function keepStrange(): Buffer {
  keepAnother()
  const code = readFileSync(kept)
  const strange = flipped(flipped(code, 5), 5 + code.length / 2)
  writeFileSync(kept, strange)
  return strange
}

const mostMs = 10_000

it('nothing is kept in what is published', () => {
  expect(readdirSync(parts).filter(file => !file.endsWith('.cjs'))).toEqual([])
})

it('is kept soon after the first start, whole, and the next start leaves it as it is', async () => {
  const first = await start()
  await vi.waitFor(() => expect(statSync(kept).size).toBeGreaterThan(0), mostMs)
  const code = readFileSync(kept)
  expect(code.subarray(0, code.length / 2).equals(code.subarray(code.length / 2))).toBe(true)
  first.endInput()
  expect((await first.exit()).code).toBe(0)

  const { mtimeMs, ino } = statSync(kept)
  const next = await start()
  // Longer than it takes until it would be kept.
  await new Promise(resolve => setTimeout(resolve, 1500))
  expect(statSync(kept)).toMatchObject({ mtimeMs, ino })
  next.endInput()
  expect((await next.exit()).code).toBe(0)
  expect(strangeFiles()).toEqual([])
}, 30_000)

describe('is taken', () => {
  it('at the next start', async () => {
    keepAnother()
    expect(await answer()).toBe('Unheard tool: x')
  })

  it('not of a source that was changed since', async () => {
    keepAnother()
    const later = new Date(Date.now() + 60_000)
    const before = statSync(core)
    utimesSync(core, later, later)
    onTestFinished(() => utimesSync(core, before.atime, before.mtime))
    expect(await answer()).toBe('Unknown tool: x')
  })

  it('not where the user says so', async () => {
    keepAnother()
    const { ino } = statSync(kept)
    expect(await answer({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('Unknown tool: x')
    expect(statSync(kept).ino).toBe(ino)
  })

  const damages: [string, (code: Buffer) => Buffer][] = [
    ['a bit', code => flipped(code, Math.floor(code.length / 3))],
    ['a bit of the second copy', code => flipped(code, Math.floor((code.length * 2) / 3))],
    ['the second half', code => code.subarray(0, code.length / 2)],
    ['the last byte', code => code.subarray(0, -1)],
    ['all of it', () => Buffer.alloc(0)],
    ['what it was: zeros', code => Buffer.alloc(code.length)],
  ]
  it.each(damages)(
    'not when it lost %s, and is kept anew',
    async (_, damaged) => {
      keepAnother()
      const code = damaged(readFileSync(kept))
      writeFileSync(kept, code)
      expect(await answer()).toBe('Unknown tool: x')
      await vi.waitFor(() => expect(readFileSync(kept).equals(code)).toBe(false), mostMs)
      expect(await answer()).toBe('Unknown tool: x')
      expect(strangeFiles()).toEqual([])
    },
    30_000,
  )
})

it('of a Node with other flags is left alone for a day', async () => {
  const strange = keepStrange()
  expect(await answer()).toBe('Unknown tool: x')
  await new Promise(resolve => setTimeout(resolve, 1500))
  expect(readFileSync(kept).equals(strange)).toBe(true)

  const before = new Date(Date.now() - 25 * 60 * 60 * 1000)
  utimesSync(kept, before, before)
  expect(await answer()).toBe('Unknown tool: x')
  await vi.waitFor(() => expect(readFileSync(kept).equals(strange)).toBe(false), mostMs)
}, 30_000)

it('a place that cannot be written keeps nothing and fails nothing', async () => {
  // A file cannot take the place of a folder: this fails for root too, who may write anywhere.
  mkdirSync(kept)
  const child = await start()
  await new Promise(resolve => setTimeout(resolve, 1500))
  expect((await child.request('tools/list')).result.tools).toHaveLength(1)
  child.endInput()
  expect(await child.exit()).toMatchObject({ code: 0 })
  expect(child.stderr).toBe('')
  expect(strangeFiles()).toEqual([])
}, 30_000)

function flipped(code: Buffer, at: number): Buffer {
  const copy = Buffer.from(code)
  copy[at]! ^= 4
  return copy
}
