import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, OperatorLimits, Outlet, Peer, Server } from '../../runtime/index.ts'
import { type StdioConnection, type StdioInput, type StdioServer, stdio } from '../../transports/stdio/index.ts'
import { elapsedMs } from '../elapsed.ts'
import { limitTexts } from '../operator-options.ts'
import { type Claim, claim, type Door } from './claim.ts'
import { controlDevice } from './control.ts'
import { DeviceOwner, newSecret, type OwnContext, type OwnedDevice } from './device-owner.ts'
import type { ReleaseState } from './device-release.ts'
import { orphaned } from './orphan.ts'
import { Relay } from './relay.ts'
import { join, LocalUpstream, type SocketUpstream, type Welcome } from './upstream.ts'

/** How a device is shared. */
export interface ShareOptions {
  /** What makes it the same device for every copy: its USB identity, or how it is reached. */
  key: string
  /** Makes the server with its device. Called once this process owns the key, perhaps long after it began. */
  own(context: OwnContext): Promise<OwnedDevice>
  /** Takes a line for the operator, once for each thing that happens. */
  log(text: string): void
  /**
   * What the person who runs this copy allows. The host of a copy that was given other limits than the owner may only read
   * while it goes through it.
   */
  limits?: OperatorLimits
  /** How long a host may be silent after the process that started this one is gone, in milliseconds; 5000 when left out. */
  orphanMs?: number
}

/** A device that this process has, or reaches through the process that has it. */
export interface Shared {
  /** Whether this process has it now. */
  readonly owner: boolean
  /** The server with the device, when this process has it. */
  readonly server: Server | undefined
  /** The process that has the device, when this one goes through it. */
  readonly ownerPid: number | undefined
  /** Waits until what other copies have begun is done; they begin nothing more. */
  linger(): Promise<void>
  /** Closes the server and gives the device back. */
  close(reason?: string): Promise<void>
  /** Serves the host that started this process until it is gone, and gives the device back. */
  serveStdio(): Promise<void>
}

/**
 * Becomes the owner of a device, or joins the process that is. When the owner leaves, one of the others takes its place.
 *
 * @throws what `own` throws, and Error when the owner cannot be joined
 */
export async function shareDevice(options: ShareOptions): Promise<Shared> {
  const shared = new SharedDevice(options)
  await shared.find()
  return shared
}

const noDoor: Door = { answer() {}, close() {}, unref() {} }

/** Between two tries to take over a device that cannot be taken, in milliseconds. */
const retryMs = 1000

class SharedDevice implements Shared, StdioServer {
  diagnose: (text: string) => void = () => {}
  readonly #options: ShareOptions
  #context: OwnContext & ReleaseState = { requestStateSecret: newSecret(), released: false, held: false }
  #owned: DeviceOwner | undefined = undefined
  #joined: SocketUpstream | undefined = undefined
  /** This process's own host, once this process has the device. */
  #host: Connection | undefined = undefined
  #closed = false
  #heardAt = 0
  #finding: Promise<void> | undefined = undefined

  constructor(options: ShareOptions) {
    this.#options = options
  }

  get owner(): boolean {
    return this.#owned !== undefined
  }

  get server(): Server | undefined {
    return this.#owned?.device.server
  }

  get ownerPid(): number | undefined {
    return this.#joined?.welcome.pid
  }

  get maxLineBytes(): number {
    return this.#owned?.device.server.maxLineBytes ?? this.#joined!.welcome.maxLineBytes
  }

  serveStdio(): Promise<void> {
    const { orphanMs } = this.#options
    const signal = orphaned({
      heard: () => this.#heardAt,
      ...(orphanMs === undefined ? {} : { silentMs: orphanMs }),
    })
    const heard = () => {
      this.#heardAt = elapsedMs()
    }
    return stdio({ signal, heard }).serve(this)
  }

