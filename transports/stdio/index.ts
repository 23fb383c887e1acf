import type { SocketConstructorOpts } from 'node:net'
import {
  type Connection,
  type Decoder,
  type Link,
  type LinkReceiver,
  type LinkSession,
  type Outlet,
  type Peer,
  type Server,
  serveLink,
} from '../../runtime/index.ts'
import { builtin } from './builtin.ts'
import { takeOutput, tellOperator } from './protocol-output.ts'

// Taken when this module is loaded: what other modules print while they load must not reach the host either.
const output = takeOutput()

/** How the stdio transport differs from the usual. Everything may be left out. */
export interface StdioOptions {
  /** How long calls may go on after the end of input, in milliseconds; 500 when left out. Actuators are made safe at once. */
  graceMs?: number
  /** How long answers may take to be read by the host when the process ends, in milliseconds; 1200 when left out. */
  flushMs?: number
  /** How long {@link StdioServer.linger} may take after the end of input, in milliseconds; 60 000 when left out. */
  lingerMs?: number
  /** Ends the process like the end of input does. The message of its reason is told to the operator. */
  signal?: AbortSignal
  /** Called whenever something comes from the host. */
  heard?: () => void
}

/** Standard input, for a server that has to slow the host down. */
export interface StdioInput {
  pause(): void
  resume(): void
}

/** What the host's lines go to. */
export type StdioConnection = Pick<Connection, 'receive' | 'refuse' | 'drained' | 'farewell' | 'idle'> & {
  /** The same as `receive` for a line that was parsed, where the connection takes that. */
  receiveValue?: Connection['receiveValue']
}

/** What can be served: a {@link Server}, or what stands in for one that runs in another process. */
export interface StdioServer {
  readonly maxLineBytes: number
  /** Takes lines for the operator. */
  diagnose: (text: string) => void
  /** The host. Its lines go into the connection, what it is to read goes into the outlet. */
  connect(outlet: Outlet, peer: Peer, input: StdioInput): StdioConnection
  open(): Promise<void>
  makeSafe(): Promise<unknown>
  makeSafeNow(): void
  /** Puts everything into its safe state until a person arms it: what SIGUSR1 asks for. */
  stop?(by: string): Promise<unknown>
  /** Finishes what is under way for others than this host. The two seconds count from when it is done, or a signal comes. */
  linger?(): Promise<void>
  close(reason?: string): Promise<void>
}

/** A transport over standard input and output. */
export interface StdioTransport {
  /**
   * Serves until the host closes the input, stops reading, or a signal comes: then the actuators go to their safe state,
   * what was answered is written out, and the process ends with code 0.
   */
  serve(server: StdioServer): Promise<void>
}

/** Serves the host that started this process, over its standard input and output. */
export function stdio(options: StdioOptions = {}): StdioTransport {
  return {
    serve: async server => {
      const life = new ProcessLife(server, options)
      life.start()
      await server.open().catch(() => {
        // Told on stderr already. The process stays, so that every call can tell the reason to the model.
      })
      await life.over
    },
  }
}

type NodeBytes = Uint8Array & {
  latin1Slice(start: number, end: number): string
  utf8Slice(start: number, end: number): string
  compare(target: Uint8Array, targetStart: number, targetEnd: number, start: number, end: number): number
}

const bufferPrototype = Buffer.prototype as unknown as NodeBytes

/** Node's own, which is faster than the usual one. */
function nodeDecoder(): Decoder | undefined {
  const { isAscii, isUtf8 } = builtin('node:buffer')
  if (isAscii === undefined || isUtf8 === undefined) return undefined
  const ascii: Decoder['ascii'] = (bytes, start, end) => bufferPrototype.latin1Slice.call(bytes, start, end)
  return {
    utf8(bytes, start, end) {
      const line = bytes.subarray(start, end)
      if (isAscii(line)) return ascii(bytes, start, end)
      return isUtf8(line) ? bufferPrototype.utf8Slice.call(bytes, start, end) : undefined
    },
    isAscii,
    ascii,
    isAt: (part, bytes, start) =>
      bufferPrototype.compare.call(bytes, part, 0, part.length, start, start + part.length) === 0,
  }
}

