import { describe, expect, it } from 'vitest'
import { type Call, createServer, type JsonSchema, type ServerOptions, type Tool } from '../../runtime/index.ts'
import { capable, modernMeta, TestClient } from '../memory-client.ts'
import { settled } from '../owned-clock.ts'
import { workbench } from './workbench.ts'

const key = (name: string) => `io.modelcontextprotocol/${name}`
const SUB = key('subscriptionId')
const serverInfo = { name: 'bench', version: '1.2.3' }
const meta = { [key('serverInfo')]: serverInfo }
const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} }

/** A bench with one tool `do`. */
function doing(call: (args: any, call: Call) => unknown, options: ServerOptions = {}) {
  const bench = workbench({ ...options, tools: { do: { inputSchema: { type: 'object' }, call }, ...options.tools } })
  const ask = (params: object = {}, metaOf: object = capable(everything), id?: string | number) =>
    bench.client.modern('tools/call', { name: 'do', ...params }, metaOf, id)
  return { ...bench, ask }
}

describe('server/discover', () => {
  it('says which versions are served, what is offered, who answers and how long that holds', async () => {
    const { client } = workbench()
    expect((await client.modern('server/discover')).result).toEqual({
      resultType: 'complete',
      _meta: meta,
      supportedVersions: ['2026-07-28'],
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
      },
      instructions: 'A bench to try things on.',
      ttlMs: 60_000,
      cacheScope: 'public',
    })
  })

  it('of a server with nothing to offer offers nothing, and its methods are unknown', async () => {
    const client = new TestClient(createServer({ name: 'empty' }))
    const { result } = await client.modern('server/discover')
    expect(result.capabilities).toEqual({ logging: {} })
    expect(result).not.toHaveProperty('instructions')
    for (const method of [
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'prompts/list',
      'prompts/get',
      'completion/complete',
    ]) {
      expect((await client.modern(method, { name: 'x', uri: 'x:y' })).error.code, method).toBe(-32601)
    }
  })

  it.each<[string, ServerOptions, string[], string[]]>([
    ['tools only', { tools: { a: { call: () => '' } } }, ['tools/list'], ['resources/list', 'prompts/list']],
    [
      'resources only',
      { resources: { 'a:b': { read: () => '' } } },
      ['resources/list', 'resources/templates/list'],
      ['tools/list', 'prompts/list'],
    ],
    [
      'templates only',
      { resourceTemplates: { 'a:{b}': { read: () => '' } } },
      ['resources/list', 'resources/templates/list'],
      ['tools/list'],
    ],
    [
      'prompts only',
      { prompts: { a: { get: () => '' } } },
      ['prompts/list'],
      ['tools/list', 'resources/list', 'completion/complete'],
    ],
  ])('%s: what is advertised is answered, and nothing else', async (_name, options, known, unknown) => {
    const client = new TestClient(createServer({ name: 'part' }, options))
    const { capabilities } = (await client.modern('server/discover')).result
    for (const method of known) {
      expect(await client.modern(method)).toHaveProperty('result.resultType', 'complete')
      expect(capabilities).toHaveProperty(method.split('/')[0]!)
    }
    for (const method of unknown) {
      expect((await client.modern(method)).error.code, method).toBe(-32601)
      expect(capabilities).not.toHaveProperty(method.split('/')[0]!)
    }
  })

  it('a feature that appears later is served and advertised from then on', async () => {
    const server = createServer({ name: 'late' })
    const client = new TestClient(server)
    expect((await client.modern('tools/list')).error.code).toBe(-32601)
    server.tools.set('a', { call: () => '' })
    expect((await client.modern('tools/list')).result.tools).toHaveLength(1)
    expect((await client.modern('server/discover')).result.capabilities.tools).toEqual({ listChanged: true })
  })

  it('shows the extensions that are served, with their settings', async () => {
    const extensions = { 'com.example/lathe': { speed: 3 }, 'org.example.sub/none': {} }
    const { client } = workbench({ extensions })
    expect((await client.modern('server/discover')).result.capabilities.extensions).toEqual(extensions)
  })

  it.each([
    'lathe',
    '/lathe',
    '1com.example/lathe',
    'com..example/lathe',
    'com.-example/lathe',
    'com.example/-lathe',
    'com.example/a b',
  ])('an extension with the id "%s" is a mistake that is told when the server is made', id => {
    expect(() => createServer({ name: 'x' }, { extensions: { [id]: {} } })).toThrow(/extension/)
  })

  it('an unheard-of extension or capability of the client changes nothing', async () => {
    const { client } = workbench()
    const odd = capable({ extensions: { 'com.example/x': {} }, experimental: { y: [] }, unheard_of: { deep: [1] } })
    expect(
      (await client.modern('tools/call', { name: 'echo', arguments: { text: 'ok' } }, odd)).result.content,
    ).toEqual([{ type: 'text', text: 'ok' }])
  })
})

