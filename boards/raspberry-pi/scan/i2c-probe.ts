import { join } from 'node:path'
import { smbusQuickWrite, smbusRead } from '../bus/smbus.ts'
import { codeOf, HardwareError, hardwareError } from '../hardware-error.ts'
import { Descriptor } from '../kernel/descriptor.ts'
import { type KernelCalls, kernelOf, type SystemOptions } from '../kernel/kernel-calls.ts'
import { turnsOf } from '../kernel/turns.ts'
import { entriesIn, linkedName } from './entries.ts'

const I2C_SLAVE = 0x703
const I2C_FUNCS = 0x705
const I2C_FUNC_SMBUS_QUICK = 0x00010000

const [firstAddress, lastAddress] = [0x08, 0x77]
/** More than these answer on no real bus: something holds SDA low, which looks like an acknowledge of everybody. */
const mostChips = 64
/** A bus that hangs costs a second for each address. */
const mostTimeouts = 3

/** The addresses of a bus that a driver of the kernel has: its name for each. It is asked of nobody but the kernel. */
export function kernelDrivers(root: string, bus: number): Map<number, string> {
  const folder = 'sys/bus/i2c/devices'
  const drivers = new Map<number, string>()
  for (const entry of entriesIn(root, folder)) {
    const [, number, address] = /^(\d+)-00([0-7][0-9a-f])$/.exec(entry) ?? []
    if (number !== String(bus) || address === undefined) continue
    // One that is declared and that no driver has is asked like any other.
    const driver = linkedName(root, `${folder}/${entry}/driver`)
    if (driver !== undefined) drivers.set(Number.parseInt(address, 16), driver)
  }
  return drivers
}

/**
 * Asks each address of a bus whether somebody is there, as i2cdetect(8) and the kernel itself do: with a write of nothing, and
 * with a read of one byte where that write could damage an EEPROM or hang its chip. Addresses that a driver of the kernel
 * has are left alone.
 *
 * @returns the addresses that answered, in order
 * @throws HardwareError when the bus may not be opened, is held by something, or seems to have a chip at every address
 */
export async function answeringAddresses(bus: number, options: SystemOptions): Promise<number[]> {
  const { root = '/' } = options
  const kernel = kernelOf(options)
  const path = join(root, `dev/i2c-${bus}`)
  const title = `i2c-${bus}`
  let fd: number
  try {
    fd = kernel.open(path)
  } catch (thrown) {
    throw hardwareError(path, thrown)
  }
  const descriptor = new Descriptor(kernel, fd, title)
  try {
    const quick = descriptor.use((kernel, fd) => (functionsOf(kernel, fd) & I2C_FUNC_SMBUS_QUICK) !== 0)
    const found: number[] = []
    let timeouts = 0
    for (let address = firstAddress; address <= lastAddress; address++) {
      const reply = await turnsOf(path).take(() => descriptor.useInPool(ask(address, quick)))
      if (reply === 'somebody') found.push(address)
      timeouts = reply === 'timeout' ? timeouts + 1 : 0
      if (timeouts === mostTimeouts)
        throw new HardwareError(
          'ETIMEDOUT',
          `${title} hangs: something holds it. Check that SDA and SCL are not swapped, not connected to ground, and have pull-up resistors`,
        )
    }
    if (found.length > mostChips)
      throw new HardwareError(
        'EIO',
        `${title} has an answer at every address: SDA is held low. Check that it is not connected to ground, and that no chip is without power`,
      )
    return found
  } finally {
    descriptor.close()
  }
}

type Reply = 'somebody' | 'nobody' | 'timeout'

function ask(address: number, quick: boolean): (kernel: KernelCalls, fd: number) => Promise<Reply> {
  return async (kernel, fd) => {
    try {
      kernel.ioctl(fd, I2C_SLAVE, address)
    } catch (thrown) {
      if (codeOf(thrown) === 'EBUSY') return 'nobody'
      throw thrown
    }
    try {
      if (quick && !isReadOnly(address)) await smbusQuickWrite(kernel, fd)
      else await smbusRead(kernel, fd, 1)
      return 'somebody'
    } catch (thrown) {
      if (codeOf(thrown) === 'ETIMEDOUT') return 'timeout'
      // Adapters say in different words that nobody has acknowledged.
      if (['ENXIO', 'EREMOTEIO', 'EIO', 'ENODEV', 'EAGAIN', 'EOPNOTSUPP'].includes(codeOf(thrown))) return 'nobody'
      throw thrown
    }
  }
}

/** EEPROMs, of which a write of nothing has damaged some: the same two ranges as in i2cdetect and in the kernel. */
function isReadOnly(address: number): boolean {
  return (address & ~0x07) === 0x30 || (address & ~0x0f) === 0x50
}

function functionsOf(kernel: KernelCalls, fd: number): number {
  const functions = Buffer.alloc(kernel.pointerBytes)
  kernel.ioctl(fd, I2C_FUNCS, functions)
  return functions.readUInt32LE()
}
