import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pty } from './pty.ts'

/** How a device differs from one that takes everything and echoes it. */
export interface FakeDeviceOptions {
  /** Bytes sent when it starts: boot loader noise, boot text. */
  boot?: Uint8Array | string
  /** Takes a UART's receive buffer of so many bytes, emptied by the main loop every `loopMs`. */
  fifo?: { bytes: number; loopMs: number; baudRate: number }
  /** Does not understand a host at another rate: what it sends comes out as garbage. */
  baudRate?: number
}

/**
 * A board behind a cable: it answers each line with the same line, and misbehaves on request. Its port is a path that
 * leads to whichever pty it is plugged in as.
 */
export class FakeDevice {
  /** Stays the same through unplugging, as a by-id path does. */
  readonly path: string
  /** Everything the device took in, as text. */
  heard = ''
  /** Bytes that came while the receive buffer was full. */
  overrun = 0
  pty: Pty | undefined = undefined
  #deaf = false
  readonly #folder = mkdtempSync(join(tmpdir(), 'ferrule-port-'))
  readonly #options: FakeDeviceOptions
  #line = ''
  #fifo = { slot: -1, used: 0, lastByteAt: 0 }
  #waiting: { text: string; heard: () => void }[] = []

  constructor(options: FakeDeviceOptions = {}) {
    this.#options = options
    this.path = join(this.#folder, 'port')
    this.plug()
  }

  /** Plugs it in: a new pty, and the boot text. */
  plug(): void {
    const pty = new Pty()
    pty.onBytes = bytes => this.#take(bytes)
    symlinkSync(pty.path, this.path)
    this.pty = pty
    this.#start()
  }

  unplug(): void {
    if (this.pty === undefined) return
    unlinkSync(this.path)
    this.pty.unplug()
    this.pty = undefined
  }

  /** Half a line is forgotten, and it boots. */
  reset(): void {
    this.#line = ''
    this.#start()
  }

  /** Whether it takes nothing in. */
  set deaf(deaf: boolean) {
    this.#deaf = deaf
  }

  send(bytes: Uint8Array | string): void {
    this.pty?.write(bytes)
  }

  /** Resolves when the device took this in. */
  hears(text: string): Promise<void> {
    if (this.heard.includes(text)) return Promise.resolve()
    return new Promise(resolve => this.#waiting.push({ text, heard: resolve }))
  }

  close(): void {
    this.unplug()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #start(): void {
    const { boot } = this.#options
    if (boot !== undefined) this.send(boot)
  }

  #take(bytes: Buffer): void {
    if (this.#deaf) return
    const { baudRate } = this.#options
    const garbled = baudRate !== undefined && this.pty?.settings().baudRate !== baudRate
    for (const byte of this.#options.fifo === undefined ? bytes : this.#received(bytes)) {
      const letter = String.fromCharCode(garbled ? byte ^ 0xa5 : byte)
      this.heard += letter
      this.#line += letter
      if (letter !== '\n') continue
      this.send(Buffer.from(this.#line, 'latin1'))
      this.#line = ''
    }
    for (const waiting of this.#waiting) if (this.heard.includes(waiting.text)) waiting.heard()
  }

  /** Bytes come one after another at the rate of the line; those that find the buffer full are lost. */
  *#received(bytes: Buffer): Generator<number> {
    const { bytes: size, loopMs, baudRate } = this.#options.fifo!
    const byteMs = 10_000 / baudRate
    for (const byte of bytes) {
      const at = Math.max(performance.now(), this.#fifo.lastByteAt + byteMs)
      const slot = Math.floor(at / loopMs)
      if (slot !== this.#fifo.slot) this.#fifo = { slot, used: 0, lastByteAt: at }
      this.#fifo.lastByteAt = at
      if (++this.#fifo.used <= size) yield byte
      else this.overrun++
    }
  }
}
