/** A stream that was cut is taken up where it was cut, as long as what is missing is kept. */
import { describe, expect, it } from 'vitest'
import { type Call, tool } from '../../runtime/index.ts'
import { ReplayStore } from '../../transports/http/replayable-stream.ts'
import { type OpenAnswer, type SseEvent, serving, type Visit } from './serving.ts'

/** A tool whose progress and end the test decides. */
function led() {
  const calls: { step(progress: number, message?: string): void; end(text: string): void }[] = []
  const lead = tool({
    call: (_, call: Call) =>
      new Promise<string>(resolve => {
        calls.push({ step: (progress, message) => call.progress(progress, 100, message), end: resolve })
        call.progress(0, 100)
      }),
  })
  return { calls, lead }
}

const open = (visit: Visit, id = 1) => visit.openCall('lead', {}, { id, meta: { progressToken: id } })
const withData = (events: SseEvent[]) => events.filter(({ data }) => data)
const progressOf = ({ events }: OpenAnswer) =>
  withData(events).map(({ data }) => JSON.parse(data!).params?.progress ?? JSON.parse(data!).result.content[0].text)
const lastId = ({ events }: OpenAnswer) => events.at(-1)!.id!

describe('a stream of a call', () => {
  it('begins with an id, and how soon to come back, for clients of 2025-11-25', async () => {
    const { calls, lead } = led()
    const site = await serving({}, { tools: { lead } })
    for (const [protocolVersion, primes] of [
      ['2025-11-25', true],
      ['2025-06-18', false],
    ] as const) {
      const visit = await site.session({ protocolVersion })
      const call = await open(visit)
      await call.until(({ events }) => withData(events).length === 1)
      const [first] = call.events
      if (primes) expect(first).toMatchObject({ id: expect.any(String), retry: '1000', data: '' })
      else expect(first!.data).not.toBe('')
      expect(call.events.every(({ id }) => id !== undefined)).toBe(true)
      calls.at(-1)!.end('done')
      await call.ended
    }
  })

  it('goes on behind the event that was the last to arrive', async () => {
    const { calls, lead } = led()
    const visit = await (await serving({}, { tools: { lead } })).session()
    const call = await open(visit)
    await call.until(({ events }) => withData(events).length === 1)
    const cutAt = lastId(call)
    calls[0]!.step(10)
    await call.until(({ events }) => withData(events).length === 2)
    call.leave()
    await call.ended
    calls[0]!.step(20)
    const rest = await visit.listen({ 'Last-Event-ID': cutAt })
    await rest.until(({ events }) => withData(events).length === 2)
    calls[0]!.step(30)
    calls[0]!.end('there')
    expect(await rest.ended).toBe('end')
    expect(progressOf(rest)).toEqual([10, 20, 30, 'there'])
  })

  it('is there for a while when its call is over, and says when there is nothing more', async () => {
    const { calls, lead } = led()
    const visit = await (await serving({}, { tools: { lead } })).session()
    const call = await open(visit)
    await call.until(({ events }) => withData(events).length === 1)
    const cutAt = lastId(call)
    call.leave()
    await call.ended
    calls[0]!.end('missed')
    const rest = await visit.listen({ 'Last-Event-ID': cutAt })
    await rest.ended
    expect(progressOf(rest)).toEqual(['missed'])
    const again = await visit.listen({ 'Last-Event-ID': cutAt })
    await again.ended
    expect(progressOf(again)).toEqual(['missed'])
    const nothing = await visit.listen({ 'Last-Event-ID': lastId(rest) })
    expect(nothing.status).toBe(204)
  })

  it('has the events of no other stream', async () => {
    const { calls, lead } = led()
    const site = await serving({}, { tools: { lead } })
    const visit = await site.session()
    const [one, two] = [await open(visit, 1), await open(visit, 2)]
    await Promise.all([one, two].map(each => each.until(({ events }) => withData(events).length === 1)))
    const cutAt = lastId(one)
    one.leave()
    await one.ended
    calls[1]!.step(55)
    site.server.tools.set('late', { call: () => '' })
    calls[0]!.step(11)
    const rest = await visit.listen({ 'Last-Event-ID': cutAt })
    calls[0]!.end('one')
    calls[1]!.end('two')
    await Promise.all([rest.ended, two.ended])
    expect(progressOf(rest)).toEqual([11, 'one'])
    expect(progressOf(two)).toEqual([0, 55, 'two'])
  })

  it('ids are of one session, and of one stream in it', async () => {
    const { calls, lead } = led()
    const site = await serving({}, { tools: { lead } })
    const visit = await site.session()
    const calling = [await open(visit, 1), await open(visit, 2)]
    await Promise.all(calling.map(each => each.until(({ events }) => withData(events).length === 1)))
    const ids = calling.flatMap(({ events }) => events.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    const other = await site.session()
    expect((await other.listen({ 'Last-Event-ID': lastId(calling[0]!) })).status).toBe(400)
    for (const { end } of calls) end('')
  })

  it.each(['x', '99-1', '1', '-1', '1-', '1-1-1', '0x1-1', ''])('"%s" is no id', async id => {
    const visit = await (await serving()).session()
    expect((await visit.listen({ 'Last-Event-ID': id })).status).toBe(400)
  })

  it('of a call that was cancelled has nothing more, and says so', async () => {
    const { lead } = led()
    const visit = await (await serving({}, { tools: { lead } })).session()
    const call = await visit.openCall('lead', {}, { meta: { progressToken: 1 } })
    await call.until(({ events }) => withData(events).length === 1)
    const cutAt = lastId(call)
    await visit.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await call.ended).toBe('end')
    expect((await visit.listen({ 'Last-Event-ID': cutAt })).status).toBe(204)
  })

  it('takes no room once it is over and empty, and what was given up is not said to be over', () => {
    const store = new ReplayStore(1000)
    for (let stream = 0; stream < 10_000; stream++) store.begin().finish()
    expect(store.find('5000-0')).toBe('over')
    expect(store.find('10000-0')).toBeUndefined()
    const lost = store.begin()
    lost.send('an answer')
    lost.finish()
    expect(store.find(`${lost.number}-0`)).toMatchObject({ after: 0 })
    expect(store.find(`${lost.number}-1`)).toBe('over')
    for (let event = 0; event < 10; event++) store.begin().send('x'.repeat(100))
    expect(store.find(`${lost.number}-0`)).toBeUndefined()
  })

  it('loses its oldest events first when there is no room for all', async () => {
    const { calls, lead } = led()
    const visit = await (await serving({ limits: { replayBytes: 3000 } }, { tools: { lead } })).session()
    const call = await open(visit)
    await call.until(({ events }) => withData(events).length === 1)
    const cutAt = lastId(call)
    call.leave()
    await call.ended
    for (let step = 1; step <= 50; step++) calls[0]!.step(step, 'x'.repeat(400))
    calls[0]!.end('the end')
    const rest = await visit.listen({ 'Last-Event-ID': cutAt })
    await rest.ended
    const got = progressOf(rest)
    expect(got.at(-1)).toBe('the end')
    expect(got.length).toBeGreaterThan(1)
    expect(got.length).toBeLessThan(9)
    expect(got[0]).toBeGreaterThan(5)
  })

  it('gives up streams that were read to their end before those that were not', async () => {
    const { calls, lead } = led()
    const visit = await (await serving({ limits: { replayBytes: 2000 } }, { tools: { lead } })).session()
    const cut = await open(visit, 1)
    await cut.until(({ events }) => withData(events).length === 1)
    const cutAt = lastId(cut)
    cut.leave()
    await cut.ended
    calls[0]!.step(1)
    for (let id = 2; id < 12; id++) {
      const whole = open(visit, id)
      await expect.poll(() => calls.length).toBe(id)
      calls[id - 1]!.end('x'.repeat(400))
      await (await whole).ended
    }
    calls[0]!.end('still there')
    const rest = await visit.listen({ 'Last-Event-ID': cutAt })
    await rest.ended
    expect(progressOf(rest)).toEqual([1, 'still there'])
  })
})

