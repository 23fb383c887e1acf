import { type DescriptionStore, RemoteDevice, type RemoteDeviceOptions } from '../../boards/remote/index.ts'
import {
  openPort,
  type PortChange,
  type PortConnection,
  type PortDescription,
  PortError,
} from '../../transports/serial/index.ts'
import type { BridgePort } from './options.ts'

/** Which way bytes go: out to the device, or in from it. */
export type Direction = 'out' | 'in'

type Told = Pick<RemoteDeviceOptions, 'onBoard' | 'onMcp' | 'onMcpLine' | 'onMcpLost' | 'onText' | 'onLog'>

/** How a {@link CabledDevice} is made: what is told, and by whom. */
export interface CabledDeviceOptions extends Told {
  port: BridgePort
  /** How people call it before it has said its own name; the name of its port when left out. */
  label?: string
  store?: DescriptionStore
  /** The key of its description in the store. */
  storeKey?: string
  awayMs?: number
  /** Is told when the port comes, goes, or is away for another reason. */
  onPort?(change: PortChange): void
  /** Lines for the operator. */
  say(text: string): void
}

/** What a network may add to an exchange: nothing is lost in it, so a repeat too early is worse than one too late. */
const networkMs = 200

/** A device on the end of a cable: the port, whatever becomes of it, and the device behind it. */
export class CabledDevice {
  /** How the port is named; until it was found, what is looked for. */
  spec: string
  readonly remote: RemoteDevice
  readonly #options: CabledDeviceOptions
  readonly #closed = new AbortController()
  readonly #lookers = new Set<(direction: Direction, bytes: Uint8Array) => void>()
  #port: PortConnection | undefined = undefined

  constructor(options: CabledDeviceOptions) {
    const { port, say, onPort: _, ...told } = options
    this.#options = options
    this.spec = port.spec
    this.remote = new RemoteDevice({
      ...told,
      label: options.label ?? port.spec,
      // Behind a network there is a serial line as well, more often than not: the wait for an answer counts its bytes.
      baud: port.baudRate ?? 115_200,
      ...(port.spec.startsWith('tcp:') && { marginMs: networkMs }),
      ...(port.answerMs !== undefined && { answerMs: port.answerMs }),
      diagnose: say,
      line: { write: data => this.#write(data) },
    })
  }

  /** Aborted when nobody wants the device any more. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** What the system tells of the port. */
  get port(): PortDescription | undefined {
    return this.#port?.port
  }

  /** Why the port is not open; nothing when it is. */
  get portAway(): PortError | undefined {
    if (this.#port === undefined) return new PortError('released', `${this.spec} was given back, for another program`)
    return this.#port.state === 'open' ? undefined : this.#port.reason
  }

  get portState(): PortConnection['state'] | 'released' {
    return this.#port?.state ?? 'released'
  }

  /**
   * Takes the port, and waits for the device from then on. Calling it again changes nothing.
   *
   * @param spec where it was found, when it was not named
   */
  start(spec = this.spec): void {
    if (this.#port !== undefined) return this.#port.retake()
    const { baudRate, pacing, lines } = this.#options.port
    this.spec = spec
    this.#port = openPort(spec, {
      baudRate,
      pacing,
      lines,
      onBytes: chunk => {
        for (const look of this.#lookers) look('in', chunk)
        this.remote.receive(chunk)
      },
      onChange: change => this.#changed(change),
    })
  }

  /** Gives the port to another program until `start`. */
  async release(): Promise<void> {
    await this.#port?.release()
  }

  /** Hands every chunk of bytes to `look`, in both directions, until the function that it returns is called. */
  look(look: (direction: Direction, bytes: Uint8Array) => void): () => void {
    this.#lookers.add(look)
    return () => void this.#lookers.delete(look)
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.remote.close()
    await this.#port?.close()
  }

  #changed(change: PortChange): void {
    if (change.state === 'open') {
      const lines = change.linesText === '' ? '' : `: ${change.linesText}`
      const other = change.device === 'other' ? ' (another device than before)' : ''
      this.#options.say(`${change.name} is open${other}${lines}`)
      this.remote.opened()
    } else if (change.state === 'away') {
      this.#options.say(change.reason.message)
      this.remote.lost(change.reason)
    }
    this.#options.onPort?.(change)
  }

  #write(data: Uint8Array | string): Promise<void> {
    if (this.#port === undefined) return refused(new PortError('released', `${this.spec} was given back`))
    if (this.#lookers.size > 0 && this.#port.state === 'open') {
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
      for (const look of this.#lookers) look('out', bytes)
    }
    return this.#port.write(data)
  }
}

function refused(reason: Error): Promise<never> {
  const promise = Promise.reject(reason)
  promise.catch(() => {})
  return promise
}
