import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer, type Tool, tool } from '../../runtime/index.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { able, answerAll, callAnswering } from './answering-host.ts'
import { startDevice } from './child-line.ts'
import { bridged, type EraName, Line, spoken } from './line.ts'

const form = (...names: string[]) =>
  ({
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
    required: names,
  }) as const

describe.each<EraName>(['modern', 'legacy'])('a device of 2026-07-28 that asks, behind a %s host', era => {
  let ran = 0
  const tools: Record<string, Tool<any>> = {
    move: tool({
      inputSchema: { type: 'object', properties: { by: { type: 'number' } } },
      async call({ by }, call) {
        const { action } = await call.elicit({ key: 'sure', message: `By ${by}?`, requestedSchema: form('why') })
        if (action !== 'accept') return action
        ran++
        return `moved by ${by}`
      },
    }),
    rounds: tool({
      async call(_, call) {
        const first = await call.elicit({ key: 'again', message: 'First?', requestedSchema: form('name') })
        const second = await call.elicit({ key: 'last', message: 'Last?', requestedSchema: form('name') })
        return JSON.stringify([first, second].map(answer => answer.action === 'accept' && answer.content.name))
      },
    }),
    all: tool({
      async call(_, call) {
        const [page, model, roots] = await Promise.all([
          call.elicit({ message: 'Look here', url: 'https://example.com/' }),
          call.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hm?' } }], maxTokens: 5 }),
          call.roots(),
        ])
        return `${page.action} ${model.model} ${roots[0]?.uri}`
      },
    }),
  }

  async function pair(capabilities: object = able) {
    const line = new Line()
    line.serve(createServer({ name: 'bench' }, { tools }), spoken.modern)
    await line.client.connect()
    const made = await bridged(line, era, { capabilities })
    if (era === 'legacy') answerAll(made.host)
    return { line, made }
  }

  it('moves once when the person agrees', async () => {
    const { made } = await pair()
    ran = 0
    const result = await callAnswering(made, era, 'move', { by: '2' }, question => {
      expect(question.params.message).toBe('By 2?')
      return { action: 'accept', content: { why: 'because' } }
    })
    expect(result.content[0].text).toBe('moved by 2')
    expect(ran).toBe(1)
    const declined = await callAnswering(made, era, 'move', { by: 2 }, () => ({ action: 'decline' }))
    expect(declined.content[0].text).toBe('decline')
  })

  it('asks in several rounds', async () => {
    const { made, line } = await pair()
    const result = await callAnswering(made, era, 'rounds', {}, ({ params }) => ({
      action: 'accept',
      content: { name: params.message === 'First?' ? 'Ada' : 'Lovelace' },
    }))
    expect(result.content[0].text).toBe('["Ada","Lovelace"]')
    // What the device gave for its next round comes back to it; nothing is asked of it anew.
    const calls = line.sent.filter(({ method }) => method === 'tools/call')
    expect(calls.map(({ params }) => typeof params.requestState)).toEqual(['undefined', 'string', 'string'])
  })

  it('asks the person, the model and for folders at once', async () => {
    const { made } = await pair()
    const result = await callAnswering(made, era, 'all', {}, ({ method }) => {
      if (method === 'roots/list') return { roots: [{ uri: 'file:///tmp' }] }
      if (method === 'elicitation/create') return { action: 'accept' }
      return { role: 'assistant', content: { type: 'text', text: 'Yes' }, model: 'small' }
    })
    expect(result.content[0].text).toBe('accept small file:///tmp')
  })

  it('is told what the host can do, and says what it lacks', async () => {
    const { made, line } = await pair({ roots: {} })
    const { result, error } = await made.request('tools/call', { name: 'move', arguments: { by: 1 } })
    expect(result?.content[0].text ?? error.message).toContain('This needs a client that can ask its user')
    if (era === 'modern') expect(error.data).toEqual({ requiredCapabilities: { elicitation: { form: {} } } })
    const { params } = line.sent.findLast(({ method }) => method === 'tools/call')
    expect(params._meta['io.modelcontextprotocol/clientCapabilities']).toEqual({ roots: {} })
  })
})

/** A device of 2026-07-28 that says what the test says. */
async function scripted(capabilities: object, answer: (message: any) => object | undefined) {
  const clock = new OwnedClock()
  const line = new Line({ clock })
  line.device = sent => {
    const message = JSON.parse(sent)
    const result =
      message.method === 'server/discover'
        ? { supportedVersions: ['2026-07-28'], capabilities, resultType: 'complete' }
        : message.method === 'tools/list'
          ? { tools: [{ name: 'go', inputSchema: { type: 'object' } }] }
          : answer(message)
    if (result !== undefined) line.say({ jsonrpc: '2.0', id: message.id, result })
  }
  await line.client.connect()
  return { clock, line }
}