describe('the envelope', () => {
  it('client info, log level and progress token may be left out or be there', async () => {
    const { client } = workbench()
    for (const more of [
      {},
      { [key('clientInfo')]: { name: 'c', version: '1', title: 'C', icons: [], unknown: 1 } },
      { [key('logLevel')]: 'debug' },
      { progressToken: '' },
    ]) {
      expect(await client.modern('tools/list', {}, modernMeta(more))).toHaveProperty('result')
    }
  })

  it.each([
    { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=1', baggage: 'k=v' },
    { traceparent: 'rubbish' },
    { traceparent: 7, tracestate: null, baggage: [] },
    { 'com.example.mcp/anything': { a: 1 }, '': 0 },
    { [key('unknown')]: true },
  ])('trace context and keys that nobody knows never make a request fail: %j', async more => {
    const { client } = workbench()
    expect(await client.modern('tools/list', {}, modernMeta(more))).toHaveProperty('result')
  })

  it('what is checked first answers: envelope, version, method, params', async () => {
    const { client } = workbench()
    const unserved = { [key('protocolVersion')]: '2099-01-01' }
    const codes = async (method: string, params: object, of: object) =>
      (await client.modern(method, params, of)).error.code
    expect(await codes('no/such', {}, unserved)).toBe(-32602)
    expect(await codes('no/such', {}, modernMeta(unserved))).toBe(-32022)
    expect(await codes('tools/call', { name: 7 }, modernMeta(unserved))).toBe(-32022)
    expect(await codes('no/such', { name: 7 }, modernMeta())).toBe(-32601)
    expect(await codes('tools/call', { name: 7 }, modernMeta())).toBe(-32602)
    expect(await codes('ping', { inputResponses: 7 }, modernMeta())).toBe(-32602)
  })

  it('-32022 repeats the version exactly, and lists only what discover lists', async () => {
    const { client } = workbench()
    const requested = `2026-07-28 ${'x'.repeat(300)}`
    const { error } = await client.modern('tools/list', {}, modernMeta({ [key('protocolVersion')]: requested }))
    const { supportedVersions } = (await client.modern('server/discover')).result
    expect(error).toEqual({
      code: -32022,
      message: expect.any(String),
      data: { supported: supportedVersions, requested },
    })
    expect(error.message.length).toBeLessThan(200)
  })

  it('the name of a client decides nothing', async () => {
    const { client } = workbench()
    const as = (name: string) => modernMeta({ [key('clientInfo')]: { name, version: '1' } })
    const answers = await Promise.all(
      ['a', 'Claude', 'admin'].map(name => client.modern('tools/list', {}, as(name), name)),
    )
    expect(new Set(answers.map(({ result }) => JSON.stringify(result))).size).toBe(1)
  })
})

describe('results', () => {
  const requests: [string, object][] = [
    ['server/discover', {}],
    ['tools/list', {}],
    ['tools/call', { name: 'echo', arguments: { text: 'x' } }],
    ['tools/call', { name: 'echo', arguments: {} }],
    ['tools/call', { name: 'fan', arguments: { percent: 3 } }],
    ['tools/call', { name: 'nothing' }],
    ['tools/call', { name: 'with_meta' }],
    ['tools/call', { name: 'fails' }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'sensor://bench/temperature' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'report', arguments: { tone: 'formal' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'report' }, argument: { name: 'tone', value: 'f' } }],
  ]
  const tools: Record<string, Tool<any>> = {
    nothing: { call: () => undefined },
    with_meta: { call: () => ({ content: [], _meta: { 'com.example/x': 1, [key('serverInfo')]: 'forged' } }) },
    fails: {
      call: () => {
        throw new Error('it broke')
      },
    },
  }
  const cacheable = new Set([
    'server/discover',
    'tools/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
  ])

  it.each(requests)(
    '%s %j: complete, says who answers, and hints at caching only where that may be',
    async (method, params) => {
      const { client } = workbench({ tools })
      const { result } = await client.modern(method, params)
      expect(result.resultType).toBe('complete')
      expect(result._meta[key('serverInfo')]).toEqual(serverInfo)
      expect(result).not.toHaveProperty('serverInfo')
      if (cacheable.has(method)) {
        expect(Number.isInteger(result.ttlMs) && result.ttlMs >= 0).toBe(true)
        expect(['public', 'private']).toContain(result.cacheScope)
      } else {
        expect(result).not.toHaveProperty('ttlMs')
        expect(result).not.toHaveProperty('cacheScope')
      }
    },
  )

  it('a handler may add to _meta', async () => {
    const { client } = workbench({ tools })
    const { result } = await client.modern('tools/call', { name: 'with_meta' })
    expect(result._meta).toEqual({ 'com.example/x': 1, ...meta })
  })

  it('what a resource says of caching reaches the client; without a word it is private and at once old', async () => {
    const { client } = workbench({
      resources: {
        'a:kept': { ttlMs: 5000, cacheScope: 'public', read: () => 'x' },
        'a:fresh': { read: () => 'x' },
      },
    })
    const hints = async (uri: string) => (await client.modern('resources/read', { uri })).result
    expect(await hints('a:kept')).toMatchObject({ ttlMs: 5000, cacheScope: 'public' })
    expect(await hints('a:fresh')).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
    expect(await hints('sensor://bench/temperature')).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  })

  it('the server info has title, website and icons when they were given', async () => {
    const icons = [{ src: 'data:image/png;base64,AAAA' }]
    const server = createServer({ name: 'fine', title: 'Fine' }, { websiteUrl: 'https://example.com', icons })
    const { result } = await new TestClient(server).modern('server/discover')
    expect(result._meta[key('serverInfo')]).toEqual({
      name: 'fine',
      version: '0.0.0',
      title: 'Fine',
      websiteUrl: 'https://example.com',
      icons,
    })
  })

  it.each([[[1, 2]], ['text'], [7], [true], [null], [{ a: 1 }]])(
    'structured content may be any JSON value: %j',
    async value => {
      const { client } = workbench({ tools: { give: { outputSchema: {} as JsonSchema, call: () => value } } })
      const { result } = await client.modern('tools/call', { name: 'give' })
      expect(result.structuredContent).toEqual(value)
      expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(value) }])
    },
  )

  it('the answer keeps every word of an input schema', async () => {
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' } } } },
      properties: { address: { $ref: '#/$defs/address' }, contact: { type: 'string' } },
      allOf: [{ anyOf: [{ required: ['contact'] }, { required: ['address'] }] }],
      if: { properties: { contact: { const: 'none' } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: ['address'] },
      else: {},
      additionalProperties: false,
    } as const
    const { client } = workbench({ tools: { many: { inputSchema, call: () => 'x' } } })
    const { tools: listed } = (await client.modern('tools/list')).result
    expect(listed.find(({ name }: any) => name === 'many').inputSchema).toEqual(inputSchema)
  })
})

describe('unknown things', () => {
  it.each<[string, object, object]>([
    ['tools/call', { name: 'nobody' }, { code: -32602, message: 'Unknown tool: nobody' }],
    ['prompts/get', { name: 'nobody' }, { code: -32602, message: 'Unknown prompt: nobody' }],
    ['prompts/get', { name: 'report' }, { code: -32602, message: 'Prompt "report" needs the argument "tone"' }],
    [
      'prompts/get',
      { name: 'report', arguments: { tone: 7 } },
      { code: -32602, message: 'Argument "tone" must be a string' },
    ],
    ['prompts/get', { name: 'report', arguments: [] }, { code: -32602, message: 'arguments must be an object' }],
    [
      'resources/read',
      { uri: 'sensor://bench/nobody' },
      { code: -32602, message: 'Resource not found', data: { uri: 'sensor://bench/nobody' } },
    ],
    [
      'resources/read',
      { uri: 'file:///etc/passwd' },
      { code: -32602, message: 'Resource not found', data: { uri: 'file:///etc/passwd' } },
    ],
    ['resources/read', {}, { code: -32602, message: expect.any(String) }],
    ['tools/list', { cursor: 'no-such-cursor' }, { code: -32602, message: expect.any(String) }],
    ['tools/list', { cursor: '' }, { code: -32602, message: expect.any(String) }],
    ['tools/list', { cursor: 7 }, { code: -32602, message: expect.any(String) }],
    ['tools/list', { cursor: null }, { code: -32602, message: expect.any(String) }],
    ['resources/list', { cursor: 'after:nobody' }, { code: -32602, message: expect.any(String) }],
    ['resources/templates/list', { cursor: 'x' }, { code: -32602, message: expect.any(String) }],
    ['prompts/list', { cursor: 'x' }, { code: -32602, message: expect.any(String) }],
  ])('%s %j', async (method, params, error) => {
    const { client } = workbench()
    expect((await client.modern(method, params)).error).toEqual(error)
  })
})

