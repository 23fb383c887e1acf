import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  ErrorCode,
  errorLine,
  kindOf,
  type Message,
  RpcError,
  readableId,
  type Server,
  whyInvalid,
} from '../../runtime/index.ts'
import { refuse, retryLater, send, sendJson, sendNothing } from './answer.ts'
import type { Authorized, Authorizer } from './authorizer.ts'
import { type BadBody, badMediaType, readText } from './body.ts'
import { Clients } from './clients.ts'
import { type Exchange, ownerOf } from './exchange.ts'
import { corsHeaders, Gate, preflightHeaders } from './gate.ts'
import { serveLegacyPost, serveLegacyStream } from './legacy.ts'
import { isModern, serveModern } from './modern.ts'
import type { HttpLimits, HttpOptions, Page } from './options.ts'
import { Sessions } from './sessions.ts'
import { SseClients } from './sse-clients.ts'
import { cutWhenBarred } from './standing-access.ts'

/** The name of everybody, where nobody is told apart. */
const anyone: Authorized = Object.freeze({ access: 'act', client: 'anyone' })

/** What happens to a request between its headers and its answer: each step may be the last. */
export class Endpoint {
  readonly sessions: Sessions
  /** The clients of revision 2024-11-05, where they are served. */
  readonly sseClients: SseClients | undefined
  readonly #server: Server
  readonly #path: string
  readonly #gate: Gate
  readonly #clients: Clients
  readonly #authorizer: Authorizer | undefined
  readonly #pages: Readonly<Record<string, Page>>
  readonly #limits: HttpLimits

  constructor(server: Server, options: HttpOptions, limits: HttpLimits) {
    this.#server = server
    this.#limits = limits
    this.#path = options.path ?? '/mcp'
    this.#gate = new Gate(options.allowedHosts ?? [], options.allowedOrigins ?? [])
    this.#authorizer = options.authorizer
    this.#pages = { __proto__: null as never, ...options.pages, ...options.authorizer?.pages }
    this.#clients = new Clients(limits, () => performance.now())
    this.sessions = new Sessions(limits)
    this.sseClients = options.legacySse === true ? new SseClients() : undefined
  }

  /** Answers a request. Never throws. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#handle(request, response)
    } catch (thrown) {
      this.#server.diagnose(`a request could not be answered: ${thrown instanceof Error ? thrown.stack : thrown}`)
      if (response.headersSent) response.destroy()
      else refuse(response, 500, 'Internal error', { code: ErrorCode.InternalError })
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const barred = this.#gate.bars(request)
    if (barred !== undefined) return refuse(response, barred.status, barred.message, leaving)
    for (const [name, value] of Object.entries(corsHeaders(request))) response.setHeader(name, value)
    if (request.method === 'OPTIONS') return sendNothing(response, 204, preflightHeaders(request))
    const url = urlOf(request)
    if (url === undefined) return refuse(response, 400, 'The path of the request cannot be read', leaving)
    const methods = this.#methods(url.pathname)
    if (methods === undefined) return this.#page(request, response, url.pathname)
    if (!methods.includes(request.method ?? '')) {
      return refuse(response, 405, `${request.method} does nothing here`, {
        headers: { Allow: methods.join(', '), ...leaving.headers },
      })
    }
    const exchange = await this.#admit(request, response, url)
    if (exchange !== undefined) await this.#serve(exchange, url)
  }

  /** The methods of a path that takes messages; nothing for any other path. */
  #methods(path: string): readonly string[] | undefined {
    if (path === this.#path) return ['POST', 'GET', 'DELETE']
    if (this.sseClients === undefined) return undefined
    return path === ssePath ? ['GET'] : path === messagesPath ? ['POST'] : undefined
  }

