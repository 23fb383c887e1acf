import { describe, expect, it } from 'vitest'
import {
  DefinitionError,
  type JsonSchema,
  RpcError,
  resourceNotFound,
  type Tool,
  toolError,
} from '../../runtime/index.ts'
import { capable } from '../memory-client.ts'
import { settled } from '../owned-clock.ts'
import { workbench } from './workbench.ts'

type Answer = { result?: any; error?: any }
type Bench = ReturnType<typeof workbench>

const failedTool = (text: RegExp | string) => ({
  result: expect.objectContaining({ isError: true, content: [{ type: 'text', text: expect.stringMatching(text) }] }),
})
const rpc = (code: number, message: RegExp | string = /./, more: object = {}) => ({
  error: { code, message: expect.stringMatching(message), ...more },
})

/** Asks in both eras, and gives both answers without their ids. */
async function inBoth({ client }: Bench, method: string, params: object): Promise<[Answer, Answer]> {
  const bare = ({ result, error }: any) => (error === undefined ? { result } : { error })
  const modern = bare(await client.modern(method, params, capable({})))
  await client.initialize()
  return [modern, bare(await client.request(method, params))]
}

const throwing = (thrown: unknown) => () => {
  throw thrown
}
const rejecting = (thrown: unknown) => async () => {
  await settled()
  throw thrown
}

describe('what goes wrong in a call, in both eras', () => {
  const needsRoots: Tool = { call: async (_args, call) => String((await call.roots()).length) }

  it.each<[string, string, object, object, object?]>([
    ['an unknown tool', 'tools/call', { name: 'nobody' }, rpc(-32602, 'Unknown tool: nobody')],
    ['a very long unknown name is cut', 'tools/call', { name: 'n'.repeat(1e6) }, rpc(-32602, /^Unknown tool: n{128}$/)],
    ['no name', 'tools/call', {}, rpc(-32602, 'name')],
    ['a name that is a number', 'tools/call', { name: 42 }, rpc(-32602, 'name')],
    ['a name that is null', 'tools/call', { name: null }, rpc(-32602, 'name')],
    ['arguments that are a list', 'tools/call', { name: 'echo', arguments: ['x'] }, rpc(-32602, 'arguments')],
    ['arguments that are a text', 'tools/call', { name: 'echo', arguments: 'x' }, rpc(-32602, 'arguments')],
    ['arguments that are null', 'tools/call', { name: 'echo', arguments: null }, rpc(-32602, 'arguments')],
    ['a missing argument', 'tools/call', { name: 'echo', arguments: {} }, failedTool(/^Nothing was done.*text/)],
    [
      'an argument of the wrong type',
      'tools/call',
      { name: 'echo', arguments: { text: { a: 1 } } },
      failedTool(/^Nothing was done.*text/),
    ],
    [
      'an argument of the wrong type for an actuator',
      'tools/call',
      { name: 'fan', arguments: { percent: 'full' } },
      failedTool(/^Nothing was done.*percent/),
    ],
    [
      'a resource that is not there',
      'resources/read',
      { uri: 'a:b' },
      rpc(-32602, 'not found', { data: { uri: 'a:b' } }),
      rpc(-32002, 'not found', { data: { uri: 'a:b' } }),
    ],
    [
      'a template that finds nothing',
      'resources/read',
      { uri: 'shelf://9' },
      rpc(-32602, 'not found', { data: { uri: 'shelf://9' } }),
      rpc(-32002, 'not found', { data: { uri: 'shelf://9' } }),
    ],
    ['a URI that is no text', 'resources/read', { uri: 7 }, rpc(-32602, 'uri')],
    ['an unknown cursor', 'tools/list', { cursor: 'x' }, rpc(-32602, 'cursor')],
    ['a prompt without its argument', 'prompts/get', { name: 'report' }, rpc(-32602, 'tone')],
    [
      'a tool that needs what the client lacks',
      'tools/call',
      { name: 'needs_roots' },
      rpc(-32021, 'roots', { data: { requiredCapabilities: { roots: {} } } }),
      failedTool('roots'),
    ],
    [
      'a sensor that does not answer',
      'resources/read',
      { uri: 'sensor://bench/dead' },
      rpc(-32603, 'dead: check the plug'),
    ],
    [
      'an actuator whose device is gone',
      'tools/call',
      { name: 'gone', arguments: {} },
      failedTool('gone: the port was unplugged'),
    ],
    ['a prompt that fails', 'prompts/get', { name: 'fails' }, rpc(-32603, 'no paper')],
    [
      'a completion that fails',
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'fails' }, argument: { name: 'a', value: '' } },
      rpc(-32603, 'no idea'),
    ],
  ])('%s', async (_name, method, params, modern, legacy = modern) => {
    const bench = workbench({
      board: {
        sensors: { temperature: { read: () => 1 }, dead: { read: throwing(new Error('check the plug')) } },
        actuators: {
          fan: {
            inputSchema: { type: 'object', properties: { percent: { type: 'number' } } },
            safe: { percent: 0 },
            set: () => {},
          },
          gone: { safe: null, set: throwing(new Error('the port was unplugged')) },
        },
      },
      tools: { needs_roots: needsRoots },
      resourceTemplates: { 'shelf://{box}': { read: (_variables, uri) => throwing(resourceNotFound(uri))() } },
      prompts: {
        fails: { arguments: { a: { complete: throwing(new Error('no idea')) } }, get: throwing(new Error('no paper')) },
      },
    })
    expect(await inBoth(bench, method, params)).toEqual([modern, legacy])
    expect(await bench.client.request('ping')).toHaveProperty('result')
  })
})

