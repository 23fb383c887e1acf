import type { Peer, Server } from '../runtime/index.ts'
import { connectInMemory, type MemoryClient } from '../transports/memory/index.ts'

/** The `_meta` that makes a request of 2026-07-28 complete, and what a test adds to it. */
export function modernMeta(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    ...more,
  }
}

/** The `_meta` of a client that says what it can do. */
export function capable(capabilities: object): Record<string, unknown> {
  return modernMeta({ 'io.modelcontextprotocol/clientCapabilities': capabilities })
}

interface Waiting {
  fits: (message: any) => boolean
  resolve: (message: any) => void
}

/** A client on the in-memory transport that keeps what it hears and can wait for it, so that no test sleeps. */
export class TestClient {
  /** Everything the server sent, in order. */
  readonly heard: any[] = []
  readonly #link: MemoryClient
  readonly #waiting = new Set<Waiting>()
  #lastId = 0

  constructor(server: Server, peer: Peer = {}) {
    this.#link = connectInMemory(
      server,
      message => {
        this.heard.push(message)
        for (const waiting of this.#waiting) {
          if (!waiting.fits(message)) continue
          this.#waiting.delete(waiting)
          waiting.resolve(message)
        }
      },
      peer,
    )
  }

  /** Sends a line as it stands on the wire. */
  line(line: string): void {
    this.#link.sendLine(line)
  }

  send(message: object): void {
    this.#link.send(message)
  }

  notify(method: string, params?: object): void {
    this.send({ jsonrpc: '2.0', method, params })
  }

  /** Sends a request and waits for its answer: the whole message. */
  request(method: string, params?: object, id: string | number = `t${++this.#lastId}`): Promise<any> {
    const answer = this.answer(id)
    this.send({ jsonrpc: '2.0', id, method, params })
    return answer
  }

  /** A request of 2026-07-28. */
  modern(method: string, params: object = {}, meta: object = modernMeta(), id?: string | number): Promise<any> {
    return this.request(method, { ...params, _meta: meta }, id)
  }

  /** Shakes hands in the way of the older revisions and waits for the result. */
  async initialize(protocolVersion = '2025-11-25', capabilities: object = {}): Promise<any> {
    const { result } = await this.request('initialize', {
      protocolVersion,
      capabilities,
      clientInfo: { name: 'test', version: '1' },
    })
    this.notify('notifications/initialized')
    return result
  }

  callTool(name: string, args: object = {}, id?: string | number): Promise<any> {
    return this.request('tools/call', { name, arguments: args }, id)
  }

  /** Waits for the answer to a request that was sent, or is about to be. */
  answer(id: string | number): Promise<any> {
    return this.next(message => message.id === id && message.method === undefined)
  }

  /** Waits for the next message that fits. */
  next(fits: (message: any) => boolean): Promise<any> {
    return new Promise(resolve => this.#waiting.add({ fits, resolve }))
  }

  /** Waits for the next message of a method: a notification, or a request of the server's. */
  called(method: string): Promise<any> {
    return this.next(message => message.method === method)
  }

  answers(id: string | number): any[] {
    return this.heard.filter(message => message.id === id && message.method === undefined)
  }

  /** What was heard of a method so far. */
  told(method: string): any[] {
    return this.heard.filter(message => message.method === method)
  }

  leave(): void {
    this.#link.close()
  }
}
