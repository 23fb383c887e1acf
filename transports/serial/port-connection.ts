import { type Clock, DeviceBusyError, type Owner, type Ownership, systemClock } from '../../runtime/index.ts'
import type { ByteReceiver } from './byte-stream.ts'
import { type DialedStream, type DialOptions, dial } from './dial.ts'
import type { PortDescription } from './port-description.ts'
import { asPortError, PortError } from './port-error.ts'
import { parsePortSpec, portSpecText } from './port-spec.ts'

/**
 * How it stands with a device: `opening` it is tried for the first time, `open` bytes flow, `away` it cannot be opened or
 * went away and is waited for, `closed` nobody waits any more.
 */
export type PortState = 'opening' | 'open' | 'away' | 'closed'

/** A change in the life of a device. Told once, not at each try. */
export type PortChange =
  | {
      state: 'open'
      /** Where it was found: a path, or an address. */
      name: string
      /** What the system tells of it, where it tells anything. */
      port: PortDescription | undefined
      /** Whether it is the device that was there before: nobody knows of devices without a serial number. */
      device: 'first' | 'same' | 'other' | 'unknown'
      /** What was done with DTR and RTS; empty where there are none. */
      linesText: string
    }
  | { state: 'away'; reason: PortError }
  | { state: 'closed' }

/** How a device is connected to. */
export interface PortOptions extends DialOptions {
  /** Takes the bytes that come in. The chunk is good during the call only. */
  onBytes(chunk: Uint8Array): void
  /** Is told when the device comes, goes, or is away for another reason. */
  onChange?(change: PortChange): void
  /** Gives the port to one at a time, by the path of the device itself, and gets it back while the device is away. */
  owner?: Owner | undefined
  /** The first and the longest wait between two tries, in milliseconds; 100 and 1000 when left out. */
  retryMs?: number | undefined
  longestRetryMs?: number | undefined
}

/** A device behind a port or an address, for as long as the program wants it, however often its cable is pulled. */
export interface PortConnection {
  /** How it was named. */
  readonly spec: string
  readonly state: PortState
  /** Why it is away. */
  readonly reason: PortError | undefined
  /** What the system tells of it; of the last time while it is away. */
  readonly port: PortDescription | undefined
  /** Bytes that wait to be sent. */
  readonly pendingBytes: number
  /**
   * Sends bytes, or a text as UTF-8. Rejects at once with the reason while the device is away, and with `lost` when it
   * goes before they are sent: nothing is sent again later. Nobody has to look at a rejection.
   */
  write(data: Uint8Array | string): Promise<void>
  /** Takes no bytes in until `resume`. That the device went away is told all the same. */
  pause(): void
  resume(): void
  /** Gives the port back to other programs, for an upload, until `retake`. */
  release(): Promise<void>
  retake(): void
  /** Sends what waits and ends it for good. */
  close(now?: 'now'): Promise<void>
}

/**
 * Connects to a device and keeps connecting to it. Returns at once; what comes of it is told by `onChange`.
 *
 * @param spec a path, `usb:VID:PID`, `usb:VID:PID:SERIAL` or `tcp://host:port`
 * @throws PortError with code `spec` when the spec means nothing
 */
export function openPort(spec: string, options: PortOptions): PortConnection {
  const connection = new Connection(spec, options)
  connection.begin()
  return connection
}

/** So long a port that was just plugged in may be closed to us without that being told. */
const settleMs = 2000

class Connection implements PortConnection {
  readonly spec: string
  readonly #dial: (last: PortDescription | undefined) => Promise<DialedStream>
  readonly #options: PortOptions
  readonly #clock: Clock
  #state: PortState = 'opening'
  #reason: PortError | undefined = undefined
  #port: PortDescription | undefined = undefined
  #everOpen = false
  #stream: DialedStream | undefined = undefined
  #ownership: Ownership | undefined = undefined
  #trying = false
  #released = false
  #paused = false
  /** When it was last seen that nothing is there. */
  #missedAt = Number.NEGATIVE_INFINITY
  #waitMs = 0
  #timer: unknown = undefined
  /** What is under way to give the port back. */
  #leaving: Promise<void> = Promise.resolve()

  constructor(spec: string, options: PortOptions) {
    const parsed = parsePortSpec(spec)
    this.spec = portSpecText(parsed)
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#dial = last => dial(parsed, options, last)
  }

  get state(): PortState {
    return this.#state
  }

  get reason(): PortError | undefined {
    return this.#reason
  }

  get port(): PortDescription | undefined {
    return this.#port
  }

  get pendingBytes(): number {
    return this.#state === 'open' ? this.#stream!.pendingBytes : 0
  }

  begin(): void {
    void this.#try()
  }

