/** Revisions 2025-03-26 to 2025-11-25 over HTTP: sessions, their streams, and what belongs to whom. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Call, tool } from '../../runtime/index.ts'
import type { Authorizer } from '../../transports/http/index.ts'
import { json, modern, serving } from './serving.ts'

const dead = '00000000-dead-4000-8000-000000000000'
const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** A tool that waits until the test lets it go on. */
function waiting() {
  const going: ((text: string) => void)[] = []
  const reasons: unknown[] = []
  const wait = tool({
    call: (_, call: Call) =>
      new Promise<string>((resolve, reject) => {
        call.signal.addEventListener('abort', () => {
          reasons.push((call.signal.reason as Error).message)
          reject(call.signal.reason)
        })
        going.push(resolve)
      }),
  })
  return { going, reasons, wait }
}

describe('a session', () => {
  it('has an id that nobody guesses, and ends by it', async () => {
    const site = await serving()
    const [one, two] = await Promise.all([site.session(), site.session()])
    expect(one.headers['Mcp-Session-Id']).toMatch(/^[\x21-\x7e]{32,}$/)
    expect(one.headers['Mcp-Session-Id']).not.toBe(two.headers['Mcp-Session-Id'])
    expect(site.serving.sessions).toBe(2)
    expect((await one.post(list)).message.result.tools).toHaveLength(1)
    expect(await one.leave()).toMatchObject({ status: 204, body: '' })
    expect((await one.post(list)).status).toBe(404)
    expect((await one.leave()).status).toBe(404)
    expect((await two.post(list)).status).toBe(200)
    expect(site.serving.sessions).toBe(1)
  })

  it('is not another one, and not none', async () => {
    const site = await serving()
    const visit = await site.session()
    const unknown = await site.post(list, { 'Mcp-Session-Id': dead })
    expect(unknown).toMatchObject({ status: 404 })
    expect(unknown.message).toMatchObject({ id: 7, error: { message: expect.stringContaining('initialize') } })
    const none = await site.post(list)
    expect(none).toMatchObject({ status: 400 })
    expect(none.message).toMatchObject({ id: 7, error: { message: expect.stringContaining('initialize') } })
    for (const method of ['GET', 'DELETE']) {
      const headers = { Accept: 'text/event-stream' }
      expect((await site.ask({ method, headers: { ...headers, 'Mcp-Session-Id': dead } })).status).toBe(404)
      expect((await site.ask({ method, headers })).status).toBe(400)
    }
    expect((await visit.post(list)).status).toBe(200)
  })

  it('begins anew for a client that still carries a dead id, and not for one whose session lives', async () => {
    const site = await serving()
    const again = await site.post(initialize, { 'Mcp-Session-Id': dead })
    expect(again.status).toBe(200)
    expect(again.headers['mcp-session-id']).not.toBe(dead)
    const visit = await site.session()
    const twice = await visit.post(initialize)
    expect(twice).toMatchObject({ status: 400 })
    expect(twice.message).toMatchObject({ id: 1, error: { code: -32600 } })
    expect((await visit.post(list)).status).toBe(200)
  })

  it('is not begun by an initialize that is wrong', async () => {
    const site = await serving()
    const answer = await site.post({ ...initialize, params: { protocolVersion: 7 } })
    expect(answer.message.error.code).toBe(-32602)
    expect(answer.headers['mcp-session-id']).toBeUndefined()
    expect(site.serving.sessions).toBe(0)
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('agrees on %s', async protocolVersion => {
    const site = await serving()
    const params = { ...initialize.params, protocolVersion }
    expect((await site.post({ ...initialize, params })).message.result.protocolVersion).toBe(protocolVersion)
  })

  it('takes headers of any revision that is served, or none, and refuses others', async () => {
    const site = await serving()
    const visit = await site.session()
    const bare = { 'Mcp-Session-Id': visit.headers['Mcp-Session-Id'] as string }
    const status = async (version?: string) =>
      (await site.post(list, { ...bare, ...(version !== undefined && { 'MCP-Protocol-Version': version }) })).status
    for (const version of [undefined, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      expect(await status(version)).toBe(200)
    }
    for (const version of ['1999-01-01', '2025-11-26', '2026-07-28', 'x', '']) expect(await status(version)).toBe(400)
    const refused = await visit.post(list, { 'MCP-Protocol-Version': '1999-01-01' })
    expect(refused.message).toMatchObject({ id: 7, error: { code: -32022, data: { requested: '1999-01-01' } } })
    expect((await visit.listen({ 'MCP-Protocol-Version': '1999-01-01' })).status).toBe(400)
  })

  it('does not look at headers that came with a later revision', async () => {
    const visit = await (await serving()).session()
    expect((await visit.post(list, { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'x' })).status).toBe(200)
  })

  it('answers what is in the message with status 200, and what is no message with 400', async () => {
    const visit = await (await serving()).session()
    const status = async (body: unknown) => {
      const answer = await visit.post(body)
      return [answer.status, answer.body === '' ? undefined : answer.message.error?.code]
    }
    expect(await status({ ...list, method: 'no/such' })).toEqual([200, -32601])
    expect(await status({ ...list, method: 'tools/call', params: { name: 'nobody' } })).toEqual([200, -32602])
    expect(await status({ ...list, params: [] })).toEqual([400, -32600])
    expect(await status([list, { ...list, id: 8 }])).toEqual([400, -32600])
    expect(await status([])).toEqual([400, -32600])
    expect(await status({ jsonrpc: '2.0', method: 'notifications/made_up' })).toEqual([202, undefined])
    expect(await status({ jsonrpc: '2.0', id: 'ferrule-99', result: {} })).toEqual([202, undefined])
  })

  it('goes on answering however much noise there was', async () => {
    const visit = await (await serving()).session()
    for (let i = 0; i < 150; i++) expect((await visit.post([])).status).toBe(400)
    expect((await visit.post(list)).status).toBe(200)
  })

  it('has nothing to do with messages outside of it', async () => {
    const site = await serving()
    expect(await site.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({
      status: 202,
      body: '',
    })
    expect((await site.post({ jsonrpc: '2.0', id: 1, result: {} })).status).toBe(400)
    expect((await site.post([list])).status).toBe(400)
    expect((await site.post([modern('tools/list').body])).status).toBe(400)
    expect((await site.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(400)
  })

  it('ends when it is not used, and not while a call runs or its client listens', async () => {
    const { going, wait } = waiting()
    const site = await serving({ limits: { sessionIdleMs: 60 } }, { tools: { wait } })
    const [idle, busy, listening] = await Promise.all([site.session(), site.session(), site.session()])
    const call = busy.call('wait')
    const stream = await listening.listen()
    await expect.poll(() => site.serving.sessions).toBe(2)
    expect((await idle.post(list)).status).toBe(404)
    going[0]!('done')
    expect((await call).message.result.content[0].text).toBe('done')
    stream.leave()
    await expect.poll(() => site.serving.sessions).toBe(0)
  })

  it('belongs to who opened it, with what they may do', async () => {
    const people: Record<string, Awaited<ReturnType<Authorizer['authorize']>>> = {
      ada: { access: 'act', client: 'ada' },
      eve: { access: 'act', client: 'eve' },
      less: { access: 'read', client: 'ada' },
    }
    const site = await serving({ authorizer: { authorize: ({ headers }) => people[headers.authorization!]! } })
    const visit = await site.session({}, { Authorization: 'ada' })
    for (const other of ['eve', 'less']) {
      expect((await visit.post(list, { Authorization: other })).status).toBe(404)
      expect((await visit.listen({ Authorization: other })).status).toBe(404)
      expect((await site.ask({ method: 'DELETE', headers: { ...visit.headers, Authorization: other } })).status).toBe(
        404,
      )
    }
    expect((await visit.post(list)).status).toBe(200)
  })
})

describe('calls of a session', () => {
  it('each get their own answer, and wait for no other', async () => {
    const { going, wait } = waiting()
    const site = await serving({}, { tools: { wait } })
    const [one, two] = await Promise.all([site.session(), site.session()])
    const first = one.call('wait', {}, { id: 1 })
    await expect.poll(() => going.length).toBe(1)
    const second = two.call('wait', {}, { id: 1 })
    await expect.poll(() => going.length).toBe(2)
    going[1]!('second')
    expect((await second).message.result.content[0].text).toBe('second')
    going[0]!('first')
    expect((await first).message.result.content[0].text).toBe('first')
  })

  it('do not share an id: the second is refused and not run', async () => {
    const { going, wait } = waiting()
    const visit = await (await serving({}, { tools: { wait } })).session()
    const first = visit.call('wait')
    await expect.poll(() => going.length).toBe(1)
    const second = await visit.call('wait')
    expect(second.status).toBe(400)
    expect(second.message.error.message).toContain('in use')
    expect(second.message).not.toHaveProperty('id')
    going[0]!('done')
    expect((await first).message.result.content[0].text).toBe('done')
    expect(going).toHaveLength(1)
    const third = visit.call('wait')
    await expect.poll(() => going.length).toBe(2)
    going[1]!('again')
    expect((await third).message.result.content[0].text).toBe('again')
  })

  it('are not cancelled by a client that loses its connection', async () => {
    const { going, reasons, wait } = waiting()
    const site = await serving({}, { tools: { wait } })
    const visit = await site.session()
    const left = new AbortController()
    const asked = fetch(site.serving.url, {
      method: 'POST',
      headers: { ...json, ...(visit.headers as Record<string, string>) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } }),
      signal: left.signal,
    })
    await expect.poll(() => going.length).toBe(1)
    left.abort()
    await asked.catch(() => {})
    expect((await visit.post(list)).status).toBe(200)
    expect(reasons).toEqual([])
    going[0]!('nobody hears it')
    await expect.poll(async () => (await visit.call('echo', { text: 'free' }, { id: 1 })).status).toBe(200)
  })

  it.each([
    ['a stream', json.Accept, { status: 200, type: 'text/event-stream' }],
    ['JSON', 'application/json', { status: 202, type: undefined }],
  ])('that are cancelled end without an answer, for a client of %s', async (_, Accept, expected) => {
    const { going, reasons, wait } = waiting()
    const visit = await (await serving({}, { tools: { wait } })).session()
    const call = visit.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } }, { Accept })
    await expect.poll(() => going.length).toBe(1)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } }
    expect((await visit.post(cancel)).status).toBe(202)
    const { status, headers, events } = await call
    expect({ status, type: headers['content-type'], events }).toEqual({ ...expected, events: [] })
    expect(reasons).toEqual(['Cancelled by the client: enough'])
  })

  it('that run when the session ends are told to stop, and their clients that it is over', async () => {
    const { going, reasons, wait } = waiting()
    const visit = await (await serving({}, { tools: { wait } })).session()
    const call = visit.call('wait')
    await expect.poll(() => going.length).toBe(1)
    await visit.leave()
    expect((await call).status).toBe(404)
    expect(reasons).toEqual(['The client ended the session'])
  })
})

