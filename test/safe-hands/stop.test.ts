import { describe, expect, it } from 'vitest'
import { capable, modernMeta, TestClient } from '../memory-client.ts'
import { hands, off, on } from './hands.ts'

describe('stop_all', () => {
  const sensors = {
    flow: { unit: 'l/s' as const, read: () => 0 },
    lit: { type: 'boolean' as const, read: () => true },
    air: { read: () => 21 },
  }

  it('says which outputs were read back as safe', async () => {
    const { call, set } = hands(
      {
        pump: { readback: 'flow', safeReading: 0 },
        heater: { readback: 'air' },
        lamp: { readback: 'lit' },
        valve: { readback: 'flow', safeReading: [0.1, 1] },
        fan: {},
        horn: { safe: null },
      },
      { board: { sensors } },
    )
    await set('pump', on)
    const { structuredContent, text } = await call('stop_all')
    expect(structuredContent.outputs.map(({ actuator, state }: any) => [actuator, state])).toEqual([
      ['pump', 'confirmed'],
      ['heater', 'set'],
      ['lamp', 'unconfirmed'],
      ['valve', 'unconfirmed'],
      ['fan', 'set'],
      ['horn', 'none'],
    ])
    expect(text).toContain('lamp: put into its safe state, but its sensor does not show it: look at it (lit: true)')
  })

  it('says loudly what could not be made safe', async () => {
    const broken = {
      set({ on }: any) {
        if (on !== true) throw new Error('no answer at 0x40')
      },
    }
    const { call } = hands({ valve: broken, fan: {} })
    const { isError, structuredContent, text } = await call('stop_all')
    expect(isError).toBe(true)
    expect(structuredContent.outputs).toEqual([
      { actuator: 'valve', state: 'failed' },
      { actuator: 'fan', state: 'set' },
    ])
    expect(text).toContain('valve: NOT SAFE')
    expect(text).toContain('no answer at 0x40')
  })

  it('is for those who may only read too, and in read-only mode', async () => {
    const { server, at, set } = hands({ fan: {} })
    await set('fan', on)
    const reader = new TestClient(server, { access: 'read' })
    await reader.modern('tools/call', { name: 'stop_all' })
    expect(at.fan).toEqual(off)
  })

  it('comes through when as many calls are in flight as may be', async () => {
    const { call, client } = hands(
      { lift: { set: ({ on }) => (on ? new Promise(() => {}) : undefined) } },
      { maxCallsInFlight: 2 },
    )
    void call('lift', on)
    void call('lift', on)
    expect((await client.modern('tools/call', { name: 'lift', arguments: on })).error.message).toContain('More than 2')
    expect((await call('stop_all')).structuredContent.failures).toEqual([])
  })

  it('is not there where nothing can be moved', async () => {
    const { client } = hands({}, { board: { sensors } })
    const { result } = await client.modern('resources/list')
    expect(result.resources.length).toBeGreaterThan(0)
    expect((await client.modern('tools/list')).error?.code).toBe(-32601)
  })

  it('is recorded, with who did it', async () => {
    const { call, record } = hands({ fan: {} })
    await call('stop_all')
    expect(record.filter(({ event }) => event === 'stop')).toEqual([
      expect.objectContaining({ board: 'rig', outcome: 'ran', reason: 'by a client' }),
    ])
  })
})

describe('arm_outputs', () => {
  const asks = capable({ elicitation: {} })

  it('is refused where nobody can be asked, and says how a person does it', async () => {
    const { call, set } = hands({ fan: {} })
    await call('stop_all')
    const { isError, text } = await call('arm_outputs')
    expect(isError).toBe(true)
    expect(text).toContain('ferrule arm')
    expect(await set('fan', on)).toContain('stay off')
  })

  /** Asks for the outputs to be armed, and gives the request with the person's answer. */
  async function asked(call: ReturnType<typeof hands>['call']) {
    const { requestState, inputRequests } = await call('arm_outputs', {}, asks)
    const [[key, question]] = Object.entries<any>(inputRequests) as [[string, any]]
    const answered = (action: string) => {
      const more = { requestState, inputResponses: { [key]: { action, content: {} } } }
      return call('arm_outputs', {}, asks, more)
    }
    return { question, answered }
  }

  it('asks the person, and arms when they agree', async () => {
    const { call, set } = hands({ fan: {} })
    await call('stop_all')
    const refused = await asked(call)
    expect(refused.question.params.message).toContain('May the outputs of rig move again?')
    expect((await refused.answered('decline')).text).toContain('did not agree')
    expect(await set('fan', on)).toContain('stay off')
    expect((await (await asked(call)).answered('accept')).text).toContain('are armed')
    expect(await set('fan', on)).toBeUndefined()
  })

  it('one agreement arms once: the same request does not do so again, nor after the next stop', async () => {
    const { call, set } = hands({ fan: {} })
    await call('stop_all')
    const { answered } = await asked(call)
    await answered('accept')
    expect((await answered('accept')).text).toContain('was used, or is too old')
    const late = await asked(call)
    await call('stop_all')
    expect((await late.answered('accept')).isError).toBe(true)
    expect(await set('fan', on)).toContain('stay off')
  })

  it('a person who works the board themselves is not asked', async () => {
    const { server, set } = hands({ fan: {} })
    await server.stop('the test')
    const person = new TestClient(server, { access: 'person' })
    await person.modern('tools/call', { name: 'arm_outputs' }, modernMeta())
    expect(await set('fan', on)).toBeUndefined()
  })
})
