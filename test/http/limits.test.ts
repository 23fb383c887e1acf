/** Each limit: what is below it and at it is served, what is above is refused, and nobody else is troubled. */
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Call, tool } from '../../runtime/index.ts'
import { Clients } from '../../transports/http/clients.ts'
import type { Authorizer } from '../../transports/http/index.ts'
import { usualLimits } from '../../transports/http/options.ts'
import { modern, serving } from './serving.ts'

const discover = modern('server/discover')
const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }

/** Everybody is who they say they are. */
const byName: Authorizer = {
  authorize: ({ headers }) => ({ access: 'act', client: headers.authorization ?? 'nobody' }),
}

function waiting() {
  const going: (() => void)[] = []
  const wait = tool({ call: () => new Promise<string>(resolve => going.push(() => resolve('done'))) })
  return { going, wait }
}

describe('the length of a body', () => {
  const maxBodyBytes = 1000
  const padded = (bytes: number) => {
    const text = JSON.stringify(discover.body)
    return text + ' '.repeat(bytes - text.length)
  }

  it.each([
    [999, 200],
    [1000, 200],
    [1001, 413],
    [100_000, 413],
  ])('%i bytes with a length', async (bytes, status) => {
    const site = await serving({ limits: { maxBodyBytes } })
    const answer = await site.ask({ method: 'POST', headers: discover.headers, body: padded(bytes) })
    expect(answer.status).toBe(status)
    if (status === 413) expect(answer.message.error.message).toContain('1000 bytes')
  })

  it.each([
    [999, 200],
    [1000, 200],
    [1001, 413],
    [5_000_000, 413],
  ])('%i bytes in chunks', async (bytes, status) => {
    const site = await serving({ limits: { maxBodyBytes } })
    const body = new Blob([padded(bytes)]).stream()
    const init = {
      method: 'POST',
      headers: discover.headers as Record<string, string>,
      body,
      duplex: 'half',
    } as RequestInit
    expect((await fetch(site.serving.url, init)).status).toBe(status)
  })

  it("is the server's longest line when nothing else is said", async () => {
    const site = await serving({}, { maxLineBytes: 800 })
    const ask = (bytes: number) => site.ask({ method: 'POST', headers: discover.headers, body: padded(bytes) })
    expect((await ask(800)).status).toBe(200)
    expect((await ask(801)).status).toBe(413)
  })
})

it('the length of the headers', async () => {
  const site = await serving({ limits: { maxHeaderBytes: 4096 } })
  const ask = (bytes: number) =>
    site.ask({ method: 'POST', headers: { ...discover.headers, X: 'x'.repeat(bytes) }, body: discover.body })
  expect((await ask(3000)).status).toBe(200)
  expect((await ask(4096)).status).toBe(431)
})

it('the number of connections', async () => {
  const site = await serving({ limits: { maxConnections: 2 } })
  const held = await Promise.all([1, 2].map(() => opened(site.serving.port)))
  await expect(site.post(discover.body, discover.headers)).rejects.toThrow()
  for (const socket of held) socket.destroy()
  await expect
    .poll(() =>
      site.post(discover.body, discover.headers).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
})

describe('the requests of one client', () => {
  it('at a time: one more is told to wait, and another client is served', async () => {
    const { going, wait } = waiting()
    const site = await serving({ authorizer: byName, limits: { maxRequestsPerClient: 2 } }, { tools: { wait } })
    const call = (Authorization: string) => {
      const { body, headers } = modern('tools/call', { name: 'wait' })
      return site.post(body, { ...headers, Authorization })
    }
    const ada = [call('ada'), call('ada')]
    await expect.poll(() => going.length).toBe(2)
    const third = await call('ada')
    expect(third.status).toBe(429)
    expect(third.headers['retry-after']).toBe('1')
    expect(third.message.error.message).toContain('2 requests open')
    const eve = call('eve')
    await expect.poll(() => going.length).toBe(3)
    for (const go of going) go()
    expect((await Promise.all([...ada, eve])).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await site.post(discover.body, { ...discover.headers, Authorization: 'ada' })).status).toBe(200)
  })

  it('in a second: counted with a clock that the test moves', () => {
    let now = 0
    const clients = new Clients({ ...usualLimits, requestsPerSecond: 10 }, () => now)
    const take = (client: string) => {
      const refused = clients.begin(client)
      if (refused === undefined) clients.end(client)
      return refused === undefined
    }
    const taken = (client: string) => Array.from({ length: 50 }, () => take(client)).filter(Boolean).length
    expect(taken('ada')).toBe(20)
    expect(taken('eve')).toBe(20)
    now += 100
    expect(taken('ada')).toBe(1)
    now += 1000
    expect(taken('ada')).toBe(10)
    now += 60_000
    expect(taken('ada')).toBe(20)
  })

  it('in a second: one more is told so', async () => {
    const site = await serving({ authorizer: byName, limits: { requestsPerSecond: 0.5 } })
    const ask = (Authorization: string) => site.post(discover.body, { ...discover.headers, Authorization })
    expect((await ask('ada')).status).toBe(200)
    const second = await ask('ada')
    expect(second.status).toBe(429)
    expect(second.message.error.message).toContain('requests a second')
    expect((await ask('eve')).status).toBe(200)
  })

  it('that are streams', async () => {
    const site = await serving({ authorizer: byName, limits: { maxStreamsPerClient: 2 } })
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const open = (Authorization: string) =>
      site.open({ method: 'POST', headers: { ...listen.headers, Authorization }, body: listen.body })
    const streams = [await open('ada'), await open('ada')]
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    expect((await open('ada')).status).toBe(429)
    const visit = await site.session({}, { Authorization: 'ada' })
    expect((await visit.listen()).status).toBe(429)
    const other = await open('eve')
    expect(other.status).toBe(200)
    streams[0]!.leave()
    await expect
      .poll(async () => {
        const again = await open('ada')
        again.leave()
        return again.status
      })
      .toBe(200)
    for (const stream of [...streams, other]) stream.leave()
  })

  it('that are streams are not counted as requests', async () => {
    const site = await serving({ limits: { maxRequestsPerClient: 1 } })
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const streams = []
    for (let i = 0; i < 3; i++) {
      const stream = await site.open({ method: 'POST', headers: listen.headers, body: listen.body })
      expect(stream.status).toBe(200)
      streams.push(stream)
    }
    expect((await site.post(discover.body, discover.headers)).status).toBe(200)
    for (const stream of streams) stream.leave()
  })
})

