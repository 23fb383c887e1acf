import { join } from 'node:path'
import type { SPI } from '../../io.ts'
import { HardwareError, hardwareError, membersOnly } from '../hardware-error.ts'
import { Descriptor } from '../kernel/descriptor.ts'
import { kernelOf, type SystemOptions } from '../kernel/kernel-calls.ts'
import { claim, turnsOf } from '../kernel/turns.ts'

const SPI_IOC_MESSAGE_1 = 0x40206b00
const SPI_IOC_WR_MAX_SPEED_HZ = 0x40046b04
const SPI_IOC_WR_MODE32 = 0x40046b05
const transferBytes = 32

/** A place on an SPI bus. */
export interface SPIOptions extends SystemOptions {
  /** The number of the bus; 0 when left out. */
  bus?: number
  /** The number of its chip-select line; 0 when left out. */
  select?: number
  /** The most clocks a second; 1 000 000 when left out. */
  hz?: number
  /** Polarity and phase of the clock, 0 to 3; 0 when left out. */
  mode?: 0 | 1 | 2 | 3
}

const advice = { EMSGSIZE: 'cannot transfer as many bytes at once: spidev takes 4096, unless spidev.bufsiz says more' }

/**
 * Takes a place on an SPI bus (`/dev/spidev0.0`). Transfers of one bus follow each other; none holds up the rest of the
 * program.
 *
 * @throws HardwareError when it is not there, a part of this program has it, or the controller cannot do that mode
 */
export function spi(options: SPIOptions = {}): SPI {
  const { bus = 0, select = 0, hz = 1_000_000, mode = 0, root = '/' } = options
  const title = `spidev${bus}.${select}`
  const path = join(root, 'dev', title)
  const kernel = kernelOf(options)
  const release = claim(path, title)
  let fd: number | undefined
  try {
    fd = kernel.open(path)
    kernel.ioctl(fd, SPI_IOC_WR_MODE32, word(mode))
    kernel.ioctl(fd, SPI_IOC_WR_MAX_SPEED_HZ, word(hz))
    return new Peripheral(new Descriptor(kernel, fd, title, advice), join(root, `dev/spidev${bus}`), release)
  } catch (thrown) {
    if (fd !== undefined) kernel.close(fd)
    release()
    throw hardwareError(title, thrown, {
      ...membersOnly('spi'),
      ENOENT: 'is not there: switch SPI on with sudo raspi-config nonint do_spi 0',
      EINVAL: `has no mode ${mode} at ${hz} Hz`,
    })
  }
}

class Peripheral implements SPI {
  readonly title: string
  readonly #descriptor: Descriptor
  readonly #bus: string
  readonly #release: () => void

  constructor(descriptor: Descriptor, bus: string, release: () => void) {
    this.#descriptor = descriptor
    this.title = descriptor.title
    this.#bus = bus
    this.#release = release
  }

  async transfer(bytes: Uint8Array): Promise<Uint8Array> {
    if (bytes.length === 0)
      throw new HardwareError('EINVAL', `${this.#descriptor.title}: a transfer has at least a byte`)
    const sent = Buffer.from(bytes)
    const received = Buffer.alloc(sent.length)
    // `struct spi_ioc_transfer`: its pointers have 64 bits on every machine.
    const transfer = Buffer.alloc(transferBytes)
    return turnsOf(this.#bus).take(() =>
      this.#descriptor.useInPool(async (kernel, fd) => {
        transfer.writeBigUInt64LE(kernel.addressOf(sent), 0)
        transfer.writeBigUInt64LE(kernel.addressOf(received), 8)
        transfer.writeUInt32LE(sent.length, 16)
        await kernel.ioctlInPool(fd, SPI_IOC_MESSAGE_1, transfer, [sent, received])
        return received
      }),
    )
  }

  close(): void {
    if (this.#descriptor.closed) return
    this.#descriptor.close()
    this.#release()
  }
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
