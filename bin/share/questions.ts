import { isObject } from '../../runtime/json.ts'

type Message = Record<string, unknown>

/**
 * The questions of servers to the host that are open. Each server counts its own from the beginning, so those of later
 * servers get ids of their own towards the host.
 */
export class Questions {
  #server = 1
  /** The server's id by the host's. */
  readonly #open = new Map<unknown, unknown>()

  /** From now on another server asks. */
  nextServer(): void {
    this.#server++
  }

  /** The server asks: the line for the host. */
  asked(message: Message, text: string): string {
    const id = this.#hostId(message.id)
    this.#open.set(id, message.id)
    return id === message.id ? text : JSON.stringify({ ...message, id })
  }

  /** The host answers: the line for the server, or nothing when nobody waits for it. */
  answered(message: Message): string | undefined {
    if (!this.#open.has(message.id)) return undefined
    const id = this.#open.get(message.id)
    this.#open.delete(message.id)
    return JSON.stringify({ ...message, id })
  }

  /** The server takes a question back: the line for the host. */
  cancelled(message: Message, text: string): string {
    const { params } = message
    if (!isObject(params)) return text
    const requestId = this.#hostId(params.requestId)
    if (!this.#open.delete(requestId) || requestId === params.requestId) return text
    return JSON.stringify({ ...message, params: { ...params, requestId } })
  }

  /** The server is gone: the lines that take back what it asked. */
  withdraw(): string[] {
    const ids = [...this.#open.keys()]
    this.#open.clear()
    return ids.map(requestId =>
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId, reason: 'The server that asked is gone' },
      }),
    )
  }

  #hostId(id: unknown): unknown {
    return this.#server === 1 ? id : `${this.#server}-${id}`
  }
}
