import type { HttpLimits } from './options.ts'

/** What one client uses now. */
interface Use {
  requests: number
  streams: number
  /** Requests that it may still make at once; more come with time. */
  tokens: number
  at: number
}

/** Counts what each client uses, so that one cannot take everything. */
export class Clients {
  readonly #limits: HttpLimits
  readonly #now: () => number
  readonly #uses = new Map<string, Use>()

  constructor(limits: HttpLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** Counts a request. Returns why it is one too many, or nothing. */
  begin(client: string): string | undefined {
    const use = this.#of(client)
    const { requestsPerSecond, maxRequestsPerClient } = this.#limits
    this.#refill(use)
    if (use.tokens < 1) return `This client makes more than ${requestsPerSecond} requests a second`
    if (use.requests >= maxRequestsPerClient) {
      return `This client has ${maxRequestsPerClient} requests open: wait for their answers`
    }
    use.tokens -= 1
    use.requests += 1
    return undefined
  }

  /** The request of {@link Clients.begin} is over. */
  end(client: string): void {
    this.#of(client).requests -= 1
    this.#sweep()
  }

  /** A request becomes an event stream, if the client may have one more. */
  beginStream(client: string): boolean {
    const use = this.#of(client)
    if (use.streams >= this.#limits.maxStreamsPerClient) return false
    use.streams += 1
    use.requests -= 1
    return true
  }

  /** The stream is over. */
  endStream(client: string): void {
    this.#of(client).streams -= 1
    this.#sweep()
  }

  #of(client: string): Use {
    let use = this.#uses.get(client)
    if (use === undefined) {
      use = { requests: 0, streams: 0, tokens: 2 * this.#limits.requestsPerSecond, at: this.#now() }
      this.#uses.set(client, use)
    }
    return use
  }

  #refill(use: Use): void {
    const now = this.#now()
    const { requestsPerSecond } = this.#limits
    use.tokens = Math.min(2 * requestsPerSecond, use.tokens + ((now - use.at) / 1000) * requestsPerSecond)
    use.at = now
  }

  /** Forgets clients that use nothing, once there are many. */
  #sweep(): void {
    if (this.#uses.size <= mostRemembered) return
    for (const [client, use] of this.#uses) {
      this.#refill(use)
      if (use.requests === 0 && use.streams === 0 && use.tokens >= 2 * this.#limits.requestsPerSecond) {
        this.#uses.delete(client)
      }
    }
  }
}

const mostRemembered = 1000
