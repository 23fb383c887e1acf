import { describe, expect, it } from 'vitest'
import type { Child } from '../child.ts'
import { begin, Copies, said } from './copies.ts'

const uri = 'sensor://shared/position'

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

/** Opens a copy whose host can be asked questions. */
async function askable(copies: Copies): Promise<Child> {
  const child = copies.launch()
  await child.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'test', version: '1.0.0' },
  })
  child.write({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return child
}

function notified(child: Child, method: string): any[] {
  return child.messages.filter(message => message.method === method)
}

async function question(child: Child, count: number): Promise<any> {
  await child.until(() => notified(child, 'elicitation/create').length === count, `question ${count}`)
  return notified(child, 'elicitation/create')[count - 1]
}

describe('what a host asked for outlives the owner', () => {
  it('subscriptions of the handshake revisions go on, and the host is told to read again', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    await second.request('resources/subscribe', { uri })
    await first.stop()
    const updated = () => notified(second, 'notifications/resources/updated')
    await second.until(() => updated().length === 1, 'an update after the take-over')
    await second.call('arm', { ms: 1, tag: 'seen' })
    await second.until(() => updated().length === 2, 'an update after the move')
    expect(updated().map(({ params }) => params.uri)).toEqual([uri, uri])
    // Answers to what was replayed are not for the host.
    expect(second.messages.filter(({ id }) => String(id).includes('replay'))).toEqual([])
  })

  it('a resource that was unsubscribed from stays so', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await copies.start()
    await second.request('resources/subscribe', { uri })
    await second.request('resources/unsubscribe', { uri })
    await first.stop()
    await second.call('arm', { ms: 1, tag: 'unseen' })
    await second.request('ping')
    expect(notified(second, 'notifications/resources/updated')).toEqual([])
  })

  it.each(['is killed', 'leaves'])('a modern subscription goes on when the owner %s', async how => {
    const copies = new Copies()
    const first = await copies.start()
    const second = copies.launch()
    second.write({
      jsonrpc: '2.0',
      id: 'listen',
      method: 'subscriptions/listen',
      params: { _meta: modern, notifications: { resourceSubscriptions: [uri] } },
    })
    const acknowledged = () => notified(second, 'notifications/subscriptions/acknowledged')
    await second.until(() => acknowledged().length === 1, 'the acknowledgement')
    if (how === 'leaves') first.endInput()
    else await first.stop()
    await first.exit()
    const updated = () => notified(second, 'notifications/resources/updated')
    await second.until(() => updated().length === 1, 'an update after the take-over')
    begin(second, 1, 'arm', { ms: 1, tag: 'seen' }, modern)
    await second.until(() => updated().length === 2, 'an update after the move')
    for (const { params } of updated()) {
      expect(params._meta).toEqual({ 'io.modelcontextprotocol/subscriptionId': 'listen' })
    }
    expect(acknowledged()).toHaveLength(1)
    expect(notified(second, 'notifications/cancelled')).toEqual([])
    expect(second.messages.filter(({ id }) => id === 'listen')).toEqual([])
    second.endInput()
    expect((await second.exit()).code).toBe(0)
    expect(second.messages.filter(({ id }) => id === 'listen')).toMatchObject([{ result: {} }])
  })

  it('the subscription of a host that leaves is ended in good form', async () => {
    const copies = new Copies()
    await copies.start()
    const second = copies.launch()
    second.write({
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: { _meta: modern, notifications: { toolsListChanged: true } },
    })
    await second.until(() => second.lines.length === 1, 'the acknowledgement')
    second.endInput()
    expect((await second.exit()).code).toBe(0)
    expect(second.messages[1]).toMatchObject({ id: 7, result: { resultType: 'complete' } })
  })
})

describe('questions to a host', () => {
  it('reach it through the owner, and its answer reaches the tool', async () => {
    const copies = new Copies()
    await copies.start()
    const second = await askable(copies)
    begin(second, 1, 'ask')
    const { id } = await question(second, 1)
    second.write({ jsonrpc: '2.0', id, result: { action: 'accept', content: { colour: 'blue' } } })
    expect(said(await second.answer(1))).toBe('painted blue')
  })

  it('are taken back when the owner is killed, and a late answer is for nobody else', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = await askable(copies)
    begin(second, 1, 'ask')
    const lost = await question(second, 1)
    await first.stop()
    expect(await second.answer(1)).toMatchObject({ result: { isError: true } })
    expect(notified(second, 'notifications/cancelled')).toMatchObject([{ params: { requestId: lost.id } }])
    begin(second, 2, 'ask')
    const asked = await question(second, 2)
    expect(asked.id).not.toBe(lost.id)
    second.write({ jsonrpc: '2.0', id: lost.id, result: { action: 'accept', content: { colour: 'late' } } })
    second.write({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: { colour: 'red' } } })
    expect(said(await second.answer(2))).toBe('painted red')
  })

  it('that one owner asked a modern host are answered to the next', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = copies.launch()
    begin(second, 1, 'ask', {}, modern)
    const { result } = await second.answer(1)
    expect(result.resultType).toBe('input_required')
    await first.stop()
    const [key] = Object.keys(result.inputRequests)
    second.write({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: {
        name: 'ask',
        arguments: {},
        _meta: modern,
        requestState: result.requestState,
        inputResponses: { [key!]: { action: 'accept', content: { colour: 'green' } } },
      },
    })
    expect(said(await second.answer(2))).toBe('painted green')
  })
})

describe('batches of 2025-03-26', () => {
  it('end as a batch when the owner is killed', async () => {
    const copies = new Copies()
    const first = await copies.start()
    const second = copies.launch()
    await second.initialize('2025-03-26')
    const params = { name: 'arm', arguments: { ms: 60_000, tag: 'batch' } }
    second.write([
      { jsonrpc: '2.0', id: 'a', method: 'tools/call', params },
      { jsonrpc: '2.0', id: 'b', method: 'ping' },
    ])
    await first.stop()
    await second.until(() => second.messages.some(Array.isArray), 'the batch')
    const batch = second.messages.find(Array.isArray)!
    expect(batch.map(({ id }) => id).sort()).toEqual(['a', 'b'])
    expect(batch.find(({ id }) => id === 'a').result.isError).toBe(true)
    expect(await second.call('who')).toBe(String(second.process.pid))
  })
})