describe('what a tool throws', () => {
  class Odd {
    toString(): string {
      throw new Error('not even a name')
    }
  }
  const cases: [string, unknown, object][] = [
    ['an error', new Error('the belt slipped'), failedTool(/^bad: the belt slipped$/)],
    [
      'an error of several lines',
      new Error('one\n  at two\r\nthree'),
      failedTool(/^bad: one at two three$|^bad: one {3}at two {1,2}three$/),
    ],
    [
      'an error with a code of its own',
      Object.assign(new Error('no such file'), { code: 'ENOENT' }),
      failedTool('no such file'),
    ],
    ['an error without a word', new Error(''), failedTool('Internal error')],
    ['a very long error', new Error('x'.repeat(1e6)), failedTool(/^bad: x{2000}$/)],
    [
      'a slip of the program',
      new TypeError('cannot read properties of undefined'),
      failedTool(/^bad: Internal error$/),
    ],
    ['a text', 'a string', failedTool('Internal error')],
    ['null', null, failedTool('Internal error')],
    ['undefined', undefined, failedTool('Internal error')],
    ['a number', 7, failedTool('Internal error')],
    ['an object', { message: 'not an error' }, failedTool('Internal error')],
    ['something that cannot even be shown', new Odd(), failedTool('Internal error')],
    [
      'an error made for the protocol',
      new RpcError(1234, 'on purpose', { why: 'so' }),
      rpc(1234, 'on purpose', { data: { why: 'so' } }),
    ],
    ['the same with a code that is no whole number', new RpcError(1.5, 'on purpose'), rpc(-32603, 'on purpose')],
    ['the same with a code that is a text', new RpcError('ENOENT' as never, 'on purpose'), rpc(-32603, 'on purpose')],
    ['the same with data that is no JSON', new RpcError(1234, 'on purpose', 1n), rpc(1234, 'on purpose')],
    ['a mistake in a definition', new DefinitionError('declared wrongly'), failedTool('declared wrongly')],
  ]

  it.each(cases)('%s', async (_name, thrown, answer) => {
    for (const call of [throwing(thrown), rejecting(thrown)]) {
      const bench = workbench({ tools: { bad: { call } } })
      const answers = await inBoth(bench, 'tools/call', { name: 'bad' })
      expect(answers).toEqual([answer, answer])
      expect(JSON.stringify(answers)).not.toMatch(/call-errors\.test|at .*\.ts:\d/)
    }
  })

  it('the operator is shown the stack, the client is not', async () => {
    const { client, diagnosed } = workbench({ tools: { bad: { call: throwing(new Error('the belt slipped')) } } })
    const { result } = await client.modern('tools/call', { name: 'bad' })
    expect(result.content[0].text).toBe('bad: the belt slipped')
    expect(diagnosed.join()).toMatch(/bad failed: Error: the belt slipped\n\s+at /)
  })

  it('a cancelled tool is no news for the operator', async () => {
    const { client, diagnosed } = workbench()
    void client.modern('tools/call', { name: 'wait' }, undefined, 1)
    client.notify('notifications/cancelled', { requestId: 1 })
    await settled()
    expect(diagnosed).toEqual([])
  })
})

