import { Framer } from '../runtime/framer.ts'

/** The protocol that a client speaks: 2026-07-28, where each request stands alone, or 2025-11-25 with its handshake. */
export type Era = 'modern' | 'legacy'

/** A JSON object as it goes over the wire. */
export type Message = Record<string, any>

/** How a {@link Client} is made. */
export interface ClientOptions {
  era: Era
  /** The version that the client names itself with. */
  version: string
  /** Takes a message for the server: one line, its newline included. */
  write(line: string): void
  /** Called with each notification that does not belong to a request of this client. */
  onNotification?(method: string, params: Message): void
  /** Called with each message, in the order they pass. */
  onWire?(direction: 'out' | 'in', message: Message): void
  /** Called with a line of the server that is no message. */
  onStray?(text: string): void
}

/** What a request may be given beside its parameters. */
export interface RequestOptions {
  /** Cancels the request. */
  signal?: AbortSignal
  onProgress?(progress: Progress): void
}

/** How far a call is (MCP `notifications/progress`). */
export interface Progress {
  progress: number
  total?: number
  message?: string
}

/** What a server says of itself at the beginning. */
export interface ServerInfo {
  name: string
  version: string
  title?: string
  protocolVersion: string
  capabilities: Message
  instructions?: string
}

/** An error that the server answered with. */
export class ServerError extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: Message) {
    super(String(message))
    this.code = code
    this.data = data
  }
}

interface Pending {
  resolve(result: Message): void
  reject(error: Error): void
  onProgress: ((progress: Progress) => void) | undefined
}

const modernVersion = '2026-07-28'
const legacyVersion = '2025-11-25'
const meta = (name: string) => `io.modelcontextprotocol/${name}`
const methodNotFound = -32601

/** A small MCP client for one server on a stream of lines. It offers the server nothing: no questions, no sampling. */
export class Client {
  readonly #options: ClientOptions
  readonly #framer: Framer
  readonly #pending = new Map<number, Pending>()
  /** What to do when a subscription is taken on, by the id of its request. */
  readonly #acknowledged = new Map<unknown, () => void>()
  readonly #decoder = new TextDecoder()
  #lastId = 0
  #closed: Error | undefined

