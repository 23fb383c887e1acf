/** Who is let in: by the name that a request is sent to, and by the page that it comes from. */
import { describe, expect, it } from 'vitest'
import { createServer, DefinitionError } from '../../runtime/index.ts'
import { http } from '../../transports/http/index.ts'
import { json, modern, serving } from './serving.ts'

const discover = modern('server/discover')

describe('the name that a request is sent to', () => {
  const usual = ['localhost', 'LOCALHOST', '127.0.0.1', '[::1]', 'localhost:PORT', '127.0.0.1:1', '[::1]:65535']
  const foreign = [
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1.evil.example',
    'localhost.evil.example:PORT',
    'evil.example#localhost',
    'localhost@evil.example',
    'localhost:PORT@evil.example',
    'localhost/',
    'xlocalhost',
    'localhost.',
    '127.0.0.2',
    '[::2]',
    '2130706433',
    '0.0.0.0',
    'localhost:',
    'localhost:abc',
    'localhost, evil.example',
  ]

  it.each(usual)('%s is let in', async name => {
    const site = await serving()
    const host = name.replace('PORT', String(site.serving.port))
    expect((await site.post(discover.body, { ...discover.headers, Host: host })).status).toBe(200)
  })

  it.each(foreign)('"%s" is not', async name => {
    const site = await serving()
    const host = name.replace('PORT', String(site.serving.port))
    const answer = await site.post(discover.body, { ...discover.headers, Host: host })
    expect(answer.status).toBe(421)
    expect(answer.message.error.message).toContain('allowedHosts')
  })

  it('on every method and every path, before anything else', async () => {
    const site = await serving({ pages: { '/': () => ({ type: 'text/html', body: 'hello' }) } })
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'HEAD']) {
      for (const path of ['/mcp', '/', '/no-such-path']) {
        expect((await site.ask({ method, path, headers: { Host: 'evil.example' } })).status).toBe(421)
      }
    }
  })

  it('may be one more, with any port or with this one only', async () => {
    const site = await serving({ allowedHosts: ['Pi.local', 'board.example:8443'] })
    const status = async (Host: string) => (await site.post(discover.body, { ...discover.headers, Host })).status
    expect(await status('pi.local')).toBe(200)
    expect(await status('PI.LOCAL:8970')).toBe(200)
    expect(await status('board.example:8443')).toBe(200)
    expect(await status('board.example')).toBe(421)
    expect(await status('board.example:80')).toBe(421)
  })

  // Linux has all of 127.0.0.0/8.
  it.skipIf(process.platform !== 'linux')(
    'may be the address at which it arrived, whatever the port, and no other address',
    async () => {
      const authorizer = { authorize: () => ({ access: 'act', client: 'ada' }) as const }
      const site = await serving({ host: '127.0.0.9', authorizer })
      const ask = (Host: string) =>
        site.ask({ method: 'POST', host: '127.0.0.9', ...discover, headers: { ...discover.headers, Host } })
      expect((await ask('127.0.0.9')).status).toBe(200)
      expect((await ask('127.0.0.9:8970')).status).toBe(200)
      expect((await ask('127.0.0.8')).status).toBe(421)
      expect((await ask('127.0.0.9.evil.example')).status).toBe(421)
      expect((await ask('[::1]')).status).toBe(200)
    },
  )

  it.each([
    ['none', 'GET /mcp HTTP/1.0\r\n\r\n', 421],
    ['empty', 'GET /mcp HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 421],
    ['two of them', 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n', 400],
    ['one in the path', 'GET http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400],
    ['one in the path alone', 'GET //evil.example/mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
  ])('is not %s', async (_, bytes, status) => {
    const site = await serving()
    expect(await site.bytes(bytes)).toContain(` ${status} `)
  })
})

describe('the page that a request comes from', () => {
  const foreign = [
    'http://evil.example',
    'null',
    'http://localhost.evil.example:PORT',
    'http://localhost@evil.example',
    'http://evil.example/#localhost',
    'http://evil.example\\@localhost',
    'https://localhost, http://evil.example',
    'file://',
    'chrome-extension://abcdef',
    'localhost',
    '',
  ]

  it.each(foreign)('"%s" is not let in', async name => {
    const site = await serving()
    const origin = name.replace('PORT', String(site.serving.port))
    const answer = await site.post(discover.body, { ...discover.headers, Origin: origin })
    expect(answer.status).toBe(403)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    const preflight = { Origin: origin, 'Access-Control-Request-Method': 'POST' }
    expect((await site.ask({ method: 'OPTIONS', headers: preflight })).status).toBe(403)
    expect((await site.ask({ headers: { Origin: origin, Accept: 'text/event-stream' } })).status).toBe(403)
  })

  it.each(['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:PORT'])('%s is', async name => {
    const site = await serving()
    const origin = name.replace('PORT', String(site.serving.port))
    const answer = await site.post(discover.body, { ...discover.headers, Origin: origin })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
  })

  it('is let in when this server has made it, under any of its names', async () => {
    const site = await serving({ allowedHosts: ['pi.local'] })
    const ask = (Host: string, Origin: string) => site.post(discover.body, { ...discover.headers, Host, Origin })
    expect((await ask('pi.local:8970', 'http://pi.local:8970')).status).toBe(200)
    expect((await ask('pi.local:8970', 'http://pi.local:9999')).status).toBe(403)
    expect((await ask('pi.local', 'http://other.local')).status).toBe(403)
  })

  it('is let in when it is of an origin that was allowed', async () => {
    const site = await serving({ allowedOrigins: ['https://app.example.org/'] })
    const ask = (Origin: string) => site.post(discover.body, { ...discover.headers, Origin })
    expect((await ask('https://app.example.org')).status).toBe(200)
    expect((await ask('https://app.example.org:444')).status).toBe(403)
    expect((await ask('http://app.example.org')).status).toBe(403)
    expect((await ask('https://x.app.example.org')).status).toBe(403)
  })

  it('learns before it asks which headers it may send', async () => {
    const site = await serving()
    const { status, headers, body } = await site.ask({
      method: 'OPTIONS',
      headers: {
        Origin: 'http://localhost:3000',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,mcp-method, mcp-param-region,authorization,x-evil,cookie',
        'Access-Control-Request-Private-Network': 'true',
      },
    })
    expect({ status, body }).toEqual({ status: 204, body: '' })
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:3000',
      'access-control-allow-headers': 'content-type, mcp-method, mcp-param-region, authorization',
      'access-control-allow-methods': 'POST, GET, DELETE',
      'access-control-allow-private-network': 'true',
    })
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('may read the id of its session', async () => {
    const site = await serving()
    const answer = await site.ask({
      method: 'POST',
      headers: { ...json, Origin: 'http://localhost:3000' },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
      },
    })
    expect(answer.headers['access-control-expose-headers']).toContain('Mcp-Session-Id')
  })
})

describe('where it listens', () => {
  it.each(['0.0.0.0', '::', '192.168.1.10', 'pi.local', '127.evil.example'])(
    'not at %s without an authorizer',
    host => {
      expect(() => http({ host })).toThrow(DefinitionError)
      expect(() => http({ host })).toThrow(/without an authorizer/)
    },
  )

  it('at both addresses of this computer, with one port', async () => {
    const site = await serving()
    const { port } = site.serving
    expect(site.serving.url).toBe(`http://localhost:${port}/mcp`)
    const get = async (host: string) => (await fetch(`http://${host}:${port}/nothing`)).status
    expect(await get('127.0.0.1')).toBe(404)
    expect(await get('localhost')).toBe(404)
  })

  it('with an authorizer everywhere, and only who it knows may go on', async () => {
    const site = await serving({
      host: '0.0.0.0',
      authorizer: {
        authorize: ({ headers }) =>
          headers.authorization === 'Bearer good'
            ? { access: 'act', client: 'ada' }
            : { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, message: 'Who are you?' },
        pages: { '/.well-known/oauth-protected-resource': () => ({ type: 'application/json', body: '{}' }) },
      },
    })
    const refused = await site.post(discover.body, discover.headers)
    expect(refused.status).toBe(401)
    expect(refused.headers['www-authenticate']).toBe('Bearer')
    expect(refused.message.error.message).toBe('Who are you?')
    expect((await site.post(discover.body, { ...discover.headers, Authorization: 'Bearer good' })).status).toBe(200)
    const page = await site.ask({ path: '/.well-known/oauth-protected-resource' })
    expect(page).toMatchObject({ status: 200, body: '{}' })
  })

  it('a mistake in the options is told when it is made', () => {
    expect(() => http({ path: 'mcp' })).toThrow('must begin with /')
    expect(() => http({ tls: { key: '', cert: 'x' } })).toThrow('both a key and a cert')
  })

  it('a port that is taken is told, and nothing is left open', async () => {
    const site = await serving()
    const second = http({ port: site.serving.port }).serve(createServer({ name: 'second' }))
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('a page is read, and nothing else is done with it', async () => {
    const site = await serving({ pages: { '/': () => ({ type: 'text/html', body: '<h1>hello</h1>' }) } })
    const page = await site.ask({ path: '/' })
    expect(page).toMatchObject({ status: 200, body: '<h1>hello</h1>' })
    expect(page.headers).toMatchObject({ 'content-type': 'text/html', 'x-content-type-options': 'nosniff' })
    expect((await site.ask({ method: 'HEAD', path: '/' })).body).toBe('')
    expect((await site.ask({ method: 'POST', path: '/', body: '{}' })).status).toBe(405)
    expect((await site.ask({ path: '/constructor' })).status).toBe(404)
    expect((await site.ask({ path: '/__proto__' })).status).toBe(404)
  })
})
