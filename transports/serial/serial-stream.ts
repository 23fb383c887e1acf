import process from 'node:process'
import { type Clock, systemClock } from '../../runtime/index.ts'
import { type BindingPort, ReadingPort } from './binding-port.ts'
import type { ByteReceiver, ByteStream, Pacing } from './byte-stream.ts'
import { within } from './duplex-stream.ts'
import { keepLines, type LineOptions, type LinePolicy, linePolicy } from './lines.ts'
import { findPort, type PortLookup } from './list-ports.ts'
import { loadSerialPort } from './load-serialport.ts'
import { explainOpenFailure, refuseBusyPort } from './open-failure.ts'
import type { OpenedPort } from './opened-port.ts'
import { Outbox } from './outbox.ts'
import { type PolledDescriptor, PolledPort } from './polled-port.ts'
import type { PortDescription } from './port-description.ts'
import { asPortError, messageOf, PortError } from './port-error.ts'
import { closeStuckPort } from './stuck-port.ts'

/** How a serial port is used. Everything may be left out: 115200 baud, 8 data bits, no parity, one stop bit, raw. */
export interface SerialOptions {
  baudRate?: number | undefined
  /** As fast as the line takes it when left out. */
  pacing?: Pacing | undefined
  /** What to do with DTR and RTS; by what is known of the board when left out. */
  lines?: LineOptions | undefined
  /** How long `close` may wait until everything has left, in milliseconds; 1000 when left out. */
  drainMs?: number | undefined
  /** Tells the ports that are there; the system when left out. */
  ports?: PortLookup | undefined
  /** Says why a port that is there now must not be opened, or not be kept; nothing when it may. */
  refusal?: ((port: PortDescription) => PortError | undefined) | undefined
  clock?: Clock | undefined
}

/** A serial port as a byte stream, which tells what it found when it was opened. */
export interface SerialStream extends ByteStream {
  /** What the system tells of the port. Missing before it was opened, and where nothing is known. */
  readonly port: PortDescription | undefined
  /** What was done with DTR and RTS, for a person. */
  readonly linesText: string
}

/** Opens a serial port, by the path of it. */
export function serialStream(path: string, options: SerialOptions = {}): SerialStream {
  return new LocalSerialStream(path, options)
}

/** How long it may take until what was thrown away is gone. */
const flushMs = 100

/** A lock may outlive the closing of the port by a moment. After these waits it is somebody else's. */
const lockWaitsMs = [20, 50, 100, 200, 400]

class LocalSerialStream implements SerialStream {
  readonly name: string
  readonly #options: SerialOptions
  readonly #clock: Clock
  readonly #outbox: Outbox
  #port: PortDescription | undefined = undefined
  #linesText = ''
  #receiver: ByteReceiver | undefined = undefined
  #binding: BindingPort | undefined = undefined
  #opened: OpenedPort | undefined = undefined
  #over = false
  #opening: Promise<void> | undefined = undefined
  #closing: Promise<void> | undefined = undefined

  constructor(path: string, options: SerialOptions) {
    this.name = path
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#outbox = new Outbox({ put: bytes => this.#put(bytes), pacing: options.pacing, clock: this.#clock })
  }

  get port(): PortDescription | undefined {
    return this.#port
  }

  get linesText(): string {
    return this.#linesText
  }

  get pendingBytes(): number {
    return this.#outbox.pendingBytes
  }

  open(receiver: ByteReceiver): Promise<void> {
    this.#opening ??= this.#open(receiver)
    return this.#opening
  }

  async #open(receiver: ByteReceiver): Promise<void> {
    this.#receiver = receiver
    const refusal = await this.#find()
    if (refusal !== undefined) throw refusal
    const policy = linePolicy(this.#port, this.#options.lines)
    const binding = await this.#openBinding(policy)
    this.#binding = binding
    // It may have come between the look and the opening.
    const late = this.#port === undefined ? await this.#find() : undefined
    if (late === undefined) await this.#setLines(binding, policy)
    if (late !== undefined || this.#over) {
      await this.#release(binding, true)
      throw late ?? new PortError('closed', `${this.name} was closed while it was opened`)
    }
    this.#opened = isPolled(binding) ? new PolledPort(binding) : new ReadingPort(binding)
    this.#opened.start({ bytes: chunk => receiver.bytes(chunk), lost: thrown => this.#lost(thrown) })
  }

