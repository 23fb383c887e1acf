import { describe, expect, it } from 'vitest'
import { createServer, resourceNotFound, type Tool, tool } from '../../runtime/index.ts'
import { Gate } from '../protocol/workbench.ts'
import { bridged, type EraName, Line, spoken } from './line.ts'

function makeDevice() {
  const gate = new Gate()
  const ended: string[] = []
  let note = 'nothing yet'
  let changed = () => {}
  const tools: Record<string, Tool<any>> = {
    echo: tool({
      title: 'Echo',
      description: 'Answers with the text.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: true },
      call: ({ text }) => text,
    }),
    sum: tool({
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'integer', maximum: 100_000 } },
        required: ['a', 'b'],
      },
      outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      call: ({ a, b }) => ({ sum: a + b }),
    }),
    wait: tool({
      async call(_, call) {
        call.progress(1, 3, 'waiting')
        call.log('info', 'it waits', 'waiter')
        await gate.pass(call.signal).catch(thrown => {
          ended.push(String(thrown.message))
          throw thrown
        })
        call.progress(2, 3)
        return 'waited'
      },
    }),
    fail: tool({
      call() {
        throw new Error('the motor is stuck: free it')
      },
    }),
  }
  const server = createServer(
    { name: 'bench', title: 'The bench', sensors: { temperature: { unit: 'Cel', read: () => 21.5 } } },
    {
      tools,
      resources: {
        'note://today': {
          mimeType: 'text/plain',
          read: () => note,
          watch: tell => {
            changed = tell
            return () => {
              changed = () => {}
            }
          },
        },
      },
      resourceTemplates: {
        'note://{day}/text': {
          read: ({ day }, uri) => {
            if (day === 'never') throw resourceNotFound(uri)
            return `note of ${day}`
          },
          complete: { day: typed => ['monday', 'tuesday'].filter(day => day.startsWith(typed)) },
        },
      },
      prompts: {
        report: {
          arguments: {
            tone: { required: true, complete: (typed: string) => ['formal'].filter(tone => tone.startsWith(typed)) },
          },
          get: ({ tone }) => `Write a ${tone} report.`,
        },
      },
    },
  )
  return {
    server,
    gate,
    ended,
    write(text: string) {
      note = text
      changed()
    },
  }
}

const pairs: [keyof typeof spoken, EraName][] = [
  ['modern', 'modern'],
  ['modern', 'legacy'],
  ['legacy', 'modern'],
  ['legacy', 'legacy'],
  ['both', 'modern'],
]

