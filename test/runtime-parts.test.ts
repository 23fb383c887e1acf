import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packAndInstall, plainEnv } from './packed.ts'

// The built runtime is read in parts: its core at once, the others when a server first needs them.

const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
const consumer = join(folder, 'consumer')
const partsFolder = 'node_modules/ferrule/dist/runtime/parts'

beforeAll(() => {
  packAndInstall(folder)
  writeFileSync(join(consumer, 'uses.js'), uses)
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true }))

/** A program that makes one use of the runtime, by its name, and prints the messages that come of it. */
const uses = `
import { createServer, tool } from 'ferrule'
import { connectInMemory } from 'ferrule/transports/memory'

const led = { inputSchema: { type: 'object', properties: { pin: { type: 'integer' } }, required: ['pin'] }, call: () => 'ok' }
const initialize = {
  jsonrpc: '2.0', id: 'i', method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 't', version: '1' } },
}
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}
const call = (name, args = {}, more = {}) =>
  ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, ...more } })
const withTools = (tools, options) => createServer({ name: 'b' }, { tools, ...options })
const recorded = []
const recorder = {
  record() {},
  begin: entry => ({ ready: undefined, end: how => void recorded.push([entry.tool, entry.arguments, how.outcome]) }),
}
const board = {
  name: 'b',
  sensors: { light: { unit: 'lx', read: () => 12 } },
  actuators: { lamp: { inputSchema: { type: 'object', properties: { on: { type: 'boolean' } } }, safe: { on: false }, set: () => {} } },
}
const hello = { read: ({ name }) => name }

const all = {
  tools: () => [withTools({ led: tool(led) }), [initialize, call('led', { pin: 3 })]],
  'full-check': () => [withTools({ led: tool(led) }), [initialize, call('led', { pin: 'three' })]],
  'a schema with a format': () => [
    withTools({ led: tool({ ...led, inputSchema: { type: 'object', properties: { day: { format: 'date' } } } }) }),
    [initialize, call('led', { day: 'today' })],
  ],
  'board-catalog': () => [
    createServer(board),
    [initialize, call('lamp', { on: true }), { jsonrpc: '2.0', id: 2, method: 'resources/list' }],
  ],
  records: () => [
    createServer(board),
    [initialize, { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'sensor://b/light' } }],
  ],
  'operator-limits': () => [
    createServer(board, { limits: { allow: { lamp: { on: { values: [false] } } } } }),
    [initialize, call('lamp', { on: true })],
  ],
  'recorded-call': () => [withTools({ led: tool(led) }, { recorder }), [initialize, call('led', { pin: 3 })]],
  tasks: () => [
    withTools({ slow: tool({ task: 'optional', call: () => 'ok' }) }),
    [initialize, call('slow', {}, { task: {} }), { jsonrpc: '2.0', id: 2, method: 'tasks/list' }],
  ],
  questions: () => [
    withTools({ ask: tool({ call: async (args, call) => (await call.elicit({ message: 'May I?', requestedSchema: { type: 'object', properties: {} } })).action }) }),
    [initialize, call('ask'), { jsonrpc: '2.0', id: 'ferrule-1', result: { action: 'decline' } }],
  ],
  'questions as answers': () => [
    withTools({ ask: tool({ call: async (args, call) => (await call.elicit({ message: 'May I?', requestedSchema: { type: 'object', properties: {} } })).action }) }),
    [call('ask', {}, { _meta })],
  ],
  'modern-subscriptions': () => [
    withTools({ led: tool(led) }),
    [{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta, notifications: { toolsListChanged: true } } }],
  ],
  templates: () => [
    createServer({ name: 'b' }, { resourceTemplates: { 'x://{name}': hello }, prompts: { p: { get: () => 'hello' } } }),
    [initialize, { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'x://me' } }, { jsonrpc: '2.0', id: 2, method: 'prompts/get', params: { name: 'p' } }],
  ],
}

const [server, messages] = all[process.argv[2]]()
const client = connectInMemory(server, message => answers.push(message))
const answers = []
for (const message of messages) {
  const before = answers.length
  client.send(message)
  // A task says when it is done, after its answer.
  const awaited = before + (message.params?.task === undefined ? 1 : 2)
  while (answers.length < awaited) await new Promise(resolve => setTimeout(resolve, 1))
}
console.log(JSON.stringify({ answers, recorded }, (key, value) => (['createdAt', 'lastUpdatedAt', 'taskId', 'ttl', 'requestState'].includes(key) ? key : typeof value === 'string' ? value.replace(/"t":[\\d.]+/, '"t":0') : value)))
process.exit(0)
`

/** The uses, and the parts that each of them reads beside the core. */
const parts: Record<string, string[]> = {
  tools: [],
  'full-check': ['full-check'],
  'a schema with a format': ['full-check'],
  'board-catalog': ['board-catalog'],
  records: ['board-catalog', 'records'],
  'operator-limits': ['board-catalog', 'full-check', 'operator-limits'],
  'recorded-call': ['recorded-call'],
  tasks: ['tasks'],
  questions: ['questions'],
  'questions as answers': ['questions'],
  // What they need lies in the file of the core.
  'modern-subscriptions': [],
  templates: [],
}
const names = Object.keys(parts)