describe('pages', () => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, i): [string, Tool<any>] => [
      `extra_${i}`,
      { description: `Extra tool ${i}. ${'It does nothing at length – '.repeat(14)}`, call: () => 'done' },
    ]),
  )

  it('of a long list fit into a message, hold each entry once, and hint alike', async () => {
    const { client } = workbench({ tools: many, maxMessageBytes: 8192 })
    const names: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const message = await client.modern('tools/list', cursor === undefined ? {} : { cursor })
      expect(Buffer.byteLength(JSON.stringify(message)) + 1).toBeLessThanOrEqual(8192)
      expect(message.result.cacheScope).toBe('public')
      names.push(...message.result.tools.map(({ name }: any) => name))
      cursor = message.result.nextCursor
      pages++
    } while (cursor !== undefined)
    expect(pages).toBeGreaterThan(3)
    expect(names).toEqual(['fan', 'stop_all', 'arm_outputs', 'echo', 'wait', ...Object.keys(many)])
  })

  it('a tool that no page could hold is refused when it is added', () => {
    const { server } = workbench({ maxMessageBytes: 8192 })
    expect(() => server.tools.set('huge', { description: 'x'.repeat(8000), call: () => '' })).toThrow(
      /"huge" takes 8\d\d\d bytes/,
    )
  })

  it('a cursor whose place is gone is unknown', async () => {
    const { client, server } = workbench({ tools: many, maxMessageBytes: 8192 })
    const { nextCursor } = (await client.modern('tools/list')).result
    for (const name of Object.keys(many)) server.tools.delete(name)
    expect((await client.modern('tools/list', { cursor: nextCursor })).error.code).toBe(-32602)
  })

  it('lists are the same for every client and come in the order of their making', async () => {
    const { server } = workbench()
    const lists = await Promise.all(
      [1, 2].map(async () => JSON.stringify((await new TestClient(server).modern('tools/list')).result)),
    )
    expect(lists[0]).toBe(lists[1])
    expect(JSON.parse(lists[0]!).tools.map(({ name }: any) => name)).toEqual([
      'fan',
      'stop_all',
      'arm_outputs',
      'echo',
      'wait',
    ])
  })
})

describe('completion', () => {
  const prompts = {
    pick: {
      arguments: {
        many: { complete: () => Array.from({ length: 250 }, (_, i) => `value ${i}`) },
        exact: { complete: () => Array.from({ length: 100 }, (_, i) => `value ${i}`) },
        other: {
          complete: async (typed: string, others: Record<string, string>) => [`${typed}+${others.many ?? 'none'}`],
        },
        plain: {},
      },
      get: () => 'x',
    },
  }
  const complete = async (argument: object, more: object = {}) => {
    const { client } = workbench({ prompts })
    return client.modern('completion/complete', { ref: { type: 'ref/prompt', name: 'pick' }, argument, ...more })
  }

  it('gives a hundred values at most, and says how many there are', async () => {
    const { completion } = (await complete({ name: 'many', value: '' })).result
    expect(completion.values).toHaveLength(100)
    expect(completion).toMatchObject({ total: 250, hasMore: true })
    expect((await complete({ name: 'exact', value: '' })).result.completion).toMatchObject({
      total: 100,
      hasMore: false,
    })
  })

  it('knows what was typed so far, here and in the other arguments', async () => {
    const { result } = await complete({ name: 'other', value: 'ty' }, { context: { arguments: { many: 'm' } } })
    expect(result.completion.values).toEqual(['ty+m'])
    expect((await complete({ name: 'other', value: '' })).result.completion.values).toEqual(['+none'])
  })

  it('of an argument without suggestions is empty', async () => {
    expect((await complete({ name: 'plain', value: '' })).result.completion).toEqual({
      values: [],
      total: 0,
      hasMore: false,
    })
  })

  it('completes the variables of a template', async () => {
    const { client } = workbench()
    const { result } = await client.modern('completion/complete', {
      ref: { type: 'ref/resource', uri: 'sensor://bench/{sensor}' },
      argument: { name: 'sensor', value: 'te' },
    })
    expect(result.completion.values).toEqual(['temperature'])
  })

  it.each([
    [{}],
    [{ ref: 'ref/prompt', argument: { name: 'a', value: '' } }],
    [{ ref: { type: 'ref/prompt', name: 'nobody' }, argument: { name: 'a', value: '' } }],
    [{ ref: { type: 'ref/prompt' }, argument: { name: 'a', value: '' } }],
    [{ ref: { type: 'ref/resource', uri: 'a:{nobody}' }, argument: { name: 'a', value: '' } }],
    [{ ref: { type: 'ref/tool', name: 'pick' }, argument: { name: 'a', value: '' } }],
    [{ ref: { type: 'ref/prompt', name: 'pick' } }],
    [{ ref: { type: 'ref/prompt', name: 'pick' }, argument: { name: 'many' } }],
    [{ ref: { type: 'ref/prompt', name: 'pick' }, argument: { name: 'many', value: 7 } }],
  ])('is malformed or about nothing: %j', async params => {
    const { client } = workbench({ prompts })
    expect((await client.modern('completion/complete', params)).error.code).toBe(-32602)
  })
})

