/** The official client at an endpoint that asks who it is. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createServer } from '../../runtime/index.ts'
import {
  type Authorizer,
  type HttpLimits,
  http,
  oauthAuthorizer,
  type TokenFile,
  tokenAuthorizer,
  tokenFile,
} from '../../transports/http/index.ts'
import { Issuer } from './issuer.ts'

/** A board with one of each, at an endpoint. */
async function startEndpoint(makeAuthorizer: (url: URL) => Authorizer, limits: Partial<HttpLimits> = {}) {
  const moves: unknown[] = []
  const server = createServer({
    name: 'greenhouse',
    sensors: { soil: { unit: '/', read: () => 0.42 } },
    actuators: {
      fan: {
        inputSchema: { type: 'object', properties: { percent: { type: 'number' } } },
        safe: { percent: 0 },
        set: args => void moves.push(args),
      },
    },
  })
  let authorizer: Authorizer | undefined
  const serving = await http({
    host: '127.0.0.1',
    port: 0,
    limits,
    authorizer: {
      authorize: request => authorizer!.authorize(request),
      // The address is known only when it listens.
      pages: { '/.well-known/oauth-protected-resource/mcp': () => page(authorizer) },
    },
  }).serve(server)
  onTestFinished(() => serving.close())
  const url = new URL(serving.url)
  authorizer = makeAuthorizer(url)
  return { url, moves, serving }
}

function page(authorizer: Authorizer | undefined) {
  return authorizer!.pages!['/.well-known/oauth-protected-resource/mcp']!()
}

function newTokenFile(): TokenFile {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return tokenFile(join(folder, 'tokens.json'))
}

/** A client of one era. */
async function connect(
  url: URL,
  mode: 'legacy' | 'auto',
  options: { token?: string; authProvider?: OAuthClientProvider },
) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const headers: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }
  const { authProvider } = options
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers }, ...(authProvider && { authProvider }) }),
  )
  onTestFinished(() => client.close().catch(() => {}))
  return client
}

describe.each(['legacy', 'auto'] as const)('a client (%s)', mode => {
  it('with a token that may act reads and works; with one that may only read it sees no actuator and moves none', async () => {
    const file = newTokenFile()
    const { url, moves } = await startEndpoint(() => tokenAuthorizer(file))
    const act = await connect(url, mode, await file.create('laptop', { access: 'act' }))
    const read = await connect(url, mode, await file.create('dashboard', { access: 'read' }))
    moves.length = 0

    for (const client of [act, read]) {
      const { resources } = await client.listResources()
      expect(resources.map(({ name }) => name)).toContain('soil')
      const { contents } = await client.readResource({ uri: resources.find(({ name }) => name === 'soil')!.uri })
      expect(JSON.stringify(contents)).toContain('0.42')
    }
    expect((await read.listTools()).tools.map(({ name }) => name)).not.toContain('fan')
    expect(await read.callTool({ name: 'fan', arguments: { percent: 70 } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('this client may only read') }],
    })
    expect(moves).toEqual([])
    await act.callTool({ name: 'fan', arguments: { percent: 50 } })
    expect(moves).toEqual([{ percent: 50 }])
  })

  it('whose token is revoked is refused with its next request, in the middle of what it does', async () => {
    const file = newTokenFile()
    const { url, moves } = await startEndpoint(() => tokenAuthorizer(file))
    const client = await connect(url, mode, await file.create('laptop', { access: 'act' }))
    await client.callTool({ name: 'fan', arguments: { percent: 50 } })
    await file.revoke('laptop')
    moves.length = 0
    await expect(client.callTool({ name: 'fan', arguments: { percent: 60 } })).rejects.toThrow(
      /revoked|401|Unauthorized/,
    )
    expect(moves).toEqual([])
  })

  it('without a token gets nothing', async () => {
    const { url } = await startEndpoint(() => tokenAuthorizer(newTokenFile()))
    await expect(connect(url, mode, {})).rejects.toThrow(/token|401|Unauthorized/)
  })

  it('with an access token of the issuer that it was sent to comes in', async () => {
    const issuer = await Issuer.start()
    const { url, moves } = await startEndpoint(at => oauthAuthorizer({ issuer: issuer.url, audience: at.href }))
    let sent: URL | undefined
    let token: string | undefined
    const authProvider: OAuthClientProvider = {
      redirectUrl: 'http://localhost:7777/back',
      clientMetadata: { redirect_uris: ['http://localhost:7777/back'] },
      clientInformation: () => ({ client_id: 'laptop', redirect_uris: [] }),
      tokens: () => (token === undefined ? undefined : { access_token: token, token_type: 'Bearer' }),
      saveTokens: () => {},
      redirectToAuthorization: to => {
        sent = to
      },
      saveCodeVerifier: () => {},
      codeVerifier: () => '',
    }
    await expect(connect(url, mode, { authProvider })).rejects.toThrow()
    expect(sent?.origin).toBe(new URL(issuer.url).origin)
    const resource = sent!.searchParams.get('resource')
    const scope = sent!.searchParams.get('scope')
    expect([resource, scope]).toEqual([url.href, 'sensors:read actuators:act'])

    token = await issuer.token({ aud: resource, scope })
    const client = await connect(url, mode, { authProvider })
    await client.callTool({ name: 'fan', arguments: { percent: 30 } })
    expect(moves.at(-1)).toEqual({ percent: 30 })
  })
})

