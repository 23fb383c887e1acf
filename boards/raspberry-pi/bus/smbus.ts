import { HardwareError } from '../hardware-error.ts'
import type { KernelCalls } from '../kernel/kernel-calls.ts'
import { writePointer } from './pointer.ts'

/**
 * For adapters that speak SMBus and no plain I2C: the usual transfers of a sensor, as SMBus has them. What SMBus lacks is
 * refused, never approximated.
 */

const I2C_SMBUS = 0x720
const I2C_SMBUS_WRITE = 0
const I2C_SMBUS_READ = 1
const I2C_SMBUS_QUICK = 0
const I2C_SMBUS_BYTE = 1
const I2C_SMBUS_BYTE_DATA = 2
const I2C_SMBUS_WORD_DATA = 3
const I2C_SMBUS_I2C_BLOCK_DATA = 8
const I2C_FUNC_SMBUS_READ_I2C_BLOCK = 0x04000000
const I2C_FUNC_SMBUS_WRITE_I2C_BLOCK = 0x08000000
const mostBlockBytes = 32

/** An address with the bit for writing and nothing after it: it is acknowledged by whoever has that address. */
export async function smbusQuickWrite(kernel: KernelCalls, fd: number): Promise<void> {
  await smbus(kernel, fd, I2C_SMBUS_WRITE, 0, I2C_SMBUS_QUICK)
}

/** A command, and what follows it: nothing, one byte, two, or a block of up to 32. */
export async function smbusWrite(kernel: KernelCalls, fd: number, functions: number, bytes: Buffer): Promise<void> {
  const [command, ...data] = bytes
  if (command === undefined) throw unsupported('a transfer of nothing')
  const size = [I2C_SMBUS_BYTE, I2C_SMBUS_BYTE_DATA, I2C_SMBUS_WORD_DATA][data.length] ?? I2C_SMBUS_I2C_BLOCK_DATA
  const isBlock = size === I2C_SMBUS_I2C_BLOCK_DATA
  if (isBlock && (data.length > mostBlockBytes || (functions & I2C_FUNC_SMBUS_WRITE_I2C_BLOCK) === 0))
    throw unsupported(`writing ${bytes.length} bytes at once`)
  await smbus(kernel, fd, I2C_SMBUS_WRITE, command, size, Buffer.from(isBlock ? [data.length, ...data] : data))
}

/** One byte, without a command before it. */
export async function smbusRead(kernel: KernelCalls, fd: number, byteLength: number): Promise<Uint8Array> {
  if (byteLength !== 1) throw unsupported(`reading ${byteLength} bytes without a register before them`)
  return (await smbus(kernel, fd, I2C_SMBUS_READ, 0, I2C_SMBUS_BYTE)).subarray(0, 1)
}

/** A register of one byte: its content of one byte, two, or a block of up to 32. */
export async function smbusWriteRead(
  kernel: KernelCalls,
  fd: number,
  functions: number,
  bytes: Buffer,
  byteLength: number,
): Promise<Uint8Array> {
  if (bytes.length !== 1) throw unsupported(`reading after ${bytes.length} bytes`)
  const command = bytes[0]!
  if (byteLength === 1) return (await smbus(kernel, fd, I2C_SMBUS_READ, command, I2C_SMBUS_BYTE_DATA)).subarray(0, 1)
  if (byteLength === 2) return (await smbus(kernel, fd, I2C_SMBUS_READ, command, I2C_SMBUS_WORD_DATA)).subarray(0, 2)
  if (byteLength > mostBlockBytes || byteLength < 1 || (functions & I2C_FUNC_SMBUS_READ_I2C_BLOCK) === 0)
    throw unsupported(`reading ${byteLength} bytes at once`)
  const data = await smbus(kernel, fd, I2C_SMBUS_READ, command, I2C_SMBUS_I2C_BLOCK_DATA, Buffer.from([byteLength]))
  return data.subarray(1, 1 + byteLength)
}

/** `struct i2c_smbus_ioctl_data` with its `union i2c_smbus_data`, whose bytes it returns. */
async function smbus(
  kernel: KernelCalls,
  fd: number,
  readWrite: number,
  command: number,
  size: number,
  content: Uint8Array = Buffer.alloc(0),
): Promise<Buffer> {
  const data = Buffer.alloc(mostBlockBytes + 2)
  data.set(content)
  const call = Buffer.alloc(8 + kernel.pointerBytes)
  call[0] = readWrite
  call[1] = command
  call.writeUInt32LE(size, 4)
  writePointer(kernel, call, 8, data)
  await kernel.ioctlInPool(fd, I2C_SMBUS, call, [data])
  return data
}

function unsupported(what: string): HardwareError {
  return new HardwareError('EOPNOTSUPP', `this I2C bus speaks SMBus only, which has no way of ${what}`)
}