describe('progress', () => {
  it.each([[0], [''], ['5'], [5], [-1]])(
    'is told under the token that was given, and its type: %j',
    async progressToken => {
      const { ask, client } = doing((_args, call) => call.progress(1, 2, 'half'))
      await ask({}, modernMeta({ progressToken }))
      expect(client.told('notifications/progress')).toEqual([
        {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2, message: 'half' },
        },
      ])
    },
  )

  it('is not told to who did not ask', async () => {
    const { ask, client } = doing((_args, call) => call.progress(1))
    await ask()
    expect(client.told('notifications/progress')).toEqual([])
  })

  it('strictly rises, and is always a number', async () => {
    const { ask, client } = doing((_args, call) => {
      for (const progress of [0, 0, 1, 0.5, 1, Number.NaN, 1.5, Number.POSITIVE_INFINITY, 3, -4, 2])
        call.progress(progress)
      call.progress(4, Number.NaN)
      call.progress(5, Number.POSITIVE_INFINITY)
    })
    await ask({}, modernMeta({ progressToken: 1 }))
    const told = client.told('notifications/progress').map(({ params }) => params)
    expect(told.map(({ progress }) => progress)).toEqual([0, 1, 1.5, 3, 4, 5])
    expect(told.every(params => !('total' in params))).toBe(true)
  })

  it('comes before the answer, never after it', async () => {
    let late: Call | undefined
    const { ask, client } = doing((_args, call) => {
      late = call
      call.progress(1)
    })
    await ask({}, modernMeta({ progressToken: 1 }), 'a')
    late!.progress(2)
    expect(client.heard.map(({ method, id }) => method ?? id)).toEqual(['notifications/progress', 'a'])
  })

  it('of several calls at once goes to each under its own token', async () => {
    const { ask, client } = doing(async (args, call) => {
      for (let step = 1; step <= 3; step++) {
        call.progress(step, 3)
        await settled()
      }
      return args.tag
    })
    await Promise.all([0, '5', 5].map(progressToken => ask({ arguments: { tag: 'x' } }, modernMeta({ progressToken }))))
    const told = client.told('notifications/progress').map(({ params }) => params)
    for (const token of [0, '5', 5]) {
      expect(told.filter(({ progressToken }) => progressToken === token).map(({ progress }) => progress)).toEqual([
        1, 2, 3,
      ])
    }
  })
})

describe('log messages', () => {
  const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
  const logAll = (_args: unknown, call: Call) => {
    for (const level of levels) call.log(level as never, { at: level }, 'lathe')
  }

  it.each(levels)('a request that asks for %s hears that and worse, before its answer', async level => {
    const { ask, client } = doing(logAll)
    await ask({}, modernMeta({ [key('logLevel')]: level }), 'a')
    const told = client.told('notifications/message')
    expect(told.map(({ params }) => params.level)).toEqual(levels.slice(levels.indexOf(level)))
    expect(told[0].params).toEqual({ level, data: { at: level }, logger: 'lathe' })
    expect(client.heard.at(-1).id).toBe('a')
  })

  it('a request that does not ask hears nothing', async () => {
    const { ask, client } = doing(logAll)
    await ask({}, modernMeta())
    expect(client.told('notifications/message')).toEqual([])
  })

  it('messages of the server itself, and those after the answer, reach no modern client', async () => {
    let late: Call | undefined
    const { ask, client, server } = doing((_args, call) => void (late = call))
    await ask({}, modernMeta({ [key('logLevel')]: 'debug' }))
    late!.log('emergency', 'late')
    server.log('emergency', 'of nobody')
    expect(client.told('notifications/message')).toEqual([])
  })
})

describe('cancelling', () => {
  it.each([[0], [''], ['x'], [7]])(
    'a request with the id %j is never answered, and its handler hears of it',
    async id => {
      const reasons: unknown[] = []
      const { client } = workbench({
        tools: {
          hold: {
            call: (_args, call) =>
              new Promise((_resolve, reject) => {
                call.signal.addEventListener('abort', () => {
                  reasons.push((call.signal.reason as Error).message)
                  call.progress(9)
                  call.log('emergency', 'too late')
                  reject(call.signal.reason)
                })
              }),
          },
        },
      })
      void client.modern(
        'tools/call',
        { name: 'hold' },
        modernMeta({ progressToken: 0, [key('logLevel')]: 'debug' }),
        id,
      )
      client.notify('notifications/cancelled', { requestId: id, reason: 'changed my mind' })
      await settled()
      expect(reasons).toEqual(['Cancelled by the client: changed my mind'])
      expect(client.heard).toEqual([])
    },
  )

  it('a handler that finishes all the same is not heard', async () => {
    const { client, gate } = workbench({
      tools: { deaf: { call: () => gate('deaf').pass(new AbortController().signal) } },
    })
    void client.modern('tools/call', { name: 'deaf' }, undefined, 1)
    client.notify('notifications/cancelled', { requestId: 1 })
    gate('deaf').open()
    await settled()
    expect(client.heard).toEqual([])
  })

  it.each([
    [{}],
    [undefined],
    [{ requestId: null }],
    [{ requestId: '1' }],
    [{ requestId: 99 }],
    [{ requestId: [1] }],
    [{ requestId: { toString: 1 } }],
  ])('what names no running request is ignored: %j', async params => {
    const { client, gate } = workbench()
    const running = client.modern('tools/call', { name: 'wait' }, undefined, 1)
    client.notify('notifications/cancelled', params as object)
    gate('gate').open()
    expect(await running).toHaveProperty('result')
    expect(client.heard).toHaveLength(1)
  })

  it('of a request that was answered changes nothing', async () => {
    const { client } = workbench()
    await client.modern('tools/list', {}, undefined, 1)
    client.notify('notifications/cancelled', { requestId: 1 })
    expect(client.heard).toHaveLength(1)
  })

  it('two hundred calls, each cancelled in the same breath, leave nothing behind', async () => {
    const { client, clock } = workbench()
    for (let id = 0; id < 200; id++) {
      void client.modern('tools/call', { name: 'wait', arguments: { gate: String(id) } }, undefined, id)
      client.notify('notifications/cancelled', { requestId: id })
    }
    await settled()
    expect(client.heard).toEqual([])
    expect(clock.pending).toBe(0)
    expect(await client.modern('tools/list')).toHaveProperty('result')
  })

  it('the server never cancels a request of the client but a listen', async () => {
    const { client, server, gate } = workbench()
    void client.modern('tools/call', { name: 'wait' }, undefined, 1)
    await gate('gate').entered
    await server.close()
    expect(client.told('notifications/cancelled')).toEqual([])
  })
})

