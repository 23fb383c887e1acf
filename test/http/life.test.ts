/** From listening to the end: what runs is answered, what moves is made safe, and nothing is left open. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { actuator, type Board, type Call, tool } from '../../runtime/index.ts'
import { lineKind } from '../../transports/http/message-line.ts'
import { modern, serving } from './serving.ts'

/** A board with one motor, and what was done with it. */
function motor(): { board: Board; done: string[] } {
  const done: string[] = []
  const run = actuator({
    inputSchema: { type: 'object', properties: { speed: { type: 'number' } }, required: ['speed'] },
    safe: { speed: 0 },
    set: ({ speed }) => void done.push(`speed ${speed}`),
  })
  return {
    done,
    board: {
      name: 'motor',
      open: () => void done.push('open'),
      close: () => void done.push('close'),
      actuators: { run },
    },
  }
}

describe('the end', () => {
  it('answers what runs, makes safe what moves, ends the streams, and takes nothing new', async () => {
    const { board, done } = motor()
    const wait = tool({
      call: (_, call: Call) =>
        new Promise((_resolve, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason))),
    })
    const site = await serving({}, { board, tools: { wait } })
    const visit = await site.session()
    const stream = await visit.listen()
    await visit.call('run', { speed: 5 })
    const legacyCall = visit.call('wait', {}, { id: 2 })
    const { body, headers } = modern('tools/call', { name: 'wait' })
    const modernCall = site.post(body, headers)
    await expect.poll(() => done).toContain('speed 5')
    await site.post(modern('server/discover').body, modern('server/discover').headers)
    const closing = site.serving.close('Good night')
    for (const answer of [await legacyCall, await modernCall]) {
      expect(answer.status).toBe(200)
      expect(answer.message.result).toMatchObject({ isError: true, content: [{ text: 'wait: Good night' }] })
    }
    expect(await stream.ended).toBe('end')
    await closing
    expect(done.slice(-2)).toEqual(['speed 0', 'close'])
    await expect(site.post(body, headers)).rejects.toThrow(/ECONNREFUSED|hang up/)
    await site.serving.close()
  })

  it('does not wait for a client that reads nothing', async () => {
    const big = tool({ call: () => 'x'.repeat(7_000_000) })
    const site = await serving({ limits: { closeMs: 50 } }, { tools: { big } })
    const { body, headers } = modern('tools/call', { name: 'big' })
    const answer = await site.open({ method: 'POST', headers, body })
    answer.pause()
    await site.serving.close()
    answer.resume()
    expect(await answer.ended).toBe('cut')
  })

  it('of a client changes nothing for the actuators, since others may be there', async () => {
    const { board, done } = motor()
    const site = await serving({}, { board })
    const visit = await site.session()
    await visit.call('run', { speed: 5 })
    await visit.leave()
    expect((await site.session()).headers['Mcp-Session-Id']).toBeDefined()
    expect(done.at(-1)).toBe('speed 5')
  })

  it('of the hardware is told to every call, and the server stays', async () => {
    const { board } = motor()
    const broken: Board = {
      ...board,
      open() {
        throw new Error('the bus does not answer: check the wiring')
      },
    }
    const visit = await (await serving({}, { board: broken })).session()
    const { result } = (await visit.call('run', { speed: 5 })).message
    expect(result).toMatchObject({ isError: true })
    expect(result.content[0].text).toContain('check the wiring')
  })
})

it('many clients are served at once, each by itself', async () => {
  const site = await serving()
  const clients = Array.from({ length: 60 }, async (_, index) => {
    const visit = await site.session()
    const stream = await visit.listen()
    for (let call = 0; call < 5; call++) {
      const text = `client ${index}, call ${call}`
      const { message } = await visit.call('echo', { text }, { id: call })
      expect(message).toMatchObject({ id: call, result: { content: [{ text }] } })
    }
    stream.leave()
    await visit.leave()
  })
  await Promise.all(clients)
  await expect.poll(() => site.serving.sessions).toBe(0)
})

