import { randomUUID } from 'node:crypto'
import type { Connection, Outlet } from '../../runtime/index.ts'
import { refuse, retryLater, sendNothing } from './answer.ts'
import { EventStream } from './event-stream.ts'
import { type Exchange, ownerOf, takesEvents } from './exchange.ts'

/**
 * The clients of revision 2024-11-05: all that the server says goes on the one stream that a client opens, and the client
 * posts to the address that it is told there.
 */
export class SseClients {
  readonly #byId = new Map<string, SseClient>()

  /** Answers a GET by a client's stream, which lives as long as the client. */
  open(exchange: Exchange, messagesPath: string): void {
    const { request, response } = exchange
    if (!takesEvents(request)) return refuse(response, 406, 'This is a stream of events: accept text/event-stream')
    if (!exchange.countStream()) {
      return refuse(response, 429, 'This client has too many event streams open', retryLater)
    }
    const id = randomUUID()
    exchange.cutWhenBarred()
    const client = new SseClient(exchange, () => this.#byId.delete(id))
    this.#byId.set(id, client)
    client.stream.named('endpoint', `${messagesPath}?sessionId=${id}`)
  }

  /** Tells whether there is a client of this id, for its owner. */
  has(id: string | null, owner: string): boolean {
    return id !== null && this.#byId.get(id)?.owner === owner
  }

  /** Takes a message that was posted by one of them. */
  post({ response }: Exchange, id: string, message: unknown): void {
    const client = this.#byId.get(id)
    if (client === undefined) return refuse(response, 404, 'The stream of this client is closed')
    sendNothing(response, 202)
    client.connection.receiveValue(message)
  }

  /** Ends them all. */
  close(): void {
    for (const { stream } of this.#byId.values()) stream.end()
  }
}

class SseClient implements Outlet {
  readonly owner: string
  readonly stream: EventStream
  readonly connection: Connection

  constructor(exchange: Exchange, ended: () => void) {
    const { response, server, peer, limits } = exchange
    this.owner = ownerOf(exchange)
    this.connection = server.connect(this, peer)
    this.stream = new EventStream(response, { ...limits, drained: () => this.connection.drained() })
    response.once('close', () => {
      ended()
      this.connection.close()
    })
  }

  get congested(): boolean {
    return this.stream.congested
  }

  send(line: string): void {
    this.stream.event(line)
  }
}