describe('subscriptions/listen', () => {
  const listen = (client: TestClient, id: string | number, notifications: unknown) =>
    client.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications, _meta: modernMeta() } })
  const acknowledged = (id: string | number, notifications: object) => ({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications, _meta: { [SUB]: id } },
  })
  const told = (id: string | number, method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    method: `notifications/${method}`,
    params: { ...params, _meta: { [SUB]: id } },
  })

  it.each<[string, object, object]>([
    [
      'everything',
      {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['sensor://bench'],
      },
      {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['sensor://bench'],
      },
    ],
    ['nothing', {}, {}],
    ['false is no wish', { toolsListChanged: false }, {}],
    ['an unknown kind', { moodChanged: true, toolsListChanged: true }, { toolsListChanged: true }],
    ['the same URI twice', { resourceSubscriptions: ['a:b', 'a:b'] }, { resourceSubscriptions: ['a:b'] }],
    ['a URI that may come to exist', { resourceSubscriptions: ['later:on'] }, { resourceSubscriptions: ['later:on'] }],
  ])('is acknowledged first, with what is honoured: %s', (_name, wanted, honoured) => {
    const { client } = workbench()
    listen(client, 'sub', wanted)
    expect(client.heard).toEqual([acknowledged('sub', honoured)])
  })

  it('what the server does not offer is not acknowledged, and is not told', async () => {
    const server = createServer({ name: 'few' }, { tools: { a: { call: () => '' } } })
    const client = new TestClient(server)
    listen(client, 1, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['a:b'],
    })
    expect(client.heard).toEqual([acknowledged(1, { toolsListChanged: true })])
    server.prompts.set('p', { get: () => '' })
    server.resources.set('a:b', { read: () => '' })
    server.resourceUpdated('a:b')
    await settled()
    expect(client.heard).toHaveLength(1)
  })

  it.each([
    [undefined],
    [null],
    [7],
    [[]],
    [{ toolsListChanged: 1 }],
    [{ promptsListChanged: 'yes' }],
    [{ resourcesListChanged: null }],
    [{ resourceSubscriptions: 'a:b' }],
    [{ resourceSubscriptions: [7] }],
    [{ resourceSubscriptions: null }],
  ])('a malformed wish is refused, and opens nothing: %j', async wish => {
    const { client, server } = workbench()
    listen(client, 1, wish)
    server.tools.set('more', { call: () => '' })
    await settled()
    expect(client.heard).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32602, message: expect.any(String) } }])
  })

  it.each([[0], [''], ['sub'], [-1]])(
    'every message carries the id of its subscription, and its type: %j',
    async id => {
      const { client, server } = workbench()
      listen(client, id, { toolsListChanged: true, resourceSubscriptions: ['sensor://bench/temperature'] })
      server.tools.set('more', { call: () => '' })
      server.resourceUpdated('sensor://bench/temperature')
      await settled()
      expect(client.heard).toEqual([
        acknowledged(id, { toolsListChanged: true, resourceSubscriptions: ['sensor://bench/temperature'] }),
        told(id, 'resources/updated', { uri: 'sensor://bench/temperature' }),
        told(id, 'tools/list_changed'),
      ])
    },
  )

  it('tells nothing that was not asked for', async () => {
    const { client, server } = workbench()
    listen(client, 1, { promptsListChanged: true, resourceSubscriptions: ['a:b'] })
    server.tools.set('more', { call: () => '' })
    server.resources.set('a:c', { read: () => '' })
    server.resourceUpdated('a:c')
    server.log('emergency', 'x')
    await settled()
    expect(client.heard).toHaveLength(1)
    server.prompts.set('more', { get: () => '' })
    server.resourceUpdated('a:b')
    await settled()
    expect(client.heard.slice(1)).toEqual([
      told(1, 'resources/updated', { uri: 'a:b' }),
      told(1, 'prompts/list_changed'),
    ])
  })

  it('several at once each get their own copy', async () => {
    const { client, server } = workbench()
    listen(client, 1, { toolsListChanged: true })
    listen(client, '1', { toolsListChanged: true })
    listen(client, 2, { promptsListChanged: true })
    server.tools.set('more', { call: () => '' })
    await settled()
    expect(client.told('notifications/tools/list_changed')).toEqual([
      told(1, 'tools/list_changed'),
      told('1', 'tools/list_changed'),
    ])
  })

  it('requests are answered while a subscription is open', async () => {
    const { client } = workbench()
    listen(client, 1, { toolsListChanged: true })
    expect(await client.modern('tools/list')).toHaveProperty('result')
  })

  it('ends without a word when the client cancels it', async () => {
    const { client, server } = workbench()
    listen(client, 1, { toolsListChanged: true, resourceSubscriptions: ['sensor://bench/temperature'] })
    listen(client, 2, { toolsListChanged: true })
    client.notify('notifications/cancelled', { requestId: 1 })
    server.tools.set('more', { call: () => '' })
    server.resourceUpdated('sensor://bench/temperature')
    await settled()
    expect(client.heard.slice(2)).toEqual([told(2, 'tools/list_changed')])
    listen(client, 1, {})
    expect(client.heard.at(-1)).toEqual(acknowledged(1, {}))
  })

  it.each([
    ['a server that was never opened', false],
    ['a server that was opened', true],
  ])('ends with its result, then with cancelled, when the server closes: %s', async (_name, open) => {
    for (const board of [{}, { sensors: {}, actuators: {} }]) {
      const { client, server } = workbench({ board })
      if (open) await server.open()
      listen(client, 'a', { toolsListChanged: true })
      listen(client, 7, { promptsListChanged: true })
      await server.close()
      for (const id of ['a', 7]) {
        const about = client.heard.filter(message => message.id === id || message.params?.requestId === id)
        expect(about).toEqual([
          { jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { [SUB]: id, ...meta } } },
          told(id, 'cancelled', { requestId: id, reason: expect.any(String) }),
        ])
      }
      const heard = client.heard.length
      server.tools.set('more', { call: () => '' })
      await settled()
      expect(client.heard).toHaveLength(heard)
    }
  })

  it('64 may be open; one more is refused until another ends', () => {
    const { client } = workbench()
    for (let id = 0; id < 65; id++) listen(client, id, {})
    expect(client.heard).toHaveLength(65)
    expect(client.heard[64]).toEqual({
      jsonrpc: '2.0',
      id: 64,
      error: { code: -32603, message: expect.stringContaining('64') },
    })
    client.notify('notifications/cancelled', { requestId: 0 })
    listen(client, 65, {})
    expect(client.heard.at(-1)).toEqual(acknowledged(65, {}))
  })

  it('1024 URIs may be watched by one; more are refused', () => {
    const { client } = workbench()
    const uris = (count: number) => Array.from({ length: count }, (_, i) => `a:${i}`)
    listen(client, 1, { resourceSubscriptions: uris(1024) })
    listen(client, 2, { resourceSubscriptions: uris(1025) })
    expect(client.heard[0]).toEqual(acknowledged(1, { resourceSubscriptions: uris(1024) }))
    expect(client.heard[1].error.code).toBe(-32603)
  })

  it('a source of changes is watched while somebody listens, once for all', async () => {
    const events: string[] = []
    let changed = () => {}
    const { client, server } = workbench({
      resources: {
        'a:b': {
          read: () => '',
          watch: tell => {
            events.push('watch')
            changed = tell
            return () => void events.push('unwatch')
          },
        },
      },
    })
    listen(client, 1, { resourceSubscriptions: ['a:b'] })
    listen(client, 2, { resourceSubscriptions: ['a:b'] })
    const other = new TestClient(server)
    listen(other, 1, { resourceSubscriptions: ['a:b'] })
    changed()
    await settled()
    expect([client, other].map(each => each.told('notifications/resources/updated').length)).toEqual([2, 1])
    client.notify('notifications/cancelled', { requestId: 1 })
    client.notify('notifications/cancelled', { requestId: 2 })
    expect(events).toEqual(['watch'])
    other.leave()
    expect(events).toEqual(['watch', 'unwatch'])
  })

  it('a source that fails to start or to stop harms nobody', async () => {
    const { client, server, diagnosed } = workbench({
      resources: {
        'a:start': {
          read: () => '',
          watch: () => {
            throw new Error('no interrupt line')
          },
        },
        'a:stop': {
          read: () => '',
          watch: () => () => {
            throw new Error('cannot stop')
          },
        },
      },
    })
    listen(client, 1, { resourceSubscriptions: ['a:start', 'a:stop'], toolsListChanged: true })
    server.resourceUpdated('a:start')
    await settled()
    expect(client.told('notifications/resources/updated')).toHaveLength(1)
    client.notify('notifications/cancelled', { requestId: 1 })
    expect(await client.modern('tools/list')).toHaveProperty('result')
    expect(diagnosed.join('\n')).toMatch(/a:start[\s\S]*no interrupt line[\s\S]*a:stop[\s\S]*cannot stop/)
  })
})

