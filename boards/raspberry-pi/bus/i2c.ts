import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { I2C } from '../../io.ts'
import { HardwareError, hardwareError, membersOnly } from '../hardware-error.ts'
import { Descriptor } from '../kernel/descriptor.ts'
import { type KernelCalls, kernelOf, type SystemOptions } from '../kernel/kernel-calls.ts'
import { claim, turnsOf } from '../kernel/turns.ts'
import { writePointer } from './pointer.ts'
import { smbusRead, smbusWrite, smbusWriteRead } from './smbus.ts'

const I2C_SLAVE = 0x703
const I2C_FUNCS = 0x705
const I2C_RDWR = 0x707
const I2C_M_RD = 1
const I2C_FUNC_I2C = 1

/** A place on an I2C bus. */
export interface I2COptions extends SystemOptions {
  /** 7-bit address, 0x08 to 0x77. */
  address: number
  /** The number of the bus, or the name of its adapter; 1, that of the header, when left out. */
  bus?: number | string
}

const silent = 'does not answer: check its wiring, its power and its address'
const advice = {
  ENXIO: silent,
  EREMOTEIO: silent,
  ENODEV: silent,
  EIO: silent,
  ETIMEDOUT: 'did not end the transfer in time: something holds the bus. Check SDA, SCL and their pull-up resistors',
  EMSGSIZE: 'cannot transfer as many bytes at once on this bus',
}

/**
 * Takes a place on an I2C bus (`/dev/i2c-1`). Transfers of one bus follow each other; none holds up the rest of the program.
 *
 * @throws HardwareError when the bus is not there, or a driver of the kernel or a part of this program has the address
 */
export function i2c(options: I2COptions): I2C {
  const { address, bus = 1, root = '/' } = options
  if (!Number.isInteger(address) || address < 0x08 || address > 0x77)
    throw new HardwareError('EINVAL', `an I2C address lies between 0x08 and 0x77: ${hex(address)} does not`)
  const number = typeof bus === 'number' ? bus : numberOf(bus, root)
  const path = join(root, `dev/i2c-${number}`)
  const title = `${hex(address)} on i2c-${number}`
  const kernel = kernelOf(options)
  const release = claim(`${path} ${address}`, title)
  try {
    const descriptor = new Descriptor(kernel, opened(kernel, path, number, root), title, advice)
    try {
      return new Peripheral(descriptor, address, path, release, root)
    } catch (thrown) {
      descriptor.close()
      throw thrown
    }
  } catch (thrown) {
    release()
    throw thrown
  }
}

/** The I2C buses of this machine: the number of each, and the name of its adapter. */
export function i2cBuses({ root = '/' }: SystemOptions = {}): { number: number; name: string }[] {
  const folder = join(root, 'sys/class/i2c-dev')
  let entries: string[] = []
  try {
    entries = readdirSync(folder)
  } catch {
    // The driver that gives programs access to buses is not loaded.
  }
  return entries
    .map(entry => ({ number: Number(entry.slice(4)), name: readFileSync(join(folder, entry, 'name'), 'utf8').trim() }))
    .sort((a, b) => a.number - b.number)
}

class Peripheral implements I2C {
  readonly address: number
  readonly title: string
  readonly #descriptor: Descriptor
  readonly #bus: string
  readonly #release: () => void
  readonly #functions: number

