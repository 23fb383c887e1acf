import type { Outlet } from '../../runtime/index.ts'
import { isObject } from '../../runtime/json.ts'
import type { StdioConnection, StdioInput } from '../../transports/stdio/index.ts'
import { HostSession } from './host-session.ts'
import { failureOf, type HostRequest, notBegun, unknownOutcome } from './outcome.ts'
import { Questions } from './questions.ts'
import { signs } from './socket-link.ts'
import type { Upstream, UpstreamReceiver } from './upstream.ts'

/** So long a request waits for a server, in milliseconds. */
const patienceMs = 10_000
/** So much may wait for a server, in characters. */
const mostWaiting = 4 * 1024 * 1024

/** Requests of the host that are answered together: one, or a batch. */
interface Exchange {
  readonly line: string
  readonly requests: Map<string | number, HostRequest>
  readonly isBatch: boolean
  readonly moves: boolean
  sent: boolean
  timer: NodeJS.Timeout | undefined
}

/** A line that waits for a server. */
interface Waiting {
  readonly line: string
  readonly exchange: Exchange | undefined
}

/**
 * A host whose server is in another process, which may be gone at any moment. It knows what the host said, so that the next
 * server can go on where the last one was: what only reads is asked again, and what may have moved something never is.
 *
 *   host ⇄ Relay ⇄ Upstream 1, lost
 *                ⇄ Upstream 2 …
 */
export class Relay implements StdioConnection, UpstreamReceiver {
  readonly #outlet: Outlet
  readonly #input: StdioInput
  readonly #log: (text: string) => void
  readonly #session = new HostSession()
  readonly #questions = new Questions()
  readonly #exchanges = new Map<string | number, Exchange>()
  #waiting: Waiting[] = []
  #waitingLength = 0
  #upstream: Upstream | undefined = undefined
  #upstreams = 0
  #leaving = false
  #still = false
  #ending = false
  #idle: (() => void)[] = []
  /** The upstream is gone: somebody has to find the next one. */
  onLost: () => void = () => {}

  constructor(outlet: Outlet, input: StdioInput, log: (text: string) => void) {
    this.#outlet = outlet
    this.#input = input
    this.#log = log
  }

  get congested(): boolean {
    return this.#outlet.congested
  }

