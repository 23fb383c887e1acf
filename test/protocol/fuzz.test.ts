import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serveLink } from '../../runtime/index.ts'
import { modernMeta } from '../memory-client.ts'
import { settled } from '../owned-clock.ts'
import { withTasks } from './task-bench.ts'
import { TextLink } from './text-link.ts'
import { workbench } from './workbench.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
// What fast-check prints on a failure holds the seed and the path to the smallest counterexample.
const often = (numRuns: number) => ({ seed, numRuns, endOnFailure: false })
const maxLineBytes = 2000

/** A line of the input, and what is known of it: the id that must be answered once, or that nothing of it may run. */
interface Line {
  bytes: Uint8Array
  /** JSON of the id of a good request. */
  answers?: string
}

const utf8 = (text: string) => new TextEncoder().encode(text)

const good = (id: string | number, kind: number): Line => {
  const meta = kind % 2 === 0 ? modernMeta() : withTasks
  const [method, params] = [
    ['tools/list', {}],
    ['tools/call', { name: 'echo', arguments: { text: 'é🙂\u2028' } }],
    ['tools/call', { name: 'later', arguments: { turns: kind % 7 } }],
    ['tools/call', { name: 'fan', arguments: { percent: 1 } }],
    ['tools/call', { name: 'nobody' }],
    ['tools/call', { name: 'fails' }],
    ['no/such/method', {}],
    ['resources/read', { uri: 'sensor://bench' }],
    ['server/discover', {}],
    ['prompts/get', { name: 'report' }],
    ['tasks/get', { taskId: 'nobody' }],
  ][kind % 11] as [string, object]
  const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } })
  return { bytes: utf8(text), answers: JSON.stringify(id) }
}

const id = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.maxSafeInteger())
const kind = fc.nat(1000)

/** Whatever an object could look like on the way to a JSON-RPC message. */
const word = fc.oneof(
  fc.constantFrom(
    '2.0',
    '1.0',
    'tools/call',
    'tools/list',
    'tasks/get',
    'tasks/update',
    'tasks/cancel',
    'tasks/list',
    'tasks/result',
    'initialize',
    'ping',
    'notifications/cancelled',
    '__proto__',
    'constructor',
    '',
  ),
  fc.jsonValue({ maxDepth: 2 }),
)
const rpcish = fc.dictionary(
  fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error', '__proto__', 'constructor', 'toJSON', 'x'),
  fc.oneof(
    word,
    fc.dictionary(
      fc.constantFrom(
        '_meta',
        'name',
        'arguments',
        'uri',
        'cursor',
        'requestId',
        'protocolVersion',
        'capabilities',
        'clientInfo',
        'inputResponses',
        'requestState',
        'task',
        'taskId',
        '__proto__',
      ),
      fc.oneof(word, fc.constantFrom(modernMeta(), withTasks)),
    ),
  ),
)

const notification: fc.Arbitrary<Line> = fc
  .record({
    method: fc.constantFrom(
      'notifications/initialized',
      'notifications/made_up',
      'notifications/progress',
      'tools/list',
    ),
    params: fc.jsonValue({ maxDepth: 1 }),
  })
  .map(members => ({ bytes: utf8(JSON.stringify({ jsonrpc: '2.0', ...members })) }))

const noise: fc.Arbitrary<Line> = fc
  .oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 60 }).map(utf8),
    fc.jsonValue().map(value => utf8(JSON.stringify(value))),
    fc.constantFrom('', ' ', '\r', '{', '[', '[]', '{}', 'null', '"', '\ufeff', '[[]]', '[1,2]').map(utf8),
    // Cut off in the middle of a message.
    fc.tuple(kind, fc.nat(150)).map(([of, at]) => good('cut', of).bytes.slice(0, at)),
    // Over the limit, with what would be a good message inside.
    fc.nat(4000).map(more => utf8(`${'x'.repeat(maxLineBytes + more)}{"jsonrpc":"2.0","id":"inside","method":"ping"}`)),
  )
  // One line stays one line.
  .map(bytes => ({ bytes: bytes.map(byte => (byte === 0x0a ? 0x20 : byte)) }))

/** Cuts bytes in pieces of the given sizes, over and over. */
function feedIn(link: TextLink, bytes: Uint8Array, sizes: number[]): void {
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length]!)
    link.feed(bytes.subarray(from, from + size))
    from += size
  }
}