function run(file: string, use: string, { flags = [] as string[], env = {} } = {}): string {
  return execFileSync(process.execPath, [...flags, file, use], {
    cwd: folder,
    env: { ...plainEnv, ...env },
    encoding: 'utf8',
  })
}

/** The parts that a use reads beside the core. */
function partsRead(use: string): string[] {
  const coverage = mkdtempSync(join(folder, 'coverage-'))
  run(join(consumer, 'uses.js'), use, { env: { NODE_V8_COVERAGE: coverage } })
  return readdirSync(coverage)
    .flatMap(file => JSON.parse(readFileSync(join(coverage, file), 'utf8')).result as { url: string }[])
    .flatMap(({ url }) => /parts[\\/]([\w-]+)-\w{8}\.cjs$/.exec(url)?.[1] ?? [])
    .filter(name => name !== 'core')
    .sort()
}

describe('what is read when it is first needed', () => {
  it.each(names)('%s', use => expect(partsRead(use)).toEqual(parts[use]))

  it('is told when it is gone, and nothing else fails', () => {
    const replaced = join(folder, 'replaced')
    cpSync(consumer, replaced, { recursive: true })
    for (const file of readdirSync(join(replaced, partsFolder))) {
      if (!file.startsWith('core-')) rmSync(join(replaced, partsFolder, file))
    }
    expect(run(join(replaced, 'uses.js'), 'full-check')).toContain('Was ferrule replaced while this program runs?')
    expect(run(join(replaced, 'uses.js'), 'tools')).toContain('"text":"ok"')
  })

  it('is tried here, all of it', () => {
    const files = readdirSync(join(consumer, partsFolder)).map(file => file.replace(/-\w{8}\.cjs$/, ''))
    expect(files.sort()).toEqual([...new Set(['core', ...Object.values(parts).flat()])].sort())
  })
})

it.each([[], ['--conditions=module']])('one core, whichever entry point it is read by %s', (...flags) => {
  const program = `
    const from = name => import(name)
    const [a, b, c] = await Promise.all(['ferrule/stdio', 'ferrule', 'ferrule/transports/stdio'].map(from))
    process.exit(a.createServer === b.createServer && a.stdio === c.stdio ? 0 : 1)`
  const args = [...flags, '--input-type=module', '--eval', program]
  expect(() => execFileSync(process.execPath, args, { cwd: consumer, env: plainEnv })).not.toThrow()
})

describe('does the same', () => {
  const expected = new Map<string, string>()
  beforeAll(() => {
    for (const use of names) expected.set(use, run(join(consumer, 'uses.js'), use))
  })

  it('as it should', () => {
    expect(expected.get('tools')).toContain('"text":"ok"')
    expect(expected.get('full-check')).toContain('must be a whole number; you sent the text')
    expect(expected.get('a schema with a format')).toContain('must be text in the format date')
    expect(expected.get('board-catalog')).toContain('sensor://b/light')
    expect(expected.get('board-catalog')).toContain('{"actuator":"lamp","set":{"on":true}}')
    expect(expected.get('records')).toContain('12 lx')
    expect(expected.get('operator-limits')).toContain('"isError":true')
    expect(expected.get('recorded-call')).toContain('"recorded":[["led",{"pin":3},"ran"]]')
    expect(expected.get('tasks')).toContain('"status":"completed"')
    expect(expected.get('questions')).toContain('"text":"decline"')
    expect(expected.get('questions as answers')).toContain('"resultType":"input_required"')
    expect(expected.get('modern-subscriptions')).toContain('notifications/subscriptions/acknowledged')
    expect(expected.get('templates')).toContain('"text":"me"')
    expect(expected.get('templates')).toContain('"text":"hello"')
  })

  it('where nothing is read late', () => {
    for (const use of names) {
      expect(run(join(consumer, 'uses.js'), use, { flags: ['--conditions=module'] })).toBe(expected.get(use))
    }
  })

  it.each(['esm', 'cjs'] as const)('in one file that a bundler made, as %s', format => {
    const outfile = join(folder, format, format === 'esm' ? 'uses.mjs' : 'uses.cjs')
    buildSync({
      stdin: { contents: format === 'esm' ? uses : withoutAwait(uses), resolveDir: consumer },
      bundle: true,
      platform: 'node',
      format,
      outfile,
      logLevel: 'error',
      logOverride: { 'empty-import-meta': 'silent' },
    })
    for (const use of names) expect(run(outfile, use)).toBe(expected.get(use))
  })
})

/** The same program for CommonJS, which awaits nothing at its top. */
function withoutAwait(program: string): string {
  return program.replace(/\nconst \[server, messages\][\s\S]*/, main => `\nasync function main() {${main}}\nmain()\n`)
}