describe('what a tool returns', () => {
  const circle: Record<string, unknown> = { content: [] }
  circle.circle = circle
  const texts = (...all: string[]) => ({
    result: expect.objectContaining({ content: all.map(text => ({ type: 'text', text })) }),
  })

  it.each<[string, () => unknown, object]>([
    ['a text', () => 'done', texts('done')],
    ['an empty text', () => '', texts('')],
    ['nothing', () => undefined, texts()],
    ['null', () => null, texts('null')],
    ['a number', () => 7, texts('7')],
    ['false', () => false, texts('false')],
    ['an object', () => ({ a: 1 }), texts('{"a":1}')],
    ['a list of values', () => [1, 2], texts('[1,2]')],
    ['an empty list', () => [], texts()],
    [
      'content blocks',
      () => [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      texts('a', 'b'),
    ],
    ['a whole result', () => ({ content: [{ type: 'text', text: 'a' }] }), texts('a')],
    ['a failure', () => toolError('the lid is open'), failedTool('the lid is open')],
    ['structured content alone', () => ({ content: [], structuredContent: { a: 1 } }), texts('{"a":1}')],
    ['a promise', () => Promise.resolve('later'), texts('later')],
    [
      'something that can be awaited',
      // biome-ignore lint/suspicious/noThenProperty: that is what is tried
      () => ({ then: (done: (value: string) => void) => done('thenable') }),
      texts('thenable'),
    ],
    [
      'NaN, which JSON writes as null',
      () => ({ content: [], structuredContent: { value: Number.NaN } }),
      texts('{"value":null}'),
    ],
    ['a date', () => new Date(0), texts('"1970-01-01T00:00:00.000Z"')],
    ['half a surrogate pair', () => '\ud83d', texts('\ud83d')],
    ['a BigInt', () => 1n, rpc(-32603, 'bad.*no JSON')],
    ['a BigInt inside', () => ({ content: [], structuredContent: { value: 1n } }), rpc(-32603, 'no JSON')],
    ['a cycle', () => circle, rpc(-32603, 'no JSON')],
    ['a function', () => () => {}, rpc(-32603, 'no JSON')],
    ['a symbol', () => Symbol('x'), rpc(-32603, 'no JSON')],
    [
      'a toJSON that throws',
      () => ({ content: [], structuredContent: { toJSON: throwing(new Error('no')) } }),
      rpc(-32603, 'no JSON'),
    ],
    ['a toJSON that gives nothing', () => ({ toJSON: () => undefined }), rpc(-32603, 'no JSON')],
  ])('%s', async (_name, give, answer) => {
    for (const call of [give, async () => give()]) {
      const bench = workbench({ tools: { bad: { call } } })
      expect(await inBoth(bench, 'tools/call', { name: 'bad' })).toEqual([answer, answer])
    }
  })

  it('a getter that throws is a failure, and the next call is answered', async () => {
    for (const make of [(value: unknown) => value, async (value: unknown) => value]) {
      const bench = workbench({
        tools: {
          bad: {
            call: () =>
              make({
                content: [],
                get structuredContent() {
                  throw new Error('the getter threw')
                },
              }),
          },
        },
      })
      for (const answer of await inBoth(bench, 'tools/call', { name: 'bad' })) {
        expect(answer.error ?? answer.result.isError).toBeTruthy()
      }
      expect(await bench.client.callTool('echo', { text: 'x' })).toHaveProperty('result.content')
    }
  })
})

describe('what resources and prompts return', () => {
  it.each<[string, unknown, object]>([
    ['a text', 'words', { contents: [{ uri: 'a:b', mimeType: 'text/x', text: 'words' }] }],
    ['bytes', new Uint8Array([0, 255, 128]), { contents: [{ uri: 'a:b', mimeType: 'text/x', blob: 'AP+A' }] }],
    [
      'many bytes',
      new Uint8Array(100_000),
      { contents: [{ uri: 'a:b', mimeType: 'text/x', blob: Buffer.alloc(100_000).toString('base64') }] },
    ],
    ['one of its own', { uri: 'a:c', text: 'x' }, { contents: [{ uri: 'a:c', text: 'x' }] }],
    [
      'several',
      [
        { uri: 'a:c', text: 'x' },
        { uri: 'a:d', blob: 'AA==' },
      ],
      {
        contents: [
          { uri: 'a:c', text: 'x' },
          { uri: 'a:d', blob: 'AA==' },
        ],
      },
    ],
  ])('contents: %s', async (_name, value, result) => {
    for (const read of [() => value, async () => value]) {
      const { client } = workbench({ resources: { 'a:b': { mimeType: 'text/x', read: read as never } } })
      expect((await client.modern('resources/read', { uri: 'a:b' })).result).toMatchObject(result)
    }
  })

  it.each([[undefined], [null], [7]])('contents that are none are an error, never an empty answer: %j', async value => {
    const bench = workbench({ resources: { 'a:b': { read: () => value as never } } })
    const answers = await inBoth(bench, 'resources/read', { uri: 'a:b' })
    expect(answers).toEqual([rpc(-32603, 'a:b'), rpc(-32603, 'a:b')])
  })

  const user = (content: object) => ({ role: 'user', content })
  it.each<[string, unknown, object]>([
    ['a text', 'Say hi.', { messages: [user({ type: 'text', text: 'Say hi.' })] }],
    [
      'content',
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { messages: [user({ type: 'image', data: 'AA==', mimeType: 'image/png' })] },
    ],
    [
      'messages',
      [{ role: 'assistant', content: { type: 'text', text: 'hi' } }],
      { messages: [{ role: 'assistant', content: { type: 'text', text: 'hi' } }] },
    ],
    [
      'a whole answer',
      { description: 'd', messages: [user({ type: 'text', text: 'x' })] },
      { description: 'd', messages: [user({ type: 'text', text: 'x' })] },
    ],
  ])('messages: %s', async (_name, value, result) => {
    for (const get of [() => value, async () => value]) {
      const bench = workbench({ prompts: { p: { get: get as never } } })
      for (const answer of await inBoth(bench, 'prompts/get', { name: 'p' }))
        expect(answer.result).toMatchObject(result)
    }
  })

  it.each([[undefined], [null], [7]])('messages that are none are an error: %j', async value => {
    const bench = workbench({ prompts: { p: { get: () => value as never } } })
    expect(await inBoth(bench, 'prompts/get', { name: 'p' })).toEqual([rpc(-32603), rpc(-32603)])
  })
})

describe('a tool that promises what its answer looks like', () => {
  const outputSchema = { type: 'object', properties: { rpm: { type: 'integer' } }, required: ['rpm'] } as const

  it.each<[string, unknown, object]>([
    [
      'the value itself',
      { rpm: 3 },
      {
        result: expect.objectContaining({
          structuredContent: { rpm: 3 },
          content: [{ type: 'text', text: '{"rpm":3}' }],
        }),
      },
    ],
    [
      'a whole result',
      { content: [{ type: 'text', text: 'fast' }], structuredContent: { rpm: 3 } },
      { result: expect.objectContaining({ structuredContent: { rpm: 3 }, content: [{ type: 'text', text: 'fast' }] }) },
    ],
    [
      'a value that does not fit',
      { rpm: 'fast' },
      failedTool(/give answered with a value that is not what it promises.*rpm/),
    ],
    ['a whole result that does not fit', { content: [], structuredContent: {} }, failedTool(/promises.*rpm/)],
    ['a text', 'fast', failedTool('promises')],
    ['nothing', undefined, rpc(-32603, 'no JSON')],
    ['a whole result without the value', { content: [] }, failedTool('without the structured value')],
    ['a failure, which need not fit', toolError('stuck'), failedTool(/^stuck$/)],
  ])('%s', async (_name, value, answer) => {
    for (const call of [() => value, async () => value]) {
      const bench = workbench({ tools: { give: { outputSchema, call } } })
      expect(await inBoth(bench, 'tools/call', { name: 'give' })).toEqual([answer, answer])
    }
  })

  it('an actuator keeps its promise too', async () => {
    const bench = workbench({
      board: {
        actuators: { lift: { safe: null, outputSchema: outputSchema as JsonSchema, set: () => ({ rpm: 'slow' }) } },
      },
    })
    const failed = failedTool(/lift answered with a value that is not what it promises/)
    expect(await inBoth(bench, 'tools/call', { name: 'lift' })).toEqual([failed, failed])
  })

  it('an actuator without a promise tells what was set, and what came of it', async () => {
    const bench = workbench({
      board: {
        actuators: {
          lift: { inputSchema: { type: 'object' }, safe: {}, set: args => ({ at: (args as any).to }) },
          lamp: { safe: null, set: () => {} },
        },
      },
    })
    const lift = { actuator: 'lift', set: { to: 3 }, outcome: { at: 3 } }
    const lamp = { actuator: 'lamp', set: {} }
    for (const [name, args, structuredContent] of [
      ['lift', { to: 3 }, lift],
      ['lamp', {}, lamp],
    ] as const) {
      for (const { result } of await inBoth(bench, 'tools/call', { name, arguments: args })) {
        expect(result).toMatchObject({
          structuredContent,
          content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
        })
      }
    }
  })
})

describe('answers that are too long', () => {
  const limit = 20_000
  const big = (char: string, bytes: number) => char.repeat(Math.ceil(bytes / Buffer.byteLength(char)))

  it.each(['x', 'é', '–', '🙂', '"', '\n', '\u2028', '\u0000'])(
    'made of %j: refused at the byte, not at the character',
    async char => {
      const written = Buffer.byteLength(JSON.stringify(char).replace('\u2028', '\\u2028')) - 2
      const bench = workbench({
        maxMessageBytes: limit,
        tools: { big: { inputSchema: { type: 'object' }, call: args => char.repeat((args as any).count) } },
      })
      const ask = async (count: number) => {
        const message = await bench.client.modern('tools/call', { name: 'big', arguments: { count } }, undefined, 'i')
        return message
      }
      const frame = Buffer.byteLength(JSON.stringify(await ask(0))) + 1
      const most = Math.floor((limit - frame) / written)
      expect(await ask(most)).toHaveProperty('result')
      expect((await ask(most + 1)).error).toEqual({
        code: -32603,
        message: `The answer to tools/call is ${frame + (most + 1) * written} bytes, more than the ${limit} that may be sent`,
      })
    },
  )

  it.each<[string, string, object]>([
    ['a tool', 'tools/call', { name: 'big' }],
    ['a tool that waits', 'tools/call', { name: 'big_later' }],
    ['a resource', 'resources/read', { uri: 'a:big' }],
    ['a prompt', 'prompts/get', { name: 'big' }],
  ])('of %s are errors in both eras, and the next call is answered', async (_name, method, params) => {
    const text = big('x', limit)
    const bench = workbench({
      maxMessageBytes: limit,
      tools: { big: { call: () => text }, big_later: { call: async () => text } },
      resources: { 'a:big': { read: () => text } },
      prompts: { big: { get: () => text } },
    })
    expect(await inBoth(bench, method, params)).toEqual([rpc(-32603, 'bytes'), rpc(-32603, 'bytes')])
    expect((await bench.client.callTool('echo', { text: 'x' })).result.content[0].text).toBe('x')
  })
})

describe('a failure in one message', () => {
  it('never touches the next: a thousand failing calls, each answered once, good ones between', async () => {
    const { client } = workbench({
      tools: { bad: { call: rejecting(new Error('x')) }, worse: { call: throwing(null) } },
    })
    await client.initialize()
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, id) => {
        const name = ['bad', 'worse', 'echo', 'nobody'][id % 4]!
        return client.callTool(name, { text: String(id) }, id)
      }),
    )
    answers.forEach(({ id, result, error }, index) => {
      expect(id).toBe(index)
      expect(
        [
          result?.isError === true,
          result?.isError === true,
          result?.content[0].text === String(index),
          error?.code === -32602,
        ][index % 4],
      ).toBe(true)
    })
    expect(new Set(client.heard.map(({ id }) => id)).size).toBe(client.heard.length)
  })
})
