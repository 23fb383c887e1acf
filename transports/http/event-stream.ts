import type { ServerResponse } from 'node:http'

/** How an event stream deals with its reader. */
export interface EventStreamOptions {
  keepAliveMs: number
  maxPendingBytes: number
  stalledMs: number
  /** The reader takes more after a time in which it did not. */
  drained?: () => void
  /** Nothing more can be sent. */
  gone?: () => void
  headers?: Record<string, string>
}

/** An open `text/event-stream`: events out, a sign of life when there are none, an end for who does not read. */
export class EventStream {
  readonly #response: ServerResponse
  readonly #options: EventStreamOptions
  readonly #keepAlive: NodeJS.Timeout
  #stalledAt: NodeJS.Timeout | undefined = undefined
  #open = true

  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.#response = response
    this.#options = options
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      // Proxies of the nginx kind would keep events until they have a whole block of them.
      'X-Accel-Buffering': 'no',
      ...options.headers,
    })
    response.flushHeaders()
    response.on('drain', () => {
      clearTimeout(this.#stalledAt)
      this.#stalledAt = undefined
      if (this.#open) options.drained?.()
    })
    response.on('close', () => this.#closed())
    this.#keepAlive = setInterval(() => {
      if (!this.congested) this.#write(': still here\n\n')
    }, options.keepAliveMs)
    this.#keepAlive.unref()
  }

  /** The reader is behind. What is written now waits in memory. */
  get congested(): boolean {
    return this.#open && this.#response.writableNeedDrain
  }

  get open(): boolean {
    return this.#open
  }

  /** Sends a line, with an id where the stream can be taken up again. */
  event(line: string, id?: string): void {
    this.#write(id === undefined ? `event: message\ndata: ${line}\n\n` : `event: message\nid: ${id}\ndata: ${line}\n\n`)
  }

  /** Tells where to go on, and how soon, before anything has happened (2025-11-25, basic/transports). */
  prime(id: string, retryMs: number): void {
    this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`)
  }

  /** Sends an event of another name than `message`. */
  named(event: string, data: string): void {
    this.#write(`event: ${event}\ndata: ${data}\n\n`)
  }

  /** The last event was sent. */
  end(): void {
    if (!this.#open) return
    this.#response.end()
    this.#stop()
  }

  /** Cuts the reader off. */
  cut(): void {
    this.#response.destroy()
    this.#closed()
  }

  #write(text: string): void {
    if (!this.#open) return
    // What waited before counts, not this one: a single long message may always go.
    if (this.#response.writableLength > this.#options.maxPendingBytes) return this.cut()
    if (!this.#response.write(text)) this.#watchReader()
  }

  #watchReader(): void {
    this.#stalledAt ??= setTimeout(() => this.#response.destroy(), this.#options.stalledMs).unref()
  }

  #closed(): void {
    clearTimeout(this.#stalledAt)
    if (!this.#open) return
    this.#stop()
    this.#options.gone?.()
  }

  #stop(): void {
    this.#open = false
    clearInterval(this.#keepAlive)
  }
}