describe('a device of 2026-07-28', () => {
  it('that is busy is asked again with what it gave, and one that never ends is given up', async () => {
    let busy = 2
    const { line } = await scripted({ tools: {} }, ({ method, params }) => {
      if (method !== 'tools/call') return undefined
      if (busy-- > 0) return { resultType: 'input_required', requestState: `state ${busy}` }
      return { resultType: 'complete', content: [{ type: 'text', text: params.requestState }] }
    })
    const { request } = await bridged(line, 'legacy')
    expect((await request('tools/call', { name: 'go' })).result.content[0].text).toBe('state 0')
    busy = 1000
    const { result } = await request('tools/call', { name: 'go' })
    expect(result.content[0].text).toContain('asked 16 times and still wants to know more')
  })

  it('that asks what is no question is refused', async () => {
    const { line } = await scripted({ tools: {} }, ({ method }) =>
      method === 'tools/call'
        ? { resultType: 'input_required', inputRequests: { a: { method: 'tools/list' } } }
        : undefined,
    )
    const { request } = await bridged(line, 'modern', { capabilities: able })
    const { result } = await request('tools/call', { name: 'go' })
    expect(result).toMatchObject({ isError: true })
  })

  it('that ends a subscription is asked for it again, ever more slowly', async () => {
    const capabilities = { resources: { subscribe: true, listChanged: true } }
    const { line, clock } = await scripted(capabilities, () => undefined)
    const acknowledge = (listen: any) =>
      line.say({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: {
          notifications: listen.params.notifications,
          _meta: { 'io.modelcontextprotocol/subscriptionId': listen.id },
        },
      })
    const first = await line.called('subscriptions/listen')
    acknowledge(first)
    const subscribed = line.client.subscribe('a://b')
    const second = await line.called('subscriptions/listen', 2)
    expect(second.params.notifications).toEqual({ resourcesListChanged: true, resourceSubscriptions: ['a://b'] })
    expect(line.sent.filter(({ method }) => method === 'notifications/cancelled')).toEqual([])
    acknowledge(second)
    const end = await subscribed
    await settled()
    expect(line.sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: first.id } })
    line.say({ jsonrpc: '2.0', id: second.id, result: { resultType: 'complete' } })
    await settled()
    await clock.advance(999)
    expect(line.sent.filter(({ method }) => method === 'subscriptions/listen')).toHaveLength(2)
    await clock.advance(1)
    const third = await line.called('subscriptions/listen', 3)
    expect(third.params.notifications.resourceSubscriptions).toEqual(['a://b'])
    acknowledge(third)
    await settled()
    end()
    const fourth = await line.called('subscriptions/listen', 4)
    expect(fourth.params.notifications).toEqual({ resourcesListChanged: true })
  })

  it('that does not take a subscription on keeps nobody waiting', async () => {
    const { line, clock } = await scripted({ resources: { subscribe: true } }, () => undefined)
    const failed = line.client.subscribe('a://b').catch((thrown: Error) => thrown.message)
    await settled()
    await clock.advance(30_000)
    expect(await failed).toContain('does not take subscriptions on')
  })
})

describe.each<EraName>(['modern', 'legacy'])('the official SDK as a device of 2026-07-28, behind a %s host', era => {
  it('asks, moves, and tells of a new tool', async () => {
    const line = new Line()
    const child = await startDevice(line, 'test/client/sdk-modern-device.ts')
    onTestFinished(() => void child.kill('SIGKILL'))
    expect(await line.client.connect()).toMatchObject({ era: 'modern', serverInfo: { name: 'sdk-modern' } })
    const made = await bridged(line, era, { capabilities: able })
    if (era === 'legacy') answerAll(made.host)
    else void made.request('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const moved = await callAnswering(made, era, 'move', { by: 3 }, ({ params }) => {
      expect(params.message).toBe('Move by 3?')
      return { action: 'accept', content: { sure: true } }
    })
    expect(moved.content[0].text).toBe('moved by 3')
    const changed = made.host.called('notifications/tools/list_changed')
    expect((await made.request('tools/call', { name: 'grow', arguments: {} })).result.content[0].text).toBe('grown')
    await changed
    expect([...made.server.tools.keys()]).toEqual(['move', 'grow', 'grown'])
    expect(line.diagnosed).toEqual(['The tools of sdk-modern are others than the last time. tool grown is new'])
  })
})
