import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Board, createServer, type Server, type ServerOptions, type Tool, tool } from '../../runtime/index.ts'
import { type HttpOptions, type HttpServing, http } from '../../transports/http/index.ts'

/** What came back. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** The body as a message, or the last message of its events. */
  readonly message: any
  /** The messages of its events. */
  readonly events: any[]
}

/** An answer that is still coming. */
export interface OpenAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** What came so far. */
  readonly body: string
  /** Waits until something is so. */
  until(isSo: (answer: OpenAnswer) => boolean): Promise<void>
  /** The events so far, each with its fields. */
  readonly events: SseEvent[]
  /** The client leaves. */
  leave(): void
  /** The client reads no more. */
  pause(): void
  resume(): void
  /** Resolves when the server has ended it, or cut it off. */
  readonly ended: Promise<'end' | 'cut'>
}

/** An event as it stands on the wire. */
export interface SseEvent {
  event?: string
  id?: string
  retry?: string
  data?: string
}

export interface Ask {
  method?: string
  /** Where the server listens; 127.0.0.1 when left out. */
  host?: string
  path?: string
  headers?: OutgoingHttpHeaders
  /** A text goes as it is, anything else as JSON. */
  body?: unknown
}

export const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

/** Serves over HTTP in this process, for one test. */
export async function serving(
  options: HttpOptions = {},
  { tools = {}, board = { name: 'bench' }, ...more }: ServerOptions & { board?: Board } = {},
): Promise<Site> {
  const server = createServer(board, { tools: { ...ownTools, ...tools }, ...more })
  const site = new Site(await http({ port: 0, ...options }).serve(server), server)
  onTestFinished(() => site.serving.close())
  return site
}

const ownTools: Record<string, Tool<any>> = {
  echo: tool({
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    call: ({ text }) => text,
  }),
}

/** A server that listens, and the ways to speak to it. */
export class Site {
  readonly serving: HttpServing
  readonly server: Server

  constructor(serving: HttpServing, server: Server) {
    this.serving = serving
    this.server = server
  }

  /** Sends a request and waits for the whole answer. */
  async ask({ headers, body, ...ask }: Ask): Promise<Answer> {
    const open = await this.open({ ...ask, ...(headers && { headers }), ...(body !== undefined && { body }) })
    await open.ended
    const events = open.events.filter(({ data }) => data).map(({ data }) => JSON.parse(data!))
    return {
      status: open.status,
      headers: open.headers,
      body: open.body,
      events,
      get message() {
        return events.length > 0 ? events.at(-1) : JSON.parse(open.body)
      },
    }
  }

  /** Posts a message as a client does. */
  post(body: unknown, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.ask({ method: 'POST', headers: { ...json, ...headers }, body })
  }

  /** Sends a request, and has the answer when its headers are there. */
  open({ method = 'GET', host = '127.0.0.1', path = '/mcp', headers = {}, body }: Ask): Promise<OpenAnswer> {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const length = text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) }
    return new Promise((resolve, reject) => {
      const asked = request(
        { host, port: this.serving.port, method, path, headers: { ...length, ...headers }, agent: false },
        response => {
          let came = ''
          const watching = new Set<() => void>()
          let end: (how: 'end' | 'cut') => void
          const ended = new Promise<'end' | 'cut'>(done => {
            end = done
          })
          response.setEncoding('utf8')
          response.on('data', piece => {
            came += piece
            for (const watch of watching) watch()
          })
          response.on('end', () => end('end'))
          response.on('error', () => end('cut'))
          response.on('close', () => end('cut'))
          const answer: OpenAnswer = {
            status: response.statusCode ?? 0,
            headers: response.headers,
            ended,
            get body() {
              return came
            },
            get events() {
              return eventsOf(came)
            },
            until: isSo =>
              new Promise(so => {
                const watch = () => {
                  if (!isSo(answer)) return
                  watching.delete(watch)
                  so()
                }
                watching.add(watch)
                watch()
              }),
            leave: () => asked.destroy(),
            pause: () => response.pause(),
            resume: () => response.resume(),
          }
          resolve(answer)
        },
      )
      asked.on('error', reject)
      asked.end(text)
    })
  }

  /** Begins a session, and gives what posts in it. */
  async session(
    { protocolVersion = '2025-11-25', capabilities = {} as object } = {},
    headers: OutgoingHttpHeaders = {},
  ): Promise<Visit> {
    const params = { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } }
    const answer = await this.post({ jsonrpc: '2.0', id: 'init', method: 'initialize', params }, headers)
    const id = answer.headers['mcp-session-id'] as string
    const visit = new Visit(this, { ...headers, 'Mcp-Session-Id': id, 'MCP-Protocol-Version': protocolVersion })
    await visit.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return visit
  }

  /** Sends bytes as they are, and gives all that comes back until the connection is closed. */
  bytes(...parts: string[]): Promise<string> {
    return new Promise(resolve => {
      const socket = connect(this.serving.port, '127.0.0.1')
      let came = ''
      socket.setEncoding('utf8').on('data', piece => {
        came += piece
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(came))
      for (const part of parts) socket.write(part)
    })
  }
}

/** A client in a session. */
export class Visit {
  readonly headers: OutgoingHttpHeaders
  readonly #site: Site

  constructor(site: Site, headers: OutgoingHttpHeaders) {
    this.#site = site
    this.headers = headers
  }

  post(body: unknown, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.#site.post(body, { ...this.headers, ...headers })
  }

  call(name: string, args: object = {}, { id = 1 as number | string, meta = undefined as object | undefined } = {}) {
    return this.post(callOf(name, args, id, meta))
  }

  /** A call whose answer is read as it comes. */
  openCall(
    name: string,
    args: object = {},
    { id = 1 as number | string, meta = undefined as object | undefined } = {},
  ) {
    const headers = { ...json, ...this.headers }
    return this.#site.open({ method: 'POST', headers, body: callOf(name, args, id, meta) })
  }

  listen(headers: OutgoingHttpHeaders = {}): Promise<OpenAnswer> {
    return this.#site.open({ headers: { Accept: 'text/event-stream', ...this.headers, ...headers } })
  }

  leave(): Promise<Answer> {
    return this.#site.ask({ method: 'DELETE', headers: this.headers })
  }
}

function callOf(name: string, args: object, id: number | string, meta: object | undefined): object {
  return {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, ...(meta && { _meta: meta }) },
  }
}

const prefix = 'io.modelcontextprotocol/'

/** What a client of 2026-07-28 puts into each request. */
export const meta = {
  [`${prefix}protocolVersion`]: '2026-07-28',
  [`${prefix}clientCapabilities`]: {},
  [`${prefix}clientInfo`]: { name: 'test', version: '1' },
}

/** A request of 2026-07-28, and the headers that belong to it. */
export function modern(
  method: string,
  params: Record<string, any> = {},
  id: number | string = 1,
): { body: object; headers: OutgoingHttpHeaders } {
  const name = params.name ?? params.uri ?? params.taskId
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...meta, ...params._meta } } },
    headers: {
      ...json,
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': name }),
    },
  }
}

function eventsOf(text: string): SseEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map(block =>
      Object.fromEntries(
        block
          .split('\n')
          .filter(line => !line.startsWith(':'))
          .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      ),
    )
    .filter(event => Object.keys(event).length > 0)
}
