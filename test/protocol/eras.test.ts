import { describe, expect, it } from 'vitest'
import { settled } from '../owned-clock.ts'
import { workbench } from './workbench.ts'

const PV = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
const CC = '"io.modelcontextprotocol/clientCapabilities":{}'
const META = `"_meta":{${PV},${CC}}`
const HELLO =
  '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'

const serverInfo = { name: 'bench', version: '1.2.3' }
const modernVersions = ['2026-07-28']
/** What every modern result says beside its own. */
const modernResult = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } }

function hello(protocolVersion: string): string {
  return HELLO.replace('"2025-11-25"', protocolVersion)
}

function error(id: unknown, code: number, more: object = {}) {
  return { id, error: { code, message: expect.any(String), ...more } }
}

function result(id: unknown, members: object) {
  return { id, result: expect.objectContaining(members) }
}

interface Row {
  name: string
  /** What was said before, its answers left aside. */
  before?: string[]
  lines: string[]
  answers: object[]
}

const rows: Row[] = [
  {
    name: 'a request with a version and capabilities is served by the modern rules',
    lines: [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${META}}}`],
    answers: [result(1, { ...modernResult, tools: expect.any(Array), ttlMs: 60_000, cacheScope: 'public' })],
  },
  {
    name: 'server/discover is served, and pins nothing',
    lines: [`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{${META}}}`, HELLO],
    answers: [
      result(1, { ...modernResult, supportedVersions: modernVersions }),
      result('hello', { protocolVersion: '2025-11-25' }),
    ],
  },
  ...['tools/list', 'server/discover', 'no/such/method', 'ping'].map(method => ({
    name: `a version nobody knows is told which are served: ${method}`,
    lines: [`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${META.replace('2026-07-28', '2099-01-01')}}}`],
    answers: [error(1, -32022, { data: { supported: modernVersions, requested: '2099-01-01' } })],
  })),
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'].map(version => ({
    name: `a handshake revision in _meta is not served by _meta: ${version}`,
    lines: [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${META.replace('2026-07-28', version)}}}`],
    answers: [error(1, -32022, { data: { supported: modernVersions, requested: version } })],
  })),
  ...[`${PV}`, `${PV},"io.modelcontextprotocol/clientCapabilities":null`].map(meta => ({
    name: `capabilities that are missing or null are malformed: {${meta}}`,
    lines: [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${meta}}}}`],
    answers: [error(1, -32602, { message: expect.stringContaining('io.modelcontextprotocol/clientCapabilities') })],
  })),
  ...[
    `"io.modelcontextprotocol/protocolVersion":20260728,${CC}`,
    `"io.modelcontextprotocol/protocolVersion":null,${CC}`,
    `${PV},"io.modelcontextprotocol/clientCapabilities":[]`,
    `${PV},"io.modelcontextprotocol/clientCapabilities":"elicitation"`,
    `${PV},${CC},"io.modelcontextprotocol/clientInfo":{"name":"c"}`,
    `${PV},${CC},"io.modelcontextprotocol/clientInfo":{"version":"1"}`,
    `${PV},${CC},"io.modelcontextprotocol/clientInfo":null`,
    `${PV},${CC},"io.modelcontextprotocol/clientInfo":"c/1"`,
    `${PV},${CC},"io.modelcontextprotocol/logLevel":"loud"`,
    `${PV},${CC},"io.modelcontextprotocol/logLevel":3`,
  ].map(meta => ({
    name: `a member of _meta of the wrong type is malformed: {${meta}}`,
    lines: [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${meta}}}}`],
    answers: [error(1, -32602)],
  })),
  ...[
    CC,
    '"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}',
    '"io.modelcontextprotocol/logLevel":"info"',
  ].map(meta => ({
    name: `a modern key without the version is malformed, never legacy: {${meta}}`,
    before: [HELLO, INITIALIZED],
    lines: [`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${meta}}}}`],
    answers: [error(1, -32602, { message: expect.stringContaining('io.modelcontextprotocol/protocolVersion') })],
  })),
  ...[
    '',
    ',"params":{}',
    ',"params":{"_meta":{}}',
    ',"params":{"_meta":{"progressToken":1,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}',
    ',"params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"1"}}}',
  ].map(params => ({
    name: `a first request without a revision is told both ways in: tools/list${params}`,
    lines: [`{"jsonrpc":"2.0","id":1,"method":"tools/list"${params}}`],
    answers: [
      error(1, -32602, {
        message: expect.stringMatching(/io\.modelcontextprotocol\/protocolVersion.*initialize/),
        data: { supported: modernVersions },
      }),
    ],
  })),
  {
    name: 'ping is answered before anything else was said',
    lines: ['{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    answers: [{ id: 1, result: {} }],
  },
  ...['server/discover', 'subscriptions/listen'].map(method => ({
    name: `a modern method without _meta is malformed: ${method}`,
    lines: [`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{}}`],
    answers: [error(1, -32602, { data: { supported: modernVersions } })],
  })),
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'].map(version => ({
    name: `initialize with a version that is served gets the same back: ${version}`,
    lines: [hello(`"${version}"`)],
    answers: [
      {
        id: 'hello',
        result: {
          protocolVersion: version,
          capabilities: expect.any(Object),
          serverInfo,
          instructions: 'A bench to try things on.',
        },
      },
    ],
  })),
  ...['2026-07-28', '1999-01-01', '2099-01-01', '1.0.0', 'DRAFT-2026-v1', '', '2025-11-25 '].map(version => ({
    name: `initialize with any other version is offered the newest with a handshake: "${version}"`,
    lines: [hello(`"${version}"`)],
    answers: [result('hello', { protocolVersion: '2025-11-25' })],
  })),
  ...[
    ['no version', '{"capabilities":{},"clientInfo":{"name":"c","version":"1"}}'],
    [
      'a number for a version',
      '{"protocolVersion":20251125,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}',
    ],
    ['null for a version', '{"protocolVersion":null,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}'],
    ['no capabilities', '{"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}}'],
    [
      'a list of capabilities',
      '{"protocolVersion":"2025-11-25","capabilities":[],"clientInfo":{"name":"c","version":"1"}}',
    ],
    ['no clientInfo', '{"protocolVersion":"2025-11-25","capabilities":{}}'],
    ['nothing', '{}'],
  ].map(([what, params]) => ({
    name: `initialize with ${what} is malformed, and agrees on nothing`,
    lines: [
      `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`,
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    ],
    answers: [error(1, -32602), error(2, -32602, { data: { supported: modernVersions } })],
  })),
  {
    name: 'initialize without params is malformed',
    lines: ['{"jsonrpc":"2.0","id":1,"method":"initialize"}'],
    answers: [error(1, -32602)],
  },
  {
    name: 'initialize with modern _meta is a method that the modern revision does not have',
    lines: [HELLO.replace('"params":{', `"params":{${META},`)],
    answers: [error('hello', -32601)],
  },
  {
    name: 'a second initialize is served anew',
    before: [HELLO, INITIALIZED],
    lines: [hello('"2025-03-26"').replace('"hello"', '"again"'), '[{"jsonrpc":"2.0","id":2,"method":"ping"}]'],
    answers: [
      result('again', { protocolVersion: '2025-03-26' }),
      // Only 2025-03-26 has batches: the second handshake counts.
      [{ jsonrpc: '2.0', id: 2, result: {} }],
    ],
  },
  {
    name: 'initialize after modern requests is served',
    before: [`{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{${META}}}`],
    lines: [HELLO, INITIALIZED, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    answers: [result('hello', { protocolVersion: '2025-11-25' }), { id: 1, result: { tools: expect.any(Array) } }],
  },
  {
    name: 'a client may probe with server/discover and then fall back to the handshake',
    before: [`{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{${META}}}`],
    lines: [HELLO],
    answers: [result('hello', { protocolVersion: '2025-11-25' })],
  },
  {
    name: 'a modern request after the handshake gets a modern answer',
    before: [HELLO, INITIALIZED],
    lines: [
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${META}}}`,
      `{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{${META}}}`,
      '{"jsonrpc":"2.0","id":3,"method":"tools/list"}',
    ],
    answers: [
      result(1, { ...modernResult, ttlMs: 60_000 }),
      result(2, { ...modernResult, supportedVersions: modernVersions }),
      { id: 3, result: { tools: expect.any(Array) } },
    ],
  },
  {
    name: 'a request without a revision after modern requests only is told both ways in',
    before: [`{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{${META}}}`],
    lines: ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    answers: [error(1, -32602, { data: { supported: modernVersions } })],
  },
  ...[
    INITIALIZED,
    '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
    '{"jsonrpc":"2.0","method":"x"}',
  ].map(line => ({
    name: `a notification as the first line pins nothing: ${line}`,
    lines: [line, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${META}}}`],
    answers: [result(1, modernResult)],
  })),
  {
    name: 'a request between the result of initialize and initialized is served',
    before: [HELLO],
    lines: ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    answers: [{ id: 1, result: { tools: expect.any(Array) } }],
  },
  {
    name: 'requests right behind initialize, in the same breath, are served',
    lines: [HELLO, INITIALIZED, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    answers: [result('hello', {}), result(1, { tools: expect.any(Array) })],
  },
  {
    name: 'an unknown method is unknown, modern',
    lines: [`{"jsonrpc":"2.0","id":1,"method":"no/such/method","params":{${META}}}`],
    answers: [error(1, -32601)],
  },
  {
    name: 'an unknown method is unknown, legacy',
    before: [HELLO],
    lines: ['{"jsonrpc":"2.0","id":1,"method":"no/such/method"}'],
    answers: [error(1, -32601)],
  },
  ...['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'tasks/get', 'tasks/list'].map(
    method => ({
      name: `what 2026-07-28 removed is unknown there, also after a handshake: ${method}`,
      before: [HELLO, INITIALIZED],
      lines: [
        `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${META},"uri":"sensor://bench","level":"info","taskId":"1"}}`,
      ],
      answers: [error(1, -32601)],
    }),
  ),
  ...['subscriptions/listen', 'server/discover'].map(method => ({
    name: `what 2026-07-28 added is unknown to the handshake revisions: ${method}`,
    before: [HELLO, INITIALIZED],
    lines: [`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"notifications":{}}}`],
    answers: [error(1, -32601)],
  })),
  ...[[], [HELLO]].map(before => ({
    name: `unknown notifications are never answered, ${before.length === 0 ? 'before' : 'after'} a handshake`,
    before,
    lines: [
      '{"jsonrpc":"2.0","method":"notifications/made_up","params":{}}',
      '{"jsonrpc":"2.0","method":"notifications/made_up","params":[1]}',
      '{"jsonrpc":"2.0","method":"tools/list","params":null}',
      `{"jsonrpc":"2.0","method":"tools/call","params":{${META},"name":"echo","arguments":{"text":"unheard"}}}`,
      '{"jsonrpc":"2.0","method":"initialize"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}',
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}',
    ],
    answers: [],
  })),
  ...[[], [HELLO]].map(before => ({
    name: `answers that nobody waits for are dropped, ${before.length === 0 ? 'before' : 'after'} a handshake`,
    before,
    lines: [
      '{"jsonrpc":"2.0","id":99,"result":{}}',
      '{"jsonrpc":"2.0","id":"ferrule-1","result":{}}',
      '{"jsonrpc":"2.0","id":"nobody","error":{"code":-1,"message":"x"}}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
      '{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}',
    ],
    answers: [],
  })),
]