describe.each(pairs)('a device that speaks %s behind a %s host', (deviceEra, hostEra) => {
  async function pair() {
    const made = makeDevice()
    const line = new Line()
    line.serve(made.server, spoken[deviceEra])
    const session = await line.client.connect()
    expect(session.era).toBe(deviceEra === 'both' ? 'modern' : deviceEra)
    expect(session.serverInfo).toMatchObject({ name: 'bench', title: 'The bench' })
    return { ...made, device: made.server, line, ...(await bridged(line, hostEra)) }
  }

  it('shows its tools as they are', async () => {
    const { request } = await pair()
    const { result } = await request('tools/list')
    expect(result.tools.map((each: any) => each.name)).toEqual(['echo', 'sum', 'wait', 'fail'])
    expect(result.tools[0]).toMatchObject({
      title: 'Echo',
      description: 'Says of itself: "Answers with the text."',
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    })
  })

  it('answers calls', async () => {
    const { request } = await pair()
    const { result } = await request('tools/call', { name: 'echo', arguments: { text: 'hallo\u2028' } })
    expect(result.content).toEqual([{ type: 'text', text: 'hallo\u2028' }])
    expect(Object.keys(result).includes('resultType')).toBe(hostEra === 'modern')
    const structured = await request('tools/call', { name: 'sum', arguments: { a: 1, b: 2 } })
    expect(structured.result.structuredContent).toEqual({ sum: 3 })
  })

  it('takes numbers that come as texts, and refuses those that do not fit before they cross the line', async () => {
    const { request, line } = await pair()
    const { result } = await request('tools/call', { name: 'sum', arguments: { a: '1.5', b: '9600' } })
    expect(result.structuredContent).toEqual({ sum: 9601.5 })
    const before = line.sent.length
    const refused = await request('tools/call', { name: 'sum', arguments: { a: 'much', b: '100001' } })
    expect(refused.result.isError).toBe(true)
    expect(refused.result.content[0].text).toMatch(/"a" must be a number.*"b" must be at most 100000/)
    expect(line.sent.length).toBe(before)
  })

  it('tells the model what went wrong', async () => {
    const { request } = await pair()
    const { result } = await request('tools/call', { name: 'fail' })
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toContain('the motor is stuck: free it')
  })

  it('passes progress on under the token of the host', async () => {
    const { request, host, gate } = await pair()
    const answer = request('tools/call', { name: 'wait' }, { progressToken: 'mine' })
    const { params } = await host.called('notifications/progress')
    expect(params).toMatchObject({ progressToken: 'mine', progress: 1, total: 3, message: 'waiting' })
    gate.open()
    expect((await answer).result.content[0].text).toBe('waited')
  })

  it('passes log messages on', async () => {
    const { request, host, gate } = await pair()
    const level = hostEra === 'modern' ? { 'io.modelcontextprotocol/logLevel': 'info' } : {}
    const answer = request('tools/call', { name: 'wait' }, level)
    const { params } = await host.called('notifications/message')
    expect(params).toMatchObject({ level: 'info', data: 'it waits', logger: 'waiter' })
    gate.open()
    await answer
    expect(host.told('notifications/message')).toHaveLength(1)
  })

  it('hears that a call was cancelled', async () => {
    const { request, host, gate, ended, line } = await pair()
    void request('tools/call', { name: 'wait' }, {}, 'c1')
    await gate.entered
    host.notify('notifications/cancelled', { requestId: 'c1', reason: 'enough' })
    await line.called('notifications/cancelled')
    await new Promise(resolve => setImmediate(resolve))
    expect(ended).toEqual(['Cancelled by the client: Cancelled by the client: enough'])
    expect(host.answers('c1')).toEqual([])
    expect(line.diagnosed).toEqual([])
  })

  it('reads resources and templates, and says which are not there', async () => {
    const { request } = await pair()
    const { result } = await request('resources/read', { uri: 'note://today' })
    expect(result.contents).toEqual([{ uri: 'note://today', mimeType: 'text/plain', text: 'nothing yet' }])
    const templated = await request('resources/read', { uri: 'note://monday/text' })
    expect(templated.result.contents[0].text).toBe('note of monday')
    const { error } = await request('resources/read', { uri: 'note://never/text' })
    expect(error).toMatchObject({ code: hostEra === 'modern' ? -32602 : -32002, data: { uri: 'note://never/text' } })
    const templates = await request('resources/templates/list')
    expect(templates.result.resourceTemplates.map((each: any) => each.uriTemplate)).toContain('note://{day}/text')
  })

  it('gives prompts and suggests values', async () => {
    const { request } = await pair()
    const { result } = await request('prompts/get', { name: 'report', arguments: { tone: 'formal' } })
    expect(result.messages[0].content.text).toBe('Write a formal report.')
    const prompt = await request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'report' },
      argument: { name: 'tone', value: 'f' },
    })
    expect(prompt.result.completion.values).toEqual(['formal'])
    const template = await request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'note://{day}/text' },
      argument: { name: 'day', value: 't' },
    })
    expect(template.result.completion.values).toEqual(['tuesday'])
  })

  it('tells who watches of a change, and is left alone when nobody does', async () => {
    const { request, host, write, line } = await pair()
    if (hostEra === 'modern') {
      void request('subscriptions/listen', { notifications: { resourceSubscriptions: ['note://today'] } }, {}, 'sub')
    } else await request('resources/subscribe', { uri: 'note://today' })
    if (line.client.session?.era === 'legacy') await line.called('resources/subscribe')
    else await line.called('subscriptions/listen', 2)
    await new Promise(resolve => setImmediate(resolve))
    const updated = host.called('notifications/resources/updated')
    write('a frost is coming')
    expect((await updated).params.uri).toBe('note://today')
    const { result } = await request('resources/read', { uri: 'note://today' })
    expect(result.contents[0].text).toBe('a frost is coming')
    if (hostEra === 'modern') host.notify('notifications/cancelled', { requestId: 'sub' })
    else await request('resources/unsubscribe', { uri: 'note://today' })
    if (line.client.session?.era === 'legacy') await line.called('resources/unsubscribe')
    else await line.called('subscriptions/listen', 3)
  })

  it('is watched where a template has the URI', async () => {
    const { request, host, line, server: bridge } = await pair()
    const uri = 'note://monday/text'
    if (hostEra === 'modern') void request('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
    else await request('resources/subscribe', { uri })
    if (line.client.session?.era === 'legacy') {
      expect((await line.called('resources/subscribe')).params).toEqual({ uri })
    } else {
      const { params } = await line.called('subscriptions/listen', 2)
      expect(params.notifications.resourceSubscriptions).toEqual([uri])
    }
    const updated = host.called('notifications/resources/updated')
    bridge.resourceUpdated(uri)
    expect((await updated).params.uri).toBe(uri)
  })

  it('changes its tools, and hosts hear of it', async () => {
    const { request, host, device, line, server: bridge } = await pair()
    const changed = host.called('notifications/tools/list_changed')
    if (hostEra === 'modern') void request('subscriptions/listen', { notifications: { toolsListChanged: true } })
    if (line.client.session?.era === 'modern') await line.called('subscriptions/listen')
    await new Promise(resolve => setImmediate(resolve))
    device.tools.delete('fail')
    device.tools.set('new.one', { call: () => 'new' })
    await changed
    expect([...bridge.tools.keys()]).toEqual(['echo', 'sum', 'wait', 'new_one'])
    const { result } = await request('tools/call', { name: 'new_one' })
    expect(result.content[0].text).toBe('new')
    expect(line.diagnosed).toEqual([
      'The tools of The bench are others than the last time. tool new.one is new; tool fail is gone',
      'The tool new.one is offered as new_one, a name that every host takes',
    ])
  })
})
