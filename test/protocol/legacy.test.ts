import { describe, expect, it } from 'vitest'
import { type Call, createServer, type JsonSchema, type ServerOptions, type Tool } from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'
import { settled } from '../owned-clock.ts'
import { workbench } from './workbench.ts'

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const several = {
  type: 'object' as const,
  properties: { days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue'] } } },
}
const choice = {
  type: 'string',
  oneOf: [
    { const: 'lo', title: 'Low' },
    { const: 'hi', title: 'High' },
  ],
}
const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } }

/** A bench with one tool `do`, and a client that has shaken hands. */
async function doing(
  call: (args: any, call: Call) => unknown,
  {
    version = '2025-11-25',
    capabilities = everything as object,
    ...options
  }: ServerOptions & { version?: string; capabilities?: object } = {},
) {
  const bench = workbench({ ...options, tools: { do: { inputSchema: { type: 'object' }, call }, ...options.tools } })
  await bench.client.initialize(version, capabilities)
  bench.client.heard.length = 0
  return bench
}

async function connected(options: Parameters<typeof workbench>[0] & { version?: string } = {}) {
  const bench = workbench(options)
  await bench.client.initialize(options.version)
  bench.client.heard.length = 0
  return bench
}

describe('initialize', () => {
  it.each(versions)('of %s says who answers, what is offered and how to use it', async version => {
    const { client } = workbench()
    expect(await client.initialize(version)).toEqual({
      protocolVersion: version,
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
      },
      serverInfo: { name: 'bench', version: '1.2.3' },
      instructions: 'A bench to try things on.',
    })
  })

  it('of a server with nothing to offer offers nothing', async () => {
    const client = new TestClient(createServer({ name: 'empty' }))
    expect(await client.initialize()).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { logging: {} },
      serverInfo: { name: 'empty', version: '0.0.0' },
    })
    for (const method of [
      'tools/list',
      'resources/list',
      'resources/subscribe',
      'resources/unsubscribe',
      'prompts/get',
      'completion/complete',
    ]) {
      expect((await client.request(method, { uri: 'a:b', name: 'x' })).error.code, method).toBe(-32601)
    }
  })

  it('capabilities that nobody knows are no fault', async () => {
    const { client } = workbench()
    const result = await client.initialize('2025-11-25', {
      ...everything,
      experimental: { x: [] },
      unheard_of: { deep: [1] },
      tasks: {},
    })
    expect(result.protocolVersion).toBe('2025-11-25')
    expect(result.capabilities).not.toHaveProperty('tasks')
  })

  it('a second one forgets what the first agreed on: version, level, subscriptions, open questions', async () => {
    const { client, server, clock } = await doing((_args, call) => call.roots())
    await client.request('logging/setLevel', { level: 'error' })
    await client.request('resources/subscribe', { uri: 'sensor://bench/temperature' })
    const asking = client.callTool('do')
    expect(client.told('roots/list')).toHaveLength(1)
    await client.initialize('2025-06-18', {})
    expect((await asking).result.isError).toBe(true)
    client.heard.length = 0
    server.resourceUpdated('sensor://bench/temperature')
    server.log('info', 'heard again')
    await settled()
    expect(client.heard.map(({ method }) => method)).toEqual(['notifications/message'])
    expect((await client.callTool('do')).result).toMatchObject({ isError: true })
    expect(clock.pending).toBe(0)
  })

  it('two clients of one server agree on what they like', async () => {
    const { server } = workbench()
    const [old, young] = [new TestClient(server), new TestClient(server)]
    expect((await old.initialize('2024-11-05')).protocolVersion).toBe('2024-11-05')
    expect((await young.initialize('2025-11-25')).protocolVersion).toBe('2025-11-25')
    young.line('[]')
    expect(young.heard.at(-1)).toMatchObject({ error: { code: -32600 } })
  })
})

