import { describe, expect, it } from 'vitest'
import { offeredName, offeredUris } from '../../bin/bridge/names.ts'
import { type DeviceLists, passThrough } from '../../bin/bridge/pass-through.ts'
import { createServer, tool } from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'
import { settled } from '../owned-clock.ts'
import { bridged, Line, spoken } from './line.ts'

const never = () => false

describe('names that every host takes', () => {
  it.each([
    ['fan', undefined, 'fan'],
    ['self.fan set', undefined, 'self_fan_set'],
    ['lüfter', undefined, 'l_fter'],
    ['', undefined, 'unnamed'],
    ['fan', 'lab', 'lab_fan'],
    ['x'.repeat(80), undefined, 'x'.repeat(64)],
  ])('%s behind %s is %s', (name, prefix, offered) => {
    expect(offeredName(name, prefix, never)).toBe(offered)
  })

  it('are not given twice', () => {
    const taken = new Set(['a_b', `${'x'.repeat(64)}`])
    expect(offeredName('a.b', undefined, name => taken.has(name))).toBe('a_b_2')
    expect(offeredName('x'.repeat(70), undefined, name => taken.has(name))).toBe(`${'x'.repeat(62)}_2`)
  })

  it('URIs go behind a prefix and back', () => {
    const uris = offeredUris('lab_2')
    expect(uris.toHost('sensor://bench/light')).toBe('lab-2+sensor://bench/light')
    expect(uris.toDevice('lab-2+sensor://bench/light')).toBe('sensor://bench/light')
    expect(offeredUris(undefined).toHost('a://b')).toBe('a://b')
  })
})

function lab() {
  return createServer(
    { name: 'lab', sensors: { light: { read: () => 7 } } },
    {
      tools: {
        'self.echo': { call: () => 'from the lab' },
        linked: tool({
          call: () => [
            { type: 'resource_link', uri: 'sensor://lab/light', name: 'light' },
            { type: 'resource', resource: { uri: 'note://x', text: 'x' } },
          ],
        }),
      },
    },
  )
}

async function two() {
  const server = createServer({ name: 'bridge' })
  const told: string[] = []
  const ends = await Promise.all(
    ['left', 'right'].map(async prefix => {
      const line = new Line()
      line.serve(lab(), spoken.both)
      await line.client.connect()
      return passThrough(server, line.client, { prefix, diagnose: text => void told.push(text) })
    }),
  )
  return { server, ends, told }
}

describe('two devices of one kind behind one server', () => {
  it('have their names and URIs behind their prefixes', async () => {
    const { server, told } = await two()
    expect([...server.tools.keys()].sort()).toEqual([
      'left_linked',
      'left_self_echo',
      'right_linked',
      'right_self_echo',
    ])
    const host = new TestClient(server)
    const { result } = await host.modern('tools/call', { name: 'right_linked' })
    const [link, embedded] = result.content
    expect(link.uri).toBe('right+sensor://lab/light')
    expect(embedded.resource.uri).toBe('right+note://x')
    const read = await host.modern('resources/read', { uri: link.uri })
    expect(read.result.contents[0].uri).toBe('right+sensor://lab/light')
    expect(told).toContain('The tool self.echo is offered as left_self_echo, a name that every host takes')
  })

  it('leave nothing behind when one ends', async () => {
    const { server, ends } = await two()
    ends[0]!()
    expect([...server.tools.keys()].sort()).toEqual(['right_linked', 'right_self_echo'])
    ends[1]!()
    expect(server.tools.size + server.resources.size + server.resourceTemplates.size + server.prompts.size).toBe(0)
  })
})

describe('what was stored of a device', () => {
  it('is served at once, and gives way to what the device says', async () => {
    const stored: DeviceLists = {
      tools: [{ name: 'old', inputSchema: { type: 'object' } }, { name: 'linked' }],
      resources: [{ uri: 'note://old', name: 'old' }],
      resourceTemplates: [],
      prompts: [{ name: 'ask', arguments: [{ name: 'tone', required: true }] }],
      completes: false,
    }
    const kept: DeviceLists[] = []
    const line = new Line()
    line.serve(lab(), spoken.both)
    const { server, request, host } = await bridged(line, 'legacy', {
      stored: structuredClone(stored),
      onLists: lists => void kept.push(structuredClone(lists)),
    })
    const { result } = await request('tools/list')
    expect(result.tools.map(({ name }: any) => name)).toEqual(['old', 'linked'])
    expect((await request('prompts/list')).result.prompts).toEqual([stored.prompts[0]])
    const changed = host.called('notifications/tools/list_changed')
    await line.client.connect()
    await changed
    await settled()
    expect([...server.tools.keys()]).toEqual(['linked', 'self_echo'])
    expect(server.resources.has('note://old')).toBe(false)
    expect(kept.at(-1)?.tools.map(({ name }) => name)).toEqual(['self.echo', 'linked'])
  })
})

