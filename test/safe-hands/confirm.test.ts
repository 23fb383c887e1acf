import { describe, expect, it } from 'vitest'
import { capable, TestClient } from '../memory-client.ts'
import { hands, off, on } from './hands.ts'

const asks = capable({ elicitation: {} })

/** A request that was answered by a question, and how it goes on with the person's answer. */
async function question(call: ReturnType<typeof hands>['call'], name: string, args: object) {
  const { resultType, inputRequests, requestState } = await call(name, args, asks)
  expect(resultType).toBe('input_required')
  const [[key, { params }]] = Object.entries<any>(inputRequests) as [[string, any]]
  const answered = (action: string, other: object = args) =>
    call(name, other, asks, { requestState, inputResponses: { [key]: { action, content: {} } } })
  return { message: params.message as string, answered, key }
}

describe('a move that a person has to agree to, in 2026-07-28', () => {
  it('is shown with its arguments, and is made when they agree', async () => {
    const { call, at } = hands({ saw: { title: 'Table saw', confirm: 'each' } })
    const { message, answered } = await question(call, 'saw', on)
    expect(message).toBe('May the model move Table saw (saw) of rig? {"on":true}')
    expect(at.saw).not.toEqual(on)
    expect((await answered('accept')).isError).toBeUndefined()
    expect(at.saw).toEqual(on)
  })

  it.each(['decline', 'cancel'])('is not made on %s', async action => {
    const { call, at } = hands({ saw: { confirm: 'each' } })
    const { answered } = await question(call, 'saw', on)
    expect((await answered(action)).text).toContain('the person did not agree')
    expect(at.saw).toEqual(off)
  })

  it('is made once: the same request with the same answer does not make it again', async () => {
    const { call, moves } = hands({ saw: { confirm: 'each' } })
    const { answered } = await question(call, 'saw', on)
    const both = await Promise.all([answered('accept'), answered('accept')])
    expect(both.filter(({ isError }) => isError === true)).toHaveLength(1)
    expect((await answered('accept')).text).toContain('was used, or is too old')
    expect(moves.filter(({ args }) => args.on)).toHaveLength(1)
  })

  it('is bound to the very arguments, and to the tool', async () => {
    const { call, at, client } = hands({ saw: { confirm: 'each' }, drill: { confirm: 'each' } })
    const { answered, key } = await question(call, 'saw', on)
    expect((await answered('accept', { on: false, extra: 1 })).error.code).toBe(-32602)
    // Without the signed state, and for another tool, the key of the question is worth nothing.
    const { result } = await client.modern(
      'tools/call',
      { name: 'drill', arguments: on, inputResponses: { [key]: { action: 'accept', content: {} } } },
      asks,
    )
    expect(result.isError).toBe(true)
    expect(at.drill).toEqual(off)
  })

  it('an answer that nobody asked for is worth nothing', async () => {
    const { call, at } = hands({ saw: { confirm: 'each' } })
    const made = { inputResponses: { confirm_made_up: { action: 'accept', content: {} } } }
    expect((await call('saw', on, asks, made)).isError).toBe(true)
    expect(at.saw).toEqual(off)
  })

  it('expires after ten minutes, and not before', async () => {
    const { call, at, clock } = hands({ saw: { confirm: 'each' } })
    const late = await question(call, 'saw', on)
    await clock.advance(10 * 60_000 + 1)
    const tooLate = await late.answered('accept')
    expect(tooLate.error?.code ?? tooLate.isError).toBeTruthy()
    expect(at.saw).toEqual(off)
    const inTime = await question(call, 'saw', on)
    await clock.advance(10 * 60_000)
    expect((await inTime.answered('accept')).isError).toBeUndefined()
  })

  it('is not made when everything was stopped meanwhile', async () => {
    const { call, server, at } = hands({ lamp: { confirm: 'each', arming: false } })
    const { answered } = await question(call, 'lamp', on)
    await server.stop('the test')
    expect((await answered('accept')).isError).toBe(true)
    expect(at.lamp).toEqual(off)
  })

  it('a refusal by a rule comes after the question, and uses it up', async () => {
    const { call, server } = hands({ saw: { confirm: 'each', minIntervalMs: 1000 } })
    await server.open()
    const first = await question(call, 'saw', on)
    const second = await question(call, 'saw', on)
    await first.answered('accept')
    expect((await second.answered('accept')).text).toContain('at most once')
    expect((await second.answered('accept')).text).toContain('was used')
  })

  it('a further question of the actuator itself does not use it up', async () => {
    const { call, at } = hands({
      safe: {
        confirm: 'each',
        minIntervalMs: 60_000,
        async set(args, from) {
          if (args.on !== true) return
          const code = await from.elicit({
            message: 'Which code?',
            key: 'code',
            requestedSchema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
          })
          at.code = code
        },
      },
    })
    const { answered, key } = await question(call, 'safe', on)
    const next = await answered('accept')
    expect(Object.keys(next.inputRequests)).toEqual(['code'])
    const { isError, text } = await call('safe', on, asks, {
      requestState: next.requestState,
      inputResponses: { code: { action: 'accept', content: { code: '1234' } } },
    })
    expect([isError, text]).toEqual([undefined, expect.any(String)])
    expect(at.code).toMatchObject({ content: { code: '1234' } })
    expect(key).toMatch(/^confirm_/)
  })
})

