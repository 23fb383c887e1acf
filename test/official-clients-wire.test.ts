/** The checker of a server's lines: what it lets pass and what it finds. */
import { describe, expect, it } from 'vitest'
import { checkRun } from './official/recording.ts'
import { checkServerLine, type WireContext } from './wire-schema.ts'

const info = { 'io.modelcontextprotocol/serverInfo': { name: 'shed', version: '1.0.0' } }
const listen = { 'io.modelcontextprotocol/subscriptionId': 'listen-1' }
const text = { type: 'text', text: 'done' }
const page = { mode: 'url', message: 'Sign in', url: 'https://example.com/' }

const result = (value: object) => ({ jsonrpc: '2.0', id: 1, result: value })
const complete = (value: object) => result({ resultType: 'complete', _meta: info, ...value })
const asks = (...requests: object[]) =>
  result({ resultType: 'input_required', _meta: info, inputRequests: { ...requests }, requestState: 'x' })
const note = (method: string, params?: object) => ({ jsonrpc: '2.0', method, ...(params && { params }) })
const error = (code: number, id?: number) => ({ jsonrpc: '2.0', ...(id && { id }), error: { code, message: 'no' } })

const modern = (requestMethod?: string): WireContext => ({ era: 'modern', requestMethod })
const legacy = (requestMethod?: string, revision?: string): WireContext => ({ era: 'legacy', revision, requestMethod })

const good: [string, object, WireContext][] = [
  ['a result of 2026-07-28', complete({ content: [text] }), modern('tools/call')],
  ['a list with its hints', complete({ tools: [], ttlMs: 0, cacheScope: 'public' }), modern('tools/list')],
  ['a question within a result', asks({ method: 'elicitation/create', params: page }), modern('tools/call')],
  ['a result of the handshake era', result({ content: [text] }), legacy('tools/call')],
  ['an empty answer', result({}), legacy('ping')],
  ['an error without an id', error(-32700), modern()],
  ['an error of the tool maker', error(17, 1), modern('tools/call')],
  ['a change that was subscribed to', note('notifications/resources/updated', { uri: 'a:b', _meta: listen }), modern()],
  ['a change for whoever listens', note('notifications/tools/list_changed'), legacy()],
]

const bad: [string, object | string, WireContext, string][] = [
  ['a text that is no message', 'Server started', modern(), 'no JSON'],
  ['a message without its version', { id: 1, result: {} }, legacy('ping'), 'JSON-RPC'],
  ['an answer to nothing', result({}), legacy(), 'nobody made'],
  ['a result that does not say what it is', result({ _meta: info, content: [] }), modern('tools/call'), 'resultType'],
  [
    'a result that does not say whose it is',
    result({ resultType: 'complete', content: [] }),
    modern('tools/call'),
    'serverInfo',
  ],
  ['a list without hints', complete({ tools: [] }), modern('tools/list'), 'ttlMs'],
  ['hints where there are none', complete({ content: [], ttlMs: 0 }), modern('tools/call'), 'ttlMs'],
  ['a result without its contents', complete({ structuredContent: {} }), modern('tools/call'), 'content'],
  [
    'a tool without a schema',
    complete({ tools: [{ name: 'a' }], ttlMs: 0, cacheScope: 'public' }),
    modern('tools/list'),
    'inputSchema',
  ],
  ['a content of no known type', complete({ content: [{ type: 'smell' }] }), modern('tools/call'), 'content'],
  ['a request to the client', { ...note('roots/list'), id: 1 }, modern(), 'no requests'],
  ['a question where none may be asked', asks({ method: 'roots/list' }), modern('tools/list'), 'tools/list'],
  ['a question with an id', asks({ method: 'roots/list', id: 1 }), modern('tools/call'), 'id'],
  ['a question that is no question', asks({ method: 'tools/call' }), modern('tools/call'), 'cannot ask'],
  [
    'a form without fields',
    asks({ method: 'elicitation/create', params: { message: 'a' } }),
    modern('tools/call'),
    'requestedSchema',
  ],
  ['a change that nobody subscribed to', note('notifications/tools/list_changed'), modern(), 'subscriptionId'],
  [
    'progress on a subscription',
    note('notifications/progress', { progressToken: 1, progress: 1, _meta: listen }),
    modern(),
    'does not belong',
  ],
  ['a notification that does not exist', note('notifications/tea'), modern(), 'notifications/tea'],
  ['a code of the other era', error(-32002, 1), modern('resources/read'), '-32002'],
  ['a code of the other era, too', error(-32021, 1), legacy('tools/call'), '-32021'],
  ['a result of the other era', complete({ content: [] }), legacy('tools/call'), 'resultType'],
  ['more than nothing', result({ ok: true }), legacy('ping'), 'ok'],
  [
    'structured content that is a list',
    result({ content: [], structuredContent: [] }),
    legacy('tools/call'),
    'structuredContent',
  ],
  ['a page without its identifier', { ...note('elicitation/create', page), id: 1 }, legacy(), 'elicitationId'],
  [
    'a sound for an old client',
    result({ content: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] }),
    legacy('tools/call', '2024-11-05'),
    'audio',
  ],
  [
    'a form for an old client',
    { ...note('elicitation/create', page), id: 1 },
    legacy(undefined, '2025-03-26'),
    '2025-03-26',
  ],
]

describe('the checker of lines', () => {
  for (const [name, message, context] of good) {
    it(`lets ${name} pass`, () => {
      expect(() => checkServerLine(JSON.stringify(message), context)).not.toThrow()
    })
  }
  for (const [name, message, context, problem] of bad) {
    it(`finds ${name}, and shows it whole`, () => {
      const line = typeof message === 'string' ? message : JSON.stringify(message)
      expect(() => checkServerLine(line, context)).toThrow(problem)
      expect(() => checkServerLine(line, context)).toThrow(line)
    })
  }
})

describe('the checker of runs', () => {
  const request = { from: 'client' as const, line: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }
  const answer = { from: 'server' as const, line: '{"jsonrpc":"2.0","id":1,"result":{}}' }
  const cancel = note('notifications/cancelled', { requestId: 1 })
  const cancelled = { from: 'client' as const, line: JSON.stringify(cancel) }
  const end = { code: 0, signal: null }

  it('lets a request and its answer pass', () => {
    expect(() => checkRun({ lines: [request, answer], end })).not.toThrow()
  })
  it('lets a cancelled request pass that is never answered', () => {
    expect(() => checkRun({ lines: [request, cancelled], end })).not.toThrow()
  })
  it('finds a second answer', () => {
    expect(() => checkRun({ lines: [request, answer, answer], end })).toThrow('second')
  })
  it('finds an answer to a cancelled request', () => {
    expect(() => checkRun({ lines: [request, cancelled, answer], end })).toThrow('cancelled')
  })
  it('finds a request that was never answered, once the run is over', () => {
    expect(() => checkRun({ lines: [request], end: undefined })).not.toThrow()
    expect(() => checkRun({ lines: [request], end })).toThrow('Never answered: ping')
  })
})
