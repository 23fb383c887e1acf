import type { Access, Peer } from './access.ts'
import { Answers } from './answers.ts'
import { Batch } from './batch.ts'
import type { LogLevel } from './call.ts'
import { CallState } from './call-state.ts'
import { CallsInFlight } from './calls-in-flight.ts'
import type { Dialect, Era, Speaker } from './eras/era.ts'
import { eras } from './eras/index.ts'
import { asRpcError, diagnostic, ErrorCode, RpcError } from './errors.ts'
import { excerpt, excerptOf } from './excerpt.ts'
import { isObject } from './json.ts'
import {
  errorLine,
  kindOf,
  type Message,
  notificationLine,
  type RequestId,
  readableId,
  whyInvalid,
} from './json-rpc.ts'
import type { ServerCore } from './server-core.ts'
import type { Feature } from './table.ts'

/** Where a connection's lines go: each is one JSON-RPC message, without its newline. */
export interface Outlet {
  /** Takes a line. `about` names the request that it belongs to, for transports with a stream for each. */
  send(line: string, about: RequestId | undefined): void
  /** Lines pile up because the peer does not read. */
  readonly congested: boolean
  /** Every message that comes has to be answered, also one that is noise: the transport bounds them by itself. */
  readonly answersEach?: boolean
}

const longestBatch = 1000
/** Room that a batch keeps for each of its messages, should it be refused. */
const errorBytes = 200
const anonymousErrorsPerSecond = 100

/** A client at the other end of a stream: its requests in flight, and what each era remembers of it. */
export class Connection implements Speaker {
  readonly server: ServerCore
  /** What the client may do. */
  readonly access: Access
  /** The name under which the transport knows the client. */
  readonly client: string | undefined
  /** The client comes back over other connections. */
  readonly returns: boolean
  readonly #outlet: Outlet
  readonly #spoken: readonly Era[]
  /** Those that were spoken, in the places of their eras. */
  readonly #dialects: (Dialect | undefined)[] = []
  readonly #inFlight = new CallsInFlight()
  readonly #answers: Answers
  #batch: Batch | undefined = undefined
  #closed = false
  #anonymousErrors = 0
  #anonymousSince = 0

  readonly #ended: () => void

  constructor(
    server: ServerCore,
    outlet: Outlet,
    spoken: readonly Era[] = eras,
    ended: () => void = () => {},
    { access = 'act', client, returns = false }: Peer = {},
  ) {
    this.#ended = ended
    this.server = server
    this.access = access
    this.client = client
    this.returns = returns
    this.#outlet = outlet
    this.#answers = new Answers(server, this.#inFlight, (line, about) => this.send(line, about))
    this.#spoken = spoken
    for (let i = 0; i < spoken.length; i++) this.#dialects.push(undefined)
  }

  /** Lines pile up because the peer does not read. */
  get congested(): boolean {
    return this.#outlet.congested
  }