describe('questions of a call', () => {
  const elicitation = { capabilities: { elicitation: {} } }
  const ask = tool({
    async call(_, call: Call) {
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const
      return JSON.stringify(await call.elicit({ message: 'Who?', requestedSchema }))
    },
  })
  const accept = (id: string) => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'sage' } } })

  it('go on the stream of the call', async () => {
    const visit = await (await serving({}, { tools: { ask } })).session(elicitation)
    const standing = await visit.listen()
    const call = await visit.openCall('ask')
    await call.until(({ events }) => events.some(({ data }) => data))
    const question = JSON.parse(call.events.find(({ data }) => data)!.data!)
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } })
    expect(await visit.post(accept(question.id))).toMatchObject({ status: 202, body: '' })
    await call.ended
    expect(call.events.at(-1)!.data).toContain('sage')
    expect(standing.events.filter(({ data }) => data)).toEqual([])
    standing.leave()
  })

  it('go on the standing stream for a client that takes JSON only', async () => {
    const visit = await (await serving({}, { tools: { ask } })).session(elicitation)
    const call = visit.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } },
      { Accept: 'application/json' },
    )
    const standing = await visit.listen()
    await standing.until(({ events }) => events.some(({ data }) => data))
    const question = JSON.parse(standing.events.find(({ data }) => data)!.data!)
    await visit.post(accept(question.id))
    expect((await call).message.result.content[0].text).toContain('sage')
    standing.leave()
  })

  it('are answered by the client that was asked, and by nobody else', async () => {
    const site = await serving({}, { tools: { ask } })
    const [one, other] = await Promise.all([site.session(elicitation), site.session(elicitation)])
    const call = await one.openCall('ask')
    await call.until(({ events }) => events.some(({ data }) => data))
    const question = JSON.parse(call.events.find(({ data }) => data)!.data!)
    await other.post({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'eve' } } })
    await one.post(accept(question.id))
    await call.ended
    expect(call.events.at(-1)!.data).toContain('sage')
  })
})

