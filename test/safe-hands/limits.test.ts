import { describe, expect, it } from 'vitest'
import { createServer, DefinitionError, type OperatorLimits, tool } from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'
import { hands, off, on, speed } from './hands.ts'

const listed = async (client: TestClient) => (await client.modern('tools/list')).result.tools as any[]

describe('read-only', () => {
  it('hides what acts and refuses it, tools that say nothing of themselves included', async () => {
    const ran: string[] = []
    const { client, call, at, server } = hands(
      { fan: {} },
      {
        limits: { readOnly: true },
        tools: {
          silent: tool({ call: () => ran.push('silent') && 'x' }),
          look: tool({ annotations: { readOnlyHint: true }, call: () => 'x' }),
        },
      },
    )
    expect((await listed(client)).map(({ name }) => name)).toEqual(['stop_all', 'look'])
    for (const name of ['fan', 'silent', 'arm_outputs'])
      expect((await call(name, name === 'fan' ? on : {})).isError).toBe(true)
    server.tools.set('late', tool({ call: () => ran.push('late') && 'x' }))
    expect((await call('late')).isError).toBe(true)
    expect(at.fan).not.toEqual(on)
    expect(ran).toEqual([])
  })

  it('is stronger than what a client may', async () => {
    const { server } = hands({ fan: {} }, { limits: { readOnly: true } })
    const person = new TestClient(server, { access: 'person' })
    expect((await listed(person)).map(({ name }) => name)).toEqual(['stop_all'])
  })

  it('can be stopped all the same', async () => {
    const { call, at } = hands({ fan: {} }, { limits: { readOnly: true } })
    expect((await call('stop_all')).isError).toBeUndefined()
    expect(at.fan).toEqual(off)
  })
})

describe('an allow-list', () => {
  const limits: OperatorLimits = { allow: { spindle: { rpm: { minimum: 50, maximum: 300 } }, lamp: true } }
  const three = { spindle: speed, lamp: {}, saw: {} }

  it('hides and refuses all that it does not name, and keeps stopping', async () => {
    const { client, call, at } = hands(three, { limits })
    expect((await listed(client)).map(({ name }) => name)).toEqual(['spindle', 'lamp', 'stop_all', 'arm_outputs'])
    expect((await call('saw', on)).text).toContain('whoever runs this server does not allow saw')
    expect(at.saw).toBeUndefined()
  })

  it('shows the narrower range, and holds to its very ends', async () => {
    const { client, set } = hands(three, { limits })
    const [spindle] = await listed(client)
    // The safe value stays possible.
    expect(spindle.inputSchema.properties.rpm).toMatchObject({
      minimum: 0,
      maximum: 300,
      description: 'Allowed here: 50 to 300, or 0.',
    })
    expect(await set('spindle', { rpm: 0 })).toBeUndefined()
    for (const rpm of [50, 300]) expect(await set('spindle', { rpm })).toBeUndefined()
    for (const rpm of [49, 301]) expect(await set('spindle', { rpm })).toBeDefined()
  })

  it('never widens what the board itself allows', async () => {
    const wide: OperatorLimits = { allow: { spindle: { rpm: { minimum: -5, maximum: 5000 } } } }
    const { client, set } = hands(three, { limits: wide })
    const [spindle] = await listed(client)
    expect(spindle.inputSchema.properties.rpm).toMatchObject({ minimum: 0, maximum: 1000 })
    expect(await set('spindle', { rpm: 1001 })).toBeDefined()
  })

  it('does not bind the way to safety: a stop goes past the range', async () => {
    const { call, set, at } = hands(three, { limits })
    await set('spindle', { rpm: 100 })
    await call('stop_all')
    expect(at.spindle).toEqual({ rpm: 0 })
  })

  it('may name values', async () => {
    const { set } = hands(three, { limits: { allow: { spindle: { rpm: { values: [0, 250] } } } } })
    expect(await set('spindle', { rpm: 250 })).toBeUndefined()
    expect(await set('spindle', { rpm: 251 })).toBeDefined()
  })

  it('binds a schema of a library as well, which cannot show it', async () => {
    const standard = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: any) => ({ value }),
        jsonSchema: {
          input: () => ({ type: 'object', properties: { rpm: { type: 'number' } } }),
          output: () => ({ type: 'object' }),
        },
      },
    }
    const spindle = { inputSchema: standard as any, safe: { rpm: 0 } }
    const { set, at } = hands({ spindle, lamp: {} }, { limits })
    expect(await set('spindle', { rpm: 301 })).toContain('whoever runs this server allows 50 to 300')
    expect(at.spindle).not.toEqual({ rpm: 301 })
    expect(await set('spindle', { rpm: 300 })).toBeUndefined()
  })

  it.each<[OperatorLimits['allow'], string]>([
    [{ lmap: true }, 'there is no actuator or tool "lmap". Did you mean "lamp"?'],
    [{ spindle: { rmp: { maximum: 1 } } }, 'there is no argument "rmp". Did you mean "rpm"?'],
    [{ spindle: { rpm: { minimum: 2000 } } }, 'nothing would be allowed'],
    [{ spindle: { rpm: { values: [] } } }, 'no value that is allowed'],
  ])('%j is a mistake', (allow, message) => {
    const { server } = hands(three)
    const make = () => createServer(server.board, { limits: { allow: allow! } })
    expect(make).toThrow(DefinitionError)
    expect(make).toThrow(message)
  })
})

describe('a dry run', () => {
  it('says what would happen, and moves nothing', async () => {
    const { call, moves, record } = hands({ fan: {} }, { limits: { dryRun: true } })
    const { structuredContent, text } = await call('fan', on)
    expect(structuredContent).toEqual({ dryRun: true, actuator: 'fan', set: on, wouldMove: true })
    expect(text).toBe('Dry run: fan would be moved with {"on":true}. Nothing was moved.')
    expect(moves).toEqual([])
    expect(record.at(-1)).toMatchObject({ tool: 'fan', outcome: 'dry-run' })
  })

  it('says what would be refused, and why', async () => {
    const { call } = hands({ saw: { arming: true } }, { limits: { dryRun: true } })
    const { structuredContent, text } = await call('saw', on)
    expect(structuredContent.wouldMove).toBe(false)
    expect(text).toContain('Dry run: this would be refused')
    expect(text).toContain('until a person arms')
  })
})
