import type { RequestId } from '../../runtime/index.ts'
import { refuse, sendJson, sendNothing, statusOfCode } from './answer.ts'
import { EventStream } from './event-stream.ts'
import { type Exchange, takesEvents } from './exchange.ts'
import type { ReplayableStream } from './replayable-stream.ts'
import type { Session } from './session.ts'

/**
 * The answer to one POST of a session: JSON when nothing comes before it, a stream otherwise. A client that is gone in
 * between has not cancelled anything: it takes the stream up again, if it had one.
 */
export class SessionAnswer {
  /** The requests of the body. */
  readonly ids: readonly RequestId[]
  readonly #session: Session
  readonly #exchange: Exchange
  readonly #waiting: Set<RequestId>
  #stream: ReplayableStream | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #answered = false

  constructor(session: Session, exchange: Exchange, ids: readonly RequestId[]) {
    this.#session = session
    this.#exchange = exchange
    this.ids = ids
    this.#waiting = new Set(ids)
  }

  get congested(): boolean {
    return this.#stream?.congested === true
  }

  /** The body was read, and so many of its requests are on their way. */
  read(underway: number): void {
    const { response, request, limits } = this.#exchange
    if (this.#answered) return
    if (this.ids.length === 0) return sendNothing(response, 202)
    if (underway === 0) return refuse(response, 400, 'The id of the request is in use by one that runs')
    if (!takesEvents(request)) return
    // What takes long becomes a stream, whose signs of life keep proxies from giving up.
    this.#timer = setTimeout(() => this.#open(), limits.keepAliveMs).unref()
  }

  /** The answer to one request of the body, or an error about the body. */
  answer(line: string, kind: 'result' | 'error'): void {
    const { response } = this.#exchange
    this.#answered = true
    clearTimeout(this.#timer)
    if (this.#stream !== undefined) {
      this.#stream.send(line)
      return this.#stream.finish()
    }
    const headers = this.#sessionHeader(line, kind)
    sendJson(response, kind === 'error' ? statusOf(line) : 200, line, headers)
  }

  /** The answers to a batch. */
  batch(line: string): void {
    this.answer(line, 'result')
  }

  /** A message that comes before the answer. Tells whether it found a way to the client. */
  note(line: string, kind: 'request' | 'notification'): boolean {
    const { request, response } = this.#exchange
    if (this.#stream === undefined && !takesEvents(request)) return kind === 'notification'
    if (this.#stream === undefined && response.destroyed) return false
    const stream = this.#open()
    stream?.send(line)
    return stream !== undefined
  }

  /** A request of the body is not answered any more. */
  without(id: RequestId): void {
    this.#waiting.delete(id)
    if (this.#waiting.size > 0 || this.#answered) return
    this.#answered = true
    if (takesEvents(this.#exchange.request)) this.#open()?.finish()
    else sendNothing(this.#exchange.response, 202)
    clearTimeout(this.#timer)
  }

  /** The session ends before the answer. */
  drop(reason: string): void {
    clearTimeout(this.#timer)
    if (this.#stream === undefined) refuse(this.#exchange.response, 404, reason)
    else this.#stream.finish()
  }

  #open(): ReplayableStream | undefined {
    clearTimeout(this.#timer)
    const { response, limits, countStream } = this.#exchange
    if (this.#stream !== undefined) return this.#stream
    if (response.destroyed || !countStream()) return undefined
    const session = this.#session
    const stream = session.store.begin()
    this.#stream = stream
    stream.attach(new EventStream(response, { ...limits, drained: () => session.drained() }), session.primes)
    if (limits.streamMs > 0 && session.primes) {
      this.#timer = setTimeout(() => stream.release(), limits.streamMs).unref()
    }
    return this.#stream
  }

  /** `initialize` tells the client under which id it goes on. */
  #sessionHeader(line: string, kind: 'result' | 'error'): Record<string, string> {
    const session = this.#session
    if (kind === 'error' || session.version !== undefined) return {}
    session.version = JSON.parse(line).result.protocolVersion
    return { 'Mcp-Session-Id': session.id }
  }
}

function statusOf(line: string): number {
  const { code } = JSON.parse(line).error
  const status = statusOfCode[code]
  // An unknown method has no status of its own in these revisions.
  return status === undefined || status === 404 ? 200 : status
}
