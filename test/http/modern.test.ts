/** Revision 2026-07-28 over HTTP: each POST by itself, its headers checked, its answer JSON or a stream of its own. */
import { describe, expect, it } from 'vitest'
import { type Call, tool } from '../../runtime/index.ts'
import { json, meta, modern, type Site, serving } from './serving.ts'

const region = tool({
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      level: { type: 'integer', 'x-mcp-header': 'Level' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      place: { type: 'object', properties: { house: { type: 'string', 'x-mcp-header': 'House' } } },
      free: { type: 'string' },
    },
  },
  call: args => JSON.stringify(args),
})

/** Changes headers of a good request; `undefined` takes one away. */
function changed(request: ReturnType<typeof modern>, headers: Record<string, string | undefined>) {
  const merged = Object.fromEntries(
    Object.entries({ ...request.headers, ...headers }).filter(([, value]) => value !== undefined),
  )
  return { ...request, headers: merged as Record<string, string> }
}

const send = (site: Site, { body, headers }: ReturnType<typeof modern>) => site.post(body, headers)
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

describe('headers say what the body says', () => {
  const list = modern('tools/list')
  const call = modern('tools/call', { name: 'echo', arguments: { text: 'hi' } })
  const read = modern('resources/read', { uri: 'no://such' })

  const wrong: [string, ReturnType<typeof modern>][] = [
    ['no Mcp-Method', changed(list, { 'Mcp-Method': undefined })],
    ['another Mcp-Method', changed(list, { 'Mcp-Method': 'prompts/list' })],
    ['an Mcp-Method in capitals', changed(list, { 'Mcp-Method': 'TOOLS/LIST' })],
    ['an Mcp-Method wrapped as Base64', changed(list, { 'Mcp-Method': base64('tools/list') })],
    ['no Mcp-Name', changed(call, { 'Mcp-Name': undefined })],
    ['another Mcp-Name', changed(call, { 'Mcp-Name': 'wrong_tool_name' })],
    ['an Mcp-Name for a resource that is another', changed(read, { 'Mcp-Name': 'no://other' })],
    ['no MCP-Protocol-Version', changed(list, { 'MCP-Protocol-Version': undefined })],
    ['another MCP-Protocol-Version', changed(list, { 'MCP-Protocol-Version': '2025-11-25' })],
  ]
  it.each(wrong)('%s is a mismatch', async (_, request) => {
    const answer = await send(await serving(), request)
    expect(answer.status).toBe(400)
    expect(answer.message).toMatchObject({ id: 1, error: { code: -32020, message: expect.stringMatching(/header M/) } })
  })

  const right: [string, ReturnType<typeof modern>][] = [
    ['names of headers in small letters', changed(list, { 'Mcp-Method': undefined, 'mcp-method': 'tools/list' })],
    ['names of headers in capitals', changed(list, { 'Mcp-Method': undefined, 'MCP-METHOD': 'tools/list' })],
    ['blanks around a value', changed(call, { 'Mcp-Name': '  echo  ' })],
    ['a name wrapped as Base64', changed(call, { 'Mcp-Name': base64('echo') })],
    ['headers that nobody knows', changed(call, { 'Mcp-Param-Whatever': 'x' })],
    ['no Accept', changed(call, { Accept: undefined })],
    ['an old session, which means nothing here', changed(call, { 'Mcp-Session-Id': 'gone' })],
  ]
  it.each(right)('%s are taken', async (_, request) => {
    const answer = await send(await serving(), request)
    expect(answer.status).toBe(200)
    expect(answer.message.result).toBeDefined()
    expect(answer.headers['mcp-session-id']).toBeUndefined()
  })
})

