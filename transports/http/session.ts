import { randomUUID } from 'node:crypto'
import { type Connection, isObject, kindOf, type Message, type Outlet, type RequestId } from '../../runtime/index.ts'
import { refuse, retryLater, sendNothing } from './answer.ts'
import { EventStream } from './event-stream.ts'
import { type Exchange, takesEvents } from './exchange.ts'
import { lineKind } from './message-line.ts'
import { ReplayStore } from './replayable-stream.ts'
import { SessionAnswer } from './session-answer.ts'

/** From this revision on clients know an event without data (2025-11-25, basic/transports). */
const primesFrom = '2025-11-25'

/** What one client agreed on by `initialize`, for as long as it uses it: a connection whose lines go to many responses. */
export class Session implements Outlet {
  readonly id = randomUUID()
  /** Every error without an id is the answer to a POST of its own. */
  readonly answersEach = true
  /** Who may use it. */
  readonly owner: string
  readonly connection: Connection
  /** What `initialize` agreed on; nothing when it was refused. */
  version: string | undefined = undefined
  readonly store: ReplayStore
  /** What belongs to no call goes here, and waits for the client's GET. */
  readonly #standing
  readonly #answers = new Map<RequestId, SessionAnswer>()
  /** The POST that is being read: an error without an id is about it. */
  #reading: SessionAnswer | undefined = undefined
  readonly #idle: NodeJS.Timeout
  readonly #ended: () => void
  #closed = false

  constructor({ server, peer, limits }: Exchange, owner: string, ended: () => void) {
    this.owner = owner
    this.#ended = ended
    this.store = new ReplayStore(limits.replayBytes)
    this.#standing = this.store.begin()
    this.connection = server.connect(this, peer)
    this.#idle = setTimeout(() => (this.isBusy ? this.#idle.refresh() : this.close()), limits.sessionIdleMs).unref()
  }

  /** Whether a call runs or the client listens. */
  get isBusy(): boolean {
    return this.#answers.size > 0 || this.#standing.isRead
  }

  /** Whether the client knows events that carry no message. */
  get primes(): boolean {
    return this.version !== undefined && this.version >= primesFrom
  }

  get congested(): boolean {
    if (this.#standing.congested) return true
    for (const answer of this.#answers.values()) if (answer.congested) return true
    return false
  }

  /** Takes the body of a POST. */
  post(exchange: Exchange, value: unknown): void {
    this.#idle.refresh()
    const answer = new SessionAnswer(this, exchange, idsOf(value))
    // Not before the message is read: an id in use belongs to the answer that it has.
    const added = answer.ids.filter(id => !this.#answers.has(id))
    for (const id of added) this.#answers.set(id, answer)
    this.#reading = answer
    try {
      this.connection.receiveValue(value)
    } finally {
      this.#reading = undefined
    }
    if (isObject(value) && value.method === 'notifications/cancelled') this.#cancelled(value as unknown as Message)
    answer.read(added.length)
  }

  /** Answers a GET: by the stream for what belongs to no call, or by the rest of a stream that was cut. */
  get(exchange: Exchange): void {
    this.#idle.refresh()
    const { request, response, limits, countStream } = exchange
    if (!takesEvents(request)) {
      return refuse(response, 406, 'This is a stream of events: accept text/event-stream')
    }
    const lastEventId = request.headers['last-event-id']
    const found = typeof lastEventId === 'string' ? this.store.find(lastEventId) : undefined
    if (typeof lastEventId === 'string' && found === undefined) {
      return refuse(response, 400, 'The events after this Last-Event-ID are not kept any more')
    }
    // An event source that gets this comes back no more.
    if (found === 'over') return sendNothing(response, 204)
    if (!countStream()) return refuse(response, 429, 'This client has too many event streams open', retryLater)
    exchange.cutWhenBarred()
    const reader = new EventStream(response, {
      ...limits,
      drained: () => this.drained(),
      gone: () => this.#idle.refresh(),
    })
    if (found === undefined) this.#standing.attach(reader, this.primes)
    else found.stream.replay(reader, found.after, this.primes)
    this.drained()
  }

  send(line: string, about: RequestId | undefined): void {
    const kind = lineKind(line)
    const answer = kind === 'batch' ? this.#ofBatch(line) : about === undefined ? undefined : this.#answers.get(about)
    switch (kind) {
      case 'batch':
        for (const id of answer?.ids ?? []) this.forget(id)
        return (answer ?? this.#reading)?.batch(line)
      case 'result':
      case 'error':
        if (about !== undefined) this.forget(about)
        return (answer ?? this.#reading)?.answer(line, kind)
      case 'request':
      case 'notification':
        if (answer?.note(line, kind)) return
        // A question must reach somebody; news of a call whose stream is gone need not.
        if (about === undefined || kind === 'request') this.#standing.send(line)
    }
  }

  /** No answer comes for this request any more. */
  forget(id: RequestId): void {
    this.#answers.delete(id)
    this.#idle.refresh()
  }

  /** Some stream takes more. */
  drained(): void {
    if (!this.congested) this.connection.drained()
  }

  /** Ends it: what runs is told to stop, every stream is closed. */
  close(reason = 'The session is over'): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#idle)
    this.connection.close(new Error(reason))
    for (const answer of new Set(this.#answers.values())) answer.drop(reason)
    this.#answers.clear()
    this.store.end()
    this.#ended()
  }

  /** A call that was cancelled is not answered, and nobody is to wait for it. */
  #cancelled({ params }: Message): void {
    const id = isObject(params) ? (params.requestId as RequestId) : undefined
    const answer = id === undefined ? undefined : this.#answers.get(id)
    if (id === undefined || answer === undefined) return
    this.forget(id)
    answer.without(id)
  }

  #ofBatch(line: string): SessionAnswer | undefined {
    for (const { id } of JSON.parse(line) as Message[]) {
      const answer = this.#answers.get(id)
      if (answer !== undefined) return answer
    }
    return undefined
  }
}

/** The ids of the requests in a body. */
function idsOf(value: unknown): RequestId[] {
  const messages = Array.isArray(value) ? value : [value]
  return messages.filter(each => kindOf(each) === 'request').map(({ id }: Message) => id)
}
