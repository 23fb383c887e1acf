import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { KernelCalls } from '../../boards/raspberry-pi/kernel/kernel-calls.ts'
import type { ScanOptions } from '../../boards/raspberry-pi/scan/index.ts'
import { type FakeChip, FakeGpio, pi4 } from './fake-gpio.ts'
import { type FakeBus, FakeI2CBuses } from './fake-i2c-buses.ts'
import { addFiles } from './system-root.ts'

/** What is connected to a fake Raspberry Pi. */
export interface WiredPiOptions {
  /** By number: the name of its adapter, and who is on it. */
  buses?: Readonly<Record<number, FakeBus & { name: string }>>
  gpio?: readonly FakeChip[]
  /** Files by path, as the kernel would show them. */
  files?: Record<string, string>
  /** Links by path, to whatever their last part names. */
  links?: Record<string, string>
  /** Paths below `dev` that the user may not open. */
  closed?: readonly string[]
}

export const headerBus = 'bcm2835 (i2c@7e804000)'

/** A Raspberry Pi 4 with pins, I2C buses and files of the kernel: what happened at its pins and buses can be looked at. */
export class WiredPi {
  readonly gpio: FakeGpio
  readonly i2c: FakeI2CBuses
  readonly root: string
  readonly #closed: readonly string[]

  constructor({ buses = {}, gpio = pi4, files = {}, links = {}, closed = [] }: WiredPiOptions = {}) {
    this.gpio = new FakeGpio(gpio, { 'proc/device-tree/model': 'Raspberry Pi 4 Model B Rev 1.4\0', ...files })
    this.i2c = new FakeI2CBuses(buses)
    this.root = this.gpio.root
    this.#closed = closed
    for (const [number, { name }] of Object.entries(buses)) {
      addFiles(this.root, { [`sys/class/i2c-dev/i2c-${number}/name`]: `${name}\n`, [`dev/i2c-${number}`]: '' })
    }
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true })
      symlinkSync(target, join(this.root, path))
    }
  }

  /** Options of a scan, for a user called pi. */
  get options(): ScanOptions & { root: string } {
    return {
      root: this.root,
      kernel: this.#kernel(),
      user: { name: 'pi', may: path => !this.#closed.some(device => path === join(this.root, 'dev', device)) },
    }
  }

  /** Both fakes as one kernel: a path says whose it is, and after that the number of its descriptor. */
  #kernel(): KernelCalls {
    const { gpio, i2c } = this
    const of = (fd: number): KernelCalls => (i2c.has(fd) ? i2c : gpio)
    return {
      pointerBytes: 8,
      addressOf: bytes => i2c.addressOf(bytes),
      open: path => (/\/i2c-\d+$/.test(path) ? i2c : gpio).open(path),
      close: fd => of(fd).close(fd),
      read: (fd, into) => of(fd).read(fd, into),
      ioctl: (fd, request, argument) => of(fd).ioctl(fd, request, argument),
      ioctlInPool: (fd, request, argument, pointedAt) => of(fd).ioctlInPool(fd, request, argument, pointedAt),
      onReadable: (fd, tell) => of(fd).onReadable(fd, tell),
    }
  }
}
