import { join } from 'node:path'
import type { KernelCalls } from '../../boards/raspberry-pi/kernel/kernel-calls.ts'
import { systemRoot } from './system-root.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** spidev0.0 as linux/spi/spidev.h describes it, with its two wires for data joined: what is sent comes back. */
export class FakeSPI implements KernelCalls {
  readonly pointerBytes = 8
  readonly root = systemRoot()
  /** Mode and frequency, as they were set. */
  readonly settings: string[] = []
  mostAtOnce = 0
  descriptors = 0
  readonly #memory = new Map<bigint, Uint8Array>()
  #underWay = 0

  get system(): { root: string; kernel: KernelCalls } {
    return { root: this.root, kernel: this }
  }

  addressOf(bytes: Uint8Array): bigint {
    const address = BigInt(this.#memory.size + 1) << 12n
    this.#memory.set(address, bytes)
    return address
  }

  open(path: string): number {
    if (!path.startsWith(join(this.root, 'dev/spidev0.'))) throw failure('ENOENT')
    return ++this.descriptors
  }

  close(): void {
    this.descriptors--
  }

  read(): number {
    throw new Error('nothing is read from a bus but by ioctl')
  }

  onReadable(): () => void {
    throw new Error('a bus tells nothing by itself')
  }

  ioctl(_fd: number, request: number, argument: Buffer): number {
    const value = argument.readUInt32LE()
    if (request === 0x40046b05) this.settings.push(`mode ${value}`)
    else if (request === 0x40046b04) {
      if (value > 50_000_000) throw failure('EINVAL')
      this.settings.push(`${value} Hz`)
    } else throw failure('ENOTTY')
    return 0
  }

  async ioctlInPool(_fd: number, request: number, argument: Buffer): Promise<number> {
    if (request !== 0x40206b00 || argument.length !== 32) throw failure('ENOTTY')
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay)
    await Promise.resolve()
    this.#underWay--
    const sent = this.#memory.get(argument.readBigUInt64LE(0))!
    const length = argument.readUInt32LE(16)
    if (length > 4096) throw failure('EMSGSIZE')
    this.#memory.get(argument.readBigUInt64LE(8))!.set(sent.subarray(0, length))
    return length
  }
}