describe('headers repeat arguments that the schema marks', () => {
  const regionCall = (args: object, headers: Record<string, string | undefined>) =>
    changed(modern('tools/call', { name: 'region', arguments: args }), headers)
  const site = () => serving({}, { tools: { region } })

  const right: [string, object, Record<string, string>][] = [
    ['a literal', { region: 'Hello' }, { 'Mcp-Param-Region': 'Hello' }],
    ['Base64', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=?=' }],
    ['Base64 of UTF-8', { region: 'Zürich ✓' }, { 'Mcp-Param-Region': base64('Zürich ✓') }],
    ['Base64 of blanks', { region: ' x ' }, { 'Mcp-Param-Region': base64(' x ') }],
    ['what looks like Base64', { region: 'SGVsbG8=' }, { 'Mcp-Param-Region': 'SGVsbG8=' }],
    ['the first marker alone', { region: '=?base64?SGVsbG8=' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=' }],
    ['the last marker alone', { region: 'SGVsbG8=?=' }, { 'Mcp-Param-Region': 'SGVsbG8=?=' }],
    ['a marker in capitals', { region: '=?BASE64?SGVsbG8=?=' }, { 'Mcp-Param-Region': '=?BASE64?SGVsbG8=?=' }],
    ['an empty text', { region: '' }, { 'Mcp-Param-Region': '' }],
    ['a number', { level: 42 }, { 'Mcp-Param-Level': '42' }],
    ['the same number in other digits', { level: 42 }, { 'Mcp-Param-Level': '42.0' }],
    ['a truth value', { dry: false }, { 'Mcp-Param-Dry': 'false' }],
    ['a value further in', { place: { house: 'north' } }, { 'Mcp-Param-House': 'north' }],
    ['nothing for what is not there', {}, {}],
    ['nothing for null', { region: null }, {}],
    ['nothing for what is not marked', { free: 'x' }, {}],
  ]
  it.each(right)('%s is taken', async (_, args, headers) => {
    const answer = await send(await site(), regionCall(args, headers))
    expect(answer.status).toBe(200)
    expect(answer.message.result).toBeDefined()
  })

  const wrong: [string, object, Record<string, string>][] = [
    ['a missing header', { region: 'x' }, {}],
    ['another value', { region: 'x' }, { 'Mcp-Param-Region': 'y' }],
    ['another case', { region: 'x' }, { 'Mcp-Param-Region': 'X' }],
    ['Base64 without its padding', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' }],
    ['Base64 with other characters', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVs!!!bG8=?=' }],
    ['Base64 of another alphabet', { region: '>>>?' }, { 'Mcp-Param-Region': '=?base64?Pj4-Pw==?=' }],
    ['Base64 that is no UTF-8', { region: '\ufffd' }, { 'Mcp-Param-Region': '=?base64?/w==?=' }],
    ['another number', { level: 42 }, { 'Mcp-Param-Level': '43' }],
    ['a number in hexadecimal', { level: 42 }, { 'Mcp-Param-Level': '0x2a' }],
    ['no number', { level: 0 }, { 'Mcp-Param-Level': '' }],
    ['another truth value', { dry: false }, { 'Mcp-Param-Dry': 'true' }],
    ['a missing header further in', { place: { house: 'north' } }, {}],
  ]
  it.each(wrong)('%s is a mismatch', async (_, args, headers) => {
    const answer = await send(await site(), regionCall(args, headers))
    expect(answer.status).toBe(400)
    expect(answer.message.error.code).toBe(-32020)
  })

  it('a schema whose marks are wrong asks for no headers', async () => {
    const marked = (header: unknown, type = 'string') =>
      tool({
        inputSchema: { type: 'object', properties: { a: { type, 'x-mcp-header': header } } },
        call: () => 'called',
      })
    const twice = tool({
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
      },
      call: () => 'called',
    })
    const site = await serving(
      {},
      { tools: { blank: marked('a b'), empty: marked(''), real: marked('A', 'number'), twice } },
    )
    for (const name of ['blank', 'empty', 'real', 'twice']) {
      const a = name === 'real' ? 1.5 : 'x'
      const answer = await send(site, modern('tools/call', { name, arguments: { a } }))
      expect(answer.message.result.content[0].text).toBe('called')
    }
  })
})

describe('the first thing that is wrong is told', () => {
  const discover = modern('server/discover')
  const without = (key: string) => ({
    ...discover,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'server/discover',
      params: { _meta: Object.fromEntries(Object.entries(meta).filter(([name]) => !name.endsWith(key))) },
    },
  })
  const inVersion = (version: string, header = version) =>
    changed(modern('server/discover', { _meta: { 'io.modelcontextprotocol/protocolVersion': version } }), {
      'MCP-Protocol-Version': header,
    })
  const table: [string, ReturnType<typeof modern>, number, number | undefined][] = [
    ['no params', { ...discover, body: { jsonrpc: '2.0', id: 1, method: 'server/discover' } }, 400, -32602],
    [
      'empty params',
      { ...discover, body: { jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} } },
      400,
      -32602,
    ],
    ['no version in the body', without('protocolVersion'), 400, -32602],
    ['no capabilities in the body', without('clientCapabilities'), 400, -32602],
    ['no clientInfo, which is no fault', without('clientInfo'), 200, undefined],
    ['another version in header and body', inVersion('v999.0.0'), 400, -32022],
    ['another version in the body alone', inVersion('v999.0.0', '2026-07-28'), 400, -32020],
    ['a handshake version in header and body', inVersion('2025-11-25'), 400, -32022],
    ['initialize', modern('initialize', { protocolVersion: '2026-07-28', capabilities: {} }), 404, -32601],
    ['ping', modern('ping'), 404, -32601],
    ['logging/setLevel', modern('logging/setLevel', { level: 'info' }), 404, -32601],
    ['an unknown method', modern('unknown/method'), 404, -32601],
    ['a method like those of objects', modern('constructor'), 404, -32601],
    ['an unknown method and a wrong header', changed(modern('unknown/method'), { 'Mcp-Method': 'x' }), 400, -32020],
    ['an unknown tool', modern('tools/call', { name: 'nobody' }), 200, -32602],
    ['arguments that are none', modern('tools/call', { name: 'echo', arguments: [] }), 200, -32602],
    [
      'initialize without what belongs to this revision',
      {
        headers: changed(modern('initialize'), {}).headers,
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2026-07-28', capabilities: {} },
        },
      },
      400,
      -32602,
    ],
  ]
  it.each(table)('%s', async (_, request, status, code) => {
    const answer = await send(await serving(), request)
    expect(answer.status).toBe(status)
    expect(answer.message).toMatchObject({ id: 1, ...(code === undefined ? { result: {} } : { error: { code } }) })
    if (code === -32022) expect(answer.message.error.data.supported).toEqual(['2026-07-28'])
  })

  it('a capability that the client lacks', async () => {
    const ask = tool({ call: async (_, call: Call) => void (await call.sample({ messages: [], maxTokens: 1 })) })
    const answer = await send(await serving({}, { tools: { ask } }), modern('tools/call', { name: 'ask' }))
    expect(answer.status).toBe(400)
    expect(answer.message.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: {} } } })
  })

  it('a notification is taken, and nothing is said', async () => {
    const site = await serving()
    for (const params of [{}, { _meta: meta }]) {
      const answer = await site.post(
        { jsonrpc: '2.0', method: 'notifications/cancelled', params },
        { 'MCP-Protocol-Version': '2026-07-28' },
      )
      expect(answer).toMatchObject({ status: 202, body: '' })
    }
  })

  it('GET and DELETE are of other revisions', async () => {
    const site = await serving()
    for (const method of ['GET', 'DELETE']) {
      const answer = await site.ask({ method, headers: { Accept: '*/*', 'MCP-Protocol-Version': '2026-07-28' } })
      expect(answer.status).toBe(405)
      expect(answer.headers.allow).toBe('POST')
    }
  })
})

