import { describe, expect, it } from 'vitest'
import type { Board } from '../../runtime/index.ts'
import { createServer } from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'
import { OwnedClock, settled } from '../owned-clock.ts'

const reading = (value: number) => ({ unit: 'Cel' as const, read: () => value })
const lamp = { title: 'Lamp', safe: {}, set: () => undefined }

function boardOf(members: Partial<Board>): Board {
  return { name: 'box', version: '1.0.0', sensors: { air: reading(20) }, actuators: { lamp }, ...members }
}

/** What the server said unasked. */
function told(client: TestClient): string[] {
  return client.heard.filter(({ id }) => id === undefined).map(({ method }) => method)
}

describe('a device that got new firmware', () => {
  it('shows its new tools and sensors, and says that the lists changed', async () => {
    const server = createServer(boardOf({}))
    const client = new TestClient(server)
    await client.initialize()
    server.replaceBoard(boardOf({ version: '2.0.0', sensors: { soil: reading(1) }, actuators: { fan: lamp } }))
    await settled()
    expect(told(client)).toEqual(['notifications/tools/list_changed', 'notifications/resources/list_changed'])
    expect((await client.modern('tools/list')).result.tools.map((each: any) => each.name)).toEqual([
      'stop_all',
      'arm_outputs',
      'fan',
    ])
    const uris = (await client.modern('resources/list')).result.resources.map((each: any) => each.uri)
    expect(uris).toEqual(['sensor://box', 'sensor://box/soil'])
  })

  it('says nothing when what it can do stayed the same', async () => {
    const server = createServer(boardOf({}))
    const client = new TestClient(server)
    await client.initialize()
    server.replaceBoard(boardOf({ version: '2.0.0' }))
    await settled()
    expect(told(client)).toEqual([])
  })

  it('is named anew in every answer, lists included', async () => {
    const server = createServer(boardOf({}))
    const client = new TestClient(server)
    await client.modern('tools/list')
    server.replaceBoard(boardOf({ version: '2.0.0' }))
    const { _meta } = (await client.modern('tools/list')).result
    expect(_meta['io.modelcontextprotocol/serverInfo'].version).toBe('2.0.0')
  })

  it('is watched on: whoever subscribed is told to read again, and hears of the new sensor', async () => {
    const clock = new OwnedClock()
    let changed: (value: number) => void = () => {}
    const server = createServer(boardOf({}), { clock })
    const client = new TestClient(server)
    await client.initialize()
    await client.request('resources/subscribe', { uri: 'sensor://box/air' })
    await settled()
    const watched = {
      ...reading(25),
      watch: (tell: (value: number) => void) => {
        changed = tell
        return () => {}
      },
    }
    server.replaceBoard(boardOf({ sensors: { air: watched } }))
    await clock.advance(0)
    expect(told(client)).toEqual(['notifications/resources/updated'])
    await clock.advance(5000)
    changed(30)
    await clock.advance(0)
    expect(told(client)).toEqual(['notifications/resources/updated', 'notifications/resources/updated'])
  })

  it('goes on as it was when it has a tool of the name of one of ours', async () => {
    const server = createServer(boardOf({}), { tools: { fan: { call: () => 'ours' } } })
    const client = new TestClient(server)
    expect(() => server.replaceBoard(boardOf({ actuators: { fan: lamp } }))).toThrow(/"fan" is declared twice/)
    expect((await client.modern('tools/list')).result.tools.map((each: any) => each.name)).toEqual([
      'lamp',
      'stop_all',
      'arm_outputs',
      'fan',
    ])
  })

  it('goes on as it was when the new description has a mistake', async () => {
    const server = createServer(boardOf({}))
    const client = new TestClient(server)
    expect(() => server.replaceBoard(boardOf({ sensors: { 'no name': reading(1) } }))).toThrow(/no name/)
    expect((await client.modern('tools/list')).result.tools.map((each: any) => each.name)).toEqual([
      'lamp',
      'stop_all',
      'arm_outputs',
    ])
  })
})

describe('hardware that can make itself safe', () => {
  it('is left as it is at the start, and told once when everything must stop', async () => {
    const told: string[] = []
    const server = createServer(
      boardOf({
        actuators: { lamp: { ...lamp, set: () => void told.push('set') } },
        makeSafe: () => void told.push('safe'),
      }),
    )
    await server.open()
    expect(told).toEqual([])
    expect(await server.makeSafe()).toEqual([])
    expect(told).toEqual(['safe'])
    await server.close()
    expect(told).toEqual(['safe', 'safe'])
  })

  it('that does not answer is reported within a second', async () => {
    const clock = new OwnedClock()
    const server = createServer(boardOf({ makeSafe: () => new Promise(() => {}) }), { clock })
    await server.open()
    const failures = server.makeSafe()
    await clock.advance(1000)
    expect(await failures).toEqual(['box could not be made safe: not done after 1 s'])
  })
})

it('hardware that never opens cannot keep a server from closing', async () => {
  const clock = new OwnedClock()
  const server = createServer(boardOf({ open: () => new Promise(() => {}) }), { clock })
  void server.open().catch(() => {})
  const closed = server.close()
  await clock.advance(2000)
  await closed
})
