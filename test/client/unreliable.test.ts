import { describe, expect, it } from 'vitest'
import type { McpClientOptions } from '../../runtime/client/index.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { bridged, type EraName, Line } from './line.ts'

const text = (text: string) => ({ content: [{ type: 'text', text }] })

/** A device of the handshake revisions that answers a call of `echo` when the test says so. */
async function board(options: Partial<McpClientOptions> = {}) {
  const clock = new OwnedClock()
  const line = new Line({ clock, requestTimeoutMs: 1000, ...options })
  const calls: any[] = []
  const replies: Record<string, (message: any) => unknown> = {
    initialize: ({ params }) => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
      serverInfo: { name: 'board-A', version: '1' },
    }),
    'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
    'resources/list': () => ({ resources: [{ uri: 'sensor://board/light', name: 'light' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
    'logging/setLevel': () => ({}),
  }
  line.device = sent => {
    const message = JSON.parse(sent)
    if (message.method === 'tools/call') calls.push(message)
    else if (message.id !== undefined && message.method !== undefined) {
      const result = replies[message.method]?.(message)
      if (result === undefined)
        line.say({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'unknown' } })
      else line.say({ jsonrpc: '2.0', id: message.id, result })
    }
  }
  const reply = (call: any, result: object) => line.say({ jsonrpc: '2.0', id: call.id, result })
  const connect = async () => {
    const session = line.client.connect()
    await settled()
    return session
  }
  return { clock, line, calls, reply, replies, connect }
}

const echo = (value: string) => ['tools/call', { name: 'echo', arguments: { text: value } }] as const

describe('a device that is slow', () => {
  it('an answer that comes after its time is dropped and told, and every later call gets its own', async () => {
    const { clock, line, calls, reply, connect } = await board()
    await connect()
    const { request } = await bridged(line, 'legacy')
    const first = request(...echo('late'))
    await clock.advance(1000)
    const { result } = await first
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toBe(
      'echo: board-A did not answer within 1 s. Whether it was carried out is not known: look at the device before you repeat it.',
    )
    expect(line.sent.at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: calls[0].id, reason: 'It took too long' },
    })
    const second = request(...echo('second'))
    await settled()
    await clock.advance(600)
    reply(calls[0], text('late'))
    reply(calls[1], text('second'))
    expect((await second).result.content[0].text).toBe('second')
    const third = request(...echo('third'))
    await settled()
    reply(calls[2], text('third'))
    expect((await third).result.content[0].text).toBe('third')
    expect(line.diagnosed.filter(told => told.includes('too late'))).toEqual([
      'board-A answered tools/call after 1.6 s, too late: the answer was dropped',
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  })

  it('a call that reports progress may take longer, but not for ever', async () => {
    const { clock, line, calls, reply, connect } = await board()
    await connect()
    const { request } = await bridged(line, 'legacy')
    const call = request(...echo('slow'))
    await settled()
    const { progressToken } = calls[0].params._meta
    for (let step = 1; step <= 5; step++) {
      await clock.advance(900)
      line.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: step } })
    }
    await settled()
    reply(calls[0], text('done'))
    expect((await call).result.content[0].text).toBe('done')
    const endless = request(...echo('endless'))
    await settled()
    const token = calls[1].params._meta.progressToken
    let isOver = false
    void endless.then(() => {
      isOver = true
    })
    for (let step = 1; step < 100 && !isOver; step++) {
      await clock.advance(900)
      line.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: step } })
    }
    expect((await endless).result.content[0].text).toContain('did not answer')
  })

  it('two calls answered in the wrong order get their own answers', async () => {
    const { line, calls, reply, connect } = await board()
    await connect()
    const { request } = await bridged(line, 'modern')
    const both = [request(...echo('a')), request(...echo('b'))]
    await settled()
    reply(calls[1], text('b'))
    reply(calls[0], text('a'))
    expect((await Promise.all(both)).map(({ result }) => result.content[0].text)).toEqual(['a', 'b'])
  })
})