describe('an answer', () => {
  const withToken = { _meta: { progressToken: 'p' } }
  const steps = tool({
    async call(_, call: Call) {
      for (const step of [0, 50, 100]) call.progress(step, 100)
      return 'done'
    },
  })

  it('is JSON when nothing comes before it', async () => {
    const site = await serving({}, { tools: { steps } })
    const answer = await send(site, modern('tools/call', { name: 'steps' }))
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.message.result.content[0].text).toBe('done')
  })

  it('is the end of a stream when something does', async () => {
    const site = await serving({}, { tools: { steps } })
    const answer = await send(site, modern('tools/call', { name: 'steps', ...withToken }))
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-cache, no-transform',
    })
    expect(answer.events.map(({ params, result }) => params?.progress ?? result.content[0].text)).toEqual([
      0,
      50,
      100,
      'done',
    ])
    expect(answer.body).not.toContain('id:')
  })

  it('is JSON alone for a client that takes nothing else', async () => {
    const site = await serving({}, { tools: { steps } })
    const { body, headers } = modern('tools/call', { name: 'steps', ...withToken })
    const answer = await site.post(body, { ...headers, Accept: 'application/json' })
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.message.result.content[0].text).toBe('done')
  })

  it('becomes a stream with signs of life when it takes long', async () => {
    let finish = (_: string) => {}
    const slow = tool({ call: () => new Promise<string>(resolve => (finish = resolve)) })
    const site = await serving({ limits: { keepAliveMs: 20 } }, { tools: { slow } })
    const { body, headers } = modern('tools/call', { name: 'slow' })
    const open = await site.open({ method: 'POST', headers, body })
    expect(open.headers['content-type']).toBe('text/event-stream')
    await open.until(({ body }) => body.split(': still here').length > 3)
    finish('at last')
    await open.ended
    expect(open.events.map(({ data }) => JSON.parse(data!).result.content[0].text)).toEqual(['at last'])
  })

  it('is for its own client, whatever the id, and waits for no other', async () => {
    const waiting = new Map<string, (text: string) => void>()
    const wait = tool({
      inputSchema: { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] },
      call: ({ tag }) => new Promise<string>(resolve => waiting.set(tag, resolve)),
    })
    const site = await serving({}, { tools: { wait } })
    const tags = ['a', 'b', 'c', 'd', 'e']
    const answers = tags.map(tag => send(site, modern('tools/call', { name: 'wait', arguments: { tag } }, 1)))
    await expect.poll(() => waiting.size).toBe(5)
    for (const tag of tags.toReversed()) {
      waiting.get(tag)!(`for ${tag}`)
      expect((await answers[tags.indexOf(tag)]!).message.result.content[0].text).toBe(`for ${tag}`)
    }
  })

  it('has the notifications of its own request, and no others', async () => {
    const going = new Map<string, () => void>()
    const walk = tool({
      inputSchema: { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] },
      call: ({ tag }, call: Call) =>
        new Promise<string>(resolve => {
          call.progress(1, 2, tag)
          going.set(tag, () => {
            call.progress(2, 2, tag)
            resolve(tag)
          })
        }),
    })
    const site = await serving({}, { tools: { walk } })
    const answers = ['a', 'b'].map(tag =>
      send(site, modern('tools/call', { name: 'walk', arguments: { tag }, _meta: { progressToken: 1 } })),
    )
    await expect.poll(() => going.size).toBe(2)
    for (const go of going.values()) go()
    for (const [index, tag] of ['a', 'b'].entries()) {
      const { events } = await answers[index]!
      expect(events.map(({ params, result }) => params?.message ?? result.content[0].text)).toEqual([tag, tag, tag])
    }
  })

  it.each(['before anything was sent', 'with its stream open'])('is given up when the client leaves %s', async when => {
    let reason: unknown
    const wait = tool({
      call: (_, call: Call) =>
        new Promise((_resolve, reject) => {
          call.signal.addEventListener('abort', () => {
            reason = call.signal.reason
            reject(reason)
          })
          if (when.startsWith('with')) call.progress(1)
          begun()
        }),
    })
    let begun = () => {}
    const started = new Promise<void>(resolve => {
      begun = resolve
    })
    const site = await serving({}, { tools: { wait } })
    const { body, headers } = modern('tools/call', { name: 'wait', ...withToken })
    const left = new AbortController()
    const asked = fetch(site.serving.url, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: JSON.stringify(body),
      signal: left.signal,
    })
    await started
    if (when.startsWith('with')) await asked
    left.abort()
    await asked.catch(() => {})
    await expect.poll(() => reason).toBeInstanceOf(Error)
    expect((reason as Error).message).toBe('The client closed the stream of the call')
  })
})