describe('what never is in these revisions', () => {
  it.each<[string, object]>([
    ['tools/list', {}],
    ['tools/call', { name: 'echo', arguments: { text: 'x' } }],
    ['tools/call', { name: 'fan', arguments: { percent: 1 } }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'sensor://bench/temperature' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'report', arguments: { tone: 'x' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'report' }, argument: { name: 'tone', value: '' } }],
  ])('%s %j has no resultType, no caching hints and no server info', async (method, params) => {
    for (const version of versions) {
      const { client } = await connected({ version })
      const { result } = await client.request(method, params)
      for (const member of ['resultType', 'ttlMs', 'cacheScope', '_meta']) expect(result).not.toHaveProperty(member)
    }
  })

  it.each<[string, object]>([
    ['ping', {}],
    ['logging/setLevel', { level: 'debug' }],
    ['resources/subscribe', { uri: 'sensor://bench' }],
    ['resources/unsubscribe', { uri: 'sensor://bench' }],
  ])('the result of %s is exactly {}', async (method, params) => {
    const { client } = await connected()
    expect((await client.request(method, params)).result).toEqual({})
    expect((await client.request(method, { ...params, _meta: {} })).result).toEqual({})
  })

  it('a task is ignored, and tasks/* is unknown', async () => {
    const { client } = await connected()
    const { result } = await client.request('tools/call', { name: 'echo', arguments: { text: 'x' }, task: { ttl: 1 } })
    expect(result).toEqual({ content: [{ type: 'text', text: 'x' }] })
    for (const method of ['tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel']) {
      expect((await client.request(method, { taskId: '1' })).error.code).toBe(-32601)
    }
  })
})

describe('ping', () => {
  it('is answered at once while a slow call runs', async () => {
    const { client, gate } = await connected()
    void client.callTool('wait')
    await gate('gate').entered
    expect(await client.request('ping', undefined, 'p')).toEqual({ jsonrpc: '2.0', id: 'p', result: {} })
  })
})

describe('unknown things', () => {
  it.each<[string, object, object]>([
    ['tools/call', { name: 'nobody' }, { code: -32602, message: 'Unknown tool: nobody' }],
    ['prompts/get', { name: 'nobody' }, { code: -32602, message: 'Unknown prompt: nobody' }],
    ['prompts/get', { name: 'report' }, { code: -32602, message: 'Prompt "report" needs the argument "tone"' }],
    [
      'resources/read',
      { uri: 'sensor://bench/nobody' },
      { code: -32002, message: 'Resource not found', data: { uri: 'sensor://bench/nobody' } },
    ],
    ['resources/read', { uri: 'rubbish' }, { code: -32002, message: 'Resource not found', data: { uri: 'rubbish' } }],
    [
      'resources/subscribe',
      { uri: 'a:nobody' },
      { code: -32002, message: 'Resource not found', data: { uri: 'a:nobody' } },
    ],
    ['resources/subscribe', {}, { code: -32602, message: expect.any(String) }],
    ['resources/unsubscribe', { uri: 7 }, { code: -32602, message: expect.any(String) }],
    ['logging/setLevel', { level: 'loud' }, { code: -32602, message: expect.stringContaining('debug') }],
    ['logging/setLevel', {}, { code: -32602, message: expect.any(String) }],
    ['tools/list', { cursor: 'x' }, { code: -32602, message: expect.any(String) }],
    ['tools/list', { cursor: 7 }, { code: -32602, message: expect.any(String) }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'nobody' }, argument: { name: 'a', value: '' } },
      { code: -32602, message: expect.any(String) },
    ],
  ])('%s %j', async (method, params, error) => {
    for (const version of versions) {
      const { client } = await connected({ version })
      expect((await client.request(method, params)).error).toEqual(error)
    }
  })
})