describe('who is asked, and when', () => {
  it('nobody can be asked: it is refused', async () => {
    const { call, at } = hands({ saw: { confirm: 'each' } })
    expect((await call('saw', on)).text).toContain('a person has to agree to it, and this host cannot ask one')
    expect(at.saw).not.toEqual(on)
  })

  it('the way to safety asks nobody', async () => {
    const { set } = hands({ saw: { confirm: 'each' } })
    expect(await set('saw', off)).toBeUndefined()
  })

  it('a person who works it themselves is not asked', async () => {
    const { server, at } = hands({ saw: { confirm: 'each', audience: 'person' } })
    const person = new TestClient(server, { access: 'person' })
    await person.modern('tools/call', { name: 'saw', arguments: on })
    expect(at.saw).toEqual(on)
  })

  it('the first move is asked about, the next is not, and the first after a stop is again', async () => {
    const { call, server } = hands({ saw: { confirm: 'first' } })
    await (await question(call, 'saw', on)).answered('accept')
    expect((await call('saw', on)).isError).toBeUndefined()
    await server.stop('the test')
    await server.arm('the test')
    expect((await call('saw', on)).isError).toBe(true)
    await question(call, 'saw', on)
  })

  it('in the handshake revisions the question goes out while the call waits', async () => {
    const { server, at } = hands({ saw: { confirm: 'each' } })
    const client = new TestClient(server)
    await client.initialize('2025-11-25', { elicitation: {} })
    const moved = client.callTool('saw', on)
    const asked = await client.next(({ method }) => method === 'elicitation/create')
    expect(asked.params.message).toContain('{"on":true}')
    expect(at.saw).not.toEqual(on)
    client.send({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: {} } })
    expect((await moved).result.isError).toBeUndefined()
    expect(at.saw).toEqual(on)
  })

  it('a stop while the person thinks is stronger than their yes', async () => {
    const { server, at } = hands({ lamp: { confirm: 'each', arming: false } })
    const client = new TestClient(server)
    await client.initialize('2025-11-25', { elicitation: {} })
    const moved = client.callTool('lamp', on)
    const asked = await client.next(({ method }) => method === 'elicitation/create')
    await server.stop('the test')
    client.send({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: {} } })
    expect((await moved).result.isError).toBe(true)
    expect(at.lamp).toEqual(off)
  })
})

describe('what is for a person only', () => {
  it('is in no list of a model, and refused when it is called all the same', async () => {
    const { client, call, at } = hands({ calibrate: { audience: 'person' }, fan: {} })
    const { result } = await client.modern('tools/list')
    expect(result.tools.map(({ name }: any) => name)).not.toContain('calibrate')
    expect((await call('calibrate', on)).text).toContain('is for a person only')
    expect(at.calibrate).toBeUndefined()
  })
})