  write(data: Uint8Array | string): Promise<void> {
    return this.#outbox.write(data)
  }

  pause(): void {
    this.#opened?.pause()
  }

  resume(): void {
    this.#opened?.resume()
  }

  close(now?: 'now'): Promise<void> {
    this.#closing ??= this.#close(now !== undefined)
    return this.#closing
  }

  /** Looks what is at the path now. */
  async #find(): Promise<PortError | undefined> {
    this.#port = await findPort(this.name, this.#options.ports)
    return this.#port && this.#options.refusal?.(this.#port)
  }

  async #openBinding(policy: LinePolicy): Promise<BindingPort> {
    const { SerialPort } = await loadSerialPort()
    const { baudRate = 115_200 } = this.#options
    for (let attempt = 0; ; attempt++) {
      refuseBusyPort(this.name)
      try {
        return await SerialPort.binding.open({ path: this.name, baudRate, lock: true, hupcl: !policy.keep })
      } catch (thrown) {
        const error = await explainOpenFailure(this.name, thrown, this.#options.ports)
        const waitMs = lockWaitsMs[attempt]
        // Where the holder is known, whoever waits for it has time to tell so first.
        if (waitMs === undefined || this.#over || !/cannot lock/i.test(messageOf(thrown)) || error.holdersKnown)
          throw error
        await new Promise<void>(resolve => this.#clock.setTimeout(resolve, waitMs))
      }
    }
  }

  /** Some ports have no such lines, and some drivers cannot set one of them: the bytes flow all the same. */
  async #setLines(binding: BindingPort, policy: LinePolicy): Promise<void> {
    this.#linesText = policy.why
    if (policy.set !== undefined) {
      const { dtr, rts } = policy.set
      await binding.set(policy.set).catch(thrown => {
        // Opening has raised both already.
        if (!dtr || !rts) this.#linesText += `; setting them failed (${messageOf(thrown)})`
      })
    }
    if (policy.keep && process.platform !== 'win32' && !(await keepLines(this.name)))
      this.#linesText += '; they could not be kept up, so each opening may reset the board'
  }

  #put(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#opened === undefined) throw new PortError('closed', `${this.name} is not open`)
    return this.#opened.put(bytes)
  }

  #lost(thrown: unknown): void {
    if (this.#over) return
    this.#over = true
    this.#opened?.stop()
    // Before it is told: whoever is told closes the stream, and waits for this.
    this.#closing = this.#binding?.close().catch(() => {})
    const why = 'the cable was pulled, or the board restarted its USB'
    this.#end(new PortError('lost', `${this.name} is gone: ${why}`, { cause: thrown }))
  }

  async #close(now: boolean): Promise<void> {
    const { drainMs = 1000 } = this.#options
    const binding = this.#binding
    if (binding === undefined || this.#opened === undefined) {
      this.#end(undefined)
      // It gives back what it opened as soon as it has it.
      await this.#opening?.catch(() => {})
      return
    }
    const opened = this.#opened
    const sent = this.#outbox.idle().then(() => opened.drain())
    const drained = !now && (await within(drainMs, sent))
    // It was lost meanwhile, and is being closed.
    if (this.#over) return
    this.#end(undefined)
    await this.#release(binding, !drained)
  }

  /** The system waits up to half a minute for a device to take what was written, unless that is thrown away first. */
  async #release(binding: BindingPort, discard: boolean): Promise<void> {
    if (discard) {
      await binding.flush().catch(() => {})
      const opened = this.#opened
      if (opened !== undefined && isPolled(binding) && !(await within(flushMs, opened.drain())))
        return closeStuckPort(binding)
    }
    await binding.close().catch(thrown => {
      throw asPortError(thrown, this.name)
    })
  }

  #end(reason: PortError | undefined): void {
    this.#over = true
    this.#opened?.stop()
    this.#outbox.close(reason ?? new PortError('closed', `${this.name} was closed`))
    if (this.#opened !== undefined) this.#receiver?.closed(reason)
  }
}

function isPolled(binding: object): binding is PolledDescriptor {
  const { fd, poller } = binding as Partial<PolledDescriptor>
  return typeof fd === 'number' && typeof poller?.poll === 'function'
}