describe('pages', () => {
  const many = (more: object) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, i): [string, Tool<any>] => [
        `extra_${i}`,
        { description: `Extra ${i}`, call: () => [], ...more },
      ]),
    )

  it.each<[string, object]>([
    ['plain tools', {}],
    ['tools whose answer is a list, which has to be wrapped', { outputSchema: { type: 'array' } }],
    [
      'tools with properties that may be anything',
      {
        inputSchema: {
          type: 'object',
          properties: { a: true, ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, false])) },
        },
      },
    ],
  ])('of %s fit into a message and hold each tool once', async (_name, more) => {
    const { client } = await connected({ tools: many(more), maxMessageBytes: 4096 })
    const names: string[] = []
    let cursor: string | undefined
    do {
      const message = await client.request('tools/list', cursor === undefined ? {} : { cursor })
      expect(message).toHaveProperty('result')
      expect(Buffer.byteLength(JSON.stringify(message)) + 1).toBeLessThanOrEqual(4096)
      names.push(...message.result.tools.map(({ name }: any) => name))
      cursor = message.result.nextCursor
    } while (cursor !== undefined)
    expect(names.filter(name => name.startsWith('extra_'))).toEqual(Object.keys(many({})))
  })
})

describe('older revisions get what they know', () => {
  const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } as const
  const link = { type: 'resource_link', uri: 'a:b', name: 'b', title: 'Bee', description: 'hums' } as const
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
  const embedded = { type: 'resource', resource: { uri: 'a:b', text: 'x' } } as const
  const noAudio = { type: 'text', text: expect.stringContaining('audio/wav') }
  const noLink = { type: 'text', text: 'Bee: a:b (hums)' }

  it.each([
    ['2025-11-25', audio, link],
    ['2025-06-18', audio, link],
    ['2025-03-26', audio, noLink],
    ['2024-11-05', noAudio, noLink],
  ])('%s: audio and links in tools and prompts', async (version, asAudio, asLink) => {
    const { client } = await connected({
      version,
      tools: { show: { call: () => [image, audio, link, embedded] } },
      prompts: {
        show: { get: () => [image, audio, link, embedded].map(content => ({ role: 'user' as const, content })) },
        one: { get: () => audio },
      },
    })
    expect((await client.callTool('show')).result.content).toEqual([image, asAudio, asLink, embedded])
    const { messages } = (await client.request('prompts/get', { name: 'show' })).result
    expect(messages.map(({ content }: any) => content)).toEqual([image, asAudio, asLink, embedded])
    expect((await client.request('prompts/get', { name: 'one' })).result.messages[0].content).toEqual(asAudio)
  })

  it.each<[string, unknown, unknown]>([
    ['a list', [1, 2], { result: [1, 2] }],
    ['a number', 7, { result: 7 }],
    ['null', null, { result: null }],
    ['a text', 'x', { result: 'x' }],
    ['an object', { a: 1 }, { result: { a: 1 } }],
  ])('structured content that is %s', async (_name, value, structured) => {
    const { client } = await connected({ tools: { give: { outputSchema: {} as JsonSchema, call: () => value } } })
    const { result } = await client.callTool('give')
    expect(result).toEqual({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: structured })
    expect(structured).toEqual(result.structuredContent)
  })

  it.each<[string, JsonSchema, unknown]>([
    [
      'an object',
      { type: 'object', properties: { a: { type: 'number' } } },
      { type: 'object', properties: { a: { type: 'number' } } },
    ],
    [
      'a list',
      { type: 'array', items: { type: 'number' } },
      { type: 'object', properties: { result: { type: 'array', items: { type: 'number' } } }, required: ['result'] },
    ],
    [
      'a list with a reference inside, which cannot be moved',
      { type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: {} } },
      undefined,
    ],
    [
      'an object with properties that may be anything',
      { type: 'object', properties: { a: true, b: false } } as JsonSchema,
      { type: 'object', properties: { a: {}, b: { not: {} } } },
    ],
  ])('an output schema whose root is %s', async (_name, outputSchema, listed) => {
    const { client } = await connected({ tools: { give: { outputSchema, call: () => ({}) } } })
    const { tools } = (await client.request('tools/list')).result
    const tool = tools.find(({ name }: any) => name === 'give')
    expect(tool.outputSchema).toEqual(listed)
    expect('outputSchema' in tool).toBe(listed !== undefined)
  })

  it('an output schema without a root type gives answers that fit what was listed', async () => {
    const { client } = await connected({
      tools: {
        give: {
          outputSchema: { anyOf: [{ type: 'object' }, { type: 'number' }] } as JsonSchema,
          call: () => ({ a: 1 }),
        },
      },
    })
    const { tools } = (await client.request('tools/list')).result
    const { outputSchema } = tools.find(({ name }: any) => name === 'give')
    const { structuredContent } = (await client.callTool('give')).result
    for (const required of outputSchema.required ?? []) expect(structuredContent).toHaveProperty(required)
  })

  it('properties of an input schema that may be anything or nothing are objects', async () => {
    const inputSchema = { type: 'object', properties: { any: true, none: false, some: { type: 'string' } } } as const
    const { client } = await connected({ tools: { take: { inputSchema: inputSchema as JsonSchema, call: () => '' } } })
    const { tools } = (await client.request('tools/list')).result
    expect(tools.find(({ name }: any) => name === 'take').inputSchema.properties).toEqual({
      any: {},
      none: { not: {} },
      some: { type: 'string' },
    })
  })
})

