import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  auth,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client'
import { exportSPKI, generateKeyPair } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  AuthorizationError,
  type OAuthAuthorizer,
  type OAuthOptions,
  oauthAuthorizer,
} from '../../transports/http/authorization/index.ts'
import { metadataUrls } from '../../transports/http/authorization/issuer-metadata.ts'
import { noJose } from '../../transports/http/authorization/load-jose.ts'
import { audience, Issuer } from './issuer.ts'

const url = new URL(audience)

/** What an authorizer says to a token. */
async function told(authorizer: OAuthAuthorizer, token: string | undefined): Promise<any> {
  return authorizer.authorize({ url, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
}

async function startIssuer(options: Partial<OAuthOptions> = {}) {
  const issuer = await Issuer.start()
  return { issuer, authorizer: oauthAuthorizer({ issuer: issuer.url, audience, ...options }) }
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

describe('an access token', () => {
  it.each([
    ['sensors:read', 'read'],
    ['actuators:act', 'act'],
    ['openid sensors:read actuators:act profile', 'act'],
  ])('with the scope %s lets in to %s', async (scope, access) => {
    const { issuer, authorizer } = await startIssuer()
    expect(await told(authorizer, await issuer.token({ scope }))).toEqual({ access, client: 'oauth:laptop:ada' })
  })

  it('is taken in the forms of other issuers: a list of scopes, azp, several audiences, type JWT', async () => {
    const { issuer, authorizer } = await startIssuer()
    const claims = {
      scope: undefined,
      scp: ['actuators:act'],
      client_id: undefined,
      azp: 'a:b',
      aud: ['account', audience],
    }
    const answer = await told(authorizer, await issuer.token(claims, { typ: 'JWT' }))
    expect(answer).toEqual({ access: 'act', client: 'oauth:a%3Ab:ada' })
  })

  it('of a program that acts for itself is told from one for a person of that name', async () => {
    const { issuer, authorizer } = await startIssuer()
    const clients = [{ sub: undefined, client_id: 'ada' }, { client_id: undefined }].map(async claims => {
      const { client } = await told(authorizer, await issuer.token(claims))
      return client
    })
    expect(await Promise.all(clients)).toEqual(['oauth:ada:', 'oauth::ada'])
  })

  it('of an issuer with names of its own for the scopes is taken', async () => {
    const scopes = { read: 'Read', act: 'Act' }
    const { issuer, authorizer } = await startIssuer({ scopes })
    expect(await told(authorizer, await issuer.token({ scope: 'Act' }))).toMatchObject({ access: 'act' })
    expect((await told(authorizer, undefined)).headers['WWW-Authenticate']).toContain('scope="Read Act"')
    expect(await told(authorizer, await issuer.token({ scope: 'actuators:act' }))).toMatchObject({ status: 403 })
  })

  it.each([
    ['of another issuer', { iss: 'https://evil.example' }, /from another issuer: 'https:\/\/evil.example'/],
    ['without an issuer', { iss: undefined }, /from another issuer/],
    [
      'for another server',
      { aud: 'https://other.example/mcp' },
      /for another server: its audience is 'https:\/\/other/,
    ],
    ['for a path beside this one', { aud: `${audience}/more` }, /for another server/],
    ['for nobody', { aud: undefined }, /for another server: its audience is missing/],
    ['that has expired', { exp: inSeconds(-3600) }, /has expired/],
    ['that never ends', { exp: undefined }, /no end of its time/],
    ['that is not valid yet', { nbf: inSeconds(3600) }, /not valid yet/],
    ['bound to a key of its owner', { cnf: { jkt: 'x' } }, /bound to a key/],
    ['of nobody', { sub: undefined, client_id: undefined }, /says neither whose it is/],
    ['whose subject is no text', { sub: '\ud800' }, /no signed JWT/],
  ])('%s is refused', async (_, claims, description) => {
    const { issuer, authorizer } = await startIssuer()
    const answer = await told(authorizer, await issuer.token(claims))
    expect(answer.status).toBe(401)
    const challenge = answer.headers['WWW-Authenticate']
    expect(challenge).toContain('error="invalid_token"')
    expect(/error_description="([^"]*)"/.exec(challenge)![1]).toMatch(description)
  })

  it.each([null, 'logout+jwt', 'dpop+jwt'])('of type %s is refused', async typ => {
    const { issuer, authorizer } = await startIssuer()
    expect(await told(authorizer, await issuer.token({}, { typ }))).toMatchObject({ status: 401 })
  })

  it('of type JWT is refused where only at+jwt is accepted', async () => {
    const { issuer, authorizer } = await startIssuer({ types: ['at+jwt'] })
    expect(await told(authorizer, await issuer.token({}, { typ: 'JWT' }))).toMatchObject({ status: 401 })
    expect(await told(authorizer, await issuer.token({}, { typ: 'application/at+jwt' }))).toMatchObject({
      access: 'read',
    })
  })

  it('signed by somebody else with the name of a key of the issuer is refused', async () => {
    const { issuer, authorizer } = await startIssuer()
    const { privateKey } = await generateKeyPair('ES256')
    expect(await told(authorizer, await issuer.token({}, { key: privateKey }))).toMatchObject({
      status: 401,
      message: expect.stringContaining('wrong signature'),
    })
  })

  it('that was changed on the way is refused', async () => {
    const { issuer, authorizer } = await startIssuer()
    const [header, , signature] = (await issuer.token()).split('.')
    const [, payload] = (await issuer.token({ scope: 'actuators:act' })).split('.')
    expect(await told(authorizer, [header, payload, signature].join('.'))).toMatchObject({ status: 401 })
  })

  it('that is not signed (alg none) is refused', async () => {
    const { issuer, authorizer } = await startIssuer()
    const [, payload] = (await issuer.token()).split('.')
    for (const alg of ['none', 'None', 'NONE']) {
      const header = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid: 'first' })).toString('base64url')
      expect(await told(authorizer, `${header}.${payload}.`)).toMatchObject({ status: 401 })
    }
  })

  it('whose shared secret is the public key of the issuer (HS256 for RS256) is refused', async () => {
    const { issuer, authorizer } = await startIssuer()
    await issuer.addKey('rsa', 'RS256')
    expect(await told(authorizer, await issuer.token({}, { kid: 'rsa', alg: 'RS256' }))).toMatchObject({
      access: 'read',
    })
    const secret = new TextEncoder().encode(await exportSPKI(issuer.publicKey('rsa')))
    const forged = await issuer.token({}, { kid: 'rsa', alg: 'HS256', key: secret as never })
    expect(await told(authorizer, forged)).toMatchObject({
      status: 401,
      message: expect.stringContaining('not accepted here'),
    })
  })

  it.each(['opaque-token', 'a.b.c', 'a.b.c.d.e'])('that is no signed JWT (%s) is refused', async token => {
    const { authorizer } = await startIssuer()
    expect(await told(authorizer, token)).toMatchObject({
      status: 401,
      message: expect.stringContaining('no signed JWT'),
    })
  })

  it('without a scope of ours is not enough', async () => {
    const { issuer, authorizer } = await startIssuer()
    for (const scope of ['openid profile', 'sensors:reader', undefined]) {
      const answer = await told(authorizer, await issuer.token({ scope }))
      expect(answer.status).toBe(403)
      const parameters = extractWWWAuthenticateParams(new Response(null, { status: 403, headers: answer.headers }))
      expect(parameters).toMatchObject({ error: 'insufficient_scope', scope: 'sensors:read actuators:act' })
      expect(parameters.resourceMetadataUrl?.href).toBe(
        'https://greenhouse.example/.well-known/oauth-protected-resource/mcp',
      )
    }
  })

  it('is never told again in what is answered', async () => {
    const { issuer, authorizer } = await startIssuer()
    for (const claims of [{ exp: inSeconds(-3600) }, { aud: 'x' }, { scope: 'x' }]) {
      const token = await issuer.token(claims)
      expect(JSON.stringify(await told(authorizer, token))).not.toContain(token.split('.')[2])
    }
  })
})

