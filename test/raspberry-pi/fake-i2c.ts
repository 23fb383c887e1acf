import { join } from 'node:path'
import type { KernelCalls } from '../../boards/raspberry-pi/kernel/kernel-calls.ts'
import { addFiles, systemRoot } from './system-root.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** What a fake bus can do. */
export interface FakeBusOptions {
  /** The bits that I2C_FUNCS gives; plain I2C when left out. */
  functions?: number
  pointerBytes?: 4 | 8
  /** Addresses that a driver of the kernel has. */
  driven?: readonly number[]
}

/** I2C_FUNC_SMBUS_*: byte, byte data and word data, and blocks of I2C. */
export const smbusOnly = 0x0c7e0000
export const smbusWithoutBlocks = 0x007e0000

/**
 * i2c-dev with one chip at 0x50, whose 256 registers count up as they are read or written, as linux/i2c-dev.h describes
 * it. Each transfer waits until the test lets it go on, if it is told to.
 */
export class FakeI2C implements KernelCalls {
  readonly pointerBytes: 4 | 8
  readonly root: string
  readonly registers = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
  /** Transfers in the order in which they began: `50 w11 r2`. */
  readonly transfers: string[] = []
  /** What the next transfers fail with. */
  readonly faults: string[] = []
  /** How many transfers are under way at once, at most. */
  mostAtOnce = 0
  /** When set, a transfer waits for it. */
  gate: Promise<void> | undefined
  readonly #functions: number
  readonly #driven: readonly number[]
  readonly #memory = new Map<bigint, Uint8Array>()
  readonly #slaves = new Map<number, number>()
  #nextAddress = 0x1000n
  #nextFd = 10
  #underWay = 0
  #pointer = 0

  constructor({ functions = 1, pointerBytes = 8, driven = [] }: FakeBusOptions = {}) {
    this.pointerBytes = pointerBytes
    this.#functions = functions
    this.#driven = driven
    this.root = systemRoot({ 'sys/class/i2c-dev/i2c-1/name': 'bcm2835 (i2c@7e804000)\n' })
    addFiles(this.root, { 'dev/i2c-1': '' })
  }

  get system(): { root: string; kernel: KernelCalls } {
    return { root: this.root, kernel: this }
  }

  get descriptors(): number {
    return this.#slaves.size
  }

  addressOf(bytes: Uint8Array): bigint {
    this.#nextAddress += 0x1000n
    this.#memory.set(this.#nextAddress, bytes)
    return this.#nextAddress
  }

  open(path: string): number {
    if (path !== join(this.root, 'dev/i2c-1')) throw failure('ENOENT')
    this.#slaves.set(this.#nextFd, 0)
    return this.#nextFd++
  }

  close(fd: number): void {
    if (!this.#slaves.delete(fd)) throw failure('EBADF')
  }

  read(): number {
    throw new Error('nothing is read from a bus but by ioctl')
  }

  onReadable(): () => void {
    throw new Error('a bus tells nothing by itself')
  }

  ioctl(fd: number, request: number, argument: Buffer | number): number {
    if (request === 0x703 && typeof argument === 'number') {
      if (this.#driven.includes(argument)) throw failure('EBUSY')
      this.#slaves.set(fd, argument)
    } else if (request === 0x705 && typeof argument !== 'number' && argument.length === this.pointerBytes) {
      argument.writeUInt32LE(this.#functions)
    } else throw failure('ENOTTY')
    return 0
  }

  async ioctlInPool(fd: number, request: number, argument: Buffer): Promise<number> {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay)
    try {
      await this.gate
      const fault = this.faults.shift()
      if (fault !== undefined) throw failure(fault)
      if (request === 0x707 && this.#functions & 1) return this.#plain(argument)
      if (request === 0x720) return this.#smbus(this.#slaves.get(fd)!, argument)
      throw failure('EOPNOTSUPP')
    } finally {
      this.#underWay--
    }
  }

  #at(structure: Buffer, offset: number): Buffer {
    const address = this.pointerBytes === 8 ? structure.readBigUInt64LE(offset) : BigInt(structure.readUInt32LE(offset))
    const bytes = this.#memory.get(address)
    if (bytes === undefined) throw failure('EFAULT')
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #plain(data: Buffer): number {
    const list = this.#at(data, 0)
    const size = this.pointerBytes === 8 ? 16 : 12
    const count = data.readUInt32LE(this.pointerBytes)
    if (list.length !== count * size) throw failure('EFAULT')
    let told = ''
    for (let i = 0; i < count; i++) {
      const [address, flags, length] = [0, 2, 4].map(field => list.readUInt16LE(i * size + field)) as [
        number,
        number,
        number,
      ]
      const bytes = this.#at(list, i * size + 8)
      if (bytes.length !== length) throw failure('EFAULT')
      told = `${told || address.toString(16)} ${flags === 1 ? `r${length}` : `w${bytes.toString('hex')}`}`
      if (address !== 0x50) throw failure('EREMOTEIO')
      this.#exchange(flags === 1, bytes)
    }
    this.transfers.push(told)
    return count
  }

  #exchange(isRead: boolean, bytes: Buffer): void {
    if (isRead) for (let i = 0; i < bytes.length; i++) bytes[i] = this.registers[this.#pointer++ & 255]!
    else {
      this.#pointer = bytes[0] ?? this.#pointer
      for (const byte of bytes.subarray(1)) this.registers[this.#pointer++ & 255] = byte
    }
  }

  #smbus(address: number, call: Buffer): number {
    const isRead = call[0] === 1
    const command = call[1]!
    const size = call.readUInt32LE(4)
    const data = this.#at(call, 8)
    this.transfers.push(`${address.toString(16)} smbus ${isRead ? 'r' : 'w'} ${command} ${size}`)
    if (address !== 0x50) throw failure('ENXIO')
    const start = size === 8 ? 1 : 0
    const length = [0, 1, 1, 2][size] ?? data[0]!
    if (isRead) {
      if (size > 1) this.#pointer = command
      this.#exchange(true, data.subarray(start, start + length))
    } else {
      const rest = size === 1 ? Buffer.alloc(0) : data.subarray(start, start + length)
      this.#exchange(false, Buffer.concat([Buffer.from([command]), rest]))
    }
    return 0
  }
}