  write(data: Uint8Array | string): Promise<void> {
    if (this.#state === 'open') return this.#stream!.write(data)
    const refused = Promise.reject(this.#reason ?? new PortError('absent', `${this.spec} is not open yet`))
    refused.catch(() => {})
    return refused
  }

  pause(): void {
    this.#paused = true
    this.#stream?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#stream?.resume()
  }

  async release(): Promise<void> {
    if (this.#state === 'closed') return
    this.#released = true
    this.#clock.clearTimeout(this.#timer)
    await this.#leave()
    if (this.#released) this.#away(new PortError('released', `${this.spec} was given back, for another program to use`))
  }

  retake(): void {
    if (!this.#released || this.#state === 'closed') return
    this.#released = false
    this.#waitMs = 0
    void this.#leaving.then(() => this.#try())
  }

  async close(now?: 'now'): Promise<void> {
    if (this.#state === 'closed') return this.#leaving
    const leaving = this.#leave(now)
    this.#state = 'closed'
    this.#reason = new PortError('closed', `${this.spec} was closed`)
    this.#clock.clearTimeout(this.#timer)
    await leaving
    this.#options.onChange?.({ state: 'closed' })
  }

  get #wanted(): boolean {
    return this.#state !== 'closed' && !this.#released
  }

  async #try(): Promise<void> {
    if (this.#trying || !this.#wanted || this.#stream !== undefined) return
    this.#trying = true
    try {
      await this.#leaving
      const stream = await this.#dial(this.#port)
      this.#ownership = await this.#options.owner?.own(stream.device, this.spec)
      // It may have been given back while it was looked for.
      if (this.#wanted) await this.#open(stream)
      else await this.#disown()
    } catch (thrown) {
      await this.#failed(thrown)
    } finally {
      this.#trying = false
    }
    // It may have been given back and taken again, or lost, before this was over.
    if (this.#stream === undefined && this.#wanted) this.#tryLater()
  }

  async #open(stream: DialedStream): Promise<void> {
    this.#stream = stream
    const receiver: ByteReceiver = {
      bytes: chunk => {
        if (this.#stream === stream) this.#options.onBytes(chunk)
      },
      closed: reason => {
        if (this.#stream === stream && reason !== undefined) this.#lost(reason)
      },
    }
    await stream.open(receiver)
    if (this.#stream !== stream || !this.#wanted) return
    const before = this.#everOpen ? this.#port : undefined
    const device = this.#everOpen ? stream.compared(before) : 'first'
    this.#everOpen = true
    this.#port = stream.port ?? this.#port
    this.#waitMs = 0
    this.#state = 'open'
    this.#reason = undefined
    if (this.#paused) stream.pause()
    const { name, port, linesText } = stream
    this.#options.onChange?.({ state: 'open', name, port, device, linesText })
  }

  async #failed(thrown: unknown): Promise<void> {
    this.#stream = undefined
    await this.#disown()
    const busy = thrown instanceof DeviceBusyError
    const reason = busy ? new PortError('busy', thrown.message, { cause: thrown }) : asPortError(thrown, this.spec)
    if (this.#wanted) this.#away(reason)
  }

  #lost(reason: PortError): void {
    const stream = this.#stream
    this.#stream = undefined
    this.#leaving = Promise.all([stream?.close('now').catch(() => {}), this.#disown()]).then(() => {})
    if (!this.#wanted) return
    this.#away(reason)
    this.#tryLater()
  }

  #leave(now?: 'now'): Promise<void> {
    const stream = this.#stream
    // What it still sends while it is being closed is heard by nobody.
    this.#stream = undefined
    if (stream !== undefined)
      this.#leaving = stream
        .close(now)
        .catch(() => {})
        .then(() => this.#disown())
    return this.#leaving
  }

  async #disown(): Promise<void> {
    const ownership = this.#ownership
    this.#ownership = undefined
    await ownership?.release()
  }

  #away(reason: PortError): void {
    const news = this.#state !== 'away' || this.#reason?.message !== reason.message
    const missing = reason.code === 'absent' || reason.code === 'lost'
    if (missing) this.#missedAt = this.#clock.now()
    if (this.#state === 'away') {
      // Once it is known that it went away, that nothing is there is no news.
      const known = this.#reason?.code === 'lost' && (missing || reason.code === 'unreachable')
      // The system makes the port first, and lets users at it a moment later; some service may look at it before.
      const settling = !missing && this.#clock.now() - this.#missedAt < settleMs
      if (known || settling || reason.code === 'closed') return
    }
    this.#state = 'away'
    this.#reason = reason
    if (news) this.#options.onChange?.({ state: 'away', reason })
  }

  #tryLater(): void {
    const { retryMs = 100, longestRetryMs = 1000 } = this.#options
    this.#waitMs = Math.min(longestRetryMs, this.#waitMs === 0 ? retryMs : this.#waitMs * 2)
    this.#clock.clearTimeout(this.#timer)
    this.#timer = this.#clock.setTimeout(() => void this.#try(), this.#waitMs)
  }
}