describe('the keys of the issuer', () => {
  it('are fetched once for many tokens', async () => {
    const { issuer, authorizer } = await startIssuer()
    const tokens = await Promise.all(['a', 'b', 'c', 'd'].map(sub => issuer.token({ sub })))
    const answers = await Promise.all(tokens.map(token => told(authorizer, token)))
    expect(answers.map(({ access }) => access)).toEqual(['read', 'read', 'read', 'read'])
    expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server', '/keys'])
  })

  it('may change: a token with a new key has them fetched again, and the old key is forgotten', async () => {
    const { issuer, authorizer } = await startIssuer({ keyCooldownMs: 0 })
    const old = await issuer.token()
    expect(await told(authorizer, old)).toMatchObject({ access: 'read' })
    await issuer.addKey('second')
    issuer.dropKey('first')
    expect(await told(authorizer, await issuer.token({}, { kid: 'second' }))).toMatchObject({ access: 'read' })
    expect(await told(authorizer, old)).toMatchObject({ status: 401 })
  })

  it('are not fetched again for every token with a made-up key', async () => {
    const { issuer, authorizer } = await startIssuer()
    await authorizer.ready()
    const { privateKey } = await generateKeyPair('ES256')
    for (const kid of ['x', 'y', 'z']) {
      expect(await told(authorizer, await issuer.token({}, { kid, key: privateKey }))).toMatchObject({
        status: 401,
        message: expect.stringContaining('a key that the issuer does not have'),
      })
    }
    expect(issuer.asked.filter(path => path === '/keys')).toHaveLength(1)
  })

  it('that cannot be had let nobody in, which is the fault of no token, and is over when they can', async () => {
    const said: string[] = []
    const { issuer, authorizer } = await startIssuer({ say: text => void said.push(text) })
    const token = await issuer.token()
    issuer.outage = 500
    for (const _ of [1, 2]) {
      expect(await told(authorizer, token)).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
    }
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('answers 500')
    issuer.outage = undefined
    expect(await told(authorizer, token)).toMatchObject({ access: 'read' })
  })

  it('that are too old let nobody in when they cannot be fetched again', async () => {
    const { issuer, authorizer } = await startIssuer({ keyMaxAgeMs: 0 })
    const token = await issuer.token()
    expect(await told(authorizer, token)).toMatchObject({ access: 'read' })
    issuer.stop()
    expect(await told(authorizer, token)).toMatchObject({ status: 503 })
  })

  it('are found by each form of metadata, also below a path', async () => {
    for (const form of [0, 1, 2]) {
      const issuer = await Issuer.start()
      issuer.path = '/realms/garden'
      issuer.metadataPath = new URL(metadataUrls(issuer.url)[form]!).pathname
      const authorizer = oauthAuthorizer({ issuer: issuer.url, audience })
      expect(await told(authorizer, await issuer.token())).toMatchObject({ access: 'read' })
      expect(issuer.asked).toHaveLength(form + 2)
    }
    expect(metadataUrls('https://issuer.example/realms/garden')).toEqual([
      'https://issuer.example/.well-known/oauth-authorization-server/realms/garden',
      'https://issuer.example/.well-known/openid-configuration/realms/garden',
      'https://issuer.example/realms/garden/.well-known/openid-configuration',
    ])
  })

  it('need no metadata where their address is given', async () => {
    const issuer = await Issuer.start()
    const authorizer = oauthAuthorizer({ issuer: issuer.url, audience, jwksUri: new URL('/keys', issuer.url).href })
    expect(await told(authorizer, await issuer.token())).toMatchObject({ access: 'read' })
    expect(issuer.asked).toEqual(['/keys'])
  })

  it('of an issuer that calls itself otherwise are not taken, and the start says so', async () => {
    const { issuer, authorizer } = await startIssuer()
    issuer.calls = `${issuer.url}/`
    const token = await issuer.token()
    await expect(authorizer.ready()).rejects.toThrow(/calls itself "http.*\/", not .*: give the issuer exactly/)
    expect(await told(authorizer, token)).toMatchObject({ status: 503 })
  })
})

