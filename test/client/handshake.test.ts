import { describe, expect, it } from 'vitest'
import { createServer } from '../../runtime/index.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { startDevice } from './child-line.ts'
import { Line, spoken } from './line.ts'

const discovered = (versions: string[]) => ({
  resultType: 'complete',
  supportedVersions: versions,
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
})

const initialized = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  serverInfo: { name: 'old', version: '1' },
})

type Answer = { result: object } | { error: object } | string | undefined

/** A device that answers each method as it is told to, or not at all. */
function device(answers: Record<string, (message: any) => Answer>) {
  const clock = new OwnedClock()
  const line = new Line({ clock })
  line.device = sent => {
    const message = JSON.parse(sent)
    const answer = answers[message.method]?.(message)
    if (typeof answer === 'string') line.say(answer)
    else if (answer !== undefined) line.say({ jsonrpc: '2.0', id: message.id, ...answer })
  }
  const methods = () => line.sent.map(({ method }) => method)
  return { clock, line, methods }
}

const initialize = () => ({ result: initialized('2025-06-18') })

describe('the era of a device is found out', () => {
  it('by its discovery', async () => {
    const { line, methods } = device({ 'server/discover': () => ({ result: discovered(['2026-07-28']) }) })
    expect(await line.client.connect()).toMatchObject({ era: 'modern', version: '2026-07-28' })
    expect(methods()).toEqual(['server/discover'])
    expect(line.sent[0].params._meta).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bridge', version: '1' },
    })
  })

  it.each<[string, () => Answer]>([
    ['an unknown method', () => ({ error: { code: -32601, message: 'Unknown' } })],
    ['an error of no known code', () => ({ error: { code: -1, message: 'what?' } })],
    ['an error that is none', () => ({ error: {} })],
    ['an error without an id', () => '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}'],
    [
      'versions of the handshake only',
      () => ({ error: { code: -32022, message: '', data: { supported: ['2025-11-25'] } } }),
    ],
    ['a result that is no discovery', () => ({ result: {} })],
  ])('to be the older one by %s', async (_, answer) => {
    const { line, methods } = device({ 'server/discover': answer, initialize })
    expect(await line.client.connect()).toMatchObject({ era: 'legacy', version: '2025-06-18' })
    expect(methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized'])
    expect(line.sent[1].params.protocolVersion).toBe('2025-11-25')
  })

  it('to be the older one by its silence, after asking twice', async () => {
    const { clock, line, methods } = device({ initialize })
    const session = line.client.connect()
    await clock.advance(4000)
    expect(await session).toMatchObject({ era: 'legacy' })
    expect(methods()).toEqual(['server/discover', 'server/discover', 'initialize', 'notifications/initialized'])
    line.say({ jsonrpc: '2.0', id: line.sent[0].id, result: discovered(['2026-07-28']) })
    await settled()
    expect(line.client.session?.era).toBe('legacy')
  })

  it('with the revision that both speak', async () => {
    let asked = 0
    const { line } = device({
      'server/discover': () =>
        ++asked === 1
          ? { error: { code: -32022, message: 'no', data: { supported: ['2026-07-28', '2099-01-01'] } } }
          : { result: discovered(['2026-07-28']) },
    })
    expect(await line.client.connect()).toMatchObject({ era: 'modern', version: '2026-07-28' })
  })

  it('and one that speaks only what is not known here is told', async () => {
    const { line, methods } = device({
      'server/discover': () => ({ error: { code: -32022, message: 'no', data: { supported: ['2099-01-01'] } } }),
      initialize,
    })
    await expect(line.client.connect()).rejects.toThrow('the board speaks MCP 2099-01-01 only')
    expect(methods()).toEqual(['server/discover'])
    const old = device({
      initialize: () => ({ result: initialized('1999-01-01') }),
      'server/discover': () => ({ error: {} }),
    })
    await expect(old.line.client.connect()).rejects.toThrow('wants to speak MCP 1999-01-01, which is not known here')
  })

  it('faster where it is known from before', async () => {
    const { line, methods } = device({ initialize })
    await line.client.connect('legacy')
    expect(methods()).toEqual(['initialize', 'notifications/initialized'])
    line.client.lost('the cable was pulled')
    await line.client.connect()
    expect(methods().slice(2)).toEqual(['initialize', 'notifications/initialized'])
    const grown = device({
      initialize: () => ({ error: { code: -32601, message: 'Unknown' } }),
      'server/discover': () => ({ result: discovered(['2026-07-28']) }),
    })
    expect(await grown.line.client.connect('legacy')).toMatchObject({ era: 'modern' })
  })

  it('and one that says nothing at all is no MCP server', async () => {
    const { clock, line } = device({})
    const failed = line.client.connect().catch((thrown: Error) => thrown.message)
    await clock.advance(12_000)
    expect(await failed).toBe('the board did not answer within 4 s.')
    const call = line.client.listTools().catch((thrown: Error) => thrown.message)
    await clock.advance(2000)
    expect(await call).toMatch(/^the board is away: .*Nothing was done/)
    expect(clock.pending).toBe(0)
  })

  it('with servers of one era and of both', async () => {
    for (const [eras, era] of [
      [spoken.modern, 'modern'],
      [spoken.legacy, 'legacy'],
      [spoken.both, 'modern'],
    ] as const) {
      const line = new Line()
      line.serve(createServer({ name: 'bench' }), [...eras])
      expect((await line.client.connect()).era).toBe(era)
    }
  })

  it.each(['modern', 'legacy'] as const)('with a process at the other end, %s first', async first => {
    const line = new Line()
    const child = await startDevice(line, 'test/rig.ts', 'stdio')
    const session = await line.client.connect(first)
    expect(session).toMatchObject({ era: first, serverInfo: { name: 'rig' } })
    expect((await line.client.listTools()).map(({ name }) => name)).toContain('sleep')
    const gone = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
    expect(line.client.session).toBeUndefined()
  })
})
