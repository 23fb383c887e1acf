import { isObject } from '../../runtime/json.ts'

type Params = Record<string, unknown>

/** An open `subscriptions/listen` of a host. */
interface Listening {
  id: string | number
  line: string
  uris: readonly string[]
  acknowledged: boolean
}

/** What a host agreed on and asked to hear of, so that another server can be brought to the same state. */
export class HostSession {
  #initialize: Params | undefined = undefined
  #logLevel: string | undefined = undefined
  readonly #subscriptions = new Set<string>()
  readonly #listening = new Map<string | number, Listening>()
  #replays = 0
  readonly #replaying = new Set<unknown>()
  readonly #acknowledging = new Set<unknown>()

  /** A request was answered with a result. */
  agreed(method: string, params: Params): void {
    switch (method) {
      case 'initialize':
        this.#initialize = params
        this.#logLevel = undefined
        this.#subscriptions.clear()
        return
      case 'logging/setLevel':
        this.#logLevel = String(params.level)
        return
      case 'resources/subscribe':
        this.#subscriptions.add(String(params.uri))
        return
      case 'resources/unsubscribe':
        this.#subscriptions.delete(String(params.uri))
    }
  }

  /** A `subscriptions/listen` was sent. */
  listen(id: string | number, line: string, params: Params): void {
    const filter = isObject(params.notifications) ? params.notifications : {}
    const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions.map(String) : []
    this.#listening.set(id, { id, line, uris, acknowledged: false })
  }

  /** Whether this request is an open `subscriptions/listen`. */
  listensTo(id: unknown): boolean {
    return this.#listening.has(id as string)
  }

  /** A `subscriptions/listen` is over. */
  unlisten(id: unknown): void {
    this.#listening.delete(id as string)
    this.#acknowledging.delete(id)
  }

  /** The lines that bring a new server to where the last one was. What it answers is for {@link isReplay}. */
  replay(): string[] {
    const lines: string[] = []
    this.#acknowledging.clear()
    const request = (method: string, params: unknown) => {
      const id = `ferrule-replay-${++this.#replays}`
      this.#replaying.add(id)
      lines.push(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    }
    if (this.#initialize !== undefined) {
      request('initialize', this.#initialize)
      lines.push(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
      if (this.#logLevel !== undefined) request('logging/setLevel', { level: this.#logLevel })
      for (const uri of this.#subscriptions) request('resources/subscribe', { uri })
    }
    for (const { id, line, acknowledged } of this.#listening.values()) {
      if (acknowledged) this.#acknowledging.add(id)
      lines.push(line)
    }
    return lines
  }

  /** Whether a message of the server answers a replay: the host knows of none. */
  isReplay(message: Record<string, unknown>): boolean {
    if (message.method === undefined) return this.#replaying.delete(message.id)
    if (message.method !== 'notifications/subscriptions/acknowledged') return false
    const id = subscriptionOf(message)
    const listening = this.#listening.get(id as string)
    if (listening !== undefined) listening.acknowledged = true
    return this.#acknowledging.delete(id)
  }

  /** Tells the host to read again what it watches: changes in between were seen by nobody. */
  missed(): string[] {
    const updated = (params: object) =>
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params })
    const lines = Array.from(this.#subscriptions, uri => updated({ uri }))
    for (const { id, uris } of this.#listening.values()) {
      for (const uri of uris) lines.push(updated({ uri, _meta: { [subscriptionId]: id } }))
    }
    return lines
  }
}

const subscriptionId = 'io.modelcontextprotocol/subscriptionId'

function subscriptionOf({ params }: Record<string, unknown>): unknown {
  return isObject(params) && isObject(params._meta) ? params._meta[subscriptionId] : undefined
}
