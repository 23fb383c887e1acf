import { describe, expect, it } from 'vitest'
import { serveLink } from '../../runtime/index.ts'
import { settled } from '../owned-clock.ts'
import { TextLink } from './text-link.ts'
import { workbench } from './workbench.ts'

const MODERN =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

/** A call of 2026-07-28, which needs no handshake. */
function say(text: string, id = '1'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"${text}"},${MODERN}}}`
}

function said(text: string, id: string | number = 1) {
  return { jsonrpc: '2.0', id, result: expect.objectContaining({ content: [{ type: 'text', text }] }) }
}

/** The error of a message whose id could not be read: it has none. */
function refused(code: number, message: RegExp | string = /./) {
  return { jsonrpc: '2.0', error: { code, message: expect.stringMatching(message) } }
}

function refusedUnder(id: string | number, code: number) {
  return { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } }
}

function overLink(options: Parameters<typeof workbench>[0] = {}) {
  const bench = workbench(options)
  const link = new TextLink()
  let ended = 0
  serveLink(bench.server, link, () => ended++)
  return { ...bench, link, ended: () => ended }
}

function bytes(...parts: (string | number[])[]): Uint8Array {
  return Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
}

describe('bytes', () => {
  it.each<[string, Uint8Array, object[]]>([
    ['a line that is not JSON', bytes('{"jsonrpc":"2.0",\n'), [refused(-32700, /not JSON/)]],
    ['a line of words', bytes('Hello, I am no client.\n'), [refused(-32700)]],
    ['an empty line', bytes('\n'), []],
    ['lines of blanks', bytes(' \t \n\r\n \r\n'), []],
    ['a line that ends in CR LF', bytes(say('crlf'), '\r\n'), [said('crlf')]],
    ['a line with blanks around', bytes('\t ', say('padded'), '  \n'), [said('padded')]],
    ['a byte order mark at the start', bytes([0xef, 0xbb, 0xbf], say('bom'), '\n'), [said('bom')]],
    [
      'a byte order mark later on',
      bytes(say('1'), '\n', [0xef, 0xbb, 0xbf], say('2'), '\n'),
      [said('1'), refused(-32700)],
    ],
    ['a byte that begins no character', bytes('{"a":"', [0xff], '"}\n'), [refused(-32700, /UTF-8/)]],
    ['a character that is cut off', bytes('{"a":"', [0xf0, 0x9f, 0x99], '"}\n'), [refused(-32700, /UTF-8/)]],
    ['an overlong form', bytes('{"a":"', [0xc0, 0x80], '"}\n'), [refused(-32700, /UTF-8/)]],
    ['half a surrogate pair', bytes('{"a":"', [0xed, 0xa0, 0x80], '"}\n'), [refused(-32700, /UTF-8/)]],
    ['a zero byte', bytes([0], '\n'), [refused(-32700)]],
    ['two messages on one line', bytes(say('a'), ' ', say('b'), '\n'), [refused(-32700)]],
    [
      'a message over two lines',
      bytes(say('a').replace('"params"', '\n"params"'), '\n'),
      [refused(-32700), refused(-32700)],
    ],
    [
      'separators of Unicode inside a text',
      bytes(say('a\u2028b\u2029c\u0085d'), '\n'),
      [said('a\u2028b\u2029c\u0085d')],
    ],
    ['characters of two, three and four bytes', bytes(say('é–🙂'), '\n'), [said('é–🙂')]],
    ['an escaped line end inside a text', bytes(say('a\\r\\nb'), '\n'), [said('a\r\nb')]],
    ['a last line without a newline', bytes(say('last')), [said('last')]],
  ])('%s', async (_name, input, answers) => {
    for (const chunkSize of [Number.POSITIVE_INFINITY, 1, 2, 3, 7]) {
      const { link, ended } = overLink()
      link.feed(input, chunkSize)
      link.end()
      await settled()
      expect(link.messages, `in chunks of ${chunkSize}`).toEqual(answers)
      expect(ended()).toBe(1)
    }
  })

  it('whatever stood on a line, the next one is answered', async () => {
    const { link } = overLink()
    const odd = [
      '{',
      ']',
      '\u0000',
      '"',
      '{}',
      '[]',
      'null',
      '1e999',
      '{"jsonrpc":"2.0","id":5}',
      '\ufffe',
      '-',
      '[[[[',
    ]
    for (const line of odd) link.feed(`${line}\n`)
    link.feed(`${say('still here')}\n`)
    await settled()
    expect(link.messages.at(-1)).toEqual(said('still here'))
  })

  it.each([
    ['one below the limit', -1, said('x')],
    ['at the limit', 0, said('x')],
    ['one above the limit', 1, refused(-32700, /longer than 500 bytes/)],
    ['far above the limit', 100_000, refused(-32700, /longer than 500 bytes/)],
  ])('a line %s', async (_name, over, answer) => {
    const line = say('x').padEnd(500 + over)
    for (const chunkSize of [Number.POSITIVE_INFINITY, 64, 499, 500, 501]) {
      const { link } = overLink({ maxLineBytes: 500 })
      link.feed(`${line}\n${say('after', '2')}\n`, chunkSize)
      await settled()
      expect(link.messages, `in chunks of ${chunkSize}`).toEqual([answer, said('after', 2)])
    }
  })

  it('what the server writes has no character at which a careless reader ends a line', async () => {
    const { link } = overLink()
    link.feed(`${say('a\u2028b\u2029c\u0085d')}\n${say('x', '"\u2028"')}\n`)
    await settled()
    expect(link.writes.join('')).not.toMatch(/[\u0085\u2028\u2029\r]/)
    expect(link.messages.map(({ id }) => id)).toEqual([1, '\u2028'])
  })
})

describe('JSON that is no message', () => {
  it.each<[string, string, object]>([
    ['a number', '42', refused(-32600)],
    ['a text', '"text"', refused(-32600)],
    ['null', 'null', refused(-32600)],
    ['true', 'true', refused(-32600)],
    ['an empty object', '{}', refused(-32600)],
    ['neither method nor result nor error', '{"jsonrpc":"2.0"}', refused(-32600)],
    ['the same with an id', '{"jsonrpc":"2.0","id":7}', refusedUnder(7, -32600)],
    ['no jsonrpc', '{"id":7,"method":"ping"}', refusedUnder(7, -32600)],
    ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":7,"method":"ping"}', refusedUnder(7, -32600)],
    ['jsonrpc as a number', '{"jsonrpc":2.0,"id":"a","method":"ping"}', refusedUnder('a', -32600)],
    ['no jsonrpc and no id', '{"method":"ping"}', refused(-32600)],
    ['a method that is a number', '{"jsonrpc":"2.0","id":7,"method":1}', refusedUnder(7, -32600)],
    ['a method that is null', '{"jsonrpc":"2.0","id":7,"method":null}', refusedUnder(7, -32600)],
    ['a method that is a list', '{"jsonrpc":"2.0","id":7,"method":["ping"]}', refusedUnder(7, -32600)],
    ['a method and a result', '{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}', refusedUnder(7, -32600)],
    [
      'a method and an error',
      '{"jsonrpc":"2.0","id":7,"method":"ping","error":{"code":1,"message":""}}',
      refusedUnder(7, -32600),
    ],
    ['params that are a list', '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', refusedUnder(7, -32600)],
    ['params that are null', '{"jsonrpc":"2.0","id":7,"method":"ping","params":null}', refusedUnder(7, -32600)],
    ['params that are a text', '{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}', refusedUnder(7, -32600)],
    ['params that are a number', '{"jsonrpc":"2.0","id":7,"method":"ping","params":7}', refusedUnder(7, -32600)],
    ['_meta that is null', '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":null}}', refusedUnder(7, -32602)],
    ['_meta that is a list', '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":[]}}', refusedUnder(7, -32602)],
    [
      '_meta that is a text',
      '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":"x"}}',
      refusedUnder(7, -32602),
    ],
    ...['{}', 'true', 'null', '[1]', '1.5', '9007199254740993'].map((token): [string, string, object] => [
      `the progress token ${token}`,
      `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"progressToken":${token}}}}`,
      refusedUnder(7, -32602),
    ]),
  ])('%s', async (_name, line, answer) => {
    const { client } = workbench()
    client.line(line)
    await settled()
    expect(client.heard).toEqual([answer])
    expect(await client.modern('tools/list')).toHaveProperty('result')
  })

  it('members that nobody knows are no fault', async () => {
    const { client } = workbench()
    client.line('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"odd":1},"extra":true,"__proto__":{"method":"x"}}')
    expect(client.heard).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }])
  })

  it('of a member that stands twice the last counts', () => {
    const { client } = workbench()
    client.line('{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"ping"}')
    expect(client.heard).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }])
  })

  it.each([
    ['in a message without a method', (deep: string) => `{"jsonrpc":"2.0","a":${deep}}`, refused(-32600)],
    ['as a message', (deep: string) => deep, refused(-32600)],
    ['as an id', (deep: string) => `{"jsonrpc":"2.0","id":${deep},"method":"ping"}`, refused(-32600)],
    [
      'in params',
      (deep: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}}}`,
      { jsonrpc: '2.0', id: 1, result: {} },
    ],
    [
      'in _meta',
      (deep: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":${deep}}}}`,
      { jsonrpc: '2.0', id: 1, result: {} },
    ],
  ])('lists a hundred thousand deep %s do no harm', async (_where, line, answer) => {
    const { client } = workbench()
    client.line(line(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))
    client.line(say('still here', '"after"'))
    await settled()
    expect(client.heard).toEqual([answer, said('still here', 'after')])
  })

  it('objects a hundred thousand deep as arguments are answered once', async () => {
    const { client } = workbench({ tools: { any: { inputSchema: { type: 'object' }, call: args => args as object } } })
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    client.line(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"any","arguments":${deep},${MODERN}}}`)
    client.line(
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"any","arguments":${deep},"inputResponses":{},"requestState":"x",${MODERN}}}`,
    )
    await client.modern('tools/list')
    expect(client.answers(1)).toHaveLength(1)
    await (client.answers(2).length === 1 ? undefined : client.answer(2))
    expect(client.answers(2)).toHaveLength(1)
  })
})