interface StandardLink extends Link {
  /** Ends the reading, whatever is still to come. */
  stop(): void
  /** Pauses and resumes on behalf of the server: bytes come when neither it nor the session has them wait. */
  readonly input: StdioInput
}

/** Standard input and output. */
function standardLink(failed: () => void, heard?: () => void): StandardLink {
  const decoder = nodeDecoder()
  let input: NodeJS.ReadableStream | undefined
  let stopped = false
  const waiting = new Set<'session' | 'server'>()
  const pause = (who: 'session' | 'server') => {
    waiting.add(who)
    input?.pause()
  }
  const resume = (who: 'session' | 'server') => {
    waiting.delete(who)
    if (!stopped && waiting.size === 0) input?.resume()
  }
  return {
    open(receiver: LinkReceiver) {
      input = openInput(chunk => {
        heard?.()
        if (!stopped) receiver.bytes(chunk)
      })
      input.once('end', () => receiver.end())
      // A terminal that went away, or a pipe that broke: no more input comes.
      input.once('error', () => receiver.end())
      output.stream.on('drain', () => receiver.drained())
      output.stream.on('error', failed)
    },
    write: text => output.write(text),
    pause: () => pause('session'),
    resume: () => resume('session'),
    input: { pause: () => pause('server'), resume: () => resume('server') },
    stop() {
      stopped = true
      input?.pause()
    },
    ...(decoder && { decoder }),
  }
}

const readBytes = 64 * 1024

/**
 * Standard input. Pipes and sockets, which is what hosts give, are read into one buffer over and over instead of a new
 * one for each chunk: half the garbage of a small message.
 */
function openInput(bytes: (chunk: Uint8Array) => void): NodeJS.ReadableStream {
  const { Socket } = builtin('node:net')
  if (Socket === undefined) return process.stdin.on('data', bytes)
  const buffer = Buffer.allocUnsafe(readBytes)
  const beginning = beginningsOf(buffer)
  const onread = {
    buffer,
    callback: (count: number) => {
      bytes(beginning(count))
      return true
    },
  }
  let input: InstanceType<typeof Socket>
  try {
    input = new Socket({ fd: 0, readable: true, writable: false, onread } as SocketConstructorOpts)
  } catch (thrown) {
    // A terminal, a file, or nothing at all.
    if ((thrown as NodeJS.ErrnoException).code === 'ERR_INVALID_FD_TYPE') return process.stdin.on('data', bytes)
    throw thrown
  }
  return input.resume()
}

/** Bytes. A longer message costs so much that a view is little beside it. */
const longestKeptView = 1024

