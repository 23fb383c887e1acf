import { describe, expect, it } from 'vitest'
import { Client, type ClientOptions, type Era, type Message, ServerError } from '../bin/client.ts'

const meta = (name: string) => `io.modelcontextprotocol/${name}`

/** A client, and the other end of its stream. */
function pair(era: Era, more: Partial<ClientOptions> = {}) {
  const sent: Message[] = []
  const client = new Client({ era, version: '1.2.3', write: line => sent.push(JSON.parse(line)), ...more })
  const say = (message: Message) => client.push(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`))
  return { client, sent, say }
}

describe('the client of ferrule try', () => {
  it('sends the envelope of 2026-07-28 with each request', async () => {
    const { client, sent, say } = pair('modern')
    const started = client.start()
    expect(sent[0]).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'server/discover',
      params: {
        _meta: {
          [meta('protocolVersion')]: '2026-07-28',
          [meta('clientCapabilities')]: {},
          [meta('clientInfo')]: { name: 'ferrule-try', version: '1.2.3' },
        },
      },
    })
    const identity = { name: 'house', version: '2', title: 'House' }
    say({
      id: 1,
      result: { resultType: 'complete', capabilities: { tools: {} }, _meta: { [meta('serverInfo')]: identity } },
    })
    expect(await started).toEqual({ ...identity, protocolVersion: '2026-07-28', capabilities: { tools: {} } })
  })

  it('shakes hands in the legacy era', async () => {
    const { client, sent, say } = pair('legacy')
    const started = client.start()
    expect(sent[0]).toMatchObject({ method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } })
    say({
      id: 1,
      result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'house', version: '2' } },
    })
    expect(await started).toMatchObject({ name: 'house', protocolVersion: '2025-11-25' })
    expect(sent[1]).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' })
    void client.request('ping')
    expect(sent[2]).toEqual({ jsonrpc: '2.0', id: 2, method: 'ping', params: {} })
  })

  it('takes the pages of a list together', async () => {
    const { client, sent, say } = pair('modern')
    const listed = client.list('tools/list', 'tools')
    say({ id: 1, result: { tools: ['a'], nextCursor: '' } })
    await Promise.resolve()
    await Promise.resolve()
    expect(sent[1]).toMatchObject({ id: 2, params: { cursor: '' } })
    say({ id: 2, result: { tools: ['b'] } })
    expect(await listed).toEqual(['a', 'b'])
  })

  it('listens once the server has acknowledged it', async () => {
    const heard: string[] = []
    const { client, sent, say } = pair('modern', { onNotification: method => heard.push(method) })
    let listening = false
    const listen = client.listen(['sensor://house/air']).then(() => {
      listening = true
    })
    expect(sent[0]).toMatchObject({
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: ['sensor://house/air'] } },
    })
    await Promise.resolve()
    expect(listening).toBe(false)
    say({ method: 'notifications/subscriptions/acknowledged', params: { _meta: { [meta('subscriptionId')]: 1 } } })
    await listen
    say({ method: 'notifications/resources/updated', params: { uri: 'sensor://house/air' } })
    expect(heard).toEqual(['notifications/resources/updated'])
  })

  it('subscribes to each resource in the legacy era', async () => {
    const { client, sent, say } = pair('legacy')
    const listen = client.listen(['sensor://a', 'sensor://b'])
    expect(sent.map(({ method, params }) => [method, params.uri])).toEqual([
      ['resources/subscribe', 'sensor://a'],
      ['resources/subscribe', 'sensor://b'],
    ])
    say({ id: 2, result: {} })
    say({ id: 1, result: {} })
    await listen
  })

  it('hands progress to the call that it belongs to', async () => {
    const { client, sent, say } = pair('modern')
    const seen: unknown[] = []
    const answered = client.request('tools/call', { name: 'pump' }, { onProgress: progress => seen.push(progress) })
    expect(sent[0]!.params._meta.progressToken).toBe(1)
    say({ method: 'notifications/progress', params: { progressToken: 1, progress: 1, total: 2 } })
    say({ method: 'notifications/progress', params: { progressToken: 9, progress: 1 } })
    say({ id: 1, result: { content: [] } })
    expect(await answered).toEqual({ content: [] })
    expect(seen).toEqual([{ progressToken: 1, progress: 1, total: 2 }])
  })

  it('cancels a call, and is not puzzled by an answer that comes all the same', async () => {
    const { client, sent, say } = pair('modern')
    const stop = new AbortController()
    const answered = client.request('tools/call', { name: 'pump' }, { signal: stop.signal })
    stop.abort()
    await expect(answered).rejects.toThrow()
    expect(sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } })
    say({ id: 1, result: {} })
  })

  it('rejects with what the server said went wrong', async () => {
    const { client, say } = pair('modern')
    const answered = client.request('tools/call', { name: 'nothing' })
    say({ id: 1, error: { code: -32602, message: 'Unknown tool: nothing', data: 1 } })
    const thrown = await answered.catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(ServerError)
    expect(thrown).toMatchObject({ code: -32602, message: 'Unknown tool: nothing', data: 1 })
  })

  it('answers a ping and refuses other requests of the server', () => {
    const { sent, say } = pair('legacy')
    say({ id: 'x', method: 'ping' })
    say({ id: 'y', method: 'sampling/createMessage', params: {} })
    expect(sent).toMatchObject([
      { id: 'x', result: {} },
      { id: 'y', error: { code: -32601 } },
    ])
  })

  it('reads messages however their bytes are cut, and passes on what is no message', async () => {
    const strays: string[] = []
    const { client } = pair('modern', { onStray: text => strays.push(text) })
    const answered = client.request('tools/list')
    const bytes = Buffer.from('Hello!\n\n[1]\n{"jsonrpc":"2.0","id":1,"result":{"tools":["ä"]}}\n')
    for (const byte of bytes) client.push(Uint8Array.of(byte))
    expect(await answered).toEqual({ tools: ['ä'] })
    expect(strays).toEqual(['Hello!', '[1]'])
  })

  it('fails all that waits when the server is gone', async () => {
    const { client } = pair('modern')
    const waiting = [client.request('a'), client.listen(['sensor://a'])]
    client.close(new Error('the server ended'))
    for (const each of [...waiting, client.request('b')]) await expect(each).rejects.toThrow('the server ended')
  })
})