describe('changes', () => {
  it('of the lists are told to every client that shook hands, without being asked for', async () => {
    const { client, server } = await connected()
    const stranger = new TestClient(server)
    server.tools.set('more', { call: () => '' })
    server.prompts.set('more', { get: () => '' })
    server.resources.set('a:more', { read: () => '' })
    await settled()
    expect(client.heard).toEqual(
      ['tools', 'prompts', 'resources'].map(feature => ({
        jsonrpc: '2.0',
        method: `notifications/${feature}/list_changed`,
      })),
    )
    expect(stranger.heard).toEqual([])
  })

  it('of a resource are told to who subscribed, until they unsubscribe', async () => {
    const { client, server } = await connected()
    const other = new TestClient(server)
    await other.initialize()
    other.heard.length = 0
    const uri = 'sensor://bench/temperature'
    await client.request('resources/subscribe', { uri })
    await client.request('resources/subscribe', { uri })
    server.resourceUpdated(uri)
    server.resourceUpdated('sensor://bench')
    await settled()
    expect(client.told('notifications/resources/updated')).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } },
    ])
    await client.request('resources/unsubscribe', { uri })
    expect((await client.request('resources/unsubscribe', { uri })).result).toEqual({})
    server.resourceUpdated(uri)
    await settled()
    expect(client.told('notifications/resources/updated')).toHaveLength(1)
    expect(other.heard).toEqual([])
  })

  it('of a resource behind a template may be subscribed to', async () => {
    const { client, server } = await connected({ resourceTemplates: { 'shelf://{box}': { read: ({ box }) => box! } } })
    expect((await client.request('resources/subscribe', { uri: 'shelf://7' })).result).toEqual({})
    server.resourceUpdated('shelf://7')
    expect(client.told('notifications/resources/updated')).toHaveLength(1)
  })

  it('1024 resources may be subscribed to; one more is refused', async () => {
    const { client } = await connected({ resourceTemplates: { 'shelf://{box}': { read: ({ box }) => box! } } })
    for (let box = 0; box < 1024; box++) {
      expect(await client.request('resources/subscribe', { uri: `shelf://${box}` })).toHaveProperty('result')
    }
    expect((await client.request('resources/subscribe', { uri: 'shelf://1024' })).error.code).toBe(-32603)
    await client.request('resources/unsubscribe', { uri: 'shelf://0' })
    expect(await client.request('resources/subscribe', { uri: 'shelf://1024' })).toHaveProperty('result')
  })

  it('are told no more when the client leaves', async () => {
    const events: string[] = []
    const { client } = await connected({
      resources: { 'a:b': { read: () => '', watch: () => () => void events.push('unwatched') } },
    })
    await client.request('resources/subscribe', { uri: 'a:b' })
    client.leave()
    expect(events).toEqual(['unwatched'])
  })
})