describe('a stream that stands open', () => {
  const headers = (token: string, more: Record<string, string> = {}) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...more,
  })
  const initialize = {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  }
  const listen = {
    method: 'subscriptions/listen',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
      },
      notifications: { toolsListChanged: true },
    },
  }
  const post = (url: URL, token: string, message: object, more?: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      headers: headers(token, more),
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    })

  const open = {
    async legacy(url: URL, token: string) {
      const session = (await post(url, token, initialize)).headers.get('mcp-session-id')!
      return fetch(url, { headers: headers(token, { 'mcp-session-id': session }) })
    },
    modern: (url: URL, token: string) =>
      post(url, token, listen, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }),
  }

  it.each(['legacy', 'modern'] as const)('is cut off when the token of its reader is revoked (%s)', async era => {
    const file = newTokenFile()
    const { url } = await startEndpoint(() => tokenAuthorizer(file), { keepAliveMs: 20 })
    const [mine, other] = [
      await file.create('laptop', { access: 'act' }),
      await file.create('other', { access: 'act' }),
    ]
    const [cut, kept] = [await open[era](url, mine.token), await open[era](url, other.token)]
    expect([cut.status, kept.status]).toEqual([200, 200])
    await file.revoke('laptop')
    await expect(cut.text()).rejects.toThrow()
    const reader = kept.body!.getReader()
    // Signs of life that came since, and not only what was on its way.
    for (let read = 0; read < 5; read++) expect((await reader.read()).done).toBe(false)
    await reader.cancel()
  })

  it.each(['legacy', 'modern'] as const)('goes on while nobody can tell (%s)', async era => {
    const answers: Awaited<ReturnType<Authorizer['authorize']>>[] = []
    let outage = 0
    const authorize = () => {
      if (answers.length === 0) return { access: 'act', client: 'a' } as const
      outage++
      return answers[0]!
    }
    const { url } = await startEndpoint(() => ({ authorize }), { keepAliveMs: 20 })
    const stream = await open[era](url, 'x')
    answers.push({ status: 503, headers: {}, message: 'later' })
    await vi.waitFor(() => expect(outage).toBeGreaterThan(2))
    answers[0] = { status: 401, headers: {}, message: 'no' }
    await expect(stream.text()).rejects.toThrow()
  })
})

describe('a session', () => {
  it('belongs to the client that opened it: nobody else gets in by its id', async () => {
    const file = newTokenFile()
    const { url } = await startEndpoint(() => tokenAuthorizer(file))
    const mine = await file.create('laptop', { access: 'act' })
    const other = await file.create('thief', { access: 'act' })
    const ask = (token: string, message: object, session?: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session && { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
    const session = (await ask(mine.token, { method: 'initialize', params })).headers.get('mcp-session-id')!
    expect((await ask(mine.token, { method: 'ping' }, session)).status).toBe(200)
    expect((await ask(other.token, { method: 'ping' }, session)).status).toBe(404)
  })
})
