import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Conversation } from '../../bin/trace/conversation.ts'
import { messageText, trafficLine } from '../../bin/trace/lines.ts'
import { projectDir } from '../child.ts'
import { ownFolders, startFerrule } from './cabled-board.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'h', version: '1' } },
}
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const greeting = {
  jsonrpc: '2.0',
  id: 1,
  result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
}
const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' })
const modern = (id: number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})

type Step = ['host' | 'server', unknown]
const opened: Step[] = [
  ['host', initialize],
  ['server', greeting],
  ['host', initialized],
]

function mistakes(steps: Step[]): string[] {
  const conversation = new Conversation()
  return steps.flatMap(([from, message], at) => conversation.take(from, message, at).mistakes)
}

describe('mistakes in a conversation', () => {
  it('there are none in one that goes well, in either era', () => {
    const tools = [{ name: 'fan', inputSchema: { type: 'object' } }]
    expect(mistakes([...opened, ['host', list(2)], ['server', { jsonrpc: '2.0', id: 2, result: { tools } }]])).toEqual(
      [],
    )
    expect(
      mistakes([
        ['host', modern(1, 'tools/call', { name: 'fan', arguments: {} })],
        ['server', { jsonrpc: '2.0', id: 1, result: { resultType: 'complete', content: [] } }],
      ]),
    ).toEqual([])
  })

  it.each<[string, Step[], string]>([
    ['a request before the handshake', [['host', list(1)]], 'before initialize'],
    ['a second handshake', [...opened, ['host', { ...initialize, id: 9 }]], 'a second time'],
    ['an id in use', [...opened, ['host', list(2)], ['host', list(2)]], 'is in use by tools/list'],
    ['an answer that nobody asked', [...opened, ['server', { jsonrpc: '2.0', id: 7, result: {} }]], 'nobody asked'],
    ['a second answer', [...opened, ['server', greeting]], 'answered more than once'],
    ['a result and an error at once', [['server', { ...greeting, error: { code: 1, message: '' } }]], 'more than one'],
    ['another JSON-RPC', [['server', { id: 1, result: {} }]], 'lacks "jsonrpc"'],
    ['an id that is no id', [['host', { ...list(1), id: 1.5 }]], 'whole number'],
    [
      'a feature that was not announced',
      [...opened, ['host', { jsonrpc: '2.0', id: 3, method: 'prompts/list' }]],
      'did not say that it has prompts',
    ],
    [
      'progress under a token that nobody gave',
      [
        ...opened,
        ['server', { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 5, progress: 1 } }],
      ],
      'which nobody gave',
    ],
    [
      'a name that some hosts refuse',
      [
        ...opened,
        ['host', list(2)],
        ['server', { jsonrpc: '2.0', id: 2, result: { tools: [{ name: 'a.b', inputSchema: { type: 'object' } }] } }],
      ],
      'a.b makes some hosts refuse all tools',
    ],
    [
      'a tool without a schema',
      [...opened, ['host', list(2)], ['server', { jsonrpc: '2.0', id: 2, result: { tools: [{ name: 'a' }] } }]],
      'lacks an inputSchema',
    ],
    [
      'an answer of 2026-07-28 without its type',
      [
        ['host', modern(1, 'tools/list')],
        ['server', { jsonrpc: '2.0', id: 1, result: { tools: [] } }],
      ],
      'lacks resultType',
    ],
  ])('%s is named', (_, steps, expected) => expect(mistakes(steps).join('\n')).toContain(expected))

  it('what was never answered is told, what was cancelled is not', () => {
    const conversation = new Conversation()
    for (const [from, message] of opened) conversation.take(from, message, 0)
    conversation.take('host', list(2), 0)
    conversation.take('host', list(3), 0)
    conversation.take('host', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } }, 0)
    expect(conversation.unanswered()).toEqual([{ from: 'host', id: '2', method: 'tools/list' }])
  })
})

describe('a line of a trace', () => {
  const at = new Date(2026, 0, 2, 9, 31, 2, 123).getTime()
  it.each([
    [
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'fan', arguments: { percent: 5 } } },
      '3 tools/call fan {"percent":5}',
    ],
    [modern(4, 'tools/list'), '4 tools/list'],
    [{ jsonrpc: '2.0', id: 3, error: { code: -32602, message: 'no' } }, '3 error -32602 no'],
    [initialized, 'notifications/initialized'],
  ])('of %j is short', (message, text) => expect(messageText(message)).toBe(text))

  it('has its time, its direction, how long the answer took, and no control characters', () => {
    expect(trafficLine({ at, from: 'server', kind: 'message', text: '3 result {"a":"\u001b[2J"}', tookMs: 12.3 })).toBe(
      '09:31:02.123 ← 3 result (12 ms) {"a":" [2J"}',
    )
    expect(trafficLine({ at, from: 'server', kind: 'text', text: 'soil is dry' })).toBe('09:31:02.123 ← " soil is dry')
    expect(trafficLine({ at, from: 'server', kind: 'mistake', text: 'no' })).toBe('09:31:02.123 ! server: no')
  })
})

describe('around a server', () => {
  it('everything passes as it is, and is shown on stderr and recorded', async () => {
    const folders = ownFolders()
    const file = join(folders.XDG_CACHE_HOME!, 'trace.txt')
    const server = [process.execPath, '--import', 'tsx', join(projectDir, 'bin/ferrule.ts'), 'serve', '@greenhouse']
    const trace = startFerrule(['trace', '--record', file, '--', ...server], folders)
    expect((await trace.initialize()).result.serverInfo.name).toBe('greenhouse')
    await trace.request('tools/list')
    trace.endInput()
    expect(await trace.exit()).toMatchObject({ code: 0 })
    expect(trace.stderr).toMatch(/→ request-1 initialize .*\n.*← request-1 result \([\d.]+ ms\)/)
    expect(trace.stderr).toContain('the server ended with code 0; no mistake was seen')
    expect(readFileSync(file, 'utf8')).toContain('→ request-2 tools/list')
  })

  it('print-outs on stdout are named, and the exit code is the server’s', async () => {
    const program = 'console.log("debug: loading"); process.stdin.on("end", () => process.exit(7)).resume()'
    const trace = startFerrule(['trace', '--', process.execPath, '-e', program])
    await trace.tells('only the protocol may go to stdout')
    trace.endInput()
    expect(await trace.exit()).toMatchObject({ code: 7 })
  })

  it('a program that is not there is told', async () => {
    const trace = startFerrule(['trace', '--', 'no-such-program'])
    expect(await trace.exit()).toMatchObject({ code: 1 })
    expect(trace.stderr).toContain('no-such-program does not start: there is no such program')
  })
})
