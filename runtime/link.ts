import type { Connection, Outlet } from './connection.ts'
import { ErrorCode } from './errors.ts'
import { Framer } from './framer.ts'
import { decodeUtf8 } from './json.ts'
import type { Server } from './server.ts'

/** What a link tells of what comes in. */
export interface LinkReceiver {
  /** Bytes came. The chunk is the receiver's during the call only. */
  bytes(chunk: Uint8Array): void
  /** No more bytes come. */
  end(): void
  /** After `write` returned false: the link takes more. */
  drained(): void
}

/** A stream of bytes in both directions: a pair of pipes, a serial port, a socket. */
export interface Link {
  /** Begins to give bytes. Called once. */
  open(receiver: LinkReceiver): void
  /** Sends a text as UTF-8. Takes it in any case; `false` asks to wait for `drained` before the next. */
  write(text: string): boolean
  /** Gives no more bytes until `resume`. */
  pause(): void
  resume(): void
  /** Text of a part of `bytes`, or nothing when it is not UTF-8: where the platform has something faster. */
  decode?(bytes: Uint8Array, start: number, end: number): string | undefined
}

/** A server that speaks over a link. */
export interface LinkSession {
  readonly connection: Connection
  /** Hands everything that is ready to the link now. */
  flush(): void
  /** Tells whether everything was handed to the link, and the link asks for no pause. */
  readonly flushed: boolean
}

/** So much may wait to be sent, in characters, before no more requests are read. */
const mostPending = 1024 * 1024

/**
 * Serves one client over a link: bytes to lines, lines to messages, and what is ready back in as few writes as can be.
 * A peer that does not read is not read from either, so what waits for it stays bounded.
 *
 * @param ended called when the input is over
 */
export function serveLink(server: Server, link: Link, ended: () => void): LinkSession {
  const session = new Session(server, link, ended)
  link.open(session)
  return session
}

class Session implements LinkSession, LinkReceiver, Outlet {
  readonly connection: Connection
  readonly #link: Link
  readonly #framer: Framer
  readonly #ended: () => void
  readonly #decode: (bytes: Uint8Array, start: number, end: number) => string | undefined
  #pending = ''
  #full = false
  #reading = false
  #scheduled = false
  #paused = false
  /** What was not read of a chunk, because answers wait to be sent. */
  #rest: Uint8Array | undefined = undefined
  #endsAfterRest = false
  #started = false

  constructor(server: Server, link: Link, ended: () => void) {
    this.#link = link
    this.#ended = ended
    this.#decode = link.decode === undefined ? decodeUtf8 : (bytes, start, end) => link.decode!(bytes, start, end)
    this.connection = server.connect(this)
    this.#framer = new Framer({
      maxLineBytes: server.maxLineBytes,
      onLine: (bytes, start, end) => this.#line(bytes, start, end),
      onOverlong: () =>
        this.connection.refuse(ErrorCode.ParseError, `The line is longer than ${server.maxLineBytes} bytes`),
    })
  }

  get congested(): boolean {
    return this.#full
  }

  get flushed(): boolean {
    return this.#pending === '' && !this.#full
  }

  bytes(chunk: Uint8Array): void {
    if (this.#rest !== undefined) {
      this.#rest = joined(this.#rest, chunk, 0)
      return
    }
    this.#read(chunk)
  }

  end(): void {
    if (this.#rest === undefined) this.#finish()
    else this.#endsAfterRest = true
  }

  drained(): void {
    this.#full = false
    this.flush()
    if (this.#full) return
    const rest = this.#rest
    this.#rest = undefined
    if (rest !== undefined) this.#read(rest)
    if (this.#full) return
    if (this.#endsAfterRest) {
      this.#endsAfterRest = false
      this.#finish()
    }
    if (this.#paused && !this.#full) {
      this.#paused = false
      this.#link.resume()
    }
    if (!this.#full) this.connection.drained()
  }

  send(line: string): void {
    // Concatenating makes a rope, which is copied once when it is written.
    this.#pending += line
    this.#pending += '\n'
    if (this.#reading || this.#scheduled || this.#full) return
    this.#scheduled = true
    Promise.resolve().then(this.#flushScheduled)
  }

  flush(): void {
    if (this.#full || this.#pending === '') return
    const text = this.#pending
    this.#pending = ''
    if (!this.#link.write(text)) this.#full = true
  }

  readonly #flushScheduled = () => {
    this.#scheduled = false
    this.flush()
  }

  #read(chunk: Uint8Array): void {
    this.#reading = true
    let at = 0
    try {
      while (at < chunk.length) {
        at = this.#framer.push(chunk, at)
        if (this.#pending.length > mostPending) {
          this.flush()
          if (this.#full) break
        }
      }
    } finally {
      this.#reading = false
    }
    this.flush()
    if (at < chunk.length) this.#rest = chunk.slice(at)
    if (this.#full && !this.#paused) {
      this.#paused = true
      this.#link.pause()
    }
  }

  #line(bytes: Uint8Array, start: number, end: number): boolean {
    let from = start
    if (!this.#started) {
      this.#started = true
      if (bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf) from += 3
    }
    if (!isBlank(bytes, from, end)) {
      const text = this.#decode(bytes, from, end)
      if (text === undefined) this.connection.refuse(ErrorCode.ParseError, 'The line is not UTF-8')
      else this.connection.receive(text)
    }
    return this.#pending.length <= mostPending
  }

  #finish(): void {
    this.#framer.end()
    this.flush()
    this.#ended()
  }
}

/** Nothing but spaces, tabs and carriage returns. */
function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false
  }
  return true
}

function joined(first: Uint8Array, second: Uint8Array, from: number): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length - from)
  bytes.set(first)
  bytes.set(second.subarray(from), first.length)
  return bytes
}
