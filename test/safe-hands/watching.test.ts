import { describe, expect, it } from 'vitest'
import { DeviceFailure } from '../../runtime/index.ts'
import { capable, modernMeta } from '../memory-client.ts'
import { hands, off, on } from './hands.ts'

describe('a host that hangs while its pipe is open', () => {
  it('everything is made safe when it was silent for the whole time, and not before', async () => {
    const { set, at, clock, told } = hands({ fan: {} }, { hostSilenceMs: 3000 })
    await set('fan', on)
    await clock.advance(2999)
    expect(at.fan).toEqual(on)
    await clock.advance(1)
    expect(at.fan).toEqual(off)
    expect(told.join('\n')).toContain('The host said nothing for 3 s')
  })

  it('any message counts', async () => {
    const { set, at, clock, client } = hands({ fan: {} }, { hostSilenceMs: 3000 })
    await set('fan', on)
    for (let pings = 0; pings < 5; pings++) {
      await clock.advance(2000)
      client.notify('notifications/anything')
    }
    expect(at.fan).toEqual(on)
    await clock.advance(3000)
    expect(at.fan).toEqual(off)
  })

  it('it may go on when it comes back, but for what wants to be armed', async () => {
    const { set, server, clock, record } = hands({ fan: {}, saw: { arming: true } }, { hostSilenceMs: 3000 })
    await server.arm('the test')
    await set('saw', on)
    await clock.advance(3000)
    expect(await set('fan', on)).toBeUndefined()
    expect(await set('saw', on)).toContain('until a person arms')
    expect(record.map(({ event }) => event)).toContain('safe')
  })

  it('leaves no timer behind', async () => {
    const { set, server, clock } = hands({ fan: {} }, { hostSilenceMs: 3000 })
    await set('fan', on)
    await server.close()
    expect(clock.pending).toBe(0)
  })
})

describe('a tool that is called in a loop', () => {
  it('is told what would be better at the twenty-first call in ten seconds', async () => {
    const { call, clock } = hands({ fan: {} })
    for (let calls = 0; calls < 20; calls++) {
      expect((await call('fan', on)).content).toHaveLength(1)
      await clock.advance(499)
    }
    const { content, structuredContent } = await call('fan', on)
    expect(content.at(-1).text).toContain('Give the board a set point')
    expect(structuredContent).toMatchObject({ actuator: 'fan' })
  })

  it('is not when it is called more slowly', async () => {
    const { call, clock } = hands({ fan: {} })
    for (let calls = 0; calls < 40; calls++) {
      expect((await call('fan', on)).content).toHaveLength(1)
      await clock.advance(501)
    }
  })

  it('so is the tool that reads the sensors', async () => {
    const { call } = hands({}, { readSensorsTool: true, board: { sensors: { light: { read: () => 1 } } } })
    for (let calls = 0; calls < 20; calls++) await call('read_sensors')
    expect((await call('read_sensors')).text).toContain('subscribe to the sensors')
  })
})

describe('the sensor that shows the effect', () => {
  it('is read after the move, and told with it', async () => {
    let rpm = 0
    const { call } = hands(
      { fan: { readback: 'rpm', set: ({ on }) => void (rpm = on ? 900 : 0) } },
      { board: { sensors: { rpm: { unit: '1/min', ttlMs: 60_000, read: () => rpm } } } },
    )
    expect((await call('fan', on)).structuredContent.readback).toEqual({ sensor: 'rpm', value: 900, unit: '1/min' })
  })

  it('that fails does not fail the move', async () => {
    const dead = { read: () => Promise.reject(new Error('no answer at 0x44')) }
    const { call } = hands({ fan: { readback: 'rpm' } }, { board: { sensors: { rpm: dead } } })
    const { isError, structuredContent } = await call('fan', on)
    expect(isError).toBeUndefined()
    expect(structuredContent.readback).toEqual({ sensor: 'rpm', error: 'rpm: no answer at 0x44' })
  })

  it('is told beside an answer of the actuator itself', async () => {
    const own = { type: 'object', properties: { litres: { type: 'number' } }, required: ['litres'] } as const
    const { call } = hands(
      { pump: { readback: 'flow', outputSchema: own, set: () => ({ litres: 2 }) } },
      { board: { sensors: { flow: { read: () => 0.4 } } } },
    )
    const { structuredContent, content } = await call('pump', on)
    expect(structuredContent).toEqual({ litres: 2 })
    expect(content.map(({ text }: any) => text)).toEqual(['{"litres":2}', 'Read back: flow is 0.4'])
  })
})

describe('what is recorded of a call', () => {
  it('who, what, and how it ended', async () => {
    const { call, record } = hands({ fan: {} })
    const meta = modernMeta({ 'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1.2' } })
    await call('fan', on, meta)
    expect(record.at(-1)).toMatchObject({
      event: 'call',
      board: 'rig',
      tool: 'fan',
      moves: true,
      arguments: on,
      client: 'host 1.2',
      outcome: 'ran',
    })
  })

  it('refusals with their reason: by the schema, by a rule, by the lack of access', async () => {
    const { call, record, server } = hands({ fan: { minIntervalMs: 1000 }, saw: { audience: 'person' } })
    await server.open()
    await call('fan', { on: 'yes' })
    await call('fan', on)
    await call('fan', on)
    await call('saw', on)
    const calls = record.filter(({ event }) => event === 'call').map(({ outcome, reason }) => [outcome, reason])
    expect(calls).toEqual([
      ['refused', expect.stringContaining('do not fit')],
      ['ran', undefined],
      ['refused', expect.stringContaining('at most once')],
      ['refused', expect.stringContaining('for a person only')],
    ])
  })

  it('what failed, and what nobody can tell', async () => {
    class Unknown extends DeviceFailure {
      override readonly outcome = 'unknown'
    }
    const { call, record } = hands({
      stuck: { safe: null, set: () => Promise.reject(new Error('it stalled')) },
      cut: { safe: null, set: () => Promise.reject(new Unknown('the cable was pulled')) },
    })
    await call('stuck', on)
    await call('cut', on)
    expect(record.slice(-2).map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['failed', 'it stalled'],
      ['unknown', 'the cable was pulled'],
    ])
  })

  it('that a person was asked first, and what came of it', async () => {
    const { call, record } = hands({ saw: { confirm: 'each' } })
    await call('saw', on, capable({ elicitation: {} }))
    expect(record.at(-1)).toMatchObject({ tool: 'saw', outcome: 'asked' })
  })

  it('a move that a person stopped', async () => {
    const { call, record, server } = hands({
      lift: {
        set: ({ on }, { signal }) =>
          on ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))) : undefined,
      },
    })
    await server.open()
    const moving = call('lift', on)
    await server.stop('the test')
    await moving
    expect(record.find(({ tool }) => tool === 'lift')).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('Stopped'),
    })
  })
})
