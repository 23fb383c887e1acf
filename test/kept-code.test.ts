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
 * Keeps what V8 compiles of a core that says another word, as if it were of the core itself: who takes it is heard. V8
 * cannot tell, since it looks at the length of a source only.
 */
const keepOther = `
import { readFileSync, writeFileSync } from 'node:fs'
import { Script } from 'node:vm'
const [filename, kept] = process.argv.slice(2)
const source = readFileSync(filename, 'latin1')
const script = new Script(source.replace('Unknown tool: ', 'Unheard tool: '), { filename })
const core = script.runInThisContext()({ readPart: () => { throw new Error('no part is needed') } })
let answer
const connection = core.createServer({ name: 'b' }, { tools: { led: { call: () => 'ok' } } }).connect({ send: line => { answer = line } })
for (const message of JSON.parse(process.argv[4])) connection.receive(JSON.stringify(message))
if (!answer.includes('Unheard tool: x')) throw new Error(answer)
const code = script.createCachedData()
const length = Buffer.alloc(4)
length.writeUInt32LE(code.length)
writeFileSync(kept, Buffer.concat([Buffer.from(source, 'latin1'), length, code, code]))
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
  const file = readFileSync(kept)
  const { codeAt, codeLength } = placesIn(file)
  const strange = flipped(flipped(file, codeAt + 5), codeAt + codeLength + 5)
  writeFileSync(kept, strange)
  return strange
}

/** Where the code lies in what is kept, behind its source and its length, and how long each of its two copies is. */
function placesIn(file: Buffer): { codeAt: number; codeLength: number } {
  const codeAt = statSync(core).size + 4
  const codeLength = file.readUInt32LE(codeAt - 4)
  expect(file.length).toBe(codeAt + 2 * codeLength)
  return { codeAt, codeLength }
}

const mostMs = 10_000

it('nothing is kept in what is published', () => {
  expect(readdirSync(parts).filter(file => !file.endsWith('.cjs'))).toEqual([])
})

it('is kept soon after the first start, whole, and the next start leaves it as it is', async () => {
  const first = await start()
  await vi.waitFor(() => expect(statSync(kept).size).toBeGreaterThan(0), mostMs)
  const file = readFileSync(kept)
  const { codeAt, codeLength } = placesIn(file)
  expect(file.subarray(0, codeAt - 4).equals(readFileSync(core))).toBe(true)
  const second = codeAt + codeLength
  expect(file.subarray(codeAt, second).equals(file.subarray(second))).toBe(true)
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

  // Of the same length, and with the time that it had: a package may be unpacked with any, and a board has no clock.
  it('not of a source that was changed since', async () => {
    keepAnother()
    const { atime, mtime } = statSync(core)
    const source = readFileSync(core, 'latin1')
    const change = (text: string) => {
      writeFileSync(core, text, 'latin1')
      utimesSync(core, atime, mtime)
    }
    onTestFinished(() => change(source))
    change(source.replace('Unknown tool: ', 'Strange tool: '))
    expect(await answer()).toBe('Strange tool: x')
  })

  it('not where the user says so', async () => {
    keepAnother()
    const { ino } = statSync(kept)
    expect(await answer({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('Unknown tool: x')
    expect(statSync(kept).ino).toBe(ino)
  })

  const damages: [string, (file: Buffer, codeAt: number, codeLength: number) => Buffer][] = [
    ['a bit', (file, codeAt, length) => flipped(file, codeAt + Math.floor(length / 2))],
    ['a bit of the second copy', (file, codeAt, length) => flipped(file, codeAt + Math.floor(length * 1.5))],
    ['a bit of the source', (file, codeAt) => flipped(file, Math.floor(codeAt / 2))],
    ['a bit of the length', (file, codeAt) => flipped(file, codeAt - 4)],
    ['a high bit of the length', (file, codeAt) => flipped(file, codeAt - 1)],
    ['the second copy', (file, codeAt, length) => file.subarray(0, codeAt + length)],
    ['the last byte', file => file.subarray(0, -1)],
    ['all of the code', (file, codeAt) => file.subarray(0, codeAt - 4)],
    ['all of it', () => Buffer.alloc(0)],
    ['what it was: zeros', file => Buffer.alloc(file.length)],
    [
      'the code: zeros',
      (file, codeAt) => Buffer.concat([file.subarray(0, codeAt), Buffer.alloc(file.length - codeAt)]),
    ],
    ['the rest: zeros', (file, codeAt) => Buffer.concat([file.subarray(0, codeAt - 4), Buffer.alloc(file.length)])],
  ]
  it.each(damages)(
    'not when it lost %s, and is kept anew',
    async (_, damaged) => {
      keepAnother()
      const file = readFileSync(kept)
      const { codeAt, codeLength } = placesIn(file)
      const code = damaged(file, codeAt, codeLength)
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
