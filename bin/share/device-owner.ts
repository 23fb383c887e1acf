import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import process from 'node:process'
import { type LinkSession, type OperatorLimits, type Server, serveLink } from '../../runtime/index.ts'
import { limitTexts } from '../operator-options.ts'
import type { Door } from './claim.ts'
import { type DeviceControls, runControl } from './controls.ts'
import { DeviceRelease } from './device-release.ts'
import { type DoorLine, doorText, doorVersion, readDoorLine } from './door-line.ts'
import { limitsKey } from './limits-key.ts'
import { firstLine, socketLink } from './socket-link.ts'

/** What an owner is given when it begins. */
export interface OwnContext {
  /** Signs what clients carry between two requests: what the last owner asked for can then be answered to the next. */
  requestStateSecret: Uint8Array
  /** The last owner had let the device go for another program: it is not to be taken before `retake`. */
  released: boolean
}

/** A device and its server, in the process that owns them. */
export interface OwnedDevice {
  server: Server
  /** Gives the device back, after the server was closed. */
  close(): Promise<void>
  controls?: DeviceControls
}

/** So long a caller may take to say what it wants, in milliseconds. */
const firstLineMs = 5000
/** So long calls of a copy may go on when its host is gone, in milliseconds. */
const graceMs = 500
/** So long a copy may take to read its last answers, in milliseconds. */
const lastWordsMs = 300

const leavingText = doorText({ ferrule: 'leaving' })

/** A copy of the program that was let in. */
interface Guest {
  readonly socket: Socket
  readonly session: LinkSession
  /** Resolves when nothing that it began moves any more. */
  readonly still: Promise<void>
}

/** Lets the other copies in, and serves each as a client of its own. */
export class DeviceOwner {
  readonly device: OwnedDevice
  readonly #key: string
  readonly #door: Door
  readonly #secret: Uint8Array
  readonly #limits: OperatorLimits | undefined
  readonly #guests = new Set<Guest>()
  readonly #since = Date.now()
  readonly #release: DeviceRelease
  #leaving = false
  #closing: Promise<void> | undefined = undefined

  constructor(
    key: string,
    door: Door,
    device: OwnedDevice,
    context: OwnContext & { held: boolean; limits: OperatorLimits | undefined },
  ) {
    this.#key = key
    this.#limits = context.limits
    this.#door = door
    this.device = device
    this.#secret = context.requestStateSecret
    this.#release = new DeviceRelease(
      device.controls ?? {},
      context,
      () => {
        for (const { socket } of this.#guests) socket.write(this.#deviceText())
      },
      text => device.server.diagnose(text),
    )
    door.answer(socket => void this.#letIn(socket))
  }

  /** Whether other copies are served. */
  get shared(): boolean {
    return this.#guests.size > 0
  }

  /** Asks the other copies to move nothing new, and waits until what they had begun is done. */
  async linger(): Promise<void> {
    this.#leaving = true
    for (const { socket } of this.#guests) socket.write(leavingText)
    while (true) {
      const guests = [...this.#guests]
      await Promise.all(guests.map(guest => guest.still))
      if (guests.length === this.#guests.size) return
    }
  }

  /** Gives the device back and then the key, so that the next owner finds the device free. */
  close(reason?: string): Promise<void> {
    this.#closing ??= this.#close(reason)
    return this.#closing
  }

  async #close(reason?: string): Promise<void> {
    if (!this.#leaving) {
      this.#leaving = true
      for (const { socket } of this.#guests) socket.write(leavingText)
    }
    this.#release.close()
    const why = this.shared ? `broken off, because the process that had the device had to end (${reason})` : reason
    try {
      await this.device.server.close(why)
      await this.device.close()
    } finally {
      for (const { session } of this.#guests) session.flush()
      this.#door.close()
      await Promise.all(Array.from(this.#guests, ({ socket }) => ended(socket)))
    }
  }

  #deviceText(): string {
    return doorText({ ferrule: 'device', ...this.#release.state })
  }

  async #letIn(socket: Socket): Promise<void> {
    const first = await firstLine(socket, firstLineMs)
    const line = first === undefined ? undefined : readDoorLine(first.line)
    if (first === undefined || line === undefined) {
      socket.destroy()
      return
    }
    if (line.ferrule === 'join') this.#serve(socket, first.rest, this.#mayOnlyRead(line))
    else await this.#control(socket, line)
  }

  /** Whoever was given limits of its own that this server does not keep is held to reading. */
  #mayOnlyRead({ limits = '' }: DoorLine): boolean {
    return limits !== '' && limits !== limitsKey(this.#limits)
  }

  #serve(socket: Socket, rest: Uint8Array, readsOnly: boolean): void {
    const server = readsOnly ? readOnly(this.device.server) : this.device.server
    socket.write(
      doorText({
        ferrule: 'joined',
        version: doorVersion,
        pid: process.pid,
        maxLineBytes: server.maxLineBytes,
        secret: Buffer.from(this.#secret).toString('base64'),
        leaving: this.#leaving,
        limits: limitTexts(this.#limits ?? {}),
        readsOnly,
      }),
    )
    socket.write(this.#deviceText())
    let said: () => void = () => {}
    const over = new Promise<void>(resolve => {
      said = resolve
    })
    let calm: () => void = () => {}
    const still = new Promise<void>(resolve => {
      calm = resolve
    })
    const session = serveLink(server, socketLink(socket, rest, calm), said)
    const gone = new Promise<void>(resolve => socket.once('close', () => resolve()))
    const done = Promise.race([this.#finish(session, over), gone])
    const guest: Guest = { socket, session, still: Promise.race([still, done]) }
    this.#guests.add(guest)
    gone.then(() => {
      session.connection.close()
      this.#guests.delete(guest)
    })
    done.then(() => {
      session.connection.close()
      socket.end()
    })
  }

  async #finish(session: LinkSession, over: Promise<void>): Promise<void> {
    await over
    session.connection.farewell()
    await Promise.race([session.connection.idle(), delay(graceMs)])
    session.flush()
  }

  async #control(socket: Socket, line: DoorLine): Promise<void> {
    const status = () => ({
      key: this.#key,
      pid: process.pid,
      copies: this.#guests.size + 1,
      sinceMs: Date.now() - this.#since,
      ...this.#release.state,
    })
    await runControl(socket, line, {
      status,
      server: this.device.server,
      controls: this.device.controls ?? {},
      release: this.#release,
    })
  }
}

/** The server as a link sees it, for a host that may only read. */
function readOnly(server: Server): Server {
  const limited: Pick<Server, 'maxLineBytes' | 'connect'> = {
    maxLineBytes: server.maxLineBytes,
    connect: outlet => server.connect(outlet, { access: 'read' }),
  }
  return limited as Server
}

/** A secret for an owner that has no owner before it. */
export function newSecret(): Uint8Array {
  return randomBytes(32)
}

/** Ends a socket in good form. Whoever does not read is not waited for. */
async function ended(socket: Socket): Promise<void> {
  const closed = new Promise<void>(resolve => socket.once('finish', () => resolve()).once('close', () => resolve()))
  socket.end()
  await Promise.race([closed, delay(lastWordsMs)])
  socket.destroy()
}

function delay(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