describe('the standing stream', () => {
  it('has what belongs to no call, also what came before it was opened', async () => {
    const site = await serving()
    const visit = await site.session()
    site.server.tools.set('one', { call: () => '' })
    const stream = await visit.listen()
    expect(stream.headers['content-type']).toBe('text/event-stream')
    const messages = () => stream.events.filter(({ data }) => data).map(({ data }) => JSON.parse(data!).method)
    await stream.until(() => messages().length === 1)
    site.server.tools.set('two', { call: () => '' })
    await stream.until(() => messages().length === 2)
    expect(messages()).toEqual(Array(2).fill('notifications/tools/list_changed'))
    stream.leave()
  })

  it('has none of the news of a call', async () => {
    const steps = tool({
      call(_, call: Call) {
        call.progress(1)
        call.log('error', 'hot')
        return 'done'
      },
    })
    const visit = await (await serving({}, { tools: { steps } })).session()
    const stream = await visit.listen()
    const { events } = await visit.call('steps', {}, { meta: { progressToken: 1 } })
    expect(events.map(({ method }) => method)).toEqual(['notifications/progress', 'notifications/message', undefined])
    expect(stream.events.filter(({ data }) => data)).toEqual([])
    stream.leave()
  })

  it('is one: who opens it again has it, and the last one ends', async () => {
    const site = await serving()
    const visit = await site.session()
    const first = await visit.listen()
    const second = await visit.listen()
    expect(await first.ended).toBe('end')
    site.server.tools.set('one', { call: () => '' })
    await second.until(({ events }) => events.some(({ data }) => data))
    second.leave()
  })

  it('is a stream and nothing else', async () => {
    const visit = await (await serving()).session()
    expect((await visit.listen({ Accept: 'application/json' })).status).toBe(406)
  })

  it('ends with its session', async () => {
    const visit = await (await serving()).session()
    const stream = await visit.listen()
    await visit.leave()
    expect(await stream.ended).toBe('end')
  })
})

