import { describe, expect, it } from 'vitest'
import { type Child, sharedRig, startRig } from './child.ts'

/** Sends a `tools/call` whose params are given as they stand on the wire. */
function rawCall(child: Child, id: number | string, params: string): Promise<any> {
  child.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":${params}}\n`)
  return child.answer(id)
}

/** An error, or a result that the tool itself failed. */
function failed({ result, error }: any): boolean {
  return error !== undefined || result.isError === true
}

const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', '', 'tools']

describe('names that every object inherits', () => {
  const rig = sharedRig()

  it.each(inherited)('"%s" is no method', async name => {
    expect((await rig().request(name, {})).error.code).toBe(-32601)
  })

  it.each(inherited)('"%s" is no tool', async name => {
    expect((await rig().request('tools/call', { name, arguments: {} })).error.code).toBe(-32602)
  })

  it('an argument that is inherited is not given', async () => {
    const args = '{"name":"echo","arguments":{"__proto__":{"text":"leak"}}}'
    expect((await rawCall(rig(), 'inherited', args)).result.isError).toBe(true)
    expect(rig().lines.join('')).not.toContain('leak')
  })
})

describe('ids', () => {
  const rig = sharedRig()
  const good = [
    0,
    '',
    '0',
    1,
    '1',
    -7,
    2147483648,
    1774232524389,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    '9007199254740993',
    'a "quoted" one',
  ]

  it.each(good.map(id => [JSON.stringify(id), id]))('%s comes back with its type and value', async (_, id) => {
    rig().write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text: `${id}` } } })
    expect((await rig().answer(id)).result.content[0].text).toBe(`${id}`)
  })

  it.each(['null', 'true', '{}', '[1]', '1.5', '9007199254740993'])('%s is refused without an id', async id => {
    const before = rig().lines.length
    rig().write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`)
    await rig().until(() => rig().lines.length > before, 'an error')
    expect(rig().messages[before]).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } })
  })

  it('an id that is in use is refused, and nothing runs twice', async () => {
    const child = rig()
    const call = { jsonrpc: '2.0', id: 'twice', method: 'tools/call' }
    child.write({ ...call, params: { name: 'sleep', arguments: { ms: 100, tag: 'first' } } })
    const before = child.lines.length
    child.write({ ...call, params: { name: 'sleep', arguments: { ms: 0, tag: 'second' } } })
    expect((await child.answer('twice')).result.content[0].text).toBe('slept first')
    expect(child.messages[before]).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } })
    expect(child.messages.filter(({ id }) => id === 'twice')).toHaveLength(1)
  })
})

describe('what is no request', () => {
  it('notifications, known or not, and stray answers get no answer', async () => {
    const child = startRig()
    await child.initialize()
    await child.request('ping')
    const before = child.lines.length
    child.write(
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/unheard-of', params: {} },
      { jsonrpc: '2.0', method: 'notifications/progress' },
      { jsonrpc: '2.0', method: 'notifications/cancelled' },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed', params: null },
      { jsonrpc: '2.0', method: 'tools/list' },
      { jsonrpc: '2.0', method: '' },
      { jsonrpc: '2.0', id: 4711, result: {} },
      { jsonrpc: '2.0', id: 4712, error: { code: -1, message: 'whatever' } },
    )
    await child.request('ping')
    expect(child.lines.length).toBe(before + 1)
  })
})

describe('cancelling', () => {
  const rig = sharedRig()
  const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
  const sleep = (id: number | string, args: object, progressToken?: number | string) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name: 'sleep',
      arguments: args,
      ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
    },
  })
  const reports = (progressToken: unknown) => (message: any) =>
    message.method === 'notifications/progress' && message.params.progressToken === progressToken

  it('request 0 is stopped like any other: no answer, and no more progress', async () => {
    const child = rig()
    child.write(sleep(0, { ms: 1000, steps: 500 }, 'of zero'))
    await child.until(() => child.lines.some(line => line.includes('of zero')), 'progress')
    child.write(cancel(0))
    // In order: once the ping is answered, the server has read what came before it.
    await child.request('ping')
    const heard = child.messages.filter(reports('of zero')).length
    await child.call('sleep', { ms: 50 })
    expect(child.messages.filter(reports('of zero'))).toHaveLength(heard)
    expect(child.messages.filter(({ id }) => id === 0)).toEqual([])
  })

  it('cancelling the id "1" leaves request 1 alone, and so does what is unknown, null or finished', async () => {
    const child = rig()
    child.write(sleep(1, { ms: 50, tag: 'one' }))
    for (const id of ['1', null, 'unheard of', undefined, 'request-1', {}]) child.write(cancel(id))
    expect((await child.answer(1)).result.content[0].text).toBe('slept one')
    child.write(cancel(1))
    await child.request('ping')
    expect(child.messages.filter(({ id }) => id === 1)).toHaveLength(1)
  })

  it('a storm of calls, each cancelled at once, gets at most one answer each', async () => {
    const child = rig()
    for (let i = 0; i < 200; i++) child.write(sleep(`storm-${i}`, { ms: 5 }), cancel(`storm-${i}`))
    expect(await child.call('sleep', { ms: 30 })).toBe('slept')
    const answered = child.messages.map(({ id }) => id).filter(id => String(id).startsWith('storm-'))
    expect(new Set(answered).size).toBe(answered.length)
  })

  it('progress carries the token as it was given, rises, ends with the answer, and is not sent unasked', async () => {
    const child = rig()
    const calls: [id: string, token: number | string | undefined][] = [
      ['a', 0],
      ['b', undefined],
      ['c', '5'],
      ['d', 5],
    ]
    const before = child.lines.length
    for (const [id, token] of calls) child.write(sleep(id, { ms: 50, steps: 5 }, token))
    for (const [id] of calls) await child.answer(id)
    await child.request('ping')
    const messages = child.messages.slice(before)
    const progress = messages.filter(({ method }) => method !== undefined)
    expect(progress).toHaveLength(15)
    for (const [id, token] of calls) {
      if (token === undefined) continue
      const own = messages.filter(reports(token))
      expect(own.map(({ params }) => params.progress)).toEqual([1, 2, 3, 4, 5])
      expect(messages.indexOf(own[4])).toBeLessThan(messages.findIndex(message => message.id === id))
    }
  })
})

describe('params of the wrong shape', () => {
  const rig = sharedRig()

  it.each([
    'null',
    '[]',
    '"x"',
    '7',
    '{}',
    '{"name":42}',
    '{"name":null}',
    '{"name":"unheard-of"}',
    '{"name":"echo","arguments":[]}',
    '{"name":"echo","arguments":"x"}',
    '{"name":"echo","arguments":{"text":{}}}',
    '{"name":"echo"}',
  ])('tools/call with %s is answered with an error', async params => {
    expect(failed(await rawCall(rig(), `call ${params}`, params))).toBe(true)
  })

  it('tools/call without params is answered with an error', async () => {
    expect((await rig().request('tools/call')).error.code).toBe(-32602)
  })

  it('an argument that does not fit is named, and what would be right', async () => {
    const text = await rig().call('echo', { text: 7 })
    expect(text).toContain('"text" must be')
  })

  it('an initialize without capabilities or with ones that nobody knows ends nothing', async () => {
    expect((await rig().request('initialize')).error.code).toBe(-32602)
    const clientInfo = { name: 'test', version: '1.0.0' }
    const strange = { protocolVersion: '2025-11-25', clientInfo, capabilities: { unheardOf: [1, { of: null }] } }
    expect((await rig().request('initialize', strange)).result.protocolVersion).toBe('2025-11-25')
    expect(await rig().call('echo', { text: 'still here' })).toBe('still here')
  })
})

describe('batches', () => {
  it('are refused aloud in the revisions that have none, and nothing in them runs', async () => {
    const child = startRig()
    await child.initialize()
    await child.request('ping')
    const before = child.lines.length
    const call = { jsonrpc: '2.0', id: 'in a batch', method: 'tools/call' }
    child.write([{ ...call, params: { name: 'log', arguments: { text: 'it ran', via: 'console' } } }], [], [1])
    await child.request('ping')
    expect(child.messages.slice(before, -1)).toEqual(
      Array(3).fill({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } }),
    )
    expect(child.stderr).not.toContain('it ran\n')
  })

  it('are served where 2025-03-26 was agreed on', async () => {
    const child = startRig()
    await child.initialize('2025-03-26')
    const ping = { jsonrpc: '2.0', method: 'ping' }
    const before = child.lines.length
    child.write([
      { ...ping, id: 1 },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { ...ping, id: 2 },
    ])
    await child.until(() => child.lines.length > before, 'the answer')
    expect(child.messages[before]).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ])
  })
})

describe('the opening', () => {
  it.each([
    ['1999-01-01', '2025-11-25'],
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
  ])('who asks for %s gets %s', async (asked, given) => {
    const child = startRig()
    expect((await child.initialize(asked)).result.protocolVersion).toBe(given)
    expect(await child.call('echo', { text: 'hello' })).toBe('hello')
  })

  it('a probe before it is answered and does not spoil it', async () => {
    const child = startRig()
    expect(await child.request('server/discover', {})).toHaveProperty('error')
    expect(await child.request('tools/list', {})).toHaveProperty('error')
    expect((await child.initialize()).result.protocolVersion).toBe('2025-11-25')
  })

  it('one process serves both eras at once', async () => {
    const child = startRig()
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const { result } = await child.request('server/discover', { _meta })
    expect(result.supportedVersions).toEqual(['2026-07-28'])
    await child.initialize()
    const modern = await child.request('tools/call', { name: 'echo', arguments: { text: 'modern' }, _meta })
    expect(modern.result).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'modern' }] })
    expect(await child.call('echo', { text: 'legacy' })).toBe('legacy')
  })
})

describe('what handlers return and throw', () => {
  const rig = sharedRig()

  it.each([
    'bigint',
    'circular',
    'undefined',
    'function',
    'nan',
    'throw-string',
    'throw-null',
    'throw-code',
    'reject-later',
    'getter-throws',
    'tojson-throws',
  ])('%s: the caller gets one valid answer', async kind => {
    const answer = await rig().request('tools/call', { name: 'bad', arguments: { kind } })
    if (answer.error !== undefined) expect(answer.error).toEqual({ code: -32603, message: expect.any(String) })
    else expect(answer.result.content).toBeInstanceOf(Array)
    await rig().request('ping')
    expect(rig().messages.filter(({ id }) => id === answer.id)).toHaveLength(1)
  })

  it('no stack leaves the process', () => {
    expect(rig().lines.join('\n')).not.toMatch(/\bat .*\.ts|node:internal/)
  })
})

describe('a long list of tools', () => {
  const limit = 8192
  const rig = sharedRig({ env: { RIG_MANY: '60', RIG_LIMIT: String(limit) } })

  it('comes in pages under the limit for messages, each tool once', async () => {
    const names: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const { result } = await rig().request('tools/list', cursor === undefined ? {} : { cursor })
      names.push(...result.tools.map(({ name }: any) => name))
      cursor = result.nextCursor
      pages++
    } while (cursor !== undefined)
    expect(pages).toBeGreaterThan(1)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter(name => name.startsWith('extra_'))).toHaveLength(60)
    for (const line of rig().lines) expect(Buffer.byteLength(line) + 1).toBeLessThanOrEqual(limit)
  })

  it.each(['no-such-cursor', 7, '', {}])('a cursor that the server did not give is refused: %j', async cursor => {
    expect((await rig().request('tools/list', { cursor })).error.code).toBe(-32602)
  })
})