function overLink() {
  const bench = workbench({
    maxLineBytes,
    maxMessageBytes: 50_000,
    tools: {
      later: {
        task: 'optional',
        inputSchema: { type: 'object', properties: { turns: { type: 'integer' } } },
        async call({ turns = 1 }: any, call) {
          for (let turn = 0; turn < turns; turn++) {
            await Promise.resolve()
            call.progress(turn)
          }
          return 'later'
        },
      },
      fails: {
        call: () => {
          throw new Error('on purpose')
        },
      },
    },
  })
  const link = new TextLink()
  serveLink(bench.server, link, () => {})
  return { ...bench, link }
}

function join(lines: readonly Line[], end: string): Uint8Array {
  return Buffer.concat(lines.flatMap(({ bytes }) => [bytes, utf8(end)]))
}

/** How often each id was answered. */
function counted(messages: any[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const message of messages.flat()) {
    if (message.method !== undefined || message.id === undefined) continue
    const key = JSON.stringify(message.id)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

function wellFormed(messages: any[]): void {
  for (const message of messages.flat()) {
    expect(message.jsonrpc).toBe('2.0')
    const kinds = ['method', 'result', 'error'].filter(member => member in message)
    expect(kinds).toHaveLength(1)
    if (message.error !== undefined) {
      expect(Number.isInteger(message.error.code)).toBe(true)
      expect(typeof message.error.message).toBe('string')
    }
    expect(message.id).not.toBe(null)
  }
}

describe(`whatever comes in (SEED=${seed})`, () => {
  it('every good request is answered once, nothing else is, and the next one after it all too', async () => {
    const mixed = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: kind.map(of => ({ of })) },
        { weight: 3, arbitrary: noise.map(line => ({ line })) },
        { weight: 1, arbitrary: notification.map(line => ({ line })) },
      ),
      { maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(
        mixed,
        fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        async (script, sizes, end, reading) => {
          const { link } = overLink()
          link.reading = reading
          const lines = script.map((step, index): Line => ('of' in step ? good(`q${index}`, step.of) : step.line))
          feedIn(link, join([...lines, good('last', 0)], end), sizes)
          for (let i = 0; i < 4; i++) {
            link.drain()
            await settled()
          }
          const { messages } = link
          wellFormed(messages)
          const counts = counted(messages)
          for (const { answers } of lines)
            if (answers !== undefined) expect([answers, counts.get(answers)]).toEqual([answers, 1])
          expect(counts.get('"last"')).toBe(1)
          expect(counts.has('"inside"')).toBe(false)
          // An id of noise may be answered, when it could be read: once.
          expect([...counts.values()].every(count => count === 1)).toBe(true)
        },
      ),
      often(150),
    )
  }, 120_000)

  it('one chunk or many give the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            noise,
            fc.tuple(id, kind).map(([of, what]) => good(of, what)),
          ),
          { maxLength: 15 },
        ),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        async (lines, sizes) => {
          const input = join(lines, '\n')
          const outputs = []
          for (const cut of [[Number.POSITIVE_INFINITY], sizes]) {
            const { link } = overLink()
            feedIn(link, input, cut)
            await settled()
            // Calls that take a moment may be overtaken; what is said to each is the same.
            outputs.push(
              link.messages
                .map(message => JSON.stringify(message).replace(/"taskId":"[\w-]{24}"/, '"taskId":"random"'))
                .filter(text => !text.includes('in use'))
                .sort(),
            )
          }
          expect(outputs[1]).toEqual(outputs[0])
        },
      ),
      often(100),
    )
  }, 120_000)

  it('objects that look like messages harm nobody, in any era', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('none', '2025-11-25', '2025-03-26'),
        fc.array(fc.oneof(rpcish, fc.array(rpcish, { maxLength: 4 })), { maxLength: 20 }),
        async (version, values) => {
          const { client, clock } = workbench()
          if (version !== 'none') await client.initialize(version)
          const sent = new Map<string, number>()
          for (const value of values) {
            for (const one of [value].flat()) {
              const key = JSON.stringify((one as any).id)
              if (key !== undefined) sent.set(key, (sent.get(key) ?? 0) + 1)
            }
            client.line(JSON.stringify(value))
            // Noise is answered a hundred times a second at most; here it is to be answered always.
            await clock.advance(1000)
          }
          await settled()
          wellFormed(client.heard)
          for (const [key, count] of counted(client.heard)) {
            if (!key.startsWith('"t')) expect(count).toBeLessThanOrEqual(sent.get(key) ?? 0)
          }
          expect((await client.modern('tools/list', {}, modernMeta(), 'alive')).result.tools).toBeDefined()
          expect(({} as any).text).toBeUndefined()
        },
      ),
      often(300),
    )
  }, 120_000)

  it('slow calls, cancels and ids used twice: no id is answered more often than it was asked, none that was cancelled', async () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('call' as const), id: fc.nat(5) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('cancel' as const), id: fc.nat(5) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('open' as const), id: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('turn' as const), id: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('quick' as const), id: fc.nat(5) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.boolean(), async (script, modern) => {
        const { client, gate } = workbench()
        await client.initialize()
        client.heard.length = 0
        const params = (name: string, args: object) => ({
          name,
          arguments: args,
          ...(modern ? { _meta: modernMeta() } : {}),
        })
        /** What this server ought to do, in a few lines. */
        const running = new Map<number, string>()
        const due = new Map<number, number>()
        let refusals = 0
        const count = (of: number) => due.set(of, (due.get(of) ?? 0) + 1)
        const opened = new Set<string>()
        const finish = () => {
          for (const [of, name] of running) {
            if (!opened.has(name)) continue
            running.delete(of)
            count(of)
          }
        }
        let calls = 0
        for (const { do: what, id: of } of script) {
          if (what === 'call' || what === 'quick') {
            if (running.has(of)) refusals++
            else if (what === 'quick') count(of)
            const name = `gate ${calls++}`
            if (what === 'call' && !running.has(of)) running.set(of, name)
            const message = what === 'call' ? params('wait', { gate: name }) : params('echo', { text: 'x' })
            client.send({ jsonrpc: '2.0', id: of, method: 'tools/call', params: message })
          } else if (what === 'cancel') {
            running.delete(of)
            client.notify('notifications/cancelled', { requestId: of })
          } else {
            if (what === 'open') {
              const name = running.get(of)
              if (name !== undefined) {
                opened.add(name)
                gate(name).open()
              }
            }
            await settled()
            finish()
          }
        }
        // The gates of cancelled calls open too late for anybody to hear.
        for (let i = 0; i < calls; i++) {
          opened.add(`gate ${i}`)
          gate(`gate ${i}`).open()
        }
        await settled()
        finish()
        const heard = counted(client.heard)
        for (let of = 0; of <= 5; of++) expect([of, heard.get(String(of)) ?? 0]).toEqual([of, due.get(of) ?? 0])
        expect(client.heard.filter(message => message.id === undefined && message.error?.code === -32600)).toHaveLength(
          refusals,
        )
        expect(await client.modern('tools/list')).toHaveProperty('result')
      }),
      often(200),
    )
  }, 120_000)

  it('batches of anything are answered by one line, with one answer for each request in them', async () => {
    const element = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom('ping', 'tools/list', 'nobody', 'later').map(of => ({ of })) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }).map(value => ({ value })) },
      { weight: 1, arbitrary: fc.constant({ value: { jsonrpc: '2.0', method: 'notifications/made_up' } }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(element, { minLength: 1, maxLength: 12 }), async elements => {
        const { client } = workbench({ tools: { later: { call: async () => 'x' } } })
        await client.initialize('2025-03-26')
        client.heard.length = 0
        const batch = elements.map((each, index) =>
          'of' in each
            ? each.of === 'later'
              ? { jsonrpc: '2.0', id: index, method: 'tools/call', params: { name: 'later' } }
              : { jsonrpc: '2.0', id: index, method: each.of }
            : each.value,
        )
        client.line(JSON.stringify(batch))
        await settled()
        const asked = elements.flatMap((each, index) => ('of' in each ? [index] : []))
        wellFormed(client.heard)
        expect(client.heard.length).toBeLessThanOrEqual(1)
        const ids = (client.heard[0] ?? []).filter((answer: any) => Number.isInteger(answer.id) && answer.id >= 0)
        expect(
          ids
            .map((answer: any) => answer.id)
            .filter((of: number) => asked.includes(of))
            .sort((a: number, b: number) => a - b),
        ).toEqual(asked)
      }),
      often(200),
    )
  }, 120_000)
})