/** Views on the beginning of a buffer, by their length. Messages of a host have few lengths, and a view takes 130 bytes. */
function beginningsOf(buffer: Uint8Array): (length: number) => Uint8Array {
  const kept = new Map<number, Uint8Array>()
  return length => {
    let view = kept.get(length)
    if (view !== undefined) return view
    view = buffer.subarray(0, length)
    if (length < longestKeptView) kept.set(length, view)
    return view
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long others are waited for once a signal came, in milliseconds: whoever sent it kills the process soon. */
const lingerAfterSignalMs = 1000

/** From the first byte to the exit code. */
class ProcessLife {
  readonly #server: StdioServer
  readonly #options: StdioOptions
  readonly #link: StandardLink
  #session: LinkSession | undefined = undefined
  #connection: StdioConnection | undefined = undefined
  #ending = false
  #readerGone = false
  #signalled = false
  /** While others are waited for: ends the waiting. */
  #hurry: (() => void) | undefined = undefined
  #done: () => void = () => {}
  /** Resolves when the process is about to exit. */
  readonly over = new Promise<void>(resolve => {
    this.#done = resolve
  })

  constructor(server: StdioServer, options: StdioOptions) {
    this.#server = server
    this.#options = options
    const failed = () => {
      this.#readerGone = true
      void this.#end('The host does not read any more', 0)
    }
    this.#link = standardLink(failed, options.heard)
    server.diagnose = text => tellOperator(`ferrule: ${text}`)
  }

  start(): void {
    for (const signal of signals) {
      process.on(signal, () => {
        this.#signalled = true
        if (this.#hurry !== undefined) return this.#hurry()
        // Whoever presses Ctrl-C twice does not want to wait.
        if (this.#ending) process.exit(130)
        void this.#end(`${signal} came`, 0)
      })
    }
    // Node would open its debugger. Windows has no such signal.
    if (process.platform !== 'win32') process.on('SIGUSR1', () => this.#stop())
    process.on('uncaughtException', error => this.#crash(error))
    process.on('unhandledRejection', reason => {
      tellOperator(`ferrule: a promise was rejected and nobody looked: ${stackOf(reason)}`)
    })
    // Whoever calls process.exit() leaves no time for promises.
    process.on('exit', () => this.#server.makeSafeNow())
    this.#session = serveLink(this.#forLink(), this.#link, () => void this.#end('The host closed the input', 0))
    const { signal } = this.#options
    const told = () => {
      const reason = signal?.reason instanceof Error ? signal.reason.message : 'The program was told to end'
      tellOperator(`ferrule: ${reason}`)
      void this.#end(reason, 0)
    }
    if (signal?.aborted) told()
    else signal?.addEventListener('abort', told, { once: true })
  }

  /** The server as a link sees it: the two members that a session asks for. */
  #forLink(): Server {
    const server: Pick<StdioServer, 'maxLineBytes'> & { connect(outlet: Outlet): StdioConnection } = {
      maxLineBytes: this.#server.maxLineBytes,
      connect: outlet => (this.#connection = this.#server.connect(outlet, {}, this.#link.input)),
    }
    return server as Server
  }

  #stop(): void {
    this.#server.stop?.('SIGUSR1').catch(thrown => {
      tellOperator(`ferrule: the stop was not in good order: ${stackOf(thrown)}`)
    })
  }

  #crash(error: unknown): void {
    tellOperator(`ferrule: crash: ${stackOf(error)}`)
    if (this.#ending) process.exit(1)
    void this.#end('The program crashed', 1)
  }

  async #end(reason: string, code: number): Promise<void> {
    if (this.#ending) return
    this.#ending = true
    const { graceMs = 500, flushMs = 1200 } = this.#options
    // Whatever hangs below, the process is gone within two seconds. Not before either: when nothing but a hanging
    // promise is left, Node would end it by itself with another code.
    let bound = setTimeout(() => process.exit(code), graceMs + flushMs)
    const leave = async () => {
      await this.#finishHost(code === 0 ? graceMs : 0)
      if (code === 0 && this.#server.linger !== undefined) {
        clearTimeout(bound)
        await this.#linger(this.#server.linger())
        bound = setTimeout(() => process.exit(code), flushMs)
      }
      await this.#server.close(reason)
      if (!this.#readerGone) await this.#flushed()
    }
    await leave().catch(thrown => {
      tellOperator(`ferrule: the end was not in good order: ${stackOf(thrown)}`)
    })
    this.#done()
    process.exit(code)
  }

  /** What the host asked for is finished, but nothing new begins to move. */
  async #finishHost(graceMs: number): Promise<void> {
    const connection = this.#connection!
    this.#link.stop()
    const safe = this.#server.makeSafe()
    // Subscriptions would never be done by themselves.
    connection.farewell()
    if (graceMs > 0 && !this.#readerGone) await Promise.race([connection.idle(), delay(graceMs)])
    await safe
  }

  async #linger(others: Promise<void>): Promise<void> {
    const { lingerMs = 60_000 } = this.#options
    let timer: NodeJS.Timeout | undefined
    const waited = new Promise<void>(resolve => {
      timer = setTimeout(resolve, this.#signalled ? lingerAfterSignalMs : lingerMs)
      this.#hurry = () => {
        this.#hurry = undefined
        clearTimeout(timer)
        timer = setTimeout(resolve, lingerAfterSignalMs)
      }
    })
    const failed = (thrown: unknown) => tellOperator(`ferrule: the end was not in good order: ${stackOf(thrown)}`)
    await Promise.race([others.catch(failed), waited])
    clearTimeout(timer)
    this.#hurry = undefined
  }

  /** Waits until the host has read what it was answered. The timer above bounds it. */
  async #flushed(): Promise<void> {
    const session = this.#session!
    session.flush()
    while (!session.flushed || output.stream.writableLength > 0) {
      if (this.#readerGone) return
      await delay(5)
    }
  }
}

function delay(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}
