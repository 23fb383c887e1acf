import { readSync, writeSync } from 'node:fs'
import process from 'node:process'
import type { CLibrary } from './koffi-calls.ts'

const EPOLL_CTL_ADD = 1
const EPOLL_CTL_DEL = 2
const EPOLLIN = 1
const EPOLL_CLOEXEC = 0o2000000
const EFD_CLOEXEC_NONBLOCK = 0o2004000
/** `struct epoll_event` is packed on x86 only. */
const packed = process.arch === 'x64' || process.arch === 'ia32'
const [eventBytes, dataOffset] = packed ? [12, 4] : [16, 8]
const mostEvents = 16

/**
 * Waits for any number of descriptors in one thread, with epoll(7): it keeps no hold of what it watches, so a line that is
 * closed is free at once, where poll(2) would hold it until it returns.
 */
export class ReadableWatch {
  readonly #libc: CLibrary
  readonly #epoll: number
  /** Ends the wait: when nothing is watched any more, and before the process exits, which would wait for the thread. */
  readonly #bell: number
  readonly #tells = new Map<number, () => void>()
  #lastToken = 0
  #waiting = false

  constructor(libc: CLibrary) {
    this.#libc = libc
    this.#epoll = libc.epoll_create1(EPOLL_CLOEXEC)
    this.#bell = libc.eventfd(0, EFD_CLOEXEC_NONBLOCK)
    this.#control(EPOLL_CTL_ADD, this.#bell, 0)
    process.once('exit', () => this.#ring())
  }

  /** Tells each time that the descriptor has something to read. The function returned ends that; call it before closing. */
  add(fd: number, tell: () => void): () => void {
    const token = ++this.#lastToken
    this.#control(EPOLL_CTL_ADD, fd, token)
    this.#tells.set(token, tell)
    if (!this.#waiting) void this.#wait()
    return () => {
      if (!this.#tells.delete(token)) return
      this.#control(EPOLL_CTL_DEL, fd, token)
      if (this.#tells.size === 0) this.#ring()
    }
  }

  async #wait(): Promise<void> {
    this.#waiting = true
    const events = Buffer.alloc(mostEvents * eventBytes)
    try {
      while (this.#tells.size > 0) {
        const count = await this.#libc.epoll_wait(this.#epoll, events, mostEvents, -1).catch(unlessInterrupted)
        for (let i = 0; i < count; i++) this.#tell(events.readUInt32LE(i * eventBytes + dataOffset))
      }
    } finally {
      this.#waiting = false
    }
  }

  #tell(token: number): void {
    if (token === 0) return void readSync(this.#bell, Buffer.alloc(8))
    try {
      this.#tells.get(token)?.()
    } catch (thrown) {
      // A slip of one listener is an uncaught exception like any other, and the others go on hearing.
      queueMicrotask(() => {
        throw thrown
      })
    }
  }

  #ring(): void {
    writeSync(this.#bell, new BigUint64Array([1n]))
  }

  #control(operation: number, fd: number, token: number): void {
    const event = Buffer.alloc(eventBytes)
    event.writeUInt32LE(EPOLLIN, 0)
    event.writeUInt32LE(token, dataOffset)
    this.#libc.epoll_ctl(this.#epoll, operation, fd, event)
  }
}

function unlessInterrupted(thrown: unknown): number {
  if ((thrown as { code?: string }).code === 'EINTR') return 0
  throw thrown
}
