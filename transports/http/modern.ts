import {
  type Connection,
  ErrorCode,
  errorLine,
  isObject,
  type Message,
  type Outlet,
  protocolVersions,
  RpcError,
} from '../../runtime/index.ts'
import { refuse, retryLater, sendJson, statusOfCode } from './answer.ts'
import { EventStream } from './event-stream.ts'
import { type Exchange, metaOf, takesEvents } from './exchange.ts'
import { lineKind } from './message-line.ts'
import { checkHeaders, checkVersionHeader } from './mirrored-headers.ts'

const prefix = 'io.modelcontextprotocol/'
const versionKey = `${prefix}protocolVersion`
const capabilitiesKey = `${prefix}clientCapabilities`
const claimKeys = [versionKey, capabilitiesKey, `${prefix}clientInfo`, `${prefix}logLevel`]

/** Whether a request says in its `_meta` what it needs to be understood, so that it is served by itself. */
export function isModern(message: Message): boolean {
  const meta = metaOf(message)
  return isObject(meta) && claimKeys.some(key => meta[key] !== undefined)
}

/** Answers a request of the stateless revisions (2026-07-28): by JSON, or by a stream when notifications come first. */
export function serveModern(exchange: Exchange, message: Message): void {
  const { request, server } = exchange
  const meta = metaOf(message) as Record<string, unknown>
  const version = meta[versionKey]
  // What is missing there is told by the runtime, in the words that other transports use.
  const complete = typeof version === 'string' && isObject(meta[capabilitiesKey])
  if (complete) {
    try {
      checkVersionHeader(request.headers, version)
      if (protocolVersions.modern?.includes(version)) checkHeaders(request.headers, message, server)
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown
      return sendJson(exchange.response, 400, errorLine(message.id, thrown))
    }
  }
  new ModernAnswer(exchange, complete).serve(message)
}

/** A client for the length of one request. */
class ModernAnswer implements Outlet {
  readonly #exchange: Exchange
  readonly #complete: boolean
  readonly #connection: Connection
  #stream: EventStream | undefined = undefined
  #waiting: NodeJS.Timeout | undefined = undefined
  #listens = false
  #done = false

  constructor(exchange: Exchange, complete: boolean) {
    this.#exchange = exchange
    this.#complete = complete
    // Its tasks do not end with this exchange: it polls them by others.
    this.#connection = exchange.server.connect(this, { ...exchange.peer, returns: true })
  }

  serve(message: Message): void {
    const { response, request, limits } = this.#exchange
    // The client that closes its stream cancels, also before anything was sent on it.
    response.on('close', () => {
      if (!this.#done) this.#end()
    })
    this.#listens = message.method === 'subscriptions/listen'
    this.#connection.receiveValue(message)
    if (this.#done || !takesEvents(request)) return
    // What takes long becomes a stream, whose signs of life keep proxies from giving up.
    this.#waiting = setTimeout(() => this.#open(), limits.keepAliveMs).unref()
  }

  get congested(): boolean {
    return this.#stream?.congested === true
  }

  send(line: string): void {
    if (this.#done) return
    const kind = lineKind(line)
    if (kind === 'notification') {
      if (takesEvents(this.#exchange.request)) this.#open()?.event(line)
      if (this.#stream === undefined && this.#listens) this.#refuseStream()
      return
    }
    if (this.#stream === undefined) {
      sendJson(this.#exchange.response, kind === 'error' ? this.#statusOf(line) : 200, line)
    } else {
      this.#stream.event(line)
      this.#stream.end()
    }
    this.#end()
  }

  #open(): EventStream | undefined {
    clearTimeout(this.#waiting)
    if (this.#stream !== undefined || this.#done) return this.#stream
    const { response, limits, countStream } = this.#exchange
    if (!countStream()) return undefined
    if (this.#listens) this.#exchange.cutWhenBarred()
    this.#stream = new EventStream(response, { ...limits, drained: () => this.#connection.drained() })
    return this.#stream
  }

  /** A subscription is nothing without its stream. */
  #refuseStream(): void {
    const { response, request } = this.#exchange
    if (takesEvents(request)) refuse(response, 429, 'This client has too many event streams open', retryLater)
    else refuse(response, 406, 'A subscription is answered by a stream: accept text/event-stream')
    this.#end()
  }

  #statusOf(line: string): number {
    const { code } = JSON.parse(line).error
    // The same code says that the envelope is not complete, and that an argument is wrong: only the first has a status.
    return code === ErrorCode.InvalidParams && !this.#complete ? 400 : (statusOfCode[code] ?? 200)
  }

  #end(): void {
    this.#done = true
    clearTimeout(this.#waiting)
    this.#connection.close(new Error('The client closed the stream of the call'))
  }
}