describe('ids', () => {
  it.each([
    '0',
    '""',
    '"0"',
    '1',
    '"1"',
    '-7',
    '2147483648',
    '1774232524389',
    '9007199254740991',
    '-9007199254740991',
    '"9007199254740993"',
    '"with \\"quotes\\" and \\\\"',
    '"\\u0000"',
    '"é🙂"',
    '"__proto__"',
    '"constructor"',
  ])('%s comes back as it came', async id => {
    const { client } = workbench()
    const expected = JSON.parse(id)
    client.line(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    client.line(say('x', id))
    client.line(`{"jsonrpc":"2.0","id":${id},"method":"no/such","params":{${MODERN}}}`)
    await settled()
    expect(client.heard).toEqual([
      { jsonrpc: '2.0', id: expected, result: {} },
      said('x', expected),
      refusedUnder(expected, -32601),
    ])
  })

  it.each(['null', 'true', 'false', '{}', '[1]', '1.5', '1e400', '9007199254740993', '-9007199254740993'])(
    '%s is no id: the request is refused without one, and does not run',
    async id => {
      const { client, ran } = workbench()
      client.line(say('x', id))
      await settled()
      expect(client.heard).toEqual([refused(-32600)])
      expect(client.heard[0]).not.toHaveProperty('id')
      expect(ran).toEqual([])
    },
  )

  it('the same id as number and as text are two requests', async () => {
    const { client, gate } = workbench()
    const slow = client.modern('tools/call', { name: 'wait' }, undefined, 1)
    client.line(say('text', '"1"'))
    expect(client.heard).toEqual([said('text', '1')])
    client.notify('notifications/cancelled', { requestId: '1' })
    gate('gate').open()
    expect((await slow).result.content[0].text).toBe('through gate')
  })

  it('an id may be used again after its answer', async () => {
    const { client } = workbench()
    for (const text of ['once', 'twice', 'thrice']) client.line(say(text))
    expect(client.heard).toEqual([said('once'), said('twice'), said('thrice')])
  })

  // An answer under the id, even an error, would be taken for the answer to the call that runs.
  it.each([
    ['a good request', say('again')],
    ['a request of an unknown method', `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{${MODERN}}}`],
    ['a request with params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
    ['a request with a bad _meta', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":7}}'],
    [
      'a request with a bad progress token',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
    ],
    ['a request without a revision', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    ['a message without jsonrpc', '{"id":1,"method":"ping"}'],
    ['a message without a method', '{"jsonrpc":"2.0","id":1}'],
    ['a message with method and result', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}'],
  ])('an id of a running request: %s is refused without an id, and the first goes on', async (_name, line) => {
    const { client, gate, ran } = workbench()
    const slow = client.modern('tools/call', { name: 'wait' }, undefined, 1)
    client.line(line)
    await settled()
    expect(client.heard).toEqual([refused(-32600)])
    gate('gate').open()
    expect((await slow).result.content[0].text).toBe('through gate')
    expect(client.answers(1)).toHaveLength(1)
    expect(ran).toEqual(['gate'])
  })

  it('the id of a cancelled request is free again', async () => {
    const { client } = workbench()
    void client.modern('tools/call', { name: 'wait' }, undefined, 1)
    client.notify('notifications/cancelled', { requestId: 1 })
    client.line(say('free'))
    await settled()
    expect(client.heard).toEqual([said('free')])
  })

  it('more requests at once than may run are refused, under their id, and the rest go on', async () => {
    const { client, gate } = workbench({ maxCallsInFlight: 2 })
    const running = [1, 2].map(id => client.modern('tools/call', { name: 'wait' }, undefined, id))
    const third = await client.modern('tools/call', { name: 'wait' }, undefined, 3)
    expect(third.error).toEqual({ code: -32603, message: 'More than 2 requests are in flight' })
    gate('gate').open()
    expect((await Promise.all(running)).map(answer => answer.result.content[0].text)).toHaveLength(2)
    expect(await client.modern('tools/call', { name: 'wait' }, undefined, 3)).toHaveProperty('result')
  })
})

describe('names that every object inherits', () => {
  const inherited = [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '__defineGetter__',
    '',
    'tools',
  ]

  it.each(inherited)('method "%s" is unknown, in both eras', async method => {
    const { client } = workbench()
    await client.initialize()
    expect((await client.request(method, {})).error.code).toBe(-32601)
    expect((await client.modern(method)).error.code).toBe(-32601)
  })

  it.each(inherited)('tool, prompt, argument to complete and resource "%s" are unknown', async name => {
    const { client } = workbench()
    await client.initialize()
    const refusals = await Promise.all([
      client.callTool(name),
      client.request('prompts/get', { name }),
      client.request('completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name: 'a', value: '' } }),
      client.request('resources/read', { uri: name }),
    ])
    expect(refusals.map(({ error }) => error.code)).toEqual([-32602, -32602, -32602, -32002])
    const completion = await client.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'report' },
      argument: { name, value: '' },
    })
    expect(completion.result.completion.values).toEqual([])
  })

  it('arguments that are only inherited are not there', async () => {
    const { client } = workbench()
    client.line(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"text":"leak"}},${MODERN}}}`,
    )
    client.line(
      `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"report","arguments":{"__proto__":"leak"},${MODERN}}}`,
    )
    client.line(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{},${MODERN}}}`)
    await settled()
    expect(client.answers(1)[0].result.isError).toBe(true)
    expect(client.answers(2)[0].error.code).toBe(-32602)
    expect(client.answers(3)[0].result.isError).toBe(true)
    expect(JSON.stringify(client.heard)).not.toContain('leak')
  })

  it('what is inherited by name in the envelope is no claim and no member', async () => {
    const { client } = workbench()
    client.line(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{${MODERN}}}}`)
    client.line(
      `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"__proto__":{${MODERN.slice(9, -1)}}}}}`,
    )
    expect(client.heard).toEqual(
      [1, 2].map(id => expect.objectContaining({ id, error: expect.objectContaining({ code: -32602 }) })),
    )
  })
})

describe('batches', () => {
  async function connected(version = '2025-03-26') {
    const bench = workbench()
    await bench.client.initialize(version)
    bench.client.heard.length = 0
    return bench
  }
  const ping = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`
  const pong = (id: unknown) => ({ jsonrpc: '2.0', id, result: {} })
  const call = (id: string, gate: string) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"wait","arguments":{"gate":"${gate}"}}}`
  const through = (id: unknown, gate: string) => ({
    jsonrpc: '2.0',
    id,
    result: { content: [{ type: 'text', text: `through ${gate}` }] },
  })
  const notification = '{"jsonrpc":"2.0","method":"notifications/made_up"}'

  it.each<[string, string, unknown[]]>([
    ['two requests', `[${ping('1')},${ping('"2"')}]`, [[pong(1), pong('2')]]],
    ['one request', `[${ping('1')}]`, [[pong(1)]]],
    ['requests and notifications', `[${notification},${ping('1')},${notification}]`, [[pong(1)]]],
    ['notifications only', `[${notification},${notification}]`, []],
    [
      'answers only',
      '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"x"}}]',
      [],
    ],
    ['nothing', '[]', [refused(-32600)]],
    ['one bad element', '[1]', [[refused(-32600)]]],
    [
      'bad elements among good',
      `[1,${ping('1')},{},null,"x",${notification},{"jsonrpc":"2.0","id":9}]`,
      [[refused(-32600), pong(1), refused(-32600), refused(-32600), refused(-32600), refusedUnder(9, -32600)]],
    ],
    ['a batch within a batch', `[[${ping('1')}],${ping('2')}]`, [[refused(-32600), pong(2)]]],
    [
      'a request with a bad id',
      `[{"jsonrpc":"2.0","id":null,"method":"ping"},${ping('2')}]`,
      [[refused(-32600), pong(2)]],
    ],
    ['an unknown method', `[{"jsonrpc":"2.0","id":1,"method":"x"},${ping('2')}]`, [[refusedUnder(1, -32601), pong(2)]]],
    [
      'initialize',
      `[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}},${ping('2')}]`,
      [[refusedUnder(1, -32600), pong(2)]],
    ],
    [
      'a modern request',
      `[{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${MODERN}}},${ping('2')}]`,
      [refused(-32600)],
    ],
    ['too many messages', `[${Array.from({ length: 1001 }, (_, i) => ping(String(i))).join(',')}]`, [refused(-32600)]],
  ])('%s', async (_name, line, answers) => {
    const { client } = await connected()
    client.line(line)
    await settled()
    expect(client.heard).toEqual(answers)
    expect(await client.request('ping')).toHaveProperty('result')
  })

  it('the answer is one line of all answers, when the slowest is there', async () => {
    const { client, gate } = await connected()
    client.line(`[${call('1', 'a')},${ping('2')},${call('3', 'b')}]`)
    client.line(ping('4'))
    await settled()
    expect(client.heard).toEqual([pong(4)])
    gate('b').open()
    await settled()
    expect(client.heard).toEqual([pong(4)])
    gate('a').open()
    await settled()
    expect(client.heard).toEqual([pong(4), [pong(2), through(3, 'b'), through(1, 'a')]])
  })

  it('a cancelled call is left out, and holds up nobody', async () => {
    const { client, gate } = await connected()
    client.line(`[${call('1', 'a')},${call('2', 'b')}]`)
    client.line('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
    gate('b').open()
    await settled()
    expect(client.heard).toEqual([[through(2, 'b')]])
  })

  it('a batch whose calls were all cancelled is not answered', async () => {
    const { client, gate } = await connected()
    client.line(`[${call('1', 'a')},${call('2', 'b')}]`)
    client.line('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}')
    client.line('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
    gate('a').open()
    gate('b').open()
    await settled()
    expect(client.heard).toEqual([])
  })

  it('a batch may cancel its own calls', async () => {
    const { client } = await connected()
    client.line(
      `[${call('1', 'a')},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}},${ping('2')}]`,
    )
    await settled()
    expect(client.heard).toEqual([[pong(2)]])
  })

  it('an id that runs is refused in a batch too', async () => {
    const { client, gate } = await connected()
    client.line(call('1', 'a'))
    client.line(`[${ping('1')},{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}},${ping('2')}]`)
    gate('a').open()
    await settled()
    expect(client.heard).toEqual([[refused(-32600), refused(-32600), pong(2)], through(1, 'a')])
  })

  it('progress and questions of a call in a batch do not wait for the others', async () => {
    const { client } = workbench({
      tools: {
        busy: {
          async call(_args, call) {
            call.progress(1, 2)
            return String((await call.roots()).length)
          },
        },
      },
    })
    await client.initialize('2025-03-26', { roots: {} })
    client.heard.length = 0
    client.line('[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"busy","_meta":{"progressToken":0}}}]')
    await settled()
    expect(client.heard).toMatchObject([{ method: 'notifications/progress' }, { method: 'roots/list' }])
    const id = client.heard[1].id
    client.line(`[{"jsonrpc":"2.0","id":"${id}","result":{"roots":[]}}]`)
    await settled()
    expect(client.heard.slice(2)).toEqual([
      [{ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '0' }] } }],
    ])
  })

  it('an answer that would make the batch longer than a message may be is refused alone', async () => {
    const { client } = workbench({ maxMessageBytes: 5000 })
    await client.initialize('2025-03-26')
    client.heard.length = 0
    const big = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"${'x'.repeat(1500)}"}}}`
    client.line(`[${[1, 2, 3, 4, 5].map(big).join(',')}]`)
    await settled()
    const [batch] = client.heard
    expect(JSON.stringify(batch).length + 1).toBeLessThanOrEqual(5000)
    expect(batch.map((answer: any) => answer.id)).toEqual([1, 2, 3, 4, 5])
    expect(batch.filter((answer: any) => answer.error !== undefined).length).toBeGreaterThan(0)
    expect(batch[0]).toHaveProperty('result')
  })

  it.each(['2025-11-25', '2025-06-18', '2024-11-05', 'none', 'modern'])(
    'in %s an array is refused once, without an id, and nothing of it runs',
    async version => {
      const { client, ran } = workbench()
      if (version === 'modern') await client.modern('tools/list')
      else if (version !== 'none') await client.initialize(version)
      client.heard.length = 0
      const legacy = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}'
      for (const line of [`[${legacy},${ping('2')}]`, `[${say('x')}]`, '[]', '[1]', `[${notification}]`])
        client.line(line)
      await settled()
      expect(client.heard).toEqual(Array.from({ length: 5 }, () => refused(-32600)))
      expect(ran).toEqual([])
    },
  )
})

describe('noise', () => {
  it('is answered a hundred times a second at most, and good requests in between are all answered', async () => {
    const { client, clock, diagnosed } = workbench()
    for (let i = 0; i < 5000; i++) {
      client.line('noise')
      if (i % 1000 === 0) client.line(`{"jsonrpc":"2.0","id":${i},"method":"ping"}`)
    }
    const errors = () => client.heard.filter(({ error }) => error !== undefined).length
    expect(errors()).toBe(100)
    expect(client.heard.length - errors()).toBe(5)
    expect(diagnosed.length).toBeLessThanOrEqual(100)
    await clock.advance(1000)
    client.line('noise')
    expect(errors()).toBe(101)
  })

  it('is shown to the operator on one line, short and without control characters', () => {
    const { client, diagnosed } = workbench()
    client.line(`\u001b[2J\u0007 rubbish \u009b31m${'x'.repeat(100_000)}`)
    client.line(`{"jsonrpc":"2.0","id":1,"method":"\u2028","result":"${'y'.repeat(100_000)}"}`)
    expect(diagnosed).toHaveLength(2)
    for (const line of diagnosed) {
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
      expect(line.length).toBeLessThan(200)
    }
  })
})