  constructor(descriptor: Descriptor, address: number, bus: string, release: () => void, root: string) {
    this.#descriptor = descriptor
    this.address = address
    this.title = descriptor.title
    this.#bus = bus
    this.#release = release
    this.#functions = descriptor.use((kernel, fd) => {
      try {
        // Refused where a driver of the kernel has the address; also what SMBus transfers go to.
        kernel.ioctl(fd, I2C_SLAVE, address)
      } catch (thrown) {
        throw hardwareError(descriptor.title, thrown, { EBUSY: `is in use by ${driverAt(bus, address, root)}` })
      }
      const functions = Buffer.alloc(kernel.pointerBytes)
      kernel.ioctl(fd, I2C_FUNCS, functions)
      return functions.readUInt32LE()
    })
  }

  write(bytes: Uint8Array): Promise<void> {
    const sent = Buffer.from(bytes)
    return this.#inTurn((kernel, fd) =>
      this.#isPlain
        ? transfer(kernel, fd, this.address, [{ flags: 0, bytes: sent }])
        : smbusWrite(kernel, fd, this.#functions, sent),
    )
  }

  read(byteLength: number): Promise<Uint8Array> {
    return this.#inTurn(async (kernel, fd) => {
      if (!this.#isPlain) return smbusRead(kernel, fd, byteLength)
      const bytes = Buffer.alloc(byteLength)
      await transfer(kernel, fd, this.address, [{ flags: I2C_M_RD, bytes }])
      return bytes
    })
  }

  writeRead(bytes: Uint8Array, byteLength: number): Promise<Uint8Array> {
    const sent = Buffer.from(bytes)
    return this.#inTurn(async (kernel, fd) => {
      if (!this.#isPlain) return smbusWriteRead(kernel, fd, this.#functions, sent, byteLength)
      const received = Buffer.alloc(byteLength)
      await transfer(kernel, fd, this.address, [
        { flags: 0, bytes: sent },
        { flags: I2C_M_RD, bytes: received },
      ])
      return received
    })
  }

  close(): void {
    if (this.#descriptor.closed) return
    this.#descriptor.close()
    this.#release()
  }

  get #isPlain(): boolean {
    return (this.#functions & I2C_FUNC_I2C) !== 0
  }

  #inTurn<Result>(work: (kernel: KernelCalls, fd: number) => Promise<Result>): Promise<Result> {
    return turnsOf(this.#bus).take(() => this.#descriptor.useInPool(work))
  }
}

interface Message {
  flags: number
  bytes: Buffer
}

/** `struct i2c_rdwr_ioctl_data` and its list of `struct i2c_msg`: one transfer, with a repeated start between messages. */
async function transfer(kernel: KernelCalls, fd: number, address: number, messages: readonly Message[]): Promise<void> {
  const messageBytes = 8 + kernel.pointerBytes
  const list = Buffer.alloc(messageBytes * messages.length)
  messages.forEach(({ flags, bytes }, i) => {
    const start = i * messageBytes
    list.writeUInt16LE(address, start)
    list.writeUInt16LE(flags, start + 2)
    list.writeUInt16LE(bytes.length, start + 4)
    writePointer(kernel, list, start + 8, bytes)
  })
  const data = Buffer.alloc(2 * kernel.pointerBytes)
  writePointer(kernel, data, 0, list)
  data.writeUInt32LE(messages.length, kernel.pointerBytes)
  await kernel.ioctlInPool(fd, I2C_RDWR, data, [list, ...messages.map(({ bytes }) => bytes)])
}

function opened(kernel: KernelCalls, path: string, number: number, root: string): number {
  try {
    return kernel.open(path)
  } catch (thrown) {
    const others = i2cBuses({ root }).map(bus => `i2c-${bus.number} (${bus.name})`)
    const there = others.length === 0 ? 'no I2C bus is' : `only ${others.join(', ')} is`
    const todo =
      number === 1
        ? 'switch I2C on with sudo raspi-config nonint do_i2c 0'
        : 'add its dtoverlay to /boot/firmware/config.txt'
    throw hardwareError(path, thrown, { ENOENT: `is not there, ${there}: ${todo}`, ...membersOnly('i2c') })
  }
}

function numberOf(name: string, root: string): number {
  const buses = i2cBuses({ root })
  const [bus, second] = buses.filter(bus => bus.name === name || `i2c-${bus.number}` === name)
  const told = buses.map(bus => `i2c-${bus.number} (${bus.name})`).join(', ') || 'none'
  if (bus === undefined) throw new HardwareError('ENOENT', `no I2C bus is named ${name}; there is ${told}`)
  if (second !== undefined) throw new HardwareError('ENOTUNIQ', `more than one I2C bus is named ${name}: ${told}`)
  return bus.number
}

function driverAt(path: string, address: number, root: string): string {
  const device = `${basename(path).slice(4)}-${address.toString(16).padStart(4, '0')}`
  try {
    return `the kernel's driver ${basename(readlinkSync(join(root, 'sys/bus/i2c/devices', device, 'driver')))}: read it through that (hwmon, iio), or take its overlay out of config.txt`
  } catch {
    return 'a driver of the kernel'
  }
}

function hex(address: number): string {
  return `0x${address.toString(16).padStart(2, '0')}`
}
