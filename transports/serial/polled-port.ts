import { readSync, writeSync } from 'node:fs'
import type { OpenedPort, OpenedPortEvents } from './opened-port.ts'

/** A port that Linux or macOS opened: a file descriptor that does not block, and what tells when it is ready. */
export interface PolledDescriptor {
  fd: number | null
  readonly poller: {
    stop(): void
    destroy(): void
    on(event: 'readable' | 'writable' | 'disconnect', listener: (error: Error | null) => void): unknown
    poll(events: number): void
  }
}

const readable = 1
const writable = 2
const disconnected = 4

/** A terminal gives no more than 4 KiB at once. */
const readBytes = 8 * 1024
/** A port that is ready to be read and has nothing was hung up; once may be another program that read it first. */
const mostEmptyReads = 3

/**
 * Reads and writes the descriptor itself as soon as it is ready. The library's own stream hands each read to a thread and
 * waits for either reading or writing, so that a write may wait for the next byte to come in; it reads for ever when the
 * cable is pulled between two reads; and while it does not read, it does not see that the cable was pulled.
 */
export class PolledPort implements OpenedPort {
  readonly #fd: number
  readonly #poller: PolledDescriptor['poller']
  readonly #buffer = Buffer.allocUnsafeSlow(readBytes)
  #events: OpenedPortEvents | undefined = undefined
  #writing: { bytes: Uint8Array; written: () => void; failed: (reason: unknown) => void } | undefined = undefined
  #drained: (() => void) | undefined = undefined
  #paused = false
  #over = false
  #emptyReads = 0

  constructor({ fd, poller }: PolledDescriptor) {
    this.#fd = fd!
    this.#poller = poller
  }

  start(events: OpenedPortEvents): void {
    this.#events = events
    this.#poller.on('readable', error => this.#ready(error, () => this.#read()))
    this.#poller.on('writable', error => this.#ready(error, () => this.#write()))
    this.#poller.on('disconnect', error => this.#ready(error ?? new Error('hung up'), () => {}))
    this.#wait()
  }

  put(bytes: Uint8Array): Promise<void> | undefined {
    const rest = this.#writeSome(bytes)
    if (rest === undefined) return undefined
    return new Promise((written, failed) => {
      this.#writing = { bytes: rest, written, failed }
      this.#wait()
    })
  }

  pause(): void {
    this.#paused = true
    this.#wait()
  }

  resume(): void {
    this.#paused = false
    this.#wait()
  }

  /**
   * The system says that it takes more when it has less than 256 bytes left, and for a board with its own USB, when it has
   * none. Asking it to wait for the last one would hold up a thread until the board takes it, which may be never.
   */
  drain(): Promise<void> {
    return new Promise(resolve => {
      this.#drained = resolve
      this.#wait()
    })
  }

  stop(): void {
    this.#over = true
    this.#writing?.failed(new Error('the port was closed'))
    this.#writing = undefined
  }

  #ready(error: Error | null, act: () => void): void {
    if (error !== null) {
      this.#drained?.()
      return this.#lost(error)
    }
    try {
      act()
    } finally {
      this.#wait()
    }
  }

  /** The poller waits for what it was asked for last, so both directions are always asked for together. */
  #wait(): void {
    if (this.#events === undefined || (this.#over && this.#drained === undefined)) return
    const reading = !this.#paused && !this.#over
    const writing = this.#writing !== undefined || this.#drained !== undefined
    this.#poller.poll((reading ? readable : 0) | (writing ? writable : 0) | disconnected)
  }

  #read(): void {
    if (this.#paused || this.#over) return
    let count: number
    try {
      count = readSync(this.#fd, this.#buffer, 0, readBytes, null)
    } catch (thrown) {
      if (!isWait(thrown)) this.#lost(thrown)
      return
    }
    if (count > 0) {
      this.#emptyReads = 0
      this.#events?.bytes(this.#buffer.subarray(0, count))
    } else if (++this.#emptyReads >= mostEmptyReads) {
      this.#lost(new Error('hung up'))
    }
  }

  #write(): void {
    const writing = this.#writing
    if (writing === undefined) {
      this.#drained?.()
      this.#drained = undefined
      return
    }
    this.#writing = undefined
    try {
      const rest = this.#writeSome(writing.bytes)
      if (rest === undefined) writing.written()
      else this.#writing = { ...writing, bytes: rest }
    } catch (thrown) {
      writing.failed(thrown)
    }
  }

  /** Writes what the system takes now, and gives what it did not take. */
  #writeSome(bytes: Uint8Array): Uint8Array | undefined {
    for (let at = 0; at < bytes.length; ) {
      try {
        const count = writeSync(this.#fd, bytes, at, bytes.length - at)
        if (count === 0) return bytes.subarray(at)
        at += count
      } catch (thrown) {
        if (isWait(thrown)) return bytes.subarray(at)
        this.#lost(thrown)
        throw thrown
      }
    }
    return undefined
  }

  #lost(thrown: unknown): void {
    if (this.#over) return
    this.stop()
    this.#events?.lost(thrown)
  }
}

function isWait(thrown: unknown): boolean {
  const { code } = thrown as { code?: string }
  return code === 'EAGAIN' || code === 'EWOULDBLOCK' || code === 'EINTR'
}
