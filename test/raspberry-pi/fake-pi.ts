import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { I2C, SPI } from '../../boards/io.ts'
import type { KernelCalls } from '../../boards/raspberry-pi/kernel/kernel-calls.ts'
import { FakeGpio, pi4 } from './fake-gpio.ts'
import { addFiles } from './system-root.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** What is wired to it. */
export interface FakePiOptions {
  /** Chips on i2c-1; the bus is off when left out. */
  i2c?: readonly I2C[]
  /** A chip at spidev0.0; the bus is off when left out. */
  spi?: SPI
  /** Further files, by their path from the root. */
  files?: Record<string, string>
  /** Who has a line already, by its number. */
  taken?: Record<number, string>
  model?: string
}

interface Place {
  address: number
}

/** A Raspberry Pi 4 whose pins are the fake character device, and whose buses lead to models of chips. */
export class FakePi implements KernelCalls {
  readonly pointerBytes = 8
  readonly root: string
  readonly gpio: FakeGpio
  /** Addresses on i2c-1 of each transfer, in order. */
  readonly transfers: number[] = []
  /** Paths of devices that may not be opened. */
  readonly forbidden = new Set<string>()
  readonly #options: FakePiOptions
  readonly #memory = new Map<bigint, Uint8Array>()
  readonly #places = new Map<number, Place | 'spi'>()
  #nextAddress = 0x1000n
  #nextFd = 1000

  constructor(options: FakePiOptions = {}) {
    const { model = 'Raspberry Pi 4 Model B Rev 1.4', files = {}, taken = {} } = options
    this.#options = options
    const [header, ...others] = pi4
    this.gpio = new FakeGpio([{ ...header!, taken }, ...others], { 'proc/device-tree/model': `${model}\0`, ...files })
    this.root = this.gpio.root
    if (options.i2c !== undefined) addFiles(this.root, { 'sys/class/i2c-dev/i2c-1/name': 'bcm2835 (i2c@7e804000)\n' })
  }

  get system(): { root: string; kernel: KernelCalls } {
    return { root: this.root, kernel: this }
  }

  /** How many descriptors are open, of pins and of buses. */
  get descriptors(): number {
    return this.gpio.descriptors + this.#places.size
  }

  /** Gives the header's PWM its two channels. */
  addPWM(): void {
    const zeros = { period: '0', duty_cycle: '0', enable: '0', polarity: 'normal' }
    for (const channel of ['pwm0', 'pwm1']) {
      addFiles(
        this.root,
        Object.fromEntries(
          Object.entries(zeros).map(([name, value]) => [`sys/class/pwm/pwmchip0/${channel}/${name}`, value]),
        ),
      )
    }
    mkdirSync(join(this.root, 'sys/devices/platform/fe20c000.pwm'), { recursive: true })
    symlinkSync('../../../devices/platform/fe20c000.pwm', join(this.root, 'sys/class/pwm/pwmchip0/device'))
  }

  /** The share of the period that a channel of the header's PWM is on. */
  duty(channel: 0 | 1): number {
    const file = (name: string) => Number(this.#file(`sys/class/pwm/pwmchip0/pwm${channel}/${name}`))
    return file('enable') === 0 ? 0 : file('duty_cycle') / file('period')
  }

  addressOf(bytes: Uint8Array): bigint {
    this.#nextAddress += 0x1000n
    this.#memory.set(this.#nextAddress, bytes)
    return this.#nextAddress
  }

  open(path: string): number {
    if ([...this.forbidden].some(each => path.endsWith(each))) throw failure('EACCES')
    if (path.includes('gpiochip')) return this.gpio.open(path)
    if (path === join(this.root, 'dev/i2c-1') && this.#options.i2c !== undefined) return this.#add({ address: 0 })
    if (path === join(this.root, 'dev/spidev0.0') && this.#options.spi !== undefined) return this.#add('spi')
    throw failure('ENOENT')
  }

  close(fd: number): void {
    if (!this.#places.delete(fd)) this.gpio.close(fd)
  }

  read(fd: number, into: Uint8Array): number {
    return this.gpio.read(fd, into)
  }

  onReadable(fd: number, tell: () => void): () => void {
    return this.gpio.onReadable(fd, tell)
  }

  ioctl(fd: number, request: number, argument: Buffer | number): number {
    const place = this.#places.get(fd)
    if (place === undefined) return this.gpio.ioctl(fd, request, argument as Buffer)
    if (place === 'spi') return 0
    if (request === 0x703) place.address = argument as number
    else if (request === 0x705) (argument as Buffer).writeUInt32LE(1)
    else throw failure('ENOTTY')
    return 0
  }

  async ioctlInPool(fd: number, request: number, argument: Buffer): Promise<number> {
    if (this.#places.get(fd) === 'spi') return this.#exchange(argument)
    if (request !== 0x707) throw failure('ENOTTY')
    const list = this.#bytesAt(argument, 0)
    const count = argument.readUInt32LE(8)
    const address = list.readUInt16LE(0)
    this.transfers.push(address)
    const chip = this.#options.i2c?.find(each => each.address === address)
    const [first, second] = Array.from({ length: count }, (_, i) => this.#bytesAt(list, 16 * i + 8))
    try {
      if (chip === undefined) throw failure('EREMOTEIO')
      if (second !== undefined) second.set(await chip.writeRead(first!, second.length))
      else if (list.readUInt16LE(2) === 1) first!.set(await chip.read(first!.length))
      else await chip.write(first!)
    } catch {
      // The adapter knows only that nobody acknowledged.
      throw failure('EREMOTEIO')
    }
    return count
  }

  async #exchange(argument: Buffer): Promise<number> {
    const sent = this.#memory.get(argument.readBigUInt64LE(0))!
    this.#memory.get(argument.readBigUInt64LE(8))!.set(await this.#options.spi!.transfer(sent))
    return sent.length
  }

  #bytesAt(structure: Buffer, offset: number): Buffer {
    const bytes = this.#memory.get(structure.readBigUInt64LE(offset))!
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #file(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  #add(place: Place | 'spi'): number {
    this.#places.set(this.#nextFd, place)
    return this.#nextFd++
  }
}