describe('a subscription', () => {
  const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'sub')
  const subscription = { 'io.modelcontextprotocol/subscriptionId': 'sub' }

  it('is a stream that begins with what was understood, and tells of changes', async () => {
    const site = await serving()
    const open = await site.open({ method: 'POST', ...listen })
    await open.until(({ events }) => events.length === 1)
    site.server.tools.set('late', { call: () => 'late' })
    await open.until(({ events }) => events.length === 2)
    expect(open.events.map(({ data }) => JSON.parse(data!))).toMatchObject([
      {
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true }, _meta: subscription },
      },
      { method: 'notifications/tools/list_changed', params: { _meta: subscription } },
    ])
    open.leave()
  })

  it('ends with a result when the server closes, and nothing behind it', async () => {
    const site = await serving()
    const open = await site.open({ method: 'POST', ...listen })
    await open.until(({ events }) => events.length === 1)
    await site.serving.close()
    expect(await open.ended).toBe('end')
    expect(open.events).toHaveLength(2)
    expect(JSON.parse(open.events[1]!.data!)).toMatchObject({ id: 'sub', result: { _meta: subscription } })
  })

  it('is nothing for a client that takes no stream', async () => {
    const site = await serving()
    const answer = await site.post(listen.body, { ...listen.headers, Accept: 'application/json' })
    expect(answer.status).toBe(406)
    expect(answer.message.error.message).toContain('text/event-stream')
  })

  it('shows that it lives', async () => {
    const site = await serving({ limits: { keepAliveMs: 20 } })
    const open = await site.open({ method: 'POST', ...listen })
    await open.until(({ body }) => body.split(': still here').length > 3)
    open.leave()
  })
})

it('handshake clients and stateless clients use the same endpoint', async () => {
  const site = await serving()
  const visit = await site.session()
  expect((await visit.call('echo', { text: 'old' })).message.result).toEqual({
    content: [{ type: 'text', text: 'old' }],
  })
  const { body, headers } = modern('tools/call', { name: 'echo', arguments: { text: 'new' } })
  expect((await visit.post(body, headers)).message.result).toMatchObject({ resultType: 'complete' })
  expect((await site.ask({ method: 'POST', headers: { ...json }, body })).status).toBe(400)
})
