import type { Clock } from '../clock.ts'
import { isObject } from '../json.ts'
import { type Message, notificationLine, type RequestId, requestLine } from '../json-rpc.ts'
import { DeviceError, deviceErrorOf, NoAnswerError } from './failures.ts'

/** A result as it stands on the wire. */
export type Result = Record<string, unknown>

/** How a request is sent. */
export interface RequestOptions {
  /** How long the answer may take, in milliseconds; for ever when `Infinity`. Progress begins the time anew. */
  timeoutMs: number
  /** Asks the device to tell how far it is. */
  onProgress?: ((progress: number, total?: number, message?: string) => void) | undefined
  /** What the request may have moved before it failed is not known, and the error says so. */
  acts?: boolean
}

/** What the requests of a client need. */
export interface RequestsOptions {
  send(line: string): void
  clock: Clock
  /** How the device is called in errors. */
  deviceName(): string
  diagnose(text: string): void
}

/** A call that reports progress may take so many times its time, and not longer. */
const mostRenewals = 20
const mostRemembered = 256

/** One request to the device, from sending to its outcome. */
export class Exchange {
  readonly id: number
  readonly method: string
  readonly options: RequestOptions
  readonly sentAt: number
  /** The answer. Rejects with a {@link DeviceError} or a {@link NoAnswerError}. */
  readonly outcome: Promise<Result>
  settled = false
  timer: unknown = undefined
  renewals = 0
  paused = false
  settle!: (outcome: Result | Error) => void

  constructor(id: number, method: string, options: RequestOptions, sentAt: number) {
    this.id = id
    this.method = method
    this.options = options
    this.sentAt = sentAt
    this.outcome = new Promise((resolve, reject) => {
      this.settle = outcome => {
        this.settled = true
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
      }
    })
    // Whoever waits hears of it; that nobody does is no failure of the program.
    this.outcome.catch(() => {})
  }
}

/**
 * The requests of a client that are in flight. An id is never used twice, so that an answer that comes too late fits
 * nothing and is dropped.
 */
export class Requests {
  readonly #options: RequestsOptions
  readonly #open = new Map<RequestId, Exchange>()
  /** When requests were given up that were not answered yet, by id. */
  readonly #givenUp = new Map<RequestId, { exchange: Exchange; at: number; why: 'late' | 'cancelled' }>()
  // An answer to a former run of this program must not fit a request of this one. Small microcontrollers count in 32 bits.
  #lastId = Math.floor(Math.random() * 1_000_000_000)

  constructor(options: RequestsOptions) {
    this.#options = options
  }

  get(id: unknown): Exchange | undefined {
    return this.#open.get(id as RequestId)
  }

  /** @param params makes the parameters for the id that the request gets */
  send(method: string, params: (id: number) => object | undefined, options: RequestOptions): Exchange {
    const id = ++this.#lastId
    const exchange = new Exchange(id, method, options, this.#options.clock.now())
    this.#open.set(id, exchange)
    this.#startTimer(exchange)
    try {
      this.#options.send(requestLine(id, method, params(id)))
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : 'the line is closed'
      this.#settle(exchange, new NoAnswerError('lost', `${this.#name} could not be sent anything: ${why}`))
    }
    return exchange
  }

  /** Takes an answer of the device, also one that nobody waits for. */
  answer({ id, result, error }: Message): void {
    const exchange = this.#open.get(id)
    if (exchange === undefined) return this.#dropLate(id)
    if (error !== undefined) this.#settle(exchange, deviceErrorOf(error))
    else if (isObject(result)) this.#settle(exchange, result)
    else this.#settle(exchange, new DeviceError(0, 'an answer that is no result', undefined))
  }

  /** Takes an error that names no request. It can only be believed to be about one that moves nothing: the first of all. */
  refused(error: unknown): boolean {
    const [only, another] = this.#open.values()
    if (only === undefined || another !== undefined || only.method !== 'server/discover') return false
    this.#settle(only, deviceErrorOf(error))
    return true
  }

  progress({ progressToken, progress, total, message }: Record<string, unknown>): void {
    const exchange = this.#open.get(progressToken as RequestId)
    if (exchange?.options.onProgress === undefined || typeof progress !== 'number') return
    if (++exchange.renewals <= mostRenewals && !exchange.paused) this.#startTimer(exchange)
    exchange.options.onProgress(
      progress,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    )
  }

  /** Gives a request up and tells the device. */
  cancel(exchange: Exchange, reason: string): void {
    if (exchange.settled) return
    this.#giveUp(exchange, 'cancelled', reason, new NoAnswerError('cancelled', reason))
  }

  /** The time stands still while the device waits for an answer of a person. */
  pause(exchange: Exchange): void {
    exchange.paused = true
    this.#options.clock.clearTimeout(exchange.timer)
  }

  resume(exchange: Exchange): void {
    if (!exchange.paused || exchange.settled) return
    exchange.paused = false
    this.#startTimer(exchange)
  }

  /** The device is gone: nothing that was asked of it is answered any more. */
  lost(why: string): void {
    for (const exchange of this.#open.values()) {
      const unknown = exchange.options.acts === true ? ` ${outcomeUnknown}` : ''
      this.#settle(exchange, new NoAnswerError('lost', `${this.#name} was lost before it answered (${why}).${unknown}`))
    }
    this.#givenUp.clear()
  }

  get #name(): string {
    return this.#options.deviceName()
  }

  #startTimer(exchange: Exchange): void {
    const { clock } = this.#options
    const { timeoutMs, acts = false } = exchange.options
    clock.clearTimeout(exchange.timer)
    if (timeoutMs === Number.POSITIVE_INFINITY) return
    exchange.timer = clock.setTimeout(() => {
      const unknown = acts ? ` ${outcomeUnknown}` : ''
      const text = `${this.#name} did not answer within ${timeoutMs / 1000} s.${unknown}`
      this.#giveUp(exchange, 'late', 'It took too long', new NoAnswerError('late', text))
    }, timeoutMs)
  }

  #giveUp(exchange: Exchange, why: 'late' | 'cancelled', reason: string, error: Error): void {
    this.#settle(exchange, error)
    this.#givenUp.set(exchange.id, { exchange, at: this.#options.clock.now(), why })
    if (this.#givenUp.size > mostRemembered) this.#givenUp.delete(this.#givenUp.keys().next().value!)
    // `initialize` must not be cancelled, and a device that does not know `server/discover` has nothing to cancel.
    if (exchange.method === 'initialize' || exchange.method === 'server/discover') return
    try {
      this.#options.send(notificationLine('notifications/cancelled', { requestId: exchange.id, reason }))
    } catch {
      // A closed line is told by whoever owns it.
    }
  }

  #settle(exchange: Exchange, outcome: Result | Error): void {
    this.#options.clock.clearTimeout(exchange.timer)
    this.#open.delete(exchange.id)
    exchange.settle(outcome)
  }

  #dropLate(id: RequestId): void {
    const late = this.#givenUp.get(id)
    if (late === undefined) return this.#options.diagnose(`${this.#name} sent an answer that nobody waits for`)
    this.#givenUp.delete(id)
    if (late.why === 'cancelled') return
    const seconds = (this.#options.clock.now() - late.exchange.sentAt) / 1000
    this.#options.diagnose(
      `${this.#name} answered ${late.exchange.method} after ${seconds.toFixed(1)} s, too late: the answer was dropped`,
    )
  }
}

const outcomeUnknown = 'Whether it was carried out is not known: look at the device before you repeat it.'