describe('the standing stream', () => {
  it('goes on where it was cut', async () => {
    const site = await serving()
    const visit = await site.session()
    const first = await visit.listen()
    site.server.log('warning', 'one')
    await first.until(({ events }) => withData(events).length === 1)
    const cutAt = lastId(first)
    first.leave()
    await first.ended
    for (const text of ['two', 'three']) site.server.log('warning', text)
    const second = await visit.listen({ 'Last-Event-ID': cutAt })
    await second.until(({ events }) => withData(events).length === 2)
    site.server.log('warning', 'four')
    await second.until(({ events }) => withData(events).length === 3)
    expect(withData(second.events).map(({ data }) => JSON.parse(data!).params.data)).toEqual(['two', 'three', 'four'])
    second.leave()
  })

  it('begins anew for a client that has no id, with what nobody was sent', async () => {
    const site = await serving()
    const visit = await site.session()
    const first = await visit.listen()
    site.server.log('warning', 'one')
    await first.until(({ events }) => withData(events).length === 1)
    first.leave()
    await first.ended
    const second = await visit.listen()
    site.server.log('warning', 'two')
    await second.until(({ events }) => withData(events).length > 0)
    expect(withData(second.events).map(({ data }) => JSON.parse(data!).params.data)).toEqual(['two'])
    second.leave()
  })
})
