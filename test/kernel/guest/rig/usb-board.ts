import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import type { Firmware, Program } from '../../../bridge/firmware.ts'
import { Gadget, type GadgetOptions } from './gadget.ts'
import { until } from './wait.ts'

const { O_RDWR, O_NOCTTY, O_NONBLOCK } = constants

/** How a board is made. */
export interface UsbBoardOptions extends GadgetOptions {
  firmware: Firmware
  /** Where it gets its power from: with the cable that of `usb` is gone, and it starts anew. `usb` when left out. */
  power?: 'usb' | 'own'
}

/** A board with a USB socket, and a program on it. It is not plugged in yet. */
export class UsbBoard {
  #gadget: Gadget
  #options: UsbBoardOptions
  #stream: ReadStream | undefined = undefined
  #program: Program | undefined = undefined
  #boot = 0

  constructor(options: UsbBoardOptions) {
    this.#options = options
    this.#gadget = new Gadget(options)
    this.#open()
    if (options.power === 'own') this.#start()
  }

  /** Plugs it in, and waits until the host has its port. */
  async plug(): Promise<string> {
    this.#gadget.plug()
    if (this.#options.power !== 'own') this.#start()
    return until(() => this.#gadget.hostEnd, 'the port of the board')
  }

  /** Its port on the host, while it is plugged in. */
  get port(): string | undefined {
    return this.#gadget.hostEnd
  }

  unplug(): void {
    this.#gadget.unplug()
    if (this.#options.power !== 'own') this.#stop()
  }

  /** Restarts into something else, which may have other USB ids, as a boot loader has. It stays plugged in. */
  async become(options: Partial<UsbBoardOptions>): Promise<string> {
    await this.remove()
    this.#options = { ...this.#options, ...options }
    this.#gadget = new Gadget(this.#options)
    this.#open()
    if (this.#options.power === 'own') this.#start()
    return this.plug()
  }

  /** Unplugs it for good. */
  async remove(): Promise<void> {
    const stream = this.#stream
    this.#stream = undefined
    this.#gadget.unplug()
    this.#stop()
    if (stream !== undefined && !stream.closed) {
      const closed = new Promise(resolve => stream.once('close', resolve))
      stream.destroy()
      await closed
    }
    this.#gadget.remove()
  }

  /** A pulled cable hangs up the device's end as well, which is opened again then. */
  #open(): void {
    const fd = openSync(this.#gadget.deviceEnd, O_RDWR | O_NOCTTY | O_NONBLOCK)
    execFileSync('stty', ['-F', this.#gadget.deviceEnd, 'raw', '-echo'])
    const stream = new ReadStream(fd)
    this.#stream = stream
    stream.on('data', (bytes: Buffer) => this.#program?.receive(bytes))
    stream.on('error', () => stream.destroy())
    stream.on('end', () => stream.destroy())
    stream.on('close', () => {
      // The stream has one of its own, which it closed. An open one would have the kernel wait for ever in `remove`.
      closeSync(fd)
      if (this.#stream === stream) this.#open()
    })
  }

  #start(): void {
    let isRunning = true
    const program = this.#options.firmware(
      bytes => {
        if (isRunning && this.#stream?.writable) this.#stream.write(bytes)
      },
      ++this.#boot,
    )
    this.#program = {
      receive: chunk => program.receive(chunk),
      end: () => {
        isRunning = false
        program.end()
      },
    }
  }

  #stop(): void {
    const program = this.#program
    this.#program = undefined
    program?.end()
  }
}