  /** Finds out who has the device: this process, or one that can be joined. */
  async find(): Promise<void> {
    while (!this.#closed) {
      const found = await this.#claim()
      if (found.owner) {
        try {
          const { key, limits } = this.#options
          const device = await this.#options.own(this.#context)
          this.#owned = new DeviceOwner(key, found.door, device, { ...this.#context, limits })
          return
        } catch (thrown) {
          found.door.close()
          throw thrown
        }
      }
      this.#joined = await join(found.socket, this.#options.limits)
      if (this.#joined === undefined) continue
      this.#context = { requestStateSecret: this.#joined.welcome.secret, released: false, held: false }
      this.#options.log(
        `the device is shared: process ${this.#joined.welcome.pid} has it, and this one goes through it`,
      )
      this.#tellLimits(this.#joined.welcome)
      return
    }
  }

  /** Whose limits hold must not be a surprise. */
  #tellLimits({ pid, limits, readsOnly }: Welcome): void {
    const { limits: own } = this.#options
    const given = (texts: readonly string[]) => (texts.length === 0 ? 'none' : texts.join('; '))
    if (readsOnly && own?.readOnly !== true) {
      this.#options.log(
        `this copy was given other limits (${given(limitTexts(own ?? {}))}) than process ${pid} (${given(limits)}), so ` +
          'its host can only read: give both the same',
      )
    } else if (!readsOnly && own === undefined && limits.length > 0) {
      this.#options.log(`the limits of process ${pid} hold here as well: ${given(limits)}`)
    }
  }

  /** A device that cannot be shared is better than none. Its port keeps others out. */
  #claim(): Promise<Claim> {
    return claim(this.#options.key).catch(thrown => {
      this.#options.log(`the device is not shared with other copies of this program: ${thrown.message}`)
      return { owner: true, door: noDoor }
    })
  }

  connect(outlet: Outlet, peer: Peer, input: StdioInput): StdioConnection {
    if (this.#owned !== undefined) {
      this.#owned.device.server.diagnose = text => this.diagnose(text)
      this.#host = this.#owned.device.server.connect(outlet, peer)
      return this.#host
    }
    const relay = new Relay(outlet, input, text => this.#options.log(text))
    relay.onLost = () => void this.#findNext(relay)
    relay.attach(this.#joined!)
    return relay
  }

  async open(): Promise<void> {
    await this.#owned?.device.server.open()
  }

  async makeSafe(): Promise<unknown> {
    // Another host goes on working with the device.
    return this.#owned === undefined || this.#owned.shared ? undefined : this.#owned.device.server.makeSafe()
  }

  /** Also when another process has the device: it is the one that can. */
  async stop(by: string): Promise<unknown> {
    await this.#finding?.catch(() => {})
    if (this.#owned !== undefined) return this.#owned.device.server.stop(by)
    const control = await controlDevice(this.#options.key, 'stop', { by: `${by} of process ${process.pid}` })
    if (control === undefined) throw new Error('no process has the device at the moment')
    control.close()
    return control.answer.report
  }

  makeSafeNow(): void {
    this.#owned?.device.server.makeSafeNow()
  }

  async linger(): Promise<void> {
    if (this.#owned?.shared !== true) return
    this.#host?.abort(new Error('The host is gone'))
    this.#options.log('the device is handed over as soon as the calls of the other hosts are done')
    await this.#owned.linger()
  }

  async close(reason?: string): Promise<void> {
    this.#closed = true
    await this.#finding?.catch(() => {})
    await this.#owned?.close(reason)
  }

  /** The owner is gone: takes its place, or joins who was faster. */
  async #findNext(relay: Relay): Promise<void> {
    const last = this.#joined!
    this.#joined = undefined
    this.#context = { ...this.#context, ...last.device }
    this.#options.log(`process ${last.welcome.pid}, which had the device, is gone`)
    while (!this.#closed) {
      try {
        this.#finding = this.find()
        await this.#finding
        if (this.#closed) return
        if (this.#owned === undefined) return relay.attach(this.#joined!)
        const { server } = this.#owned.device
        server.diagnose = text => this.diagnose(text)
        this.#options.log('this process has the device now')
        const local = new LocalUpstream(server)
        relay.attach(local)
        this.#host = local.connection
        // A failure is told by the server, and to whoever calls.
        return void server.open().catch(() => {})
      } catch (thrown) {
        const why = thrown instanceof Error ? thrown.message : String(thrown)
        this.#options.log(`the device cannot be had: ${why}`)
        relay.fail(why)
        await delay(retryMs)
      }
    }
  }
}
