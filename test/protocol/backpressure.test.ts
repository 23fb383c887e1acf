import { describe, expect, it } from 'vitest'
import { type LinkSession, serveLink } from '../../runtime/index.ts'
import { modernMeta } from '../memory-client.ts'
import { settled } from '../owned-clock.ts'
import { TextLink } from './text-link.ts'
import { workbench } from './workbench.ts'

const MiB = 1024 * 1024
const answerBytes = 10_000
const calls = 10_000
/** How much may wait to be sent before no more is read. */
const mostPending = MiB

function overLink(options: Parameters<typeof workbench>[0] = {}) {
  const text = 'x'.repeat(answerBytes - 200)
  const bench = workbench({
    ...options,
    tools: { big: { call: () => text }, big_later: { call: async () => text }, ...options.tools },
  })
  const link = new TextLink()
  let ended = 0
  const session: LinkSession = serveLink(bench.server, link, () => ended++)
  const request = (id: string | number, method: string, params: object = {}, more: Record<string, unknown> = {}) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta(more) } })}\n`
  const call = (id: string | number, name: string, args: object = {}, more: Record<string, unknown> = {}) =>
    request(id, 'tools/call', { name, arguments: args }, more)
  /** The other end stops reading, and the server has noticed. */
  const clog = async () => {
    link.reading = false
    link.feed(request('clog', 'tools/list'))
    await settled()
    link.writes.length = 0
  }
  const unclog = async () => {
    link.reading = true
    link.drain()
    await settled()
  }
  return { ...bench, link, session, request, call, clog, unclog, ended: () => ended }
}

/**
 * Gives chunks while the link takes them, drains while it does not. `most` is the most that ever waited, in characters;
 * `answered` holds the ids of the results in the order in which they came.
 */
async function play(link: TextLink, input: string, chunkSize: number, obeys = true) {
  const bytes = new TextEncoder().encode(input)
  let drains = 0
  let most = 0
  let writes = 0
  const answered: number[] = []
  // A hundred megabytes are looked at as they come, and let go.
  link.write = text => {
    writes++
    most = Math.max(most, text.length)
    for (const [, id] of text.matchAll(/^\{"jsonrpc":"2.0","id":(\d+),"result":/gm)) answered.push(Number(id))
    return false
  }
  for (let from = 0; from < bytes.length || link.paused; ) {
    if (from < bytes.length && !(obeys && link.paused)) {
      link.feed(bytes.subarray(from, from + chunkSize))
      from += chunkSize
    } else {
      link.drain()
      drains++
    }
    await settled()
  }
  for (let before = -1; before !== writes; ) {
    before = writes
    link.drain()
    await settled()
  }
  return { drains, most, answered }
}

describe('a peer that does not read', () => {
  it.each([
    ['in one chunk', Number.POSITIVE_INFINITY, true],
    ['in chunks of 64 KiB', 65_536, true],
    ['in chunks of 64 KiB from a link that does not pause', 65_536, false],
  ])(
    'gets ten thousand answers of ten thousand bytes in order, and little ever waits: %s',
    async (_name, chunkSize, obeys) => {
      const { link, call } = overLink()
      const input = Array.from({ length: calls }, (_, id) => call(id, 'big')).join('')
      const { most, drains, answered } = await play(link, input, chunkSize, obeys)
      expect(most).toBeGreaterThan(answerBytes)
      expect(most).toBeLessThanOrEqual(mostPending + answerBytes)
      expect(drains).toBeGreaterThan(50)
      expect(answered).toEqual(Array.from({ length: calls }, (_, id) => id))
    },
    60_000,
  )

  it('gets the answers of calls that take a moment too; what waits is bounded by what may run', async () => {
    const { link, call } = overLink({ maxCallsInFlight: 200 })
    // Less than 200 calls are in a chunk.
    const input = Array.from({ length: calls }, (_, id) => call(id, 'big_later')).join('')
    const { most, answered } = await play(link, input, 16_384)
    expect(most).toBeLessThanOrEqual(mostPending + 200 * answerBytes)
    expect(answered).toEqual(Array.from({ length: calls }, (_, id) => id))
  }, 60_000)

  it('is not read from either, until it reads again', async () => {
    const { link, call, clog, ran } = overLink()
    await clog()
    link.feed(Array.from({ length: 200 }, (_, id) => call(id, 'big')).join(''))
    expect(link.paused).toBe(true)
    expect(ran).toEqual([])
    link.feed(call('held back', 'echo', { text: 'held back' }))
    await settled()
    expect(ran).toEqual([])
    expect(link.writes).toEqual([])
    link.drain()
    expect(link.writes).toHaveLength(1)
    expect(link.paused).toBe(true)
    link.reading = true
    link.drain()
    await settled()
    expect(link.paused).toBe(false)
    expect(ran).toEqual(['held back'])
    expect(link.messages.map(({ id }) => id)).toEqual([...Array.from({ length: 200 }, (_, id) => id), 'held back'])
  })

  it('is never read from while the link asks to wait', async () => {
    const { link, call } = overLink()
    link.reading = false
    // The rest fits in one go, and after it the link is full again.
    link.feed(Array.from({ length: 150 }, (_, id) => call(id, 'big')).join(''))
    expect(link.writes).toHaveLength(1)
    link.drain()
    await settled()
    expect(link.messages).toHaveLength(150)
    expect(link.paused).toBe(true)
    link.reading = true
    link.drain()
    expect(link.paused).toBe(false)
  })

  it('hears of the end of its input once, after everything before it was answered', async () => {
    const { link, call, ended, unclog } = overLink()
    link.reading = false
    link.feed(
      Array.from({ length: 300 }, (_, id) => call(id, 'big')).join('') + call('last', 'echo', { text: 'x' }).trim(),
    )
    link.end()
    expect(ended()).toBe(0)
    link.drain()
    link.drain()
    await unclog()
    expect(ended()).toBe(1)
    expect(link.messages.at(-1).id).toBe('last')
    link.drain()
    link.drain()
    expect(ended()).toBe(1)
  })

  it('gets each change once when it reads again, however often it came', async () => {
    const { link, server, request, clog, unclog } = overLink()
    const uris = ['a:1', 'a:2', 'sensor://bench']
    link.feed(
      request('sub', 'subscriptions/listen', {
        notifications: { toolsListChanged: true, resourceSubscriptions: uris },
      }),
    )
    link.feed(
      '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}\n',
    )
    link.feed('{"jsonrpc":"2.0","id":"s","method":"resources/subscribe","params":{"uri":"sensor://bench"}}\n')
    await settled()
    await clog()
    for (let i = 0; i < 1000; i++) {
      for (const uri of uris) server.resourceUpdated(uri)
      server.tools.set('echo', { call: () => String(i) })
      if (i % 100 === 0) await settled()
    }
    await settled()
    expect(link.writes).toEqual([])
    await unclog()
    const told = link.messages.map(({ method, params }) => [method, params?.uri, params?._meta !== undefined].join(' '))
    expect(told.sort()).toEqual(
      [
        'notifications/resources/updated a:1 true',
        'notifications/resources/updated a:2 true',
        'notifications/resources/updated sensor://bench true',
        'notifications/resources/updated sensor://bench false',
        'notifications/tools/list_changed  true',
        'notifications/tools/list_changed  false',
      ].sort(),
    )
    server.resourceUpdated('a:1')
    await settled()
    expect(link.messages).toHaveLength(7)
  })

  it('misses progress and log messages of that time, but no answer', async () => {
    const { link, server, call, clog, unclog } = overLink({
      tools: {
        busy: {
          async call(_args, call) {
            for (let step = 1; step <= 1000; step++) {
              call.progress(step)
              call.log('emergency', step)
            }
            return 'done'
          },
        },
        after: { call: (_args, call) => call.progress(1) },
      },
    })
    await clog()
    link.feed(call('b', 'busy', {}, { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' }))
    server.log('emergency', 'x')
    await settled()
    await unclog()
    expect(link.messages.map(({ id, method }) => id ?? method)).toEqual(['b'])
    link.feed(call('a', 'after', {}, { progressToken: 2 }))
    await settled()
    expect(link.messages.map(({ id, method }) => id ?? method)).toEqual(['b', 'notifications/progress', 'a'])
  })

  it('gets what is answered at the same moment in one write', async () => {
    const { link, call } = overLink()
    link.feed(Array.from({ length: 50 }, (_, id) => call(id, 'echo', { text: 'x' })).join(''))
    expect(link.writes).toHaveLength(1)
    link.feed(Array.from({ length: 50 }, (_, id) => call(id, 'big_later')).join(''))
    await settled()
    expect(link.writes).toHaveLength(2)
    expect(link.messages).toHaveLength(100)
  })

  it('can be told whether everything was handed over', async () => {
    const { link, session, call, gate, clog, unclog } = overLink()
    expect(session.flushed).toBe(true)
    await clog()
    expect(session.flushed).toBe(false)
    link.feed(call('w', 'wait'))
    gate('gate').open()
    await settled()
    expect(link.writes).toEqual([])
    await unclog()
    expect(session.flushed).toBe(true)
    expect(link.messages.map(({ id }) => id)).toEqual(['w'])
  })

  it('that floods with noise costs a bounded amount', async () => {
    const { link, request } = overLink()
    link.reading = false
    link.feed('noise\n'.repeat(10_000) + request('after', 'tools/list'))
    for (let i = 0; i < 5; i++) link.drain()
    await settled()
    expect(link.messages.length).toBeLessThanOrEqual(101)
    expect(link.messages.at(-1).id).toBe('after')
  })
})