describe('what a device says of itself is data', () => {
  async function say(lists: Record<string, object>) {
    const line = new Line()
    line.device = sent => {
      const { id, method } = JSON.parse(sent)
      if (id === undefined) return
      const capabilities = { tools: {}, resources: {}, prompts: {} }
      const known: Record<string, object> = {
        initialize: { protocolVersion: '2024-11-05', capabilities, serverInfo: { name: 'x'.repeat(500), version: 1 } },
        'tools/list': { tools: [] },
        'resources/list': { resources: [] },
        'prompts/list': { prompts: [] },
        ...lists,
      }
      const result = known[method]
      if (result !== undefined) line.say({ jsonrpc: '2.0', id, result })
      else line.say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } })
    }
    await line.client.connect()
    return { line, ...(await bridged(line, 'modern')) }
  }

  it('texts are bounded and without control characters', async () => {
    const { server, line } = await say({
      'tools/list': {
        tools: [{ name: 'a', title: 'A\u001b[31m', description: `${'x'.repeat(9000)}`, annotations: 'none', icons: 7 }],
      },
    })
    const definition = server.tools.get('a')!
    expect(definition.title).toBe('A')
    expect(definition.description).toBe(`Says of itself: "${'x'.repeat(4095)}…"`)
    expect(definition.annotations).toBeUndefined()
    expect(line.client.deviceName).toHaveLength(80)
    expect(line.diagnosed).toEqual([])
  })

  it('schemas that cannot be used do not keep a tool out', async () => {
    const { server, line, request } = await say({
      'tools/list': {
        tools: [
          { name: 'far', inputSchema: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } } },
          { name: 'bare', inputSchema: { properties: { n: { type: 'number' } } } },
          { name: 'none' },
          { name: 'odd', outputSchema: { type: 'nonsense' } },
        ],
      },
      'tools/call': { content: [], structuredContent: { any: 'thing' } },
    })
    expect([...server.tools.keys()]).toEqual(['far', 'bare', 'none', 'odd'])
    expect(line.diagnosed).toEqual([
      expect.stringMatching(/far.*handed on as they are$/),
      expect.stringMatching(/odd.*handed on as they are$/),
    ])
    const { result } = await request('tools/call', { name: 'far', arguments: { a: 1 } })
    expect(result.structuredContent).toEqual({ any: 'thing' })
    await request('tools/call', { name: 'bare', arguments: { n: '5' } })
    expect(line.sent.at(-1).params.arguments).toEqual({ n: 5 })
  })

  it('what cannot be offered is told once and left out', async () => {
    const { server, line } = await say({
      'resources/list': { resources: [{ uri: 'no uri' }, { uri: 'a://b' }, { uri: 'a://b' }, {}, 'x'] },
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a://{/x*}' }, { uriTemplate: 'a://{y}' }] },
    })
    expect([...server.resources.keys()]).toEqual(['a://b'])
    expect([...server.resourceTemplates.keys()]).toEqual(['a://{y}'])
    line.say({ jsonrpc: '2.0', method: 'notifications/resources/list_changed' })
    await settled()
    expect(line.diagnosed.map(text => text.split(':')[0])).toEqual([
      'The resource no uri is left out',
      'The resource template a',
    ])
  })

  it('a log message reaches the hosts that want to hear it, and the device is told what they want', async () => {
    const line = new Line()
    line.device = sent => {
      const { id, method, params } = JSON.parse(sent)
      if (id === undefined) return
      const capabilities = { logging: {} }
      const result =
        method === 'initialize'
          ? { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 'logger', version: '1' } }
          : {}
      line.say({ jsonrpc: '2.0', id, result })
    }
    await line.client.connect('legacy')
    const { host, request, server } = await bridged(line, 'legacy')
    expect((await line.called('logging/setLevel')).params).toEqual({ level: 'info' })
    const second = new TestClient(server)
    await second.initialize()
    await request('logging/setLevel', { level: 'debug' })
    expect((await line.called('logging/setLevel', 2)).params).toEqual({ level: 'debug' })
    const heard = host.called('notifications/message')
    line.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'debug', data: 'fine' } })
    line.say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'loud', data: 'fine' } })
    expect((await heard).params).toEqual({ level: 'debug', data: 'fine', logger: 'logger' })
    expect(second.told('notifications/message')).toEqual([])
    host.leave()
    expect((await line.called('logging/setLevel', 3)).params).toEqual({ level: 'info' })
  })
})
