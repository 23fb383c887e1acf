import type { Duplex } from 'node:stream'
import type { Clock } from '../../runtime/index.ts'
import type { ByteReceiver, ByteStream, Pacing } from './byte-stream.ts'
import { Outbox } from './outbox.ts'
import { messageOf, PortError } from './port-error.ts'

/** How a Node stream is used as a byte stream. Everything may be left out. */
export interface DuplexStreamOptions {
  /** What to call it in messages; `the stream` when left out. */
  name?: string
  /** As fast as the stream takes it when left out. */
  pacing?: Pacing | undefined
  /** How long `close` may wait until everything is sent, in milliseconds; 1000 when left out. */
  drainMs?: number | undefined
  clock?: Clock | undefined
}

/** Any Node stream in both directions as a byte stream: a socket, a pair of pipes, a test's own. */
export function duplexStream(duplex: Duplex, options: DuplexStreamOptions = {}): ByteStream {
  return new DuplexStream(duplex, options)
}

class DuplexStream implements ByteStream {
  readonly name: string
  readonly #duplex: Duplex
  readonly #drainMs: number
  readonly #outbox: Outbox
  #receiver: ByteReceiver | undefined = undefined
  #over = false
  #failure: unknown = undefined
  #closing: Promise<void> | undefined = undefined

  constructor(duplex: Duplex, { name = 'the stream', pacing, drainMs = 1000, clock }: DuplexStreamOptions) {
    this.name = name
    this.#duplex = duplex
    this.#drainMs = drainMs
    this.#outbox = new Outbox({ put: bytes => this.#put(bytes), pacing, clock })
  }

  get pendingBytes(): number {
    return this.#outbox.pendingBytes
  }

  async open(receiver: ByteReceiver): Promise<void> {
    const duplex = this.#duplex
    if (duplex.destroyed) throw new PortError('failed', `${this.name} is closed already`)
    this.#receiver = receiver
    duplex.on('error', error => {
      this.#failure = error
      this.#lost(messageOf(error))
    })
    duplex.once('end', () => this.#lost('the other side closed it'))
    duplex.once('close', () => this.#lost(this.#failure === undefined ? 'it was closed' : messageOf(this.#failure)))
    duplex.on('data', (chunk: Uint8Array | string) => {
      if (!this.#over) receiver.bytes(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    })
  }

  write(data: Uint8Array | string): Promise<void> {
    return this.#outbox.write(data)
  }

  pause(): void {
    this.#duplex.pause()
  }

  resume(): void {
    this.#duplex.resume()
  }

  close(now?: 'now'): Promise<void> {
    this.#closing ??= this.#close(now !== undefined)
    return this.#closing
  }

  async #close(now: boolean): Promise<void> {
    if (!now && !this.#over) await within(this.#drainMs, this.#outbox.idle())
    this.#end(undefined)
    if (this.#duplex.destroyed) return
    await within(now ? 0 : this.#drainMs, new Promise<void>(resolve => this.#duplex.end(resolve)))
    this.#duplex.destroy()
  }

  #put(bytes: Uint8Array): Promise<void> | undefined {
    if (bytes.length === 0) return undefined
    return new Promise((resolve, reject) => {
      this.#duplex.write(bytes, error => (error ? reject(this.#reason(messageOf(error))) : resolve()))
    })
  }

  #reason(why: string): PortError {
    return new PortError('lost', `${this.name} is gone: ${why}`)
  }

  #lost(why: string): void {
    if (this.#over) return
    this.#end(this.#reason(why))
    this.#duplex.destroy()
  }

  #end(reason: PortError | undefined): void {
    if (this.#over) return
    this.#over = true
    this.#outbox.close(reason ?? new PortError('closed', `${this.name} was closed`))
    this.#receiver?.closed(reason)
  }
}

/** Waits for the promise, but no longer than so many milliseconds. Tells whether it was settled. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>(resolve => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const settled = promise.then(
    () => true as const,
    () => true as const,
  )
  const done = await Promise.race([settled, late])
  clearTimeout(timer)
  return done
}