it.skipIf(!hasOpenssl())('HTTPS, with a key and a certificate', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' })
  const site = await serving({ tls: { key: readFileSync(key), cert: readFileSync(cert) } })
  expect(site.serving.url).toMatch(/^https:\/\/localhost:\d+\/mcp$/)
  const { body, headers } = modern('server/discover')
  const status = await new Promise(resolve => {
    const asked = request(
      site.serving.url,
      { method: 'POST', headers, ca: readFileSync(cert), agent: false },
      response => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    asked.end(JSON.stringify(body))
  })
  expect(status).toBe(200)
})

describe('revision 2024-11-05', () => {
  it('is not served unless it is asked for', async () => {
    const site = await serving()
    expect((await site.ask({ path: '/sse', headers: { Accept: 'text/event-stream' } })).status).toBe(404)
    expect((await site.ask({ method: 'POST', path: '/messages?sessionId=1', body: '{}' })).status).toBe(404)
  })

  it('serves the client that the official SDK had for it', async () => {
    const steps = tool({
      call(_, call: Call) {
        call.progress(1, 2)
        return 'done'
      },
    })
    const site = await serving({ legacySse: true }, { tools: { steps } })
    const client = new Client({ name: 'old', version: '1' })
    let told = () => {}
    const change = new Promise<void>(resolve => {
      told = resolve
    })
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => told())
    await client.connect(new SSEClientTransport(new URL('/sse', site.serving.url)))
    onTestFinished(() => client.close())
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'steps'])
    const result = await client.callTool({ name: 'steps' })
    expect(result).toMatchObject({ content: [{ text: 'done' }] })
    site.server.tools.set('late', { call: () => '' })
    await change
    await site.serving.close()
  })

  it('knows its clients by the id that it told them, and no others', async () => {
    const site = await serving({ legacySse: true })
    const stream = await site.open({ path: '/sse', headers: { Accept: 'text/event-stream' } })
    await stream.until(({ events }) => events.length === 1)
    const [{ event, data: path }] = stream.events as [{ event: string; data: string }]
    expect({ event, path }).toEqual({
      event: 'endpoint',
      path: expect.stringMatching(/^\/messages\?sessionId=[\w-]{36}$/),
    })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const json = { 'Content-Type': 'application/json' }
    const post = (to: string, body: unknown) => site.ask({ method: 'POST', path: to, headers: json, body })
    expect((await post('/messages?sessionId=1', ping)).status).toBe(404)
    expect((await post('/messages', ping)).status).toBe(404)
    expect((await post(path, '{')).status).toBe(400)
    expect(await post(path, ping)).toMatchObject({ status: 202, body: '' })
    await stream.until(({ events }) => events.length === 2)
    expect(JSON.parse(stream.events[1]!.data!)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    stream.leave()
    await expect.poll(async () => (await post(path, ping)).status).toBe(404)
  })
})

describe('the kind of a line', () => {
  it.each([
    ['{"jsonrpc":"2.0","method":"x","params":{"id":1}}', 'notification'],
    ['{"jsonrpc":"2.0","id":1,"method":"x"}', 'request'],
    ['{"jsonrpc":"2.0","id":"a\\\\\\",\\"result\\":","method":"x"}', 'request'],
    ['{"jsonrpc":"2.0","id":-7,"result":{"error":1}}', 'result'],
    ['{"jsonrpc":"2.0","id":"\\"error\\":","result":{}}', 'result'],
    ['{"jsonrpc":"2.0","id":"","error":{"code":1}}', 'error'],
    ['{"jsonrpc":"2.0","error":{"code":1}}', 'error'],
    ['[{"jsonrpc":"2.0","id":1,"result":{}}]', 'batch'],
  ])('%s', (line, kind) => {
    expect(lineKind(line)).toBe(kind)
  })
})

/** The certificate of the test is made by openssl, which is everywhere but on Windows. */
function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
