import type { Connection, Outlet } from './connection.ts'
import { type Decoder, standardDecoder } from './decoder.ts'
import { ErrorCode } from './errors.ts'
import { Framer } from './framer.ts'
import { RepeatedRequest } from './repeated-request.ts'
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
  /** Where the platform has something faster than a `TextDecoder`. */
  readonly decoder?: Decoder
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
  readonly #decoder: Decoder
  readonly #repeated: RepeatedRequest | undefined
  /** What waits to be sent together, and how many characters it is. Mostly a single line: a list of it takes 56 bytes. */
  #pending: string | string[] | undefined = undefined
  #pendingLength = 0
  #full = false
  #reading = false
  #scheduled = false
  #paused = false
  /** What was not read of a chunk, because answers wait to be sent. */
  #rest: Uint8Array | undefined = undefined
  #endsAfterRest = false
  #started = false
  /** The chunk that is being read, and whether all of it is ASCII: found when the first of its lines asks. */
  #chunk: Uint8Array | undefined = undefined
  #chunkIsAscii: boolean | undefined = undefined

  constructor(server: Server, link: Link, ended: () => void) {
    this.#link = link
    this.#ended = ended
    this.#decoder = link.decoder ?? standardDecoder
    this.connection = server.connect(this)
    // What stands in for a server in another process takes lines as they are.
    if (this.connection.receiveValue !== undefined) this.#repeated = new RepeatedRequest(this.#decoder)
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
    return this.#pending === undefined && !this.#full
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
    const pending = this.#pending
    if (pending === undefined) this.#pending = line
    else if (typeof pending === 'string') this.#pending = [pending, line]
    else pending.push(line)
    this.#pendingLength += line.length
    if (this.#reading || this.#scheduled || this.#full) return
    this.#scheduled = true
    Promise.resolve().then(this.#flushScheduled)
  }

  flush(): void {
    if (this.#full || this.#pending === undefined) return
    const text = asLines(this.#pending)
    this.#pending = undefined
    this.#pendingLength = 0
    if (!this.#link.write(text)) this.#full = true
  }

  readonly #flushScheduled = () => {
    this.#scheduled = false
    this.flush()
  }

  #read(chunk: Uint8Array): void {
    this.#reading = true
    this.#chunk = chunk
    this.#chunkIsAscii = undefined
    let at = 0
    try {
      while (at < chunk.length) {
        at = this.#framer.push(chunk, at)
        if (this.#pendingLength > mostPending) {
          this.flush()
          if (this.#full) break
        }
      }
    } finally {
      this.#reading = false
      this.#chunk = undefined
    }
    this.flush()
    // A copy: what `slice` gives of Node's chunks is a view.
    if (at < chunk.length) this.#rest = new Uint8Array(chunk.subarray(at))
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
    if (!isBlank(bytes, from, end)) this.#message(bytes, from, end)
    return this.#pendingLength <= mostPending
  }

  #message(bytes: Uint8Array, start: number, end: number): void {
    const repeated = this.#repeated?.read(bytes, start, end)
    if (repeated !== undefined) return this.connection.receiveValue(repeated)
    const isAscii = bytes === this.#chunk && (this.#chunkIsAscii ??= this.#decoder.isAscii(bytes))
    const text = isAscii ? this.#decoder.ascii(bytes, start, end) : this.#decoder.utf8(bytes, start, end)
    if (text === undefined) return this.connection.refuse(ErrorCode.ParseError, 'The line is not UTF-8')
    if (this.#repeated === undefined) return this.connection.receive(text)
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return this.connection.receive(text)
    }
    this.#repeated.learn(text, value)
    this.connection.receiveValue(value)
  }

  #finish(): void {
    this.#framer.end()
    this.flush()
    this.#ended()
  }
}

function asLines(lines: string | string[]): string {
  if (typeof lines === 'string') return `${lines}\n`
  // The empty line behind the last gives it its newline, in the same copy.
  lines.push('')
  return lines.join('\n')
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
