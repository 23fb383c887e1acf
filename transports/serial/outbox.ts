import { type Clock, systemClock } from '../../runtime/index.ts'
import type { Pacing } from './byte-stream.ts'
import type { PortError } from './port-error.ts'

/** How an outbox sends. */
export interface OutboxOptions {
  /** Sends all of these bytes. A promise when the platform does not take them at once; it is then not called again before. */
  put(bytes: Uint8Array): Promise<void> | undefined
  pacing?: Pacing | undefined
  clock?: Clock | undefined
}

interface Letter {
  bytes: Uint8Array
  sent(): void
  failed(reason: unknown): void
}

/** What waits to be sent: in order, one piece at a time, no faster than the pacing allows. */
export class Outbox {
  readonly #put: OutboxOptions['put']
  readonly #pacing: Pacing | undefined
  readonly #clock: Clock
  readonly #letters: Letter[] = []
  #pendingBytes = 0
  #running = false
  #closed: PortError | undefined = undefined
  /** Bytes sent since the last pause of the pacing's length, and when the last of them went. */
  #burst = 0
  #burstAt = Number.NEGATIVE_INFINITY
  #pause: { timer: unknown; over: () => void } | undefined = undefined
  #idle: (() => void)[] = []

  constructor({ put, pacing, clock = systemClock }: OutboxOptions) {
    if (pacing !== undefined && !(pacing.bytes >= 1 && pacing.ms >= 0))
      throw new RangeError('pacing needs at least one byte, and no negative time')
    this.#put = put
    this.#pacing = pacing
    this.#clock = clock
  }

  get pendingBytes(): number {
    return this.#pendingBytes
  }

  write(data: Uint8Array | string): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    const written = new Promise<void>((sent, failed) => {
      if (this.#closed !== undefined) failed(this.#closed)
      else this.#letters.push({ bytes, sent, failed })
    })
    // A write that failed because the cable was pulled is no reason for Node to end the process.
    written.catch(() => {})
    if (this.#closed === undefined) {
      this.#pendingBytes += bytes.length
      if (!this.#running) void this.#run()
    }
    return written
  }

  /** Resolves when everything was sent, or will never be. */
  idle(): Promise<void> {
    if (!this.#running) return Promise.resolve()
    return new Promise(resolve => this.#idle.push(resolve))
  }

  /** Takes nothing any more; what waits fails with the reason. */
  close(reason: PortError): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    for (const letter of this.#letters.splice(0)) letter.failed(reason)
    this.#pendingBytes = 0
    this.#clock.clearTimeout(this.#pause?.timer)
    this.#pause?.over()
    this.#rest()
  }

  async #run(): Promise<void> {
    this.#running = true
    for (let letter = this.#letters[0]; letter !== undefined; letter = this.#letters[0]) {
      try {
        // Nothing is awaited that is done already: an answer to a device leaves within the call that made it.
        const sending = this.#pacing === undefined ? this.#put(letter.bytes) : this.#paced(letter.bytes, this.#pacing)
        if (sending !== undefined) await sending
      } catch (thrown) {
        letter.failed(thrown)
      }
      if (this.#closed !== undefined) return
      this.#letters.shift()
      this.#pendingBytes -= letter.bytes.length
      letter.sent()
    }
    this.#rest()
  }

  #rest(): void {
    this.#running = false
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  async #paced(bytes: Uint8Array, { bytes: most, ms }: Pacing): Promise<void> {
    for (let at = 0; at < bytes.length && this.#closed === undefined; ) {
      let wait = this.#burstAt + ms - this.#clock.now()
      if (wait <= 0) this.#burst = 0
      // Node counts a timer from when its loop woke up last, so it may come early.
      while (this.#burst >= most && wait > 0 && this.#closed === undefined) {
        await this.#sleep(wait)
        wait = this.#burstAt + ms - this.#clock.now()
        if (wait <= 0) this.#burst = 0
      }
      if (this.#closed !== undefined) return
      const piece = bytes.subarray(at, at + most - this.#burst)
      await this.#put(piece)
      at += piece.length
      this.#burst += piece.length
      this.#burstAt = this.#clock.now()
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise(resolve => {
      const over = () => {
        this.#pause = undefined
        resolve()
      }
      this.#pause = { timer: this.#clock.setTimeout(over, Math.ceil(ms)), over }
    })
  }
}