describe('batches', () => {
  const echo = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: `${id}` } },
  })
  const old = { protocolVersion: '2025-03-26' }

  it('are answered as one in a session of 2025-03-26', async () => {
    const visit = await (await serving()).session(old)
    const answer = await visit.post([echo(1), { jsonrpc: '2.0', method: 'notifications/x' }, echo(2), 7])
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.message.map(({ id, error }: any) => id ?? error.code)).toEqual([1, 2, -32600])
    expect(await visit.post([{ jsonrpc: '2.0', method: 'notifications/x' }])).toMatchObject({ status: 202, body: '' })
  })

  it('wait for the slowest, and stream what comes before', async () => {
    const { going, wait } = waiting()
    const steps = tool({
      call(_, call: Call) {
        call.progress(1)
        return 'done'
      },
    })
    const visit = await (await serving({}, { tools: { wait, steps } })).session(old)
    const batch = visit.post([
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'steps', _meta: { progressToken: 1 } } },
    ])
    await expect.poll(() => going.length).toBe(1)
    going[0]!('slow')
    const { events } = await batch
    expect(events[0]).toMatchObject({ method: 'notifications/progress' })
    expect(events[1].map(({ id }: any) => id).sort()).toEqual([1, 2])
  })

  it('do not mix when two run at a time', async () => {
    const { going, wait } = waiting()
    const visit = await (await serving({}, { tools: { wait } })).session(old)
    const call = (id: number) => [{ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait' } }]
    const [first, second] = [visit.post(call(1)), visit.post(call(2))]
    await expect.poll(() => going.length).toBe(2)
    for (const go of going.toReversed()) go('done')
    expect((await first).message.map(({ id }: any) => id)).toEqual([1])
    expect((await second).message.map(({ id }: any) => id)).toEqual([2])
  })

  it('end when their last call is cancelled', async () => {
    const { going, wait } = waiting()
    const visit = await (await serving({}, { tools: { wait } })).session(old)
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait' } })
    const cancel = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    const batch = visit.post([call(1), call(2)])
    await expect.poll(() => going.length).toBe(2)
    await visit.post(cancel(1))
    going[1]!('two')
    expect((await batch).message.map(({ id }: any) => id)).toEqual([2])
    const both = visit.post([call(3), call(4)])
    await expect.poll(() => going.length).toBe(4)
    await visit.post(cancel(3))
    await visit.post(cancel(4))
    expect((await both).events).toEqual([])
  })
})

it('a restart loses no session in silence: 404 tells the client to begin anew', async () => {
  const first = await serving({ port: 0 })
  const visit = await first.session()
  const { port } = first.serving
  await first.serving.close()
  const second = await serving({ port })
  onTestFinished(() => second.serving.close())
  const answer = await second.post(list, visit.headers)
  expect(answer.status).toBe(404)
  expect((await (await second.session()).post(list)).status).toBe(200)
})