describe('log messages', () => {
  const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

  it('begin at info', async () => {
    const { client, server } = await connected()
    for (const level of levels) server.log(level as never, level)
    expect(client.told('notifications/message').map(({ params }) => params.level)).toEqual(levels.slice(1))
  })

  it.each(levels)('after setLevel %s are of that level and worse, of the server and of calls', async level => {
    const { client, server } = await doing((_args, call) => {
      for (const each of levels) call.log(each as never, { each }, 'tool')
    })
    await client.request('logging/setLevel', { level })
    for (const each of levels) server.log(each as never, { each }, 'server')
    await client.callTool('do')
    const told = client.told('notifications/message').map(({ params }) => params)
    for (const logger of ['server', 'tool']) {
      expect(told.filter(params => params.logger === logger)).toEqual(
        levels.slice(levels.indexOf(level)).map(each => ({ level: each, logger, data: { each } })),
      )
    }
  })

  it('setLevel holds at once, also for calls that run', async () => {
    const { client, gate } = await doing(async (_args, call) => {
      await gate('log').pass(call.signal)
      call.log('info', 'not any more')
      call.log('error', 'still')
    })
    const running = client.callTool('do')
    await client.request('logging/setLevel', { level: 'error' })
    gate('log').open()
    await running
    expect(client.told('notifications/message').map(({ params }) => params.data)).toEqual(['still'])
  })

  it('are not told before initialize', () => {
    const { client, server } = workbench()
    server.log('emergency', 'x')
    expect(client.heard).toEqual([])
  })

  it('whose data is no JSON harm no call', async () => {
    const circle: Record<string, unknown> = {}
    circle.circle = circle
    const { client, diagnosed } = await doing((_args, call) => {
      call.log('info', circle)
      call.log('info', 1n)
      return 'done'
    })
    expect((await client.callTool('do')).result.content[0].text).toBe('done')
    expect(client.told('notifications/message')).toEqual([])
    expect(diagnosed).toHaveLength(2)
  })
})

describe('cancelling', () => {
  it.each([[0], [''], ['x'], [7]])('a request with the id %j is never answered', async id => {
    const { client, gate } = await connected()
    void client.callTool('wait', {}, id)
    client.notify('notifications/cancelled', { requestId: id, reason: 'x' })
    gate('gate').open()
    await settled()
    expect(client.heard).toEqual([])
  })

  it.each([[undefined], [{}], [{ requestId: '1' }], [{ requestId: null }], [{ requestId: 99 }]])(
    'what names no running request is ignored: %j',
    async params => {
      const { client, gate } = await connected()
      const running = client.callTool('wait', {}, 1)
      client.notify('notifications/cancelled', params as object)
      gate('gate').open()
      expect(await running).toHaveProperty('result')
    },
  )

  it('an id of the server and the same id of the client are two requests', async () => {
    const { client } = await doing(async (_args, call) => String((await call.roots()).length))
    const running = client.callTool('do', {}, 'ferrule-1')
    const { id } = client.told('roots/list')[0]
    expect(id).toBe('ferrule-1')
    client.send({ jsonrpc: '2.0', id, result: { roots: [] } })
    expect((await running).result.content[0].text).toBe('0')
  })
})