describe('one server, both eras: each message chooses', () => {
  it.each(rows)('$name', async ({ before = [], lines, answers }) => {
    const { client, ran } = workbench()
    for (const line of before) client.line(line)
    await settled()
    const from = client.heard.length
    for (const line of lines) client.line(line)
    await settled()
    expect(client.heard.slice(from)).toEqual(
      answers.map(answer => (Array.isArray(answer) ? answer : { jsonrpc: '2.0', ...answer })),
    )
    expect(ran).toEqual([])
  })
})

describe('both eras on one connection', () => {
  it('a modern request borrows no version, capability, name or log level from a handshake', async () => {
    const seen: unknown[] = []
    const { client } = workbench({
      tools: {
        look: {
          call(_args, call) {
            call.log('emergency', 'heard only by who asked')
            seen.push([call.clientInfo, call.clientCapabilities])
            return 'looked'
          },
        },
      },
    })
    await client.initialize('2024-11-05', { elicitation: {}, sampling: {}, roots: {} })
    await client.modern('tools/call', { name: 'look' })
    expect(seen).toEqual([[undefined, {}]])
    expect(client.told('notifications/message')).toEqual([])
    await client.callTool('look')
    expect(seen[1]).toEqual([
      { name: 'test', version: '1' },
      { elicitation: {}, sampling: {}, roots: {} },
    ])
    expect(client.told('notifications/message')).toHaveLength(1)
  })

  it('a modern request borrows nothing from the modern request before it', async () => {
    const seen: unknown[] = []
    const { client } = workbench({
      tools: {
        look: {
          call(_args, call) {
            call.log('info', 'x')
            seen.push([call.clientInfo, call.clientCapabilities])
          },
        },
      },
    })
    await client.modern(
      'tools/call',
      { name: 'look' },
      {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
        'io.modelcontextprotocol/clientInfo': { name: 'first', version: '1' },
        'io.modelcontextprotocol/logLevel': 'debug',
      },
    )
    await client.modern('tools/call', { name: 'look' })
    expect(seen).toEqual([
      [{ name: 'first', version: '1' }, { sampling: {} }],
      [undefined, {}],
    ])
    expect(client.told('notifications/message')).toHaveLength(1)
  })

  it('the content filters of an old handshake do not touch modern answers', async () => {
    const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } as const
    const { client } = workbench({ tools: { play: { call: () => [audio] } } })
    await client.initialize('2024-11-05')
    expect((await client.modern('tools/call', { name: 'play' })).result.content).toEqual([audio])
    expect((await client.callTool('play')).result.content[0].type).toBe('text')
  })

  it('cancelling finds the request whatever its era', async () => {
    const { client, gate } = workbench()
    await client.initialize()
    void client.callTool('wait', { gate: 'old' }, 'old')
    void client.modern('tools/call', { name: 'wait', arguments: { gate: 'new' } }, undefined, 'new')
    client.notify('notifications/cancelled', { requestId: 'old' })
    client.notify('notifications/cancelled', { requestId: 'new' })
    gate('old').open()
    gate('new').open()
    await settled()
    expect([...client.answers('old'), ...client.answers('new')]).toEqual([])
  })

  it('an id that runs in one era is in use in the other', async () => {
    const { client, gate } = workbench()
    await client.initialize()
    const slow = client.callTool('wait', {}, 7)
    client.send({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: JSON.parse(`{${PV},${CC}}`) } })
    expect(client.heard.at(-1)).toMatchObject({ error: { code: -32600 } })
    expect(client.heard.at(-1)).not.toHaveProperty('id')
    gate('gate').open()
    expect((await slow).result.content[0].text).toBe('through gate')
    expect(client.answers(7)).toHaveLength(1)
  })

  it('a change is told once untagged after a handshake, and once tagged to each subscription', async () => {
    const { client, server } = workbench()
    client.send({
      jsonrpc: '2.0',
      id: 'sub',
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: JSON.parse(`{${PV},${CC}}`) },
    })
    server.tools.set('more', { call: () => 'more' })
    await settled()
    expect(client.told('notifications/tools/list_changed')).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/tools/list_changed',
        params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } },
      },
    ])
    await client.initialize()
    server.tools.set('even_more', { call: () => 'more' })
    await settled()
    expect(client.told('notifications/tools/list_changed').slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/tools/list_changed',
        params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } },
      },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ])
  })

  it('a client that leaves with calls running: they are told to stop, and nothing is sent any more', async () => {
    let reason: unknown
    const { client } = workbench({
      tools: {
        hold: {
          call: (_args, call) =>
            new Promise((_resolve, reject) => {
              call.signal.addEventListener('abort', () => reject((reason = call.signal.reason)))
            }),
        },
      },
    })
    await client.initialize()
    void client.callTool('hold', {}, 'held')
    client.leave()
    await settled()
    expect(reason).toMatchObject({ message: 'The client is gone' })
    expect(client.answers('held')).toEqual([])
  })
})