  /** Takes the text of one line: a message, or a batch where the agreed revision has them. Never throws. */
  receive(line: string): void {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      if (line.trim() !== '') this.refuse(ErrorCode.ParseError, 'The line is not JSON', line)
      return
    }
    this.receiveValue(value)
  }

  /** The same for a line that was parsed elsewhere. */
  receiveValue(value: unknown): void {
    if (this.#closed) return
    this.server.deadMan?.heard()
    try {
      if (kindOf(value) === 'batch') this.#receiveBatch(value as unknown[])
      else this.#receiveOne(value)
    } catch (thrown) {
      this.server.diagnose(`A message could not be handled: ${diagnostic(thrown)}`)
    }
  }

  /** Answers a line that has no readable id, and says on stderr what came. Bounded, so that noise cannot flood the peer. */
  refuse(code: number, message: string, line = ''): void {
    const now = this.server.clock.now()
    if (now - this.#anonymousSince >= 1000) {
      this.#anonymousSince = now
      this.#anonymousErrors = 0
    }
    const tooMany = ++this.#anonymousErrors > anonymousErrorsPerSecond
    if (tooMany && this.#outlet.answersEach !== true) return
    if (!tooMany) this.server.diagnose(line === '' ? message : `${message}: ${excerpt(line)}`)
    this.#write(errorLine(undefined, new RpcError(code, message)), undefined)
  }

  send(line: string, about?: RequestId): void {
    if (!this.#closed) this.#outlet.send(line, about)
  }

  notify(method: string, params: object, about?: CallState): void {
    let line: string
    try {
      line = notificationLine(method, params)
    } catch (thrown) {
      this.server.diagnose(`${method} was not sent: ${diagnostic(thrown)}`)
      return
    }
    this.send(line, about?.id)
  }

  /** Tells the client that a list is another one now, in the way of each era. */
  listChanged(feature: Feature): void {
    for (const dialect of this.#dialects) dialect?.listChanged(feature)
  }

  /** Sends a log message that belongs to no call. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    for (const dialect of this.#dialects) dialect?.log(level, data, logger)
  }

  /** The least serious level of log messages that the client hears without a call; nothing when it hears none. */
  get logLevel(): LogLevel | undefined {
    for (const dialect of this.#dialects) if (dialect?.ownLogLevel !== undefined) return dialect.ownLogLevel
    return undefined
  }

  /** The outlet takes lines again after it was congested. */
  drained(): void {
    for (const dialect of this.#dialects) dialect?.drained()
  }

  /** Resolves when no request is in flight. */
  idle(): Promise<void> {
    return this.#inFlight.idle()
  }

  /** Tells every request in flight to stop. They are still answered. */
  abort(reason: Error): void {
    this.#inFlight.abort(reason)
  }

  /** The server leaves: subscriptions are ended in good form. Lines may still be sent. */
  farewell(): void {
    for (const dialect of this.#dialects) dialect?.farewell()
  }

  /** The client is gone: requests in flight stop, nothing more is sent. */
  close(reason: Error = new Error('The client is gone')): void {
    if (this.#closed) return
    this.#closed = true
    for (const dialect of this.#dialects) dialect?.close()
    this.abort(reason)
    this.server.left(this, reason)
    this.#inFlight.clear()
    this.#ended()
  }

  #receiveOne(value: unknown): void {
    switch (kindOf(value)) {
      case 'request':
        return this.#request(value as Message)
      case 'notification':
        return this.#notification(value as Message)
      case 'response':
        for (const dialect of this.#dialects) dialect?.response(value as Message)
        return
      case 'batch':
        return this.refuse(ErrorCode.InvalidRequest, 'A batch must not hold a batch')
      case 'invalid':
        return this.#refuseValue(value, whyInvalid(value))
    }
  }

  /** Refuses a message under its id, where it has one that would not be taken for the answer to a running request. */
  #refuseValue(value: unknown, why: string): void {
    const id = readableId(value)
    if (id === undefined || this.#inFlight.has(id)) return this.refuse(ErrorCode.InvalidRequest, why, excerptOf(value))
    this.server.diagnose(`${why}: ${excerptOf(value)}`)
    this.#write(errorLine(id, new RpcError(ErrorCode.InvalidRequest, why)), id)
  }

  #receiveBatch(values: unknown[]): void {
    if (!this.#dialects.some(dialect => dialect?.takesBatches())) {
      return this.refuse(ErrorCode.InvalidRequest, 'Batches are not part of this revision: send one message a line')
    }
    if (values.length === 0) return this.refuse(ErrorCode.InvalidRequest, 'The batch is empty')
    if (values.length > longestBatch) {
      return this.refuse(ErrorCode.InvalidRequest, `The batch has more than ${longestBatch} messages`)
    }
    if (values.some(value => this.#dialectOf(value)?.takesBatches() === false)) {
      return this.refuse(ErrorCode.InvalidRequest, 'The batch holds a request of a revision that has no batches')
    }
    const batch = new Batch(line => this.send(line), this.server.maxMessageBytes - errorBytes * values.length)
    for (const value of values) {
      this.#batch = batch
      try {
        if (isObject(value) && value.method === 'initialize' && readableId(value) !== undefined) {
          this.#refuseValue(value, 'initialize must not be part of a batch')
        } else {
          this.#receiveOne(value)
        }
      } finally {
        this.#batch = undefined
      }
    }
    batch.complete()
  }

  #request(message: Message): void {
    const { id, method, params } = message
    // An error under this id would be taken for the answer to the call that still runs.
    if (this.#inFlight.has(id)) {
      return this.refuse(
        ErrorCode.InvalidRequest,
        `The id ${excerpt(JSON.stringify(id))} is in use by a running request`,
      )
    }
    let call: CallState | undefined
    try {
      if (params !== undefined && !isObject(params)) {
        throw new RpcError(ErrorCode.InvalidRequest, 'params must be an object')
      }
      const meta = params?._meta
      if (meta !== undefined && !isObject(meta)) throw new RpcError(ErrorCode.InvalidParams, '_meta must be an object')
      const token = meta?.progressToken
      if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token)) {
        throw new RpcError(ErrorCode.InvalidParams, 'progressToken must be a string or a whole number')
      }
      const dialect = this.#claiming(method, meta as Record<string, unknown> | undefined)
      if (dialect === undefined) throw this.#noEra(method)
      if (this.#inFlight.size >= this.server.maxCallsInFlight && !isStop(method, params)) {
        throw new RpcError(ErrorCode.InternalError, `More than ${this.server.maxCallsInFlight} requests are in flight`)
      }
      call = new CallState(id, method, dialect, this)
      call.progressToken = token as string | number | undefined
      const opening = dialect.open(call, params as Record<string, unknown> | undefined)
      const given = (params ?? noParams) as Record<string, unknown>
      const value = opening === undefined ? this.#run(call, given) : this.#runOpened(call, given, opening)
      if (value instanceof Promise) return this.#answers.await(call, value, this.#batch)
      this.#answers.seal(call, value, this.#batch)
    } catch (thrown) {
      if (call === undefined) this.#write(errorLine(id, asRpcError(thrown)), id)
      else this.#answers.fail(call, thrown, this.#batch)
    }
  }

  async #runOpened(call: CallState, params: Record<string, unknown>, opening: Promise<void>): Promise<unknown> {
    await opening
    return this.#run(call, params)
  }

  #run(call: CallState, params: Record<string, unknown>): unknown {
    const handler = call.dialect.methods[call.method] ?? this.server.table[call.method]
    if (handler === undefined) throw new RpcError(ErrorCode.MethodNotFound, `Unknown method ${excerpt(call.method)}`)
    return handler(params, call)
  }

  #write(line: string, about: RequestId | undefined): void {
    if (this.#batch !== undefined) this.#batch.add(undefined, line)
    else this.send(line, about)
  }

  #notification(message: Message): void {
    // All others ask for nothing: `initialized` only opens the way for questions, and those wait for a request.
    if (message.method !== 'notifications/cancelled') return
    this.#cancel(isObject(message.params) ? message.params : undefined)
  }

  #cancel(params: Record<string, unknown> | undefined): void {
    const call = this.#inFlight.get(params?.requestId as RequestId)
    if (call === undefined || call.method === 'initialize') return
    call.settled = true
    call.cancelled = true
    const reason = typeof params?.reason === 'string' ? `: ${excerpt(params.reason)}` : ''
    call.abort(new Error(`Cancelled by the client${reason}`))
    this.#inFlight.forget(call)
    call.batch?.add(call, undefined)
  }

  #dialectOf(value: unknown): Dialect | undefined {
    if (kindOf(value) !== 'request') return undefined
    const { method, params } = value as Message
    const meta = isObject(params) && isObject(params._meta) ? params._meta : undefined
    return this.#claiming(method, meta)
  }

  #claiming(method: string, meta: Record<string, unknown> | undefined): Dialect | undefined {
    for (let i = 0; i < this.#spoken.length; i++) {
      const dialect = this.#dialects[i]
      if (dialect?.isOpen || this.#spoken[i]!.begins(method, meta)) return dialect ?? this.#speak(i)
    }
    return undefined
  }

  #speak(i: number): Dialect {
    const dialect = this.#spoken[i]!.speak(this)
    this.#dialects[i] = dialect
    return dialect
  }

  #noEra(method: string): RpcError {
    return new RpcError(
      ErrorCode.InvalidParams,
      `${excerpt(method)} came without a protocol revision: ${eras.map(era => era.invitation).join(', or ')}`,
      { supported: eras[0]?.versions ?? [] },
    )
  }
}

/** A stop jumps every queue. */
function isStop(method: string, params: unknown): boolean {
  return method === 'tools/call' && isObject(params) && params.name === 'stop_all'
}

const noParams: Record<string, unknown> = Object.freeze({})
