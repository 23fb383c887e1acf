import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { able, answerAll, type Bridged, callAnswering } from './answering-host.ts'
import { startDevice } from './child-line.ts'
import { bridged, type EraName, Line } from './line.ts'

const says = (name: string) => ({ action: 'accept', content: { name } })

describe.each<EraName>(['modern', 'legacy'])('the official SDK as a device that asks, behind a %s host', era => {
  let line: Line
  let pair: Bridged
  let stop: (() => void) | undefined
  beforeAll(async () => {
    line = new Line({ requestTimeoutMs: 20_000 })
    const child = await startDevice(line, 'test/client/sdk-device.ts')
    stop = () => child.kill('SIGKILL')
    const session = await line.client.connect()
    expect(session).toMatchObject({ era: 'legacy', version: '2025-11-25', instructions: 'Ask before you move.' })
    pair = await bridged(line, era, { capabilities: able })
    if (era === 'legacy') answerAll(pair.host)
  })
  afterAll(() => stop?.())

  const call = (name: string, args: object, answer: (question: any) => object) =>
    callAnswering(pair, era, name, args, answer)

  it('moves once when the person agrees', async () => {
    const asked: any[] = []
    const result = await call('move', { by: 3 }, question => {
      asked.push(question)
      return { action: 'accept', content: { sure: true } }
    })
    expect(result.content[0].text).toBe('moved by 3, 1 in all')
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Move by 3?', requestedSchema: { properties: { sure: { type: 'boolean' } } } },
    })
  })

  it('does not move when the person declines', async () => {
    const result = await call('move', { by: 1 }, () => ({ action: 'decline' }))
    expect(result.content[0].text).toBe('not moved: decline')
  })

  it('asks again when the answer does not fit', async () => {
    const answers = [{ sure: 'perhaps' }, { sure: true }]
    const result = await call('move', { by: 2 }, () => ({ action: 'accept', content: answers.shift() }))
    expect(result.content[0].text).toBe('moved by 2, 2 in all')
  })

  it('asks one thing after the other', async () => {
    const result = await call('two_questions', {}, ({ params }) =>
      says(params.message === 'First name?' ? 'Ada' : 'Lovelace'),
    )
    expect(result.content[0].text).toBe('Ada Lovelace')
  })

  it('asks the model of the host', async () => {
    const result = await call('ask_model', {}, ({ params }) => {
      expect(params).toMatchObject({ maxTokens: 10, messages: [{ content: { text: 'Is it warm?' } }] })
      return { role: 'assistant', content: { type: 'text', text: 'Yes' }, model: 'small' }
    })
    expect(result.content[0].text).toBe('small: Yes')
  })

  it('asks for the folders of the host', async () => {
    const result = await call('ask_roots', {}, () => ({ roots: [{ uri: 'file:///tmp' }] }))
    expect(result.content[0].text).toBe('file:///tmp')
  })

  it('says so where the host cannot ask its user', async () => {
    const deaf = await bridged(line, era)
    const { result, error } = await deaf.request('tools/call', { name: 'move', arguments: { by: 1 } })
    expect(result?.content[0].text ?? error.message).toContain('This needs a client that can ask its user')
    deaf.end()
  })

  it('a question waits until it is clear whose call it belongs to', async () => {
    const quick = pair.request('tools/call', { name: 'quick', arguments: {} })
    const result = await call('move', { by: 4 }, () => ({ action: 'decline' }))
    expect(result.content[0].text).toBe('not moved: decline')
    expect((await quick).result.content[0].text).toBe('quick')
  })
})

describe('a host that comes back with an answer', () => {
  const boolean = { action: 'accept', content: { sure: true } }

  async function asked() {
    const line = new Line({ requestTimeoutMs: 20_000 })
    const child = await startDevice(line, 'test/client/sdk-device.ts')
    onTestFinished(() => void child.kill('SIGKILL'))
    await line.client.connect()
    const pair = await bridged(line, 'modern', { capabilities: able })
    const params = { name: 'move', arguments: { by: 5 } }
    const { result } = await pair.request('tools/call', params)
    const [key] = Object.keys(result.inputRequests)
    const answered = { ...params, inputResponses: { [key!]: boolean }, requestState: result.requestState }
    return { line, child, pair, params, answered }
  }

  it('twice moves once', async () => {
    const { pair, answered } = await asked()
    const both = await Promise.all([pair.request('tools/call', answered), pair.request('tools/call', answered)])
    const texts = both.map(({ result }) => result.content[0].text).sort()
    expect(texts[0]).toMatch(/^move: sdk-device does not wait for this answer any more/)
    expect(texts[1]).toBe('moved by 5, 1 in all')
  })

  it('to another call does not move', async () => {
    const { pair, answered } = await asked()
    const other = { ...answered, arguments: { by: 50 } }
    const { error } = await pair.request('tools/call', other)
    expect(error.code).toBe(-32602)
    const { requestState: _requestState, ...stateless } = other
    const { result } = await pair.request('tools/call', stateless)
    expect(result.content[0].text).toContain('does not wait for this answer')
  })

  it('after the device was lost is told so, and nothing runs', async () => {
    const { pair, answered, child, line } = await asked()
    const gone = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
    const next = await startDevice(line, 'test/client/sdk-device.ts')
    onTestFinished(() => void next.kill('SIGKILL'))
    await line.client.connect()
    const { result } = await pair.request('tools/call', answered)
    expect(result).toMatchObject({ isError: true })
    expect(result.content[0].text).toContain('does not wait for this answer')
    const again = await callAnswering(pair, 'modern', 'move', { by: 6 }, () => boolean)
    expect(again.content[0].text).toBe('moved by 6, 1 in all')
  })

  it('a call during which the cable is pulled ends with what is known', async () => {
    const { pair } = await asked()
    const { result } = await pair.request('tools/call', { name: 'die', arguments: {} })
    expect(result.isError).toBe(true)
    expect(result.content[0].text).toMatch(/sdk-device was lost before it answered \(the cable was pulled\).*not known/)
  })
})
