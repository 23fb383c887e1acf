import type { ClientInfo } from '../call.ts'
import type { Clock } from '../clock.ts'
import { DeviceFailure, publicMessage } from '../errors.ts'
import { isObject } from '../json.ts'
import { metaKey, modernMeta } from './envelope.ts'
import type { Exchange, Requests } from './requests.ts'
import type { DeviceSession } from './session.ts'
import type { Subscriptions } from './subscriptions.ts'

/** What listening to a device of 2026-07-28 needs. */
export interface ListenStreamOptions {
  requests: Requests
  session: DeviceSession
  clientInfo: ClientInfo
  clock: Clock
  timeoutMs: number
  deviceName(): string
  diagnose(text: string): void
}

const firstPauseMs = 1000
const longestPauseMs = 60_000

/**
 * One `subscriptions/listen` for everything. What it asks for cannot be changed, so a new one takes the place of the
 * old one, which ends only when the new one is taken on: nothing is missed between them.
 */
export class ListenStream implements Subscriptions {
  readonly #options: ListenStreamOptions
  readonly #uris = new Set<string>()
  #current: Exchange | undefined = undefined
  #next: { exchange: Exchange; taken: () => void } | undefined = undefined
  #opening: Promise<void> | undefined = undefined
  #isStale = false
  #closed = false
  #pauseMs = firstPauseMs
  #timer: unknown = undefined

  constructor(options: ListenStreamOptions) {
    this.#options = options
  }

  async start(uris: readonly string[]): Promise<void> {
    for (const uri of uris) this.#uris.add(uri)
    await this.#renew().catch(thrown => this.#options.diagnose(publicMessage(thrown)))
  }

  add(uri: string): Promise<void> {
    this.#uris.add(uri)
    return this.#renew()
  }

  remove(uri: string): void {
    if (this.#uris.delete(uri)) this.#renew().catch(thrown => this.#options.diagnose(publicMessage(thrown)))
  }

  acknowledged({ _meta }: Record<string, unknown>): void {
    const next = this.#next
    if (next === undefined || !isObject(_meta) || _meta[metaKey.subscriptionId] !== next.exchange.id) return
    this.#next = undefined
    const last = this.#current
    this.#current = next.exchange
    if (last !== undefined) this.#options.requests.cancel(last, 'Another subscription takes its place')
    this.#pauseMs = firstPauseMs
    next.taken()
  }

  ended(id: unknown): void {
    for (const exchange of [this.#current, this.#next?.exchange]) {
      if (exchange !== undefined && exchange.id === id) this.#options.requests.cancel(exchange, 'The device ended it')
    }
  }

  close(): void {
    this.#closed = true
    this.#options.clock.clearTimeout(this.#timer)
  }

  /** Listens to what is wanted now. Changes that come while it opens are one more opening after it. */
  #renew(): Promise<void> {
    this.#isStale = true
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #open(): Promise<void> {
    // What is added in one go is one subscription.
    await Promise.resolve()
    while (this.#isStale && !this.#closed) {
      this.#isStale = false
      const notifications = this.#filter()
      if (Object.keys(notifications).length > 0) await this.#listen(notifications)
      else if (this.#current !== undefined) {
        this.#options.requests.cancel(this.#current, 'Nobody listens any more')
        this.#current = undefined
      }
    }
  }

  #filter(): Record<string, unknown> {
    const { tools, prompts, resources } = this.#options.session.capabilities
    return {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(resources?.subscribe === true && this.#uris.size > 0 ? { resourceSubscriptions: [...this.#uris] } : {}),
    }
  }

  #listen(notifications: object): Promise<void> {
    const { requests, session, clientInfo, clock, timeoutMs, deviceName } = this.#options
    const params = { notifications, _meta: modernMeta(session.version, clientInfo, undefined) }
    const exchange = requests.send('subscriptions/listen', () => params, { timeoutMs: Number.POSITIVE_INFINITY })
    return new Promise((resolve, reject) => {
      const timer = clock.setTimeout(
        () => requests.cancel(exchange, `${deviceName()} does not take subscriptions on`),
        timeoutMs,
      )
      const taken = () => {
        clock.clearTimeout(timer)
        resolve()
      }
      this.#next = { exchange, taken }
      const over = (reason: Error) => {
        clock.clearTimeout(timer)
        reject(reason)
        if (this.#next?.exchange === exchange) this.#next = undefined
        if (this.#current !== exchange) return
        this.#current = undefined
        this.#listenAgain()
      }
      exchange.outcome.then(() => over(new DeviceFailure(`${deviceName()} ended the subscription`)), over)
    })
  }

  /** The device ended what it had taken on: perhaps it starts anew. */
  #listenAgain(): void {
    if (this.#closed) return
    const { clock, diagnose } = this.#options
    this.#timer = clock.setTimeout(() => this.#renew().catch(thrown => diagnose(publicMessage(thrown))), this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
  }
}