describe('what is given', () => {
  it.each([
    [{ issuer: 'http://issuer.example' }, 'the issuer http://issuer.example must begin with https:'],
    [{ issuer: 'issuer.example' }, 'the issuer issuer.example is no address'],
    [{ issuer: 'https://a:b@issuer.example' }, 'must not hold a user name'],
    [{ audience: 'http://192.168.1.7:8080/mcp' }, 'the audience http://192.168.1.7:8080/mcp must begin with https:'],
    [{ audience: 'https://greenhouse.example/mcp?x=1' }, 'must end before any ? or #'],
    [{ jwksUri: 'http://127.0.0.1.evil.example/keys' }, 'must begin with https:'],
    [{ algorithms: ['RS256', 'HS256'] }, 'the algorithm HS256 is not accepted'],
    [{ algorithms: ['none'] }, 'the algorithm none is not accepted'],
  ])('%j is refused at once', (options, message) => {
    const make = () => oauthAuthorizer({ issuer: 'https://issuer.example', audience, ...options })
    expect(make).toThrow(AuthorizationError)
    expect(make).toThrow(message)
  })

  it.each(['http://localhost:8080/realms/a', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
    'an issuer on this machine needs no https: %s',
    issuer => expect(() => oauthAuthorizer({ issuer, audience })).not.toThrow(),
  )

  it('without the package jose there is a sentence that says what to do', () => {
    const missing = Object.assign(new Error('x'), { code: 'ERR_MODULE_NOT_FOUND' })
    expect(noJose(missing).message).toContain('npm install jose')
  })
})

describe('a client without a token', () => {
  it('is told where to get one, and no error', async () => {
    const { authorizer } = await startIssuer()
    expect(await told(authorizer, undefined)).toMatchObject({
      status: 401,
      headers: {
        'WWW-Authenticate':
          'Bearer resource_metadata="https://greenhouse.example/.well-known/oauth-protected-resource/mcp", ' +
          'scope="sensors:read actuators:act"',
      },
    })
  })

  it('finds the metadata at the plain path and at that of the endpoint', async () => {
    const { issuer, authorizer } = await startIssuer({ name: 'Greenhouse' })
    expect(Object.keys(authorizer.pages)).toEqual([
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
    ])
    for (const page of Object.values(authorizer.pages)) {
      expect(page().type).toBe('application/json')
      expect(JSON.parse(page().body)).toEqual({
        resource: audience,
        authorization_servers: [issuer.url],
        scopes_supported: ['sensors:read', 'actuators:act'],
        bearer_methods_supported: ['header'],
        resource_name: 'Greenhouse',
      })
    }
  })
})

describe('the official client', () => {
  it('finds the issuer, and asks a person to log in there with the right resource and scopes', async () => {
    const issuer = await Issuer.start()
    const { endpoint } = await startResource(at => oauthAuthorizer({ issuer: issuer.url, audience: at }))
    const metadata = await discoverOAuthProtectedResourceMetadata(endpoint)
    expect(metadata).toMatchObject({ resource: endpoint, authorization_servers: [issuer.url] })
    expect(await discoverOAuthServerInfo(endpoint)).toMatchObject({
      authorizationServerUrl: issuer.url,
      authorizationServerMetadata: { issuer: issuer.url },
    })

    const refusal = await fetch(endpoint, { method: 'POST' })
    expect(refusal.status).toBe(401)
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refusal)
    let sent: URL | undefined
    const provider: OAuthClientProvider = {
      redirectUrl: 'http://localhost:7777/back',
      clientMetadata: { redirect_uris: ['http://localhost:7777/back'] },
      clientInformation: () => ({ client_id: 'laptop', redirect_uris: [] }),
      tokens: () => undefined,
      saveTokens: () => {},
      redirectToAuthorization: to => {
        sent = to
      },
      saveCodeVerifier: () => {},
      codeVerifier: () => '',
    }
    const result = await auth(provider, {
      serverUrl: endpoint,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope && { scope }),
    })
    expect(result).toBe('REDIRECT')
    expect(sent!.origin).toBe(new URL(issuer.url).origin)
    expect(sent!.searchParams.get('resource')).toBe(endpoint)
    expect(sent!.searchParams.get('scope')).toBe('sensors:read actuators:act')

    const token = await issuer.token({ aud: sent!.searchParams.get('resource')! })
    const entry = await fetch(endpoint, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    expect(await entry.json()).toEqual({ access: 'read', client: 'oauth:laptop:ada' })
  })
})

/** A server with nothing behind its door. */
async function startResource(make: (endpoint: string) => OAuthAuthorizer): Promise<{ endpoint: string }> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, endpoint)
    const page = authorizer.pages[url.pathname]?.()
    if (page !== undefined) return void response.setHeader('content-type', page.type).end(page.body)
    const answer = await authorizer.authorize({ headers: request.headers, url })
    if ('access' in answer) return void response.end(JSON.stringify(answer))
    response.writeHead(answer.status, answer.headers).end(answer.message)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const authorizer = make(endpoint)
  return { endpoint }
}
