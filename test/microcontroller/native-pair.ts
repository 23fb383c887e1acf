import {
  type CborInput,
  type CborItem,
  FrameWriter,
  LinkHost,
  type LinkHostOptions,
  readCbor,
  readFrame,
  writeCbor,
} from '../../boards/remote/link/index.ts'
import { type Line, seeded } from '../link/pair.ts'
import { OwnedClock } from '../owned-clock.ts'
import { NativeDevice } from './native-device.ts'

/** A frame with one message, as a host sends it to a device that takes no doubles. */
export function frameOf(message: CborInput): Uint8Array {
  const writer = new FrameWriter()
  writer.begin()
  writeCbor(writer, message, 4)
  return writer.end()
}

/** The messages in what a device wrote, whole frames each. */
export function messagesIn(written: Uint8Array): CborItem[][] {
  const messages: CborItem[][] = []
  for (let start = 0, end = 0; (end = written.indexOf(0x0a, start)) !== -1; start = end + 1) {
    const marker = written.lastIndexOf(0xfe, end)
    if (marker < start) continue
    const into = new Uint8Array(1024)
    const length = readFrame(written, marker + 1, end, into)
    if (length === -1) throw new Error(`no frame: ${Buffer.from(written).toString('hex')}`)
    messages.push(readCbor(into.slice(0, length)) as CborItem[])
  }
  return messages
}

/** The project's own host, and the C device as a process, with a clock that both share. */
export class NativePair {
  readonly clock = new OwnedClock()
  readonly host: LinkHost
  readonly events: string[] = []
  readonly logs: string[] = []
  device: NativeDevice
  toDevice: Line = bytes => bytes
  toHost: Line = bytes => bytes
  plugged = true
  readonly #program: string
  #boots: number
  #outgoing: Uint8Array[] = []

  constructor(program: string, options: Partial<LinkHostOptions> = {}) {
    this.#program = program
    this.#boots = 0
    this.host = new LinkHost({
      clock: this.clock,
      random: seeded(7),
      outlet: { write: bytes => void this.#outgoing.push(bytes) },
      onReady: (_, restarted) => void this.events.push(restarted ? 'ready again' : 'ready'),
      onLost: why => void this.events.push(`lost: ${why}`),
      onLog: (_, text) => void this.logs.push(text),
      ...options,
    })
    this.device = this.#start()
  }

  /** Starts the host, and waits until both know each other. */
  async ready(): Promise<this> {
    this.host.start()
    await this.advance(50)
    return this
  }

  /** Time passes on both sides, and bytes go back and forth. */
  async advance(ms: number, stepMs = 10): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      const step = Math.min(stepMs, left)
      await this.clock.advance(step)
      for (const bytes of this.#outgoing.splice(0)) {
        if (this.plugged) await this.device.receive(this.toDevice(bytes))
      }
      await this.device.advance(step)
      await this.clock.advance(0)
    }
  }

  /** Waits for a promise while time passes. */
  async during<T>(promise: Promise<T>, mostMs = 100_000): Promise<T> {
    let over = false
    const end = () => {
      over = true
    }
    promise.then(end, end)
    for (let passed = 0; !over; passed += 10) {
      if (passed > mostMs) throw new Error('it never ends')
      await this.advance(10)
    }
    return promise
  }

  /** Sends a message beside those of the host, and returns what the device answers at once. */
  async say(message: CborInput): Promise<CborItem[][]> {
    const answers: CborItem[][] = []
    const before = this.device.onBytes
    this.device.onBytes = bytes => answers.push(...messagesIn(bytes))
    await this.device.receive(frameOf(message))
    this.device.onBytes = before
    return answers
  }

  /** The device loses its power, and starts anew. */
  async restart(): Promise<void> {
    this.device.stop()
    this.#boots++
    this.device = this.#start()
    await this.advance(10)
  }

  /** Ends both. */
  close(): void {
    this.host.close()
    this.device.stop()
  }

  #start(): NativeDevice {
    const device = new NativeDevice(this.#program, [String(this.#boots)])
    device.onBytes = bytes => {
      if (this.plugged) this.host.receive(this.toHost(bytes))
    }
    return device
  }
}