  constructor(options: ClientOptions) {
    this.#options = options
    this.#framer = new Framer({
      onLine: (bytes, start, end) => this.#line(this.#decoder.decode(bytes.subarray(start, end))),
      onOverlong: () => options.onStray?.('a line that is too long'),
    })
  }

  get era(): Era {
    return this.#options.era
  }

  /** Takes the next bytes that the server wrote. */
  push(chunk: Uint8Array): void {
    this.#framer.push(chunk)
  }

  /** Ends it: whatever waits for an answer fails with `reason`. */
  close(reason: Error): void {
    this.#closed ??= reason
    for (const pending of this.#pending.values()) pending.reject(reason)
    this.#pending.clear()
  }

  /** Meets the server: `server/discover`, or the handshake. */
  async start(): Promise<ServerInfo> {
    if (this.era === 'modern') {
      const found = await this.request('server/discover')
      const { name, version, title } = found._meta?.[meta('serverInfo')] ?? { name: 'unknown', version: '' }
      return said({ name, version, title, protocolVersion: modernVersion, ...from(found) })
    }
    const found = await this.request('initialize', {
      protocolVersion: legacyVersion,
      capabilities: {},
      clientInfo: this.#clientInfo(),
    })
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const { name, version, title } = found.serverInfo ?? { name: 'unknown', version: '' }
    return said({ name, version, title, protocolVersion: found.protocolVersion, ...from(found) })
  }

  /** All items of a list, whatever its number of pages. */
  async list<T>(method: string, key: string): Promise<T[]> {
    const items: T[] = []
    let cursor: string | undefined
    do {
      const page = await this.request(method, cursor === undefined ? {} : { cursor })
      items.push(...((page[key] ?? []) as T[]))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return items
  }

  /**
   * Asks to hear of changes of these resources, and of the list of tools. Resolves when the server has taken it on.
   * The server may know fewer of them than were asked for.
   */
  async listen(uris: readonly string[]): Promise<void> {
    if (this.era === 'legacy') {
      await Promise.all(uris.map(uri => this.request('resources/subscribe', { uri })))
      return
    }
    const notifications = { toolsListChanged: true, resourceSubscriptions: uris }
    const id = this.#lastId + 1
    await new Promise<void>((resolve, reject) => {
      this.#acknowledged.set(id, resolve)
      // The request stays open for as long as the subscription lives; its answer is the end of it.
      this.request('subscriptions/listen', { notifications }).then(
        () => reject(new Error('the server ended the subscription')),
        reject,
      )
    })
  }

  /** Sends a request. Rejects with a {@link ServerError} when the server answers with an error. */
  request(method: string, params: Message = {}, options: RequestOptions = {}): Promise<Message> {
    if (this.#closed) return Promise.reject(this.#closed)
    const id = ++this.#lastId
    const { signal, onProgress } = options
    const fields = { ...this.#envelope(), ...(onProgress && { progressToken: id }) }
    const body = Object.keys(fields).length > 0 ? { ...params, _meta: fields } : params
    return new Promise((resolve, reject) => {
      const cancel = () => {
        if (!this.#pending.delete(id)) return
        this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'stopped' } })
        reject(signal?.reason instanceof Error ? signal.reason : new Error('stopped'))
      }
      const pending: Pending = { resolve, reject, onProgress }
      this.#pending.set(id, pending)
      this.#send({ jsonrpc: '2.0', id, method, params: body })
      if (signal?.aborted) cancel()
      signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  #envelope(): Message {
    if (this.era === 'legacy') return {}
    return {
      [meta('protocolVersion')]: modernVersion,
      [meta('clientCapabilities')]: {},
      [meta('clientInfo')]: this.#clientInfo(),
    }
  }

  #clientInfo(): Message {
    return { name: 'ferrule-try', version: this.#options.version }
  }

  #send(message: Message): void {
    this.#options.onWire?.('out', message)
    this.#options.write(`${JSON.stringify(message)}\n`)
  }

  #line(text: string): void {
    if (text.trim() === '') return
    const message = parsed(text)
    if (!message) {
      this.#options.onStray?.(text)
      return
    }
    this.#options.onWire?.('in', message)
    if (typeof message.method === 'string') this.#incoming(message.method, message)
    else this.#answer(message)
  }

  #answer(message: Message): void {
    const pending = this.#pending.get(message.id)
    if (!pending) return
    this.#pending.delete(message.id)
    if (message.error) pending.reject(new ServerError(message.error))
    else if (message.result?.resultType === 'input_required') {
      pending.reject(new Error('the server asks the person something first, which this view cannot show'))
    } else pending.resolve(message.result ?? {})
  }

  #incoming(method: string, message: Message): void {
    const params: Message = message.params ?? {}
    if (message.id !== undefined) {
      const answer =
        method === 'ping'
          ? { result: {} }
          : { error: { code: methodNotFound, message: 'this client has no such thing' } }
      this.#send({ jsonrpc: '2.0', id: message.id, ...answer })
      return
    }
    if (method === 'notifications/progress') this.#pending.get(params.progressToken)?.onProgress?.(params as Progress)
    else if (method === 'notifications/subscriptions/acknowledged') {
      this.#acknowledged.get(params._meta?.[meta('subscriptionId')])?.()
    } else this.#options.onNotification?.(method, params)
  }
}

function parsed(text: string): Message | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function from({ capabilities, instructions }: Message): { capabilities: Message; instructions?: string } {
  return { capabilities: capabilities ?? {}, ...(instructions !== undefined && { instructions }) }
}

function said({ title, ...info }: Message): ServerInfo {
  return { ...info, ...(title !== undefined && { title }) } as ServerInfo
}
