import type { Socket } from 'node:net'
import { type Connection, Framer, type OperatorLimits, type Server } from '../../runtime/index.ts'
import type { ReleaseState } from './device-release.ts'
import { doorText, doorVersion, readDoorLine } from './door-line.ts'
import { limitsKey } from './limits-key.ts'
import { firstLine, signs } from './socket-link.ts'

/** Where a host's messages go: the server in this process, or the one in the process that owns the device. */
export interface Upstream {
  /** Who it is, for people. */
  readonly label: string
  /** Begins. Called once, before anything else. */
  open(receiver: UpstreamReceiver): void
  /** Sends a line. Calls `failed`, at once or later, when it is certain that the line did not arrive. */
  send(line: string, failed: () => void): void
  /** It asks to wait for `drained`. */
  readonly congested: boolean
  /** The host reads again. */
  hostDrained(): void
  /** Nothing more will be sent: what was sent is answered, subscriptions are ended. */
  finish(): void
  /** No call that moves anything runs there, and none will be sent. */
  still(): void
}

/** What an upstream tells. */
export interface UpstreamReceiver {
  line(text: string): void
  drained(): void
  /** It ends when it hears {@link Upstream.still}: nothing that moves anything is to be begun there. */
  leaving(): void
  /** It is gone, and whatever it has not answered is not answered any more. */
  lost(): void
  /** The host does not read. */
  readonly congested: boolean
}

/** The server of this process, when it took over from another. It is never lost. */
export class LocalUpstream implements Upstream {
  readonly label = 'this process'
  readonly congested = false
  readonly #server: Server
  #connection: Connection | undefined = undefined

  constructor(server: Server) {
    this.#server = server
  }

  /** The host, once it is connected. */
  get connection(): Connection | undefined {
    return this.#connection
  }

  open(receiver: UpstreamReceiver): void {
    this.#connection = this.#server.connect({
      send: text => receiver.line(text),
      get congested() {
        return receiver.congested
      },
    })
  }

  send(line: string): void {
    this.#connection?.receive(line)
  }

  hostDrained(): void {
    this.#connection?.drained()
  }

  finish(): void {
    this.#connection?.farewell()
  }

  // It does not leave before its host.
  still(): void {}
}

/** What an owner said when it let this process in. */
export interface Welcome {
  pid: number
  maxLineBytes: number
  secret: Uint8Array
  /** It leaves already. */
  leaving: boolean
  /** What the person who runs it allows, in words. */
  limits: readonly string[]
  /** This process may only read there. */
  readsOnly: boolean
}

/** The server in another process of this user. */
export class SocketUpstream implements Upstream {
  readonly welcome: Welcome
  /** Whether its owner has let the device go. */
  device: ReleaseState = { released: false, held: false }
  readonly #socket: Socket
  readonly #rest: Uint8Array
  #waits = false
  #finished = false

  constructor(socket: Socket, rest: Uint8Array, welcome: Welcome) {
    this.#socket = socket
    this.#rest = rest
    this.welcome = welcome
  }

  get label(): string {
    return `process ${this.welcome.pid}`
  }

  get congested(): boolean {
    return this.#waits
  }

  open(receiver: UpstreamReceiver): void {
    const socket = this.#socket
    const framer = new Framer({
      // The owner bounds what it sends.
      maxLineBytes: Number.MAX_SAFE_INTEGER,
      onLine: (bytes, start, end) =>
        this.#line(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start), receiver),
      onOverlong: () => {},
    })
    const read = (chunk: Uint8Array) => {
      framer.push(chunk)
      if (receiver.congested) socket.pause()
    }
    let lost = false
    const end = () => {
      if (lost) return
      lost = true
      socket.destroy()
      receiver.lost()
    }
    socket.on('data', read)
    socket.on('drain', () => {
      this.#waits = false
      receiver.drained()
    })
    socket.once('end', end)
    socket.once('close', end)
    if (this.welcome.leaving) receiver.leaving()
    if (this.#rest.length > 0) read(this.#rest)
    if (socket.destroyed) return end()
    if (!receiver.congested) socket.resume()
  }

  send(line: string, failed: () => void): void {
    if (this.#finished || !this.#socket.writable) return failed()
    const taken = this.#socket.write(`${line}\n`, error => {
      // What could not be written in full had no end of line, and nobody begins what has none.
      if (error) failed()
    })
    if (!taken) this.#waits = true
  }

  hostDrained(): void {
    this.#socket.resume()
  }

  finish(): void {
    if (this.#finished) return
    this.#finished = true
    this.#socket.write(signs.end)
  }

  still(): void {
    if (!this.#finished) this.#socket.write(signs.still)
  }

  #line(bytes: Buffer, receiver: UpstreamReceiver): void {
    const text = bytes.toString()
    const door = readDoorLine(text)
    if (door === undefined) return receiver.line(text)
    if (door.ferrule === 'device') this.device = { released: door.released === true, held: door.held === true }
    if (door.ferrule === 'leaving') receiver.leaving()
  }
}

/** So long an owner may take to let another copy in, in milliseconds. */
const welcomeMs = 5000

/**
 * Asks the owner at the other end of a socket to be let in.
 *
 * @param limits what the person who runs this process allows
 * @returns nothing when it is gone by now
 * @throws Error when it is there and cannot be joined
 */
export async function join(socket: Socket, limits?: OperatorLimits): Promise<SocketUpstream | undefined> {
  socket.on('error', () => {})
  socket.write(doorText({ ferrule: 'join', version: doorVersion, pid: process.pid, limits: limitsKey(limits) }))
  const since = performance.now()
  const first = await firstLine(socket, welcomeMs)
  const line = first === undefined ? undefined : readDoorLine(first.line)
  if (first === undefined || line?.ferrule !== 'joined') {
    socket.destroy()
    if (first === undefined && performance.now() - since < welcomeMs) return undefined
    throw new Error(
      'another process of this program has the device and does not answer: end it, or restart the app that started it',
    )
  }
  if (line.version !== doorVersion) {
    socket.destroy()
    throw new Error(
      `process ${line.pid} has the device and is of another version of this program: restart the app that started it`,
    )
  }
  return new SocketUpstream(socket, first.rest, {
    pid: Number(line.pid),
    maxLineBytes: Number(line.maxLineBytes),
    secret: Buffer.from(String(line.secret), 'base64'),
    leaving: line.leaving === true,
    limits: Array.isArray(line.limits) ? line.limits.map(String) : [],
    readsOnly: line.readsOnly === true,
  })
}