describe('questions to the client come back as a result', () => {
  const form = {
    message: 'How fast?',
    requestedSchema: { type: 'object', properties: { rpm: { type: 'integer' } }, required: ['rpm'] },
  } as const
  const accept = (content: object) => ({ action: 'accept', content })

  it.each<[string, (call: Call) => Promise<unknown>, string, object, object, unknown]>([
    [
      'a form',
      call => call.elicit(form),
      'elicitation_1',
      { method: 'elicitation/create', params: form },
      accept({ rpm: 300 }),
      accept({ rpm: 300 }),
    ],
    [
      'a form that is declined',
      call => call.elicit({ ...form, key: 'speed' }),
      'speed',
      { method: 'elicitation/create', params: form },
      { action: 'decline' },
      { action: 'decline' },
    ],
    [
      'a form that is put away',
      call => call.elicit(form),
      'elicitation_1',
      { method: 'elicitation/create', params: form },
      { action: 'cancel' },
      { action: 'cancel' },
    ],
    [
      'a page',
      call => call.elicit({ message: 'Sign in', url: 'https://example.com/in' }),
      'elicitation_1',
      { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in', url: 'https://example.com/in' } },
      { action: 'accept' },
      accept({}),
    ],
    [
      'the model',
      call => call.sample({ messages: [{ role: 'user', content: { type: 'text', text: '?' } }], maxTokens: 9 }),
      'sampling_1',
      {
        method: 'sampling/createMessage',
        params: { messages: [{ role: 'user', content: { type: 'text', text: '?' } }], maxTokens: 9 },
      },
      { role: 'assistant', content: { type: 'text', text: '!' }, model: 'm' },
      { role: 'assistant', content: { type: 'text', text: '!' }, model: 'm' },
    ],
    [
      'the roots',
      call => call.roots(),
      'roots_1',
      { method: 'roots/list' },
      { roots: [{ uri: 'file:///a' }] },
      [{ uri: 'file:///a' }],
    ],
  ])('%s', async (_name, question, keyOf, request, answer, given) => {
    const { ask } = doing(async (_args, call) => ({ content: [], structuredContent: await question(call) }))
    const { result } = await ask()
    expect(result).toEqual({
      resultType: 'input_required',
      _meta: meta,
      inputRequests: { [keyOf]: request },
      requestState: expect.any(String),
    })
    const again = await ask({ inputResponses: { [keyOf]: answer }, requestState: result.requestState })
    expect(again.result).toMatchObject({ resultType: 'complete', structuredContent: given })
  })

  it('prompts and resources may ask too', async () => {
    const { client } = workbench({
      prompts: { asks: { get: async (_args, call) => String((await call.roots()).length) } },
      resources: { 'a:asks': { read: async (_uri, call) => String((await call.roots()).length) } },
    })
    for (const [method, params] of [
      ['prompts/get', { name: 'asks' }],
      ['resources/read', { uri: 'a:asks' }],
    ] as const) {
      const { result } = await client.modern(method, params, capable(everything))
      expect(result.resultType).toBe('input_required')
      expect(result).not.toHaveProperty('ttlMs')
      const again = await client.modern(
        method,
        { ...params, inputResponses: { roots_1: { roots: [] } }, requestState: result.requestState },
        capable(everything),
      )
      expect(again.result.resultType).toBe('complete')
      expect(JSON.stringify(again.result)).toContain('"text":"0"')
    }
  })

  it('nothing is kept waiting, and the server sends no request', async () => {
    const { ask, client, clock } = doing(async (_args, call) => void (await call.roots()))
    await ask()
    expect(client.heard.every(message => !('method' in message && 'id' in message))).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('several at once are asked in one round', async () => {
    const { ask } = doing(async (_args, call) => {
      const [speed, sample, roots] = await Promise.all([
        call.elicit({ ...form, key: 'speed' }),
        call.sample({ messages: [], maxTokens: 1 }),
        call.roots(),
      ])
      return JSON.stringify([speed, sample.model, roots])
    })
    const { inputRequests, requestState } = (await ask()).result
    expect(Object.keys(inputRequests)).toEqual(['speed', 'sampling_1', 'roots_2'])
    const responses: Record<string, object> = {}
    for (const [name, { method }] of Object.entries<any>(inputRequests)) {
      responses[name] =
        method === 'elicitation/create'
          ? accept({ rpm: 1 })
          : method === 'roots/list'
            ? { roots: [] }
            : { role: 'assistant', content: [], model: 'm' }
    }
    const { result } = await ask({ inputResponses: responses, requestState })
    expect(result.content[0].text).toBe('[{"action":"accept","content":{"rpm":1}},"m",[]]')
  })

  it('a handler that wraps what a question throws still asks', async () => {
    const { ask } = doing(async (_args, call) => {
      try {
        return String((await call.roots()).length)
      } catch (thrown) {
        throw new Error('the folders could not be had', { cause: thrown })
      }
    })
    const { inputRequests, requestState } = (await ask()).result
    expect(Object.keys(inputRequests)).toEqual(['roots_1'])
    const { result } = await ask({ inputResponses: { roots_1: { roots: [] } }, requestState })
    expect(result.content[0].text).toBe('0')
  })

  it('a long answer of an earlier round is carried into the next', async () => {
    const { ask } = doing(async (_args, call) => {
      const { content } = await call.sample({ messages: [], maxTokens: 1, key: 'long' })
      await call.roots('next')
      return String((content as { text: string }).text.length)
    })
    const first = (await ask()).result
    const long = { role: 'assistant', content: { type: 'text', text: 'x'.repeat(300_000) }, model: 'm' }
    const second = (await ask({ inputResponses: { long }, requestState: first.requestState })).result
    expect(Object.keys(second.inputRequests)).toEqual(['next'])
    const { result } = await ask({ inputResponses: { next: { roots: [] } }, requestState: second.requestState })
    expect(result.content[0].text).toBe('300000')
  })

  it('two of one kind without a key have keys of their own', async () => {
    const { ask } = doing(async (_args, call) => JSON.stringify(await Promise.all([call.roots(), call.roots()])))
    const { inputRequests } = (await ask()).result
    expect(Object.keys(inputRequests)).toHaveLength(2)
  })

  it('one after the other are several rounds, and earlier answers are carried along', async () => {
    const { ask } = doing(async (_args, call) => {
      const first = await call.elicit({ ...form, key: 'first' })
      const second = await call.elicit({ ...form, key: 'second' })
      return JSON.stringify([first, second])
    })
    const one = (await ask()).result
    expect(Object.keys(one.inputRequests)).toEqual(['first'])
    const two = (await ask({ inputResponses: { first: accept({ rpm: 1 }) }, requestState: one.requestState })).result
    expect(Object.keys(two.inputRequests)).toEqual(['second'])
    const three = (await ask({ inputResponses: { second: accept({ rpm: 2 }) }, requestState: two.requestState })).result
    expect(JSON.parse(three.content[0].text)).toEqual([accept({ rpm: 1 }), accept({ rpm: 2 })])
  })

  it('state alone asks the same again', async () => {
    const { ask } = doing(async (_args, call) => String((await call.roots()).length))
    const one = (await ask()).result
    const two = (await ask({ requestState: one.requestState })).result
    expect(two.inputRequests).toEqual(one.inputRequests)
  })

  it('answers without a round before them are taken', async () => {
    const { ask } = doing(async (_args, call) => String((await call.roots()).length))
    expect((await ask({ inputResponses: { roots_1: { roots: [] }, unknown: 7 } })).result.content[0].text).toBe('0')
  })

  it('a request that asks nothing ignores answers', async () => {
    const { client } = workbench()
    const { result } = await client.modern('tools/call', {
      name: 'echo',
      arguments: { text: 'x' },
      inputResponses: { a: { b: 1 } },
    })
    expect(result.content[0].text).toBe('x')
  })

  it.each([[null], [7], ['x'], [[]], [true]])(
    'inputResponses that are no object are malformed: %j',
    async inputResponses => {
      const { ask } = doing(async (_args, call) => String((await call.roots()).length))
      expect((await ask({ inputResponses })).error).toMatchObject({ code: -32602 })
    },
  )

  it.each<[string, unknown]>([
    ['a number', 7],
    ['null', null],
    ['a list', []],
    ['a text', 'yes'],
    ['accepted without content', { action: 'accept' }],
    ['content that is a list', { action: 'accept', content: [] }],
    ['content that does not fit', { action: 'accept', content: { rpm: 'fast' } }],
    ['content without what is required', { action: 'accept', content: {} }],
    ['no action', { content: { rpm: 1 } }],
    ['an action that nobody knows', { action: 'maybe', content: { rpm: 1 } }],
  ])('a wrong answer to a form is never accepted: %s', async (_name, answer) => {
    const accepted: unknown[] = []
    const { ask } = doing(async (_args, call) => {
      const result = await call.elicit({ ...form, key: 'speed' })
      if (result.action === 'accept') accepted.push(result)
      return result.action
    })
    const { requestState } = (await ask()).result
    const { result } = await ask({ inputResponses: { speed: answer }, requestState })
    expect(accepted).toEqual([])
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { speed: { params: form } } })
    const right = await ask({ inputResponses: { speed: accept({ rpm: 1 }) }, requestState: result.requestState })
    expect(right.result.content[0].text).toBe('accept')
  })

  it.each<[string, (call: Call) => Promise<unknown>, object]>([
    ['sampling', call => call.sample({ messages: [], maxTokens: 1, key: 'k' }), { role: 'assistant' }],
    ['roots', call => call.roots('k'), { roots: 'file:///' }],
  ])('a wrong answer to %s is an error', async (_name, question, answer) => {
    const { ask } = doing(async (_args, call) => void (await question(call)))
    expect((await ask({ inputResponses: { k: answer } })).error.code).toBe(-32602)
  })

  describe('requestState', () => {
    const asking = () =>
      doing(async (args, call) => `${args.what}: ${(await call.roots()).length}`, {
        tools: {
          twin: { inputSchema: { type: 'object' }, call: async (_args, call) => String((await call.roots()).length) },
        },
      })
    const responses = { roots_1: { roots: [] } }
    const flip = (state: string, at: number) =>
      state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1)

    it.each<[string, (state: string) => unknown]>([
      ['lengthened', state => `${state}-TAMPERED`],
      ['cut short', state => state.slice(0, -6)],
      ['changed in its body', state => flip(state, 10)],
      ['changed in its signature', state => flip(state, state.indexOf('.') + 3)],
      ['without a signature', state => state.slice(0, state.indexOf('.'))],
      ['with an empty signature', state => state.slice(0, state.indexOf('.') + 1)],
      ['with a third part', state => `${state}.AAAA`],
      ['empty', () => ''],
      ['rubbish', () => 'not base64 at all {}'],
      ['far too long', () => 'A'.repeat(1_000_000)],
      ['a number', () => 7],
      ['null', () => null],
      ['an object', () => ({})],
    ])('that was tampered with is an error, never a new question: %s', async (_name, tamper) => {
      const { ask } = asking()
      const { requestState } = (await ask({ arguments: { what: 'a' } })).result
      const answer = await ask({
        arguments: { what: 'a' },
        inputResponses: responses,
        requestState: tamper(requestState),
      })
      expect(answer.error).toEqual({ code: -32602, message: expect.stringContaining('requestState') })
    })

    it('of another server is an error; of one with the same secret it is not', async () => {
      const secret = new Uint8Array(32).fill(7)
      const make = (requestStateSecret?: Uint8Array) =>
        doing(
          async (_args, call) => String((await call.roots()).length),
          requestStateSecret ? { requestStateSecret } : {},
        )
      const { requestState } = (await make(secret).ask()).result
      const retry = { inputResponses: responses, requestState }
      expect((await make(secret).ask(retry)).result.content[0].text).toBe('0')
      expect((await make().ask(retry)).error.code).toBe(-32602)
      expect((await make(new Uint8Array(32).fill(8)).ask(retry)).error.code).toBe(-32602)
    })

    it('a secret that is too short is a mistake that is told when the server is made', () => {
      for (const bytes of [0, 31]) {
        expect(() => createServer({ name: 'x' }, { requestStateSecret: new Uint8Array(bytes) })).toThrow(/32 bytes/)
      }
    })

    it('lasts ten minutes', async () => {
      const { ask, clock } = asking()
      const { requestState } = (await ask({ arguments: { what: 'a' } })).result
      const retry = { arguments: { what: 'a' }, inputResponses: responses, requestState }
      await clock.advance(10 * 60_000)
      expect((await ask(retry)).result.content[0].text).toBe('a: 0')
      await clock.advance(1)
      expect((await ask(retry)).error).toEqual({ code: -32602, message: expect.stringContaining('too old') })
    })

    it('belongs to its arguments, whatever their order', async () => {
      const { ask } = asking()
      const { requestState } = (await ask({ arguments: { what: 'a', b: { c: [1, { d: 2, e: 3 }] } } })).result
      const retry = (args: object) => ask({ arguments: args, inputResponses: responses, requestState })
      expect((await retry({ b: { c: [1, { e: 3, d: 2 }] }, what: 'a' })).result.content[0].text).toBe('a: 0')
      for (const args of [
        { what: 'b', b: { c: [1, { d: 2, e: 3 }] } },
        { what: 'a' },
        { what: 'a', b: { c: [{ d: 2, e: 3 }, 1] } },
        {},
      ]) {
        expect((await retry(args)).error.code).toBe(-32602)
      }
    })

    it('belongs to its tool and its method', async () => {
      const { client, ask } = asking()
      const { requestState } = (await ask()).result
      const more = { inputResponses: responses, requestState }
      const others = await Promise.all([
        client.modern('tools/call', { name: 'twin', ...more }, capable(everything)),
        client.modern('prompts/get', { name: 'do', ...more }, capable(everything)),
        client.modern('resources/read', { uri: 'sensor://bench', ...more }, capable(everything)),
      ])
      expect(others.map(({ error }) => error.code)).toEqual([-32602, -32602, -32602])
    })
  })

  it.each<[string, (call: Call) => Promise<unknown>, object, object]>([
    ['a form to a client that asks nobody', call => call.elicit(form), {}, { elicitation: { form: {} } }],
    [
      'a form to a client that shows pages only',
      call => call.elicit(form),
      { elicitation: { url: {} } },
      { elicitation: { form: {} } },
    ],
    [
      'a page to a client with forms only',
      call => call.elicit({ message: 'm', url: 'https://example.com' }),
      { elicitation: {} },
      { elicitation: { url: {} } },
    ],
    ['sampling', call => call.sample({ messages: [], maxTokens: 1 }), { elicitation: {}, roots: {} }, { sampling: {} }],
    [
      'sampling with tools',
      call => call.sample({ messages: [], maxTokens: 1, tools: [] }),
      { sampling: {} },
      { sampling: { tools: {} } },
    ],
    [
      'sampling with a choice of tools',
      call => call.sample({ messages: [], maxTokens: 1, toolChoice: { mode: 'none' } }),
      { sampling: {} },
      { sampling: { tools: {} } },
    ],
    ['roots', call => call.roots(), { elicitation: {}, sampling: {} }, { roots: {} }],
  ])(
    'what the client did not say it can do is not asked: %s',
    async (_name, question, capabilities, requiredCapabilities) => {
      const { ask } = doing(async (_args, call) => void (await question(call)))
      const { error } = await ask({}, capable(capabilities))
      expect(error).toEqual({ code: -32021, message: expect.any(String), data: { requiredCapabilities } })
    },
  )

  it.each<[string, (call: Call) => Promise<unknown>, object]>([
    ['a form, elicitation empty', call => call.elicit(form), { elicitation: {} }],
    ['a form, elicitation.form', call => call.elicit(form), { elicitation: { form: {} } }],
    [
      'a page, elicitation.url',
      call => call.elicit({ message: 'm', url: 'https://example.com' }),
      { elicitation: { url: {} } },
    ],
    ['sampling', call => call.sample({ messages: [], maxTokens: 1 }), { sampling: {} }],
    [
      'sampling with tools',
      call => call.sample({ messages: [], maxTokens: 1, tools: [] }),
      { sampling: { tools: {} } },
    ],
    ['roots', call => call.roots(), { roots: { listChanged: true } }],
  ])('what the client said it can do is asked: %s', async (_name, question, capabilities) => {
    const { ask } = doing(async (_args, call) => void (await question(call)))
    expect((await ask({}, capable(capabilities))).result.resultType).toBe('input_required')
  })

  it('a handler that does without what the client lacks is served', async () => {
    const { ask } = doing(async (_args, call) => {
      try {
        return String(await call.roots())
      } catch {
        return 'then without'
      }
    })
    expect((await ask({}, capable({}))).result.content[0].text).toBe('then without')
  })

  it('a handler that swallows the question has asked all the same', async () => {
    const { ask } = doing(async (_args, call) => {
      try {
        return String((await call.roots()).length)
      } catch {
        return 'never mind'
      }
    })
    expect((await ask()).result.resultType).toBe('input_required')
  })

  it('a question to a request that cannot carry one is an error', async () => {
    const { client } = workbench({
      prompts: { p: { arguments: { a: { complete: () => ['x'] } }, get: () => '' } },
    })
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }
    const { result } = await client.modern(
      'completion/complete',
      { ...params, requestState: 'ignored' },
      capable(everything),
    )
    expect(result.resultType).toBe('complete')
  })
})