describe('the number of sessions', () => {
  it('the one that was not used for the longest time gives way', async () => {
    const site = await serving({ limits: { maxSessions: 2 } })
    const [one, two] = [await site.session(), await site.session()]
    await one.post(list)
    const three = await site.session()
    expect(site.serving.sessions).toBe(2)
    expect((await two.post(list)).status).toBe(404)
    expect((await one.post(list)).status).toBe(200)
    expect((await three.post(list)).status).toBe(200)
  })

  it('none that is in use gives way', async () => {
    const site = await serving({ limits: { maxSessions: 1 } })
    const visit = await site.session()
    const stream = await visit.listen()
    const refused = await site.post({
      ...list,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBe('10')
    stream.leave()
    await expect.poll(async () => (await site.session()).headers['Mcp-Session-Id']).toBeDefined()
  })

  it('of one client: no other client has to give way', async () => {
    const site = await serving({ authorizer: byName, limits: { maxSessionsPerClient: 2 } })
    const eve = await site.session({}, { Authorization: 'eve' })
    const ada = []
    for (let i = 0; i < 3; i++) ada.push(await site.session({}, { Authorization: 'ada' }))
    expect((await ada[0]!.post(list)).status).toBe(404)
    expect((await ada[2]!.post(list)).status).toBe(200)
    expect((await eve.post(list)).status).toBe(200)
  })
})

describe('a client that is slow on purpose', () => {
  it('does not get through its headers', async () => {
    const site = await serving({ limits: { headersTimeoutMs: 100 } })
    expect(await site.bytes('POST /mcp HTTP/1.1\r\nHost: localhost\r\n')).toContain(' 408 ')
  })

  it('does not get to the end of its body', async () => {
    const site = await serving({ limits: { bodyIdleMs: 50 } })
    const head =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n'
    const came = await site.bytes(head, '{"jsonrpc"')
    expect(came).toContain(' 408 ')
    expect(came).toContain('stopped coming')
  })

  it('does not get to the end of a body that comes byte by byte, for ever', async () => {
    const site = await serving({ limits: { headersTimeoutMs: 100, requestTimeoutMs: 200 } })
    const socket = await opened(site.serving.port)
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n',
    )
    const drip = setInterval(() => socket.write(' '), 20)
    await new Promise(resolve => socket.once('close', resolve))
    clearInterval(drip)
    expect((await site.post(discover.body, discover.headers)).status).toBe(200)
  })

  it('and does not read its answer is cut off', async () => {
    const big = tool({ call: () => 'x'.repeat(30_000_000) })
    const site = await serving({ limits: { stalledMs: 100 } }, { tools: { big }, maxMessageBytes: 60_000_000 })
    const { body, headers } = modern('tools/call', { name: 'big' })
    const answer = await site.open({ method: 'POST', headers, body })
    answer.pause()
    expect((await site.post(discover.body, discover.headers)).status).toBe(200)
    // What is in the socket may be read, and no more.
    setTimeout(() => answer.resume(), 1000)
    expect(await answer.ended).toBe('cut')
  })

  it('and does not read its stream holds nobody up, fills no memory, and is cut off', async () => {
    let cut = () => {}
    const wasCut = new Promise<void>(resolve => {
      cut = resolve
    })
    const flood = tool({
      async call(_, call: Call) {
        while (!call.signal.aborted) {
          for (let i = 0; i < 100; i++) call.log('error', 'x'.repeat(1000))
          await new Promise(resolve => setTimeout(resolve, 1))
        }
        cut()
        return 'done'
      },
    })
    const site = await serving({ limits: { stalledMs: 100 } }, { tools: { flood } })
    const logLevel = { 'io.modelcontextprotocol/logLevel': 'error' }
    const { body, headers } = modern('tools/call', { name: 'flood', _meta: logLevel })
    const before = process.memoryUsage().arrayBuffers
    const slow = await site.open({ method: 'POST', headers, body })
    slow.pause()
    const other = modern('tools/call', { name: 'echo', arguments: { text: 'quick' } })
    expect((await site.post(other.body, other.headers)).message.result.content[0].text).toBe('quick')
    await wasCut
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000)
    slow.resume()
    expect(await slow.ended).toBe('cut')
  })
})

function opened(port: number) {
  return new Promise<ReturnType<typeof connect>>(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', () => {})
  })
}