  /** Goes on with this upstream. */
  attach(upstream: Upstream): void {
    const replays = this.#upstreams++ > 0
    this.#upstream = upstream
    this.#leaving = false
    this.#still = false
    upstream.open(this)
    if (this.#upstream !== upstream) return
    if (replays) {
      this.#questions.nextServer()
      for (const line of this.#session.replay()) upstream.send(line, () => {})
    }
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingLength = 0
    for (const one of waiting) this.#pass(one)
    if (replays) for (const line of this.#session.missed()) this.#toHost(line)
    if (this.#ending) upstream.finish()
  }

  /** There is no server, and none can be had: says why to all that waits. */
  fail(why: string): void {
    for (const { exchange } of this.#waiting.splice(0)) if (exchange !== undefined) this.#refuse(exchange, why)
    this.#waitingLength = 0
  }

  // From the host.

  receive(line: string): void {
    const value = parsed(line)
    if (value === undefined) return this.#pass({ line: withoutSigns(line), exchange: undefined })
    const requests = (Array.isArray(value) ? value : [value]).flatMap(asRequest)
    if (requests.length > 0) return this.#requests(line, requests, Array.isArray(value))
    if (isObject(value)) {
      if (value.method === 'notifications/cancelled') return this.#cancelled(line, value)
      if (value.method === undefined && (value.result !== undefined || value.error !== undefined)) {
        // An answer to a question of a server that is gone would be taken for the answer to another.
        const answer = this.#questions.answered(value)
        if (answer !== undefined) this.#pass({ line: answer, exchange: undefined })
        return
      }
    }
    this.#pass({ line, exchange: undefined })
  }

  refuse(code: number, message: string): void {
    this.#log(message)
    this.#toHost(JSON.stringify({ jsonrpc: '2.0', error: { code, message } }))
  }

  farewell(): void {
    this.#ending = true
    this.#upstream?.finish()
  }

  idle(): Promise<void> {
    return this.#exchanges.size === 0 ? Promise.resolve() : new Promise(resolve => this.#idle.push(resolve))
  }

  // From the upstream.

  line(text: string): void {
    const value = parsed(text)
    if (Array.isArray(value)) {
      for (const each of value) if (isObject(each)) this.#settle(each)
      return this.#toHost(text)
    }
    if (!isObject(value)) return
    if (this.#session.isReplay(value)) return this.#replayed(value)
    if (value.method !== undefined) return this.#fromServer(value, text)
    const over = this.#session.listensTo(value.id) && value.result !== undefined && !this.#ending
    // The server ends, and the subscription goes on with the next one.
    if (over) return
    // What the server broke off because it ends is asked of the next one.
    if (this.#leaving && !this.#ending && isInternal(value.error) && this.#isRepeatable(value.id)) return
    this.#settle(value)
    this.#toHost(text)
  }

  /** Of the link to the host, and of the upstream alike: whoever had to wait may go on. */
  drained(): void {
    if (this.#upstream?.congested !== true) this.#input.resume()
    this.#upstream?.hostDrained()
  }

  leaving(): void {
    this.#leaving = true
    this.#tellStill()
  }

  lost(): void {
    const gone = this.#upstream
    if (gone === undefined) return
    this.#upstream = undefined
    this.#input.resume()
    for (const line of this.#questions.withdraw()) this.#toHost(line)
    const again: Waiting[] = []
    for (const exchange of new Set(this.#exchanges.values())) {
      // What the host listens to is part of its session.
      if (!exchange.sent || this.#listens(exchange)) continue
      exchange.sent = false
      if (exchange.moves) this.#answer(exchange, request => outcomeAfter(request, gone.label))
      else {
        again.push({ line: exchange.line, exchange })
        this.#wait(exchange)
      }
    }
    this.#waiting.unshift(...again)
    for (const { line } of again) this.#waitingLength += line.length
    if (this.#ending) this.fail('the program ends')
    else this.onLost()
  }

  #requests(line: string, requests: HostRequest[], isBatch: boolean): void {
    // An id in use is refused by the server, and what runs under it goes on.
    if (requests.some(({ id }) => this.#exchanges.has(id))) return this.#pass({ line, exchange: undefined })
    const exchange: Exchange = {
      line,
      requests: new Map(requests.map(request => [request.id, request])),
      isBatch,
      moves: requests.some(({ method }) => method === 'tools/call'),
      sent: false,
      timer: undefined,
    }
    for (const { id } of requests) this.#exchanges.set(id, exchange)
    this.#pass({ line, exchange })
  }

  /** Sends a line, or keeps it until there is a server that may begin it. */
  #pass(waiting: Waiting): void {
    const { line, exchange } = waiting
    const upstream = this.#upstream
    if (upstream === undefined || (this.#leaving && exchange?.moves)) return this.#keep(waiting)
    if (exchange !== undefined) {
      clearTimeout(exchange.timer)
      exchange.timer = undefined
      exchange.sent = true
      this.#listen(exchange)
    }
    upstream.send(line, () => {
      if (exchange !== undefined && !this.#isOpen(exchange)) return
      if (exchange !== undefined) exchange.sent = false
      this.#keep(waiting)
    })
    if (upstream.congested) this.#input.pause()
  }

  /** Whether the host waits for an answer. */
  #isOpen({ requests }: Exchange): boolean {
    return requests.size > 0
  }

  #listen({ line, isBatch, requests }: Exchange): void {
    if (isBatch) return
    for (const { id, method, params } of requests.values()) {
      if (method === 'subscriptions/listen') this.#session.listen(id, line, params)
    }
  }

  #keep(waiting: Waiting): void {
    const { line, exchange } = waiting
    if (this.#waitingLength + line.length > mostWaiting) {
      if (exchange !== undefined) this.#refuse(exchange, 'too much waits for the device already')
      return
    }
    this.#waiting.push(waiting)
    this.#waitingLength += line.length
    if (exchange !== undefined) this.#wait(exchange)
  }

  #wait(exchange: Exchange): void {
    exchange.timer ??= setTimeout(() => {
      this.#drop(exchange)
      this.#refuse(
        exchange,
        this.#upstream !== undefined
          ? `the device is handed over to another process, and a call before it has run for ${patienceMs / 1000} s more`
          : `no process took the device over in ${patienceMs / 1000} s`,
      )
    }, patienceMs)
  }

  #drop(exchange: Exchange): void {
    const at = this.#waiting.findIndex(each => each.exchange === exchange)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    this.#waitingLength -= exchange.line.length
  }

  #cancelled(line: string, { params }: Record<string, unknown>): void {
    const id = isObject(params) ? params.requestId : undefined
    const exchange = this.#exchanges.get(id as string)
    if (exchange?.requests.get(id as string)?.method === 'initialize') return
    // The server hears of it first: when nothing runs any more, it may be told that nothing more comes.
    if (exchange === undefined || exchange.sent || exchange.isBatch) this.#pass({ line, exchange: undefined })
    else this.#drop(exchange)
    if (exchange === undefined) return
    this.#session.unlisten(id)
    this.#forget(id)
  }

  #fromServer(message: Record<string, unknown>, text: string): void {
    if (message.id !== undefined) return this.#toHost(this.#questions.asked(message, text))
    if (message.method === 'notifications/cancelled' && isObject(message.params)) {
      const { requestId } = message.params
      // It ends with its server, which the host need not know.
      if (this.#session.listensTo(requestId) && !this.#ending) return
      return this.#toHost(this.#questions.cancelled(message, text))
    }
    this.#toHost(text)
  }

  #replayed({ error }: Record<string, unknown>): void {
    if (isObject(error))
      this.#log(`The next server did not take what the host had asked the last one: ${error.message}`)
  }

  /** A request was answered by the server. */
  #settle({ id, result }: Record<string, unknown>): void {
    const request = this.#exchanges.get(id as string)?.requests.get(id as string)
    if (request === undefined) return
    if (result !== undefined) this.#session.agreed(request.method, request.params)
    this.#session.unlisten(id)
    this.#forget(id)
  }

  #refuse(exchange: Exchange, why: string): void {
    this.#answer(exchange, request => notBegun(request, why))
  }

  #answer(exchange: Exchange, say: (request: HostRequest) => string): void {
    const answers = Array.from(exchange.requests.values(), request => failureOf(request, say(request)))
    for (const id of [...exchange.requests.keys()]) {
      this.#session.unlisten(id)
      this.#forget(id)
    }
    if (answers.length > 0) this.#toHost(JSON.stringify(exchange.isBatch ? answers : answers[0]))
  }

  #forget(id: unknown): void {
    const exchange = this.#exchanges.get(id as string)
    if (exchange === undefined) return
    exchange.requests.delete(id as string)
    this.#exchanges.delete(id as string)
    if (exchange.requests.size === 0) clearTimeout(exchange.timer)
    this.#tellStill()
    if (this.#exchanges.size === 0) for (const reached of this.#idle.splice(0)) reached()
  }

  /** An owner that leaves waits for this: that nothing moves there any more. */
  #tellStill(): void {
    if (!this.#leaving || this.#still || this.#upstream === undefined) return
    for (const { sent, moves } of this.#exchanges.values()) if (sent && moves) return
    this.#still = true
    this.#upstream.still()
  }

  #isRepeatable(id: unknown): boolean {
    return this.#exchanges.get(id as string)?.moves === false
  }

  #listens(exchange: Exchange): boolean {
    for (const id of exchange.requests.keys()) if (!this.#session.listensTo(id)) return false
    return true
  }

  #toHost(line: string): void {
    this.#outlet.send(line, undefined)
  }
}

function outcomeAfter(request: HostRequest, owner: string): string {
  return request.method === 'tools/call'
    ? unknownOutcome(request, owner)
    : `${owner}, which had the device, ended before it answered: ask again`
}

function isInternal(error: unknown): boolean {
  return isObject(error) && error.code === -32603
}

function withoutSigns(line: string): string {
  return line.replaceAll(signs.end, '?').replaceAll(signs.still, '?')
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function asRequest(value: unknown): HostRequest[] {
  if (!isObject(value) || typeof value.method !== 'string') return []
  const { id, method, params } = value
  if (typeof id !== 'string' && typeof id !== 'number') return []
  return [{ id, method, params: isObject(params) ? params : {} }]
}