describe('a device that goes away', () => {
  it('ends calls at once with what is known, keeps its tools, and works when it is back', async () => {
    const { clock, line, calls, reply, connect } = await board({ awayMs: () => 2000 })
    await connect()
    const { request } = await bridged(line, 'legacy')
    const cut = request(...echo('cut'))
    await settled()
    line.client.lost('the cable was pulled')
    const { result } = await cut
    expect(result.content[0].text).toBe(
      'echo: board-A was lost before it answered (the cable was pulled). Whether it was carried out is not known: look at the device before you repeat it.',
    )
    const away = request(...echo('away'))
    await clock.advance(2000)
    expect((await away).result.content[0].text).toBe(
      'echo: board-A is away: the cable was pulled. Nothing was done: check its cable and power, then call again.',
    )
    expect((await request('tools/list')).result.tools).toHaveLength(1)
    const early = request(...echo('early'))
    await settled()
    await connect()
    await settled()
    reply(calls[0], text('cut'))
    reply(calls[1], text('early'))
    expect((await early).result.content[0].text).toBe('early')
    expect(line.diagnosed).toEqual([
      expect.stringMatching(/^Tool echo failed: board-A was lost .*repeat it\.$/),
      expect.stringMatching(/^Tool echo failed: board-A is away.*call again\.$/),
      'board-A sent an answer that nobody waits for',
    ])
  })

  it('is subscribed to again, and told the log level again, and who watches reads anew', async () => {
    const { line, connect } = await board()
    await connect()
    const { request, host } = await bridged(line, 'legacy')
    await line.client.setLogLevel('warning')
    await request('resources/subscribe', { uri: 'sensor://board/light' })
    await line.called('resources/subscribe')
    await settled()
    line.client.lost('the cable was pulled')
    const updated = host.called('notifications/resources/updated')
    await connect()
    expect((await line.called('resources/subscribe', 2)).params).toEqual({ uri: 'sensor://board/light' })
    expect((await line.called('logging/setLevel', 2)).params).toEqual({ level: 'warning' })
    expect((await updated).params.uri).toBe('sensor://board/light')
  })

  it('that started anew without a cut is met again, and the call that it refused runs once', async () => {
    const { line, calls, reply, connect } = await board()
    await connect()
    const { request } = await bridged(line, 'legacy')
    const call = request(...echo('again'))
    await settled()
    line.say({ jsonrpc: '2.0', id: calls[0].id, error: { code: -32002, message: 'not initialized' } })
    await line.called('initialize', 2)
    await settled()
    expect(calls).toHaveLength(2)
    reply(calls[1], text('again'))
    expect((await call).result.content[0].text).toBe('again')
  })

  it('while it is met does not take the old handshake for the new one', async () => {
    const { line, connect, replies } = await board()
    const { initialize } = replies
    replies.initialize = () => undefined
    line.device = () => {}
    const first = line.client.connect().catch((failed: Error) => failed.message)
    line.client.lost('the cable was pulled')
    expect(await first).toContain('was lost')
    expect(line.client.session).toBeUndefined()
    void initialize
    void connect
  })
})

describe('a line with noise', () => {
  it('is told once and harms nothing', async () => {
    const { line, calls, reply, connect } = await board()
    await connect()
    const { request } = await bridged(line, 'legacy')
    const call = request(...echo('x'))
    await settled()
    for (const noise of ['garbage', 'garbage', '{"not":"rpc"}', '[1,2]', '{}', 'null', '"text"', '42', ''])
      line.say(noise)
    line.say('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad line"}}')
    line.say({ jsonrpc: '2.0', method: 'notifications/unknown' })
    line.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'nobody', progress: 1 } })
    reply(calls[0], text('x'))
    expect((await call).result.content[0].text).toBe('x')
    expect(line.diagnosed).toEqual([...new Set(line.diagnosed)])
    expect(line.diagnosed).toContain('board-A sent a line that is no JSON: garbage')
    expect(line.diagnosed).toContain('board-A could not read a line: bad line')
  })

  it('answers a ping, and refuses what nobody can answer', async () => {
    const { line, connect } = await board()
    await connect()
    line.say({ jsonrpc: '2.0', id: 'p', method: 'ping' })
    line.say({ jsonrpc: '2.0', id: 'r', method: 'roots/list' })
    line.say({ jsonrpc: '2.0', id: 'u', method: 'tasks/list' })
    await settled()
    const answers = line.sent.filter(({ method }) => method === undefined)
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 'p', result: {} },
      { jsonrpc: '2.0', id: 'r', error: { code: -32603, message: 'No call is under way whose client could be asked' } },
      { jsonrpc: '2.0', id: 'u', error: { code: -32601, message: 'Unknown method tasks/list' } },
    ])
  })
})

