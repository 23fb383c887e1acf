/** What comes as a body, and what is said when it is none. */
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { json, meta, modern, serving } from './serving.ts'

const good = modern('server/discover')

describe('a body', () => {
  const types: [string | undefined, number][] = [
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['APPLICATION/JSON;charset="UTF-8"', 200],
    ['application/json; foo=bar', 200],
    ['application/json; charset=iso-8859-1', 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/jsonx', 415],
    ['text/application/json', 415],
    ['', 415],
    [undefined, 415],
  ]
  it.each(types)('of type %s', async (type, status) => {
    const site = await serving()
    const { 'Content-Type': _, ...headers } = good.headers
    const answer = await site.ask({
      method: 'POST',
      headers: { ...headers, ...(type !== undefined && { 'Content-Type': type }) },
      body: good.body,
    })
    expect(answer.status).toBe(status)
    if (status === 415) expect(answer.message.error.message).toMatch(/JSON|UTF-8/)
  })

  it('must not be compressed', async () => {
    const site = await serving()
    expect((await site.post(good.body, { ...good.headers, 'Content-Encoding': 'gzip' })).status).toBe(415)
  })

  const text = JSON.stringify(good.body)
  const bad: [string, string, number, number][] = [
    ['nothing', '', 400, -32700],
    ['blanks', '  \r\n', 400, -32700],
    ['half a message', '{"jsonrpc":"2.0","id":3,', 400, -32700],
    ['two messages', `${text}\n${text}`, 400, -32700],
    ['a word', 'hello', 400, -32700],
    ['a number', '7', 400, -32600],
    ['null', 'null', 400, -32600],
    ['a text', '"ping"', 400, -32600],
    ['an empty object', '{}', 400, -32600],
    ['no version', text.replace('"jsonrpc":"2.0",', ''), 400, -32600],
    ['another version', text.replace('"2.0"', '"1.0"'), 400, -32600],
    ['no method', text.replace('"method":"server/discover"', '"m":1'), 400, -32600],
    ['a method that is no text', text.replace('"server/discover"', '7'), 400, -32600],
    ['an id that is none', text.replace('"id":1', '"id":null'), 400, -32600],
    ['an id that is a fraction', text.replace('"id":1', '"id":1.5'), 400, -32600],
    ['an id beyond 2^53', text.replace('"id":1', '"id":9007199254740993'), 400, -32600],
    ['a result in a request', text.replace('"id":1', '"id":1,"result":{}'), 400, -32600],
    ['a batch of requests that come alone', `[${text}]`, 400, -32600],
    ['very deep brackets', '['.repeat(100_000), 400, -32700],
  ]
  it.each(bad)('that is %s', async (_, body, status, code) => {
    const site = await serving()
    const answer = await site.ask({ method: 'POST', headers: good.headers, body })
    expect(answer.status).toBe(status)
    expect(answer.message.error.code).toBe(code)
    expect((await site.post(good.body, good.headers)).status).toBe(200)
  })

  it('that is wrong is answered under its id where it has one', async () => {
    const site = await serving()
    const answer = await site.ask({ method: 'POST', headers: good.headers, body: '{"id":"mine","method":"x"}' })
    expect(answer.message).toMatchObject({ id: 'mine', error: { code: -32600 } })
    expect((await site.ask({ method: 'POST', headers: good.headers, body: '{"id":{}}' })).message).not.toHaveProperty(
      'id',
    )
  })

  it('may begin with a byte order mark, and must be UTF-8', async () => {
    const site = await serving()
    expect((await site.ask({ method: 'POST', headers: good.headers, body: `\ufeff${text}` })).status).toBe(200)
    const head = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Connection: close', 'Content-Type: application/json']
    const body = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"'),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}'),
    ])
    const came = await new Promise<string>(resolve => {
      let all = ''
      const socket = connect(site.serving.port, '127.0.0.1')
      socket.setEncoding('latin1').on('data', piece => {
        all += piece
      })
      socket.on('close', () => resolve(all))
      socket.write(`${[...head, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n`)
      socket.write(body)
    })
    expect(came).toContain(' 400 ')
    expect(came).toContain('not UTF-8')
  })

  it('keeps every character on its way there and back, however it is cut', async () => {
    const site = await serving()
    const said = '🙂‑ü\u2028"\\'.repeat(50)
    const { body, headers } = modern('tools/call', { name: 'echo', arguments: { text: said } })
    const bytes = Buffer.from(JSON.stringify(body))
    const answer = await new Promise<string>(resolve => {
      const socket = connect(site.serving.port, '127.0.0.1')
      let came = Buffer.alloc(0)
      socket.on('data', piece => {
        came = Buffer.concat([came, piece])
      })
      socket.on('close', () => resolve(came.toString('utf8')))
      const lines = Object.entries({
        ...headers,
        Host: 'localhost',
        Connection: 'close',
        'Transfer-Encoding': 'chunked',
      })
      socket.write(`POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
      for (const byte of bytes)
        socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]))
      socket.write('0\r\n\r\n')
    })
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).result.content[0].text).toBe(said)
  })
})

describe('a request that is no message', () => {
  it.each(['PUT', 'PATCH', 'HEAD', 'TRACE'])('%s does nothing', async method => {
    const site = await serving()
    const answer = await site.ask({ method, headers: json })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('POST, GET, DELETE')
  })

  it('another path is not the endpoint, and not an unknown method either', async () => {
    const site = await serving({ path: '/board/mcp' })
    for (const path of ['/mcp', '/', '/board', '/board/mcp/', '/BOARD/MCP', '/board/mcp%2f']) {
      const answer = await site.ask({ method: 'POST', path, headers: good.headers, body: good.body })
      expect(answer.status).toBe(404)
      expect(answer.body).toContain('The MCP endpoint is /board/mcp')
    }
    const answer = await site.ask({ method: 'POST', path: '/board/mcp?x=1', headers: good.headers, body: good.body })
    expect(answer.status).toBe(200)
  })

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['two lengths', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    [
      'a length beside chunks',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
    ],
    ['a blank before the colon', 'POST /mcp HTTP/1.1\r\nHost : localhost\r\n\r\n'],
    ['a header folded over two lines', 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n'],
    ['a bare newline in a header', 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nA: b\nX: y\0\r\n\r\n'],
  ])('%s is refused, and the next client is served', async (_, bytes) => {
    const site = await serving()
    expect(await site.bytes(bytes)).toContain(' 400 Bad Request')
    expect((await site.post(good.body, good.headers)).status).toBe(200)
  })
})

it('random bytes in a body break nothing', async () => {
  const site = await serving()
  const seed = Date.now() % 100_000
  let state = seed
  const next = (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return state % below
  }
  const texts = [
    JSON.stringify(good.body),
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: meta } }),
  ]
  for (let round = 0; round < 150; round++) {
    const bytes = Buffer.from(texts[next(2)]!)
    for (let hit = 0; hit <= next(4); hit++) bytes[next(bytes.length)] = next(256)
    const response = await fetch(site.serving.url, {
      method: 'POST',
      headers: good.headers as Record<string, string>,
      body: bytes,
    })
    const text = await response.text()
    expect([200, 202, 400, 404], `seed ${seed}, round ${round}: ${bytes.toString('latin1')}`).toContain(response.status)
    if (response.status !== 202) expect(JSON.parse(text)).toHaveProperty('jsonrpc')
  }
  expect((await site.post(good.body, good.headers)).status).toBe(200)
})
