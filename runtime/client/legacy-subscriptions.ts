import { publicMessage } from '../errors.ts'
import type { Requests } from './requests.ts'
import type { Subscriptions } from './subscriptions.ts'

/** What subscribing to a device of the handshake revisions needs. */
export interface LegacySubscriptionsOptions {
  requests: Requests
  timeoutMs: number
  diagnose(text: string): void
}

/** A request for each resource. Changes of lists are told unasked. */
export class LegacySubscriptions implements Subscriptions {
  readonly #options: LegacySubscriptionsOptions

  constructor(options: LegacySubscriptionsOptions) {
    this.#options = options
  }

  async start(uris: readonly string[]): Promise<void> {
    await Promise.all(
      uris.map(uri => this.add(uri).catch(thrown => this.#options.diagnose(`${uri}: ${publicMessage(thrown)}`))),
    )
  }

  async add(uri: string): Promise<void> {
    await this.#request('resources/subscribe', uri)
  }

  remove(uri: string): void {
    // One that cannot be ended only tells what nobody listens to.
    this.#request('resources/unsubscribe', uri).catch(() => {})
  }

  acknowledged(): void {}
  ended(): void {}
  close(): void {}

  #request(method: string, uri: string): Promise<unknown> {
    const { requests, timeoutMs } = this.#options
    return requests.send(method, () => ({ uri }), { timeoutMs }).outcome
  }
}