  async #serve(exchange: Exchange, url: URL): Promise<void> {
    const { request, response } = exchange
    if (url.pathname === ssePath) return this.sseClients?.open(exchange, messagesPath)
    if (url.pathname === messagesPath) {
      const id = url.searchParams.get('sessionId')
      if (this.sseClients?.has(id, ownerOf(exchange)) !== true) {
        return refuse(response, 404, `Open a stream by GET ${ssePath} first`, leaving)
      }
      return this.#message(exchange, message => this.sseClients?.post(exchange, id!, message))
    }
    if (request.method !== 'POST') return serveLegacyStream(exchange, this.sessions)
    await this.#message(exchange, message => {
      const kind = kindOf(message)
      if (kind === 'request' && isModern(message as Message)) serveModern(exchange, message as Message)
      // Without a session nobody waits for news of it.
      else if (kind === 'notification' && isModern(message as Message)) sendNothing(response, 202)
      else serveLegacyPost(exchange, this.sessions, message)
    })
  }

  #page(request: IncomingMessage, response: ServerResponse, path: string): void {
    const page = this.#pages[path]
    if (page === undefined) {
      return send(
        response,
        404,
        'text/plain; charset=utf-8',
        `Nothing is here. The MCP endpoint is ${this.#path}\n`,
        leaving.headers,
      )
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refuse(response, 405, 'This page can only be read', {
        headers: { Allow: 'GET, HEAD', ...leaving.headers },
      })
    }
    const { type, body, headers } = page()
    send(response, 200, type, body, { 'X-Content-Type-Options': 'nosniff', ...headers })
  }

  /** Asks who it is and counts the request. Answers it when it may not go on. */
  async #admit(request: IncomingMessage, response: ServerResponse, url: URL): Promise<Exchange | undefined> {
    const { headers } = request
    const ask = async () => (await this.#authorizer?.authorize({ headers, url })) ?? anyone
    const who = await ask()
    if ('status' in who) {
      refuse(response, who.status, who.message, { headers: { ...who.headers, ...leaving.headers } })
      return undefined
    }
    const { client } = who
    const tooMuch = this.#clients.begin(client)
    if (tooMuch !== undefined) {
      refuse(response, 429, tooMuch, { headers: { ...retryLater.headers, ...leaving.headers } })
      return undefined
    }
    let streams = false
    response.once('close', () => (streams ? this.#clients.endStream(client) : this.#clients.end(client)))
    const countStream = () => {
      streams ||= this.#clients.beginStream(client)
      return streams
    }
    const limits = this.#limits
    return {
      request,
      response,
      server: this.#server,
      peer: who,
      limits,
      countStream,
      cutWhenBarred: () => {
        if (this.#authorizer !== undefined) cutWhenBarred(response, ask, client, limits.keepAliveMs)
      },
    }
  }

  /** Reads the message of a POST. Answers when there is none that can be understood. */
  async #message({ request, response }: Exchange, take: (message: unknown) => void): Promise<void> {
    const badType = badMediaType(request)
    if (badType !== undefined) return refuseBody(request, response, badType)
    const text = await readText(request, this.#limits)
    if (text === undefined) return
    if (typeof text !== 'string') return refuseBody(request, response, text)
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return refuse(response, 400, 'The body is not JSON', { code: ErrorCode.ParseError })
    }
    if (kindOf(value) === 'invalid') {
      const error = new RpcError(ErrorCode.InvalidRequest, whyInvalid(value))
      return sendJson(response, 400, errorLine(readableId(value), error))
    }
    take(value)
  }
}

/** The two paths of revision 2024-11-05. */
const ssePath = '/sse'
const messagesPath = '/messages'

function urlOf({ url, headers }: IncomingMessage): URL | undefined {
  try {
    return new URL(`http://${headers.host}${url}`)
  } catch {
    return undefined
  }
}

/** For who is turned away before its body is read. */
const leaving = { headers: { Connection: 'close' } }
/** How long a client may go on with a body that is not read, before its connection is cut. */
const lingerMs = 1000

/** Refuses a body that is still coming. It has to be taken until the client has read the answer, or it never does. */
function refuseBody(request: IncomingMessage, response: ServerResponse, { status, message }: BadBody): void {
  const code = status === 400 ? ErrorCode.ParseError : ErrorCode.InvalidRequest
  const line = errorLine(undefined, new RpcError(code, message))
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(line),
    ...leaving.headers,
  })
  response.write(line)
  request.resume()
  if (request.complete) return void response.end()
  const cut = setTimeout(() => response.end(), lingerMs).unref()
  request.once('end', () => {
    clearTimeout(cut)
    response.end()
  })
}