describe('progress', () => {
  it.each([[0], [''], ['5'], [5]])('is told under the token that was given, and its type: %j', async progressToken => {
    const { client } = await doing((_args, call) => {
      call.progress(1, 2, 'half')
      call.progress(1)
      call.progress(2, 2)
    })
    await client.request('tools/call', { name: 'do', _meta: { progressToken } }, 'a')
    expect(client.heard.map(({ params, id }) => params ?? id)).toEqual([
      { progressToken, progress: 1, total: 2, message: 'half' },
      { progressToken, progress: 2, total: 2 },
      'a',
    ])
  })

  it.each(['tool', 'actuator'])('is told by a handler that takes its call apart: %s', async kind => {
    const work = async (_args: unknown, { progress, log, signal, elicit, sample, roots }: Call) => {
      progress(1)
      log('warning', 'half', 'lift')
      await Promise.all([elicit, sample, roots].map(ask => expect(ask({} as never)).rejects.toThrow()))
      return String(signal.aborted)
    }
    const { client } = await connected(
      kind === 'tool' ? { tools: { do: { call: work } } } : { board: { actuators: { do: { safe: null, set: work } } } },
    )
    const { result } = await client.request('tools/call', { name: 'do', _meta: { progressToken: 't' } })
    expect(result.content[0].text).toContain('false')
    expect(client.told('notifications/progress')).toHaveLength(1)
    expect(client.told('notifications/message')).toMatchObject([{ params: { data: 'half', logger: 'lift' } }])
  })

  it('of actuators and prompts is told too, and without a token nothing is', async () => {
    const { client } = await connected({
      board: { actuators: { lift: { safe: null, set: async (_args, call) => call.progress(1) } } },
      prompts: {
        slow: {
          async get(_args, call) {
            call.progress(1)
            return 'x'
          },
        },
      },
    })
    await client.request('tools/call', { name: 'lift', _meta: { progressToken: 'l' } })
    await client.request('prompts/get', { name: 'slow', _meta: { progressToken: 'p' } })
    await client.callTool('lift')
    expect(client.told('notifications/progress').map(({ params }) => params.progressToken)).toEqual(['l', 'p'])
  })
})