describe('lists of many pages', () => {
  it('are read whole, also where a cursor is empty', async () => {
    const { line, replies, connect } = await board()
    const pages: Record<string, object> = {
      first: { tools: [{ name: 'a' }], nextCursor: '' },
      '': { tools: [{ name: 'b' }], nextCursor: 'last' },
      last: { tools: [{ name: 'c' }, 'no tool', null] },
    }
    replies['tools/list'] = ({ params }) => pages[params.cursor ?? 'first']
    await connect()
    expect((await line.client.listTools()).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  it('that never end are cut', async () => {
    const { line, replies, connect } = await board()
    replies['tools/list'] = () => ({ tools: [{ name: 'a' }], nextCursor: 'again' })
    await connect()
    expect(await line.client.listTools()).toHaveLength(2)
    expect(line.diagnosed).toEqual(['board-A gives its list of tools without an end: it was cut'])
  })

  it('are asked for once more when the answer is lost on the way', async () => {
    const { clock, line, replies, connect } = await board()
    await connect()
    const { 'tools/list': list } = replies
    const silent = line.device
    line.device = sent => {
      if (JSON.parse(sent).method === 'tools/list') line.device = silent
      else silent(sent)
    }
    const tools = line.client.listTools()
    await clock.advance(1000)
    expect(await tools).toHaveLength(1)
    void list
  })
})

describe.each<EraName>(['modern', 'legacy'])('what a device may say behind a %s host', era => {
  it('codes that are kept for the specification become an internal error', async () => {
    const { line, replies, connect } = await board()
    await connect()
    const { request } = await bridged(line, era)
    const previous = line.device
    for (const [code, expected] of [
      [-32000, -32603],
      [-32042, -32603],
      [-32002, era === 'modern' ? -32602 : -32002],
      [7, 7],
      [-32603, -32603],
    ]) {
      line.device = sent => {
        const { id } = JSON.parse(sent)
        line.say({ jsonrpc: '2.0', id, error: { code, message: 'it\nfailed', data: { uri: 'sensor://board/light' } } })
      }
      const { error } = await request('resources/read', { uri: 'sensor://board/light' })
      expect(error).toMatchObject({ code: expected, message: 'it failed' })
    }
    line.device = previous
    void replies
  })

  it('a page that the person must visit first is told to the model', async () => {
    const { line, calls, connect } = await board()
    await connect()
    const { request } = await bridged(line, era)
    const call = request(...echo('x'))
    await settled()
    const data = {
      elicitations: [{ mode: 'url', elicitationId: '1', url: 'https://example.com/in', message: 'Sign in' }],
    }
    line.say({ jsonrpc: '2.0', id: calls[0].id, error: { code: -32042, message: 'Sign in first', data } })
    expect((await call).result).toMatchObject({
      isError: true,
      content: [{ text: 'echo: Sign in first. Let the person visit https://example.com/in, then call again' }],
    })
  })

  it('results that are none become errors', async () => {
    const { line, calls, reply, connect } = await board()
    await connect()
    const { request } = await bridged(line, era)
    const wrong = [{ content: 'text' }, { resultType: 'later' }, { content: {} }]
    for (const result of wrong) {
      const call = request(...echo('x'))
      await settled()
      reply(calls.at(-1), result)
      expect((await call).result).toMatchObject({ isError: true })
    }
  })
})
