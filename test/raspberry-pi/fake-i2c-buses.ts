import type { I2C } from '../../boards/io.ts'
import type { KernelCalls } from '../../boards/raspberry-pi/kernel/kernel-calls.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** I2C_FUNC_I2C and what the kernel emulates on it, with and without a write of nothing. */
export const plainWithQuick = 0x0eff0001
export const plainWithoutQuick = 0x0efe0001

/** A bus of the fake kernel. */
export interface FakeBus {
  chips?: readonly I2C[]
  /** Addresses that a driver of the kernel has. */
  driven?: readonly number[]
  functions?: number
  /** What happens to the transfers of all addresses: it hangs, or SDA is held low. */
  trouble?: 'hangs' | 'low'
}

/**
 * i2c-dev with models of chips, as linux/i2c-dev.h describes it. It keeps what was asked of each address, and what was written:
 * `76 quick`, `50 byte`, `76 wd0 r1`.
 */
export class FakeI2CBuses implements KernelCalls {
  readonly pointerBytes = 8
  readonly transfers: string[] = []
  readonly #buses: ReadonlyMap<string, FakeBus>
  readonly #open = new Map<number, { bus: FakeBus; address: number }>()
  readonly #memory = new Map<bigint, Uint8Array>()
  #nextAddress = 0x1000n
  #nextFd = 5000

  constructor(buses: Readonly<Record<number, FakeBus>>) {
    this.#buses = new Map(Object.entries(buses))
  }

  get descriptors(): number {
    return this.#open.size
  }

  has(fd: number): boolean {
    return this.#open.has(fd)
  }

  addressOf(bytes: Uint8Array): bigint {
    this.#nextAddress += 0x1000n
    this.#memory.set(this.#nextAddress, bytes)
    return this.#nextAddress
  }

  open(path: string): number {
    const bus = this.#buses.get(/\/dev\/i2c-(\d+)$/.exec(path)?.[1] ?? '')
    if (bus === undefined) throw failure('ENOENT')
    this.#open.set(this.#nextFd, { bus, address: 0 })
    return this.#nextFd++
  }

  close(fd: number): void {
    if (!this.#open.delete(fd)) throw failure('EBADF')
  }

  read(): number {
    throw new Error('nothing is read from a bus but by ioctl')
  }

  onReadable(): () => void {
    throw new Error('a bus tells nothing by itself')
  }

  ioctl(fd: number, request: number, argument: Buffer | number): number {
    const place = this.#open.get(fd)!
    if (request === 0x703 && typeof argument === 'number') {
      if (place.bus.driven?.includes(argument)) throw failure('EBUSY')
      place.address = argument
    } else if (request === 0x705 && typeof argument !== 'number') {
      argument.writeUInt32LE(place.bus.functions ?? plainWithQuick)
    } else throw failure('ENOTTY')
    return 0
  }

  async ioctlInPool(fd: number, request: number, argument: Buffer): Promise<number> {
    const { bus, address } = this.#open.get(fd)!
    if (request === 0x720) await this.#smbus(bus, address, argument)
    else if (request === 0x707) await this.#plain(bus, argument)
    else throw failure('ENOTTY')
    return 0
  }

  async #smbus(bus: FakeBus, address: number, call: Buffer): Promise<void> {
    const [isRead, , size] = [call[0] === 1, call[1], call.readUInt32LE(4)]
    if (size === 0 && !isRead) {
      if (((bus.functions ?? plainWithQuick) & 0x10000) === 0) throw failure('EOPNOTSUPP')
      this.transfers.push(`${address.toString(16)} quick`)
      this.#chip(bus, address)
    } else if (size === 1 && isRead) {
      this.transfers.push(`${address.toString(16)} byte`)
      const chip = this.#chip(bus, address)
      if (chip !== undefined) given(this.#at(call, 8).subarray(0, 1), await acknowledged(() => chip.read(1)))
    } else throw new Error(`no scan makes an SMBus transfer of the size ${size}`)
  }

  async #plain(bus: FakeBus, data: Buffer): Promise<void> {
    const list = this.#at(data, 0)
    const messages = Array.from({ length: data.readUInt32LE(8) }, (_, i) => ({
      address: list.readUInt16LE(16 * i),
      isRead: list.readUInt16LE(16 * i + 2) === 1,
      bytes: this.#at(list, 16 * i + 8),
    }))
    const [first, second] = messages as [(typeof messages)[0], (typeof messages)[0] | undefined]
    const told = messages.map(({ isRead, bytes }) => (isRead ? `r${bytes.length}` : `w${bytes.toString('hex')}`))
    this.transfers.push([first.address.toString(16), ...told].join(' '))
    const chip = this.#chip(bus, first.address)
    if (chip === undefined) throw failure('EIO')
    if (second !== undefined)
      given(second.bytes, await acknowledged(() => chip.writeRead(first.bytes, second.bytes.length)))
    else if (first.isRead) given(first.bytes, await acknowledged(() => chip.read(first.bytes.length)))
    else await acknowledged(() => chip.write(first.bytes))
  }

  /** Nothing where SDA is held low, which acknowledges for nobody. */
  #chip(bus: FakeBus, address: number): I2C | undefined {
    if (bus.trouble === 'hangs') throw failure('ETIMEDOUT')
    if (bus.trouble === 'low') return undefined
    const chip = bus.chips?.find(chip => chip.address === address)
    if (chip === undefined) throw failure('EREMOTEIO')
    return chip
  }

  #at(structure: Buffer, offset: number): Buffer {
    const bytes = this.#memory.get(structure.readBigUInt64LE(offset))
    if (bytes === undefined) throw failure('EFAULT')
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
}

/** The master takes as many bytes as it wants, whatever else a chip would give. */
function given(into: Buffer, bytes: Uint8Array): void {
  into.set(bytes.subarray(0, into.length))
}

/** A chip that does not acknowledge is what adapters say with EREMOTEIO. */
async function acknowledged<Result>(transfer: () => Promise<Result>): Promise<Result> {
  try {
    return await transfer()
  } catch {
    throw failure('EREMOTEIO')
  }
}