describe('questions to the client are requests of the server', () => {
  const form = {
    message: 'How fast?',
    requestedSchema: { type: 'object', properties: { rpm: { type: 'integer' } }, required: ['rpm'] },
  } as const
  const accept = (content: object) => ({ action: 'accept', content })
  const json = (question: (call: Call) => Promise<unknown>) => async (_args: unknown, call: Call) =>
    JSON.stringify(await question(call))

  it.each<[string, (call: Call) => Promise<unknown>, object, object, unknown]>([
    [
      'a form',
      call => call.elicit(form),
      { method: 'elicitation/create', params: form },
      accept({ rpm: 3 }),
      accept({ rpm: 3 }),
    ],
    [
      'a form that is declined',
      call => call.elicit(form),
      { method: 'elicitation/create', params: form },
      { action: 'decline' },
      { action: 'decline' },
    ],
    [
      'a form that is put away',
      call => call.elicit(form),
      { method: 'elicitation/create', params: form },
      { action: 'cancel' },
      { action: 'cancel' },
    ],
    [
      'a page',
      call => call.elicit({ message: 'Sign in', url: 'https://example.com', key: 'in' }),
      {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Sign in', url: 'https://example.com', elicitationId: expect.any(String) },
      },
      { action: 'accept' },
      accept({}),
    ],
    [
      'the model',
      call => call.sample({ messages: [], maxTokens: 9, key: 'k' }),
      { method: 'sampling/createMessage', params: { messages: [], maxTokens: 9 } },
      { role: 'assistant', content: { type: 'text', text: '!' }, model: 'm' },
      { role: 'assistant', content: { type: 'text', text: '!' }, model: 'm' },
    ],
    [
      'the roots',
      call => call.roots(),
      { method: 'roots/list' },
      { roots: [{ uri: 'file:///a' }] },
      [{ uri: 'file:///a' }],
    ],
  ])('%s', async (_name, question, request, answer, given) => {
    const { client, clock } = await doing(json(question))
    const running = client.callTool('do')
    expect(client.heard).toEqual([{ jsonrpc: '2.0', id: expect.any(String), ...request }])
    client.send({ jsonrpc: '2.0', id: client.heard[0].id, result: answer })
    const { result } = await running
    expect(JSON.parse(result.content[0].text)).toEqual(given)
    expect(clock.pending).toBe(0)
  })

  it('ids are never used twice, also after another handshake', async () => {
    const { client } = await doing(json(call => call.roots()))
    const ids = new Set<string>()
    for (let i = 0; i < 5; i++) {
      if (i === 3) await client.initialize('2025-11-25', everything)
      const running = client.callTool('do')
      const { id } = client.told('roots/list').at(-1)
      ids.add(id)
      client.send({ jsonrpc: '2.0', id, result: { roots: [] } })
      await running
    }
    expect(ids.size).toBe(5)
  })

  it('several at once are answered in any order', async () => {
    const { client } = await doing(
      json(call => Promise.all([call.roots(), call.elicit(form), call.sample({ messages: [], maxTokens: 1 })])),
    )
    const running = client.callTool('do')
    const byMethod = Object.fromEntries(client.heard.map(({ method, id }) => [method, id]))
    client.send({
      jsonrpc: '2.0',
      id: byMethod['sampling/createMessage'],
      result: { role: 'assistant', content: [], model: 'm' },
    })
    client.send({ jsonrpc: '2.0', id: byMethod['roots/list'], result: { roots: [] } })
    client.send({ jsonrpc: '2.0', id: byMethod['elicitation/create'], result: accept({ rpm: 1 }) })
    expect(JSON.parse((await running).result.content[0].text)).toMatchObject([[], accept({ rpm: 1 }), { model: 'm' }])
  })

  it('a form that was filled in wrongly comes again, three times at most', async () => {
    const { client } = await doing(json(call => call.elicit(form)))
    const running = client.callTool('do')
    for (const answer of [accept({ rpm: 'fast' }), { action: 'maybe' }, { action: 'accept' }]) {
      await settled()
      client.send({ jsonrpc: '2.0', id: client.told('elicitation/create').at(-1).id, result: answer })
    }
    expect((await running).error).toMatchObject({ code: -32602, message: expect.stringContaining('elicitation_1') })
    expect(client.told('elicitation/create')).toHaveLength(3)
  })

  it.each<[string, object, string]>([
    ['an error', { error: { code: -1, message: 'User rejected sampling request' } }, 'User rejected sampling request'],
    ['an error without a word', { error: {} }, 'no reason given'],
    ['an error that is null', { error: null }, 'no reason given'],
    ['a result that is a list', { result: [] }, 'no result'],
    ['a result that is null', { result: null }, 'no result'],
  ])('%s is a failed tool with the reason, and the next call works', async (_name, answer, reason) => {
    const { client, clock } = await doing(json(call => call.sample({ messages: [], maxTokens: 1 })))
    const running = client.callTool('do')
    client.send({ jsonrpc: '2.0', id: client.heard[0].id, ...answer })
    const { result } = await running
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain(reason)
    expect(clock.pending).toBe(0)
    expect((await client.callTool('echo', { text: 'x' })).result.isError).toBeUndefined()
  })

  it('no answer in time: the question is cancelled, and the tool fails with the reason', async () => {
    const { client, clock } = await doing(
      json(call => call.roots()),
      { questionTimeoutMs: 5000 },
    )
    const running = client.callTool('do')
    const { id } = client.heard[0]
    await clock.advance(4999)
    expect(client.heard).toHaveLength(1)
    await clock.advance(1)
    expect(client.heard[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: expect.stringContaining('5 s') },
    })
    expect((await running).result).toMatchObject({ isError: true })
    client.send({ jsonrpc: '2.0', id, result: { roots: [] } })
    await settled()
    expect(client.heard).toHaveLength(3)
    expect(clock.pending).toBe(0)
  })

  it('a call that is cancelled cancels its question, and leaves no timer', async () => {
    const { client, clock } = await doing(json(call => call.roots()))
    void client.callTool('do', {}, 'a')
    const { id } = client.heard[0]
    client.notify('notifications/cancelled', { requestId: 'a' })
    await settled()
    expect(client.heard.slice(1)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: expect.any(String) } },
    ])
    expect(clock.pending).toBe(0)
  })

  it('a client that leaves leaves no question and no timer behind', async () => {
    let thrown: unknown
    const { client, clock } = await doing(async (_args, call) => {
      await call.roots().catch(error => (thrown = error))
    })
    void client.callTool('do')
    client.leave()
    await settled()
    expect(thrown).toBeInstanceOf(Error)
    expect(clock.pending).toBe(0)
  })

  it('64 questions may be open; one more fails alone', async () => {
    const { client } = await doing(json(call => call.roots()))
    for (let i = 0; i < 64; i++) void client.callTool('do', {}, i)
    const { result, error } = await client.callTool('do', {}, 64)
    expect(result?.isError ?? error.code === -32603).toBe(true)
    const questions = client.told('roots/list')
    expect(questions).toHaveLength(64)
    for (const { id } of questions) client.send({ jsonrpc: '2.0', id, result: { roots: [] } })
    await settled()
    expect(client.answers(63)).toHaveLength(1)
  })

  it.each<[string, (call: Call) => Promise<unknown>, string, object]>([
    ['a form to a client that asks nobody', call => call.elicit(form), '2025-11-25', {}],
    ['a form before 2025-06-18', call => call.elicit(form), '2025-03-26', everything],
    [
      'a page before 2025-11-25',
      call => call.elicit({ message: 'm', url: 'https://example.com' }),
      '2025-06-18',
      everything,
    ],
    [
      'a page to a client with forms only',
      call => call.elicit({ message: 'm', url: 'https://example.com' }),
      '2025-11-25',
      { elicitation: {} },
    ],
    [
      'a list to choose several from before 2025-11-25',
      call => call.elicit({ message: 'm', requestedSchema: several }),
      '2025-06-18',
      everything,
    ],
    ['sampling', call => call.sample({ messages: [], maxTokens: 1 }), '2025-11-25', {}],
    [
      'sampling with tools',
      call => call.sample({ messages: [], maxTokens: 1, tools: [] }),
      '2025-11-25',
      { sampling: {} },
    ],
    ['roots', call => call.roots(), '2025-11-25', {}],
  ])('what the client cannot do is not asked: %s', async (_name, question, version, capabilities) => {
    const { client } = await doing(json(question), {
      version,
      capabilities,
      prompts: { asks: { get: async (_args, call) => String(await question(call)) } },
    })
    const { result } = await client.callTool('do')
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('client') }],
    })
    expect((await client.request('prompts/get', { name: 'asks' })).error.code).toBe(-32603)
    expect(client.heard).toHaveLength(2)
  })

  it.each([
    ['2025-06-18', { type: 'string', enum: ['lo', 'hi'], enumNames: ['Low', 'High'] }],
    ['2025-11-25', choice],
  ])('%s: the titles of choices stand where the revision has them', async (version, field) => {
    const asked = { message: 'm', requestedSchema: { type: 'object' as const, properties: { level: choice } } }
    const { client } = await doing(
      json(call => call.elicit(asked)),
      { version },
    )
    const running = client.callTool('do')
    await settled()
    const [question] = client.told('elicitation/create')
    expect(question.params.requestedSchema.properties.level).toEqual(field)
    client.send({ jsonrpc: '2.0', id: question.id, result: accept({ level: 'hi' }) })
    expect((await running).result.isError).toBeUndefined()
  })

  it.each(versions)('%s: sampling and roots are asked', async version => {
    const { client } = await doing(
      json(call => Promise.all([call.roots(), call.sample({ messages: [], maxTokens: 1 })])),
      { version },
    )
    void client.callTool('do')
    expect(client.heard.map(({ method }) => method)).toEqual(['roots/list', 'sampling/createMessage'])
  })

  it('elicitation without a mode means forms', async () => {
    const { client } = await doing(
      json(call => call.elicit(form)),
      { version: '2025-06-18', capabilities: { elicitation: {} } },
    )
    void client.callTool('do')
    expect(client.heard[0].method).toBe('elicitation/create')
  })
})
