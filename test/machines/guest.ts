/**
 * Runs on a machine that is emulated, beside the package `koffi` as it was installed there: what the pins and buses of a
 * Raspberry Pi call the kernel with, where there are none of them.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { writePointer } from '../../boards/raspberry-pi/bus/pointer.ts'
import { loadKernelCalls } from '../../boards/raspberry-pi/kernel/koffi-calls.ts'

const FIONREAD = 0x541b
const TIOCGWINSZ = 0x5413
const TIOCSWINSZ = 0x5414

const kernel = loadKernelCalls()
const folder = mkdtempSync(join(tmpdir(), 'ferrule-'))
process.once('exit', () => rmSync(folder, { recursive: true }))

/** A pipe with a name: opened for both directions, it waits for nobody. */
function pipe(name: string): number {
  execFileSync('mkfifo', [join(folder, name)])
  return kernel.open(join(folder, name))
}

const pipes = [pipe('first'), pipe('second')] as const

// The size of a pointer is that of this processor.
assert.equal(kernel.pointerBytes, process.arch === 'arm' ? 4 : 8)

// A structure comes back filled, at once and from the pool.
writeSync(pipes[0], 'four')
const count = Buffer.alloc(4)
kernel.ioctl(pipes[0], FIONREAD, count)
assert.equal(count.readInt32LE(), 4)
count.fill(0)
await kernel.ioctlInPool(pipes[0], FIONREAD, count)
assert.equal(count.readInt32LE(), 4)
assert.throws(() => kernel.ioctl(pipes[0], TIOCGWINSZ, Buffer.alloc(8)), { code: 'ENOTTY' })
kernel.read(pipes[0], Buffer.alloc(4))

// One that goes in is what comes out.
const terminal = kernel.open('/dev/ptmx')
kernel.ioctl(terminal, TIOCSWINSZ, Buffer.from(new Uint16Array([33, 44, 55, 66]).buffer))
const size = Buffer.alloc(8)
kernel.ioctl(terminal, TIOCGWINSZ, size)
assert.deepEqual(
  [0, 2, 4, 6].map(offset => size.readUInt16LE(offset)),
  [33, 44, 55, 66],
)

// A pointer in a structure leads to the bytes: `struct iovec`, as `struct i2c_rdwr_ioctl_data` a pointer and a length.
const library = createRequire(import.meta.url)('koffi').load(null)
const bytes = Buffer.from('through a pointer')
const vector = Buffer.alloc(2 * kernel.pointerBytes)
writePointer(kernel, vector, 0, bytes)
vector.writeUInt32LE(bytes.length, kernel.pointerBytes)
assert.equal(library.func('long writev(int, void *, int)')(pipes[0], vector, 1), bytes.length)
const arrived = Buffer.alloc(64)
assert.equal(arrived.toString('latin1', 0, kernel.read(pipes[0], arrived)), 'through a pointer')

// Of several descriptors that are watched, the one that has something is told of: `struct epoll_event`.
const told = await new Promise<number>(resolve => {
  const stops = pipes.map((fd, i) =>
    kernel.onReadable(fd, () => {
      for (const stop of stops) stop()
      resolve(i)
    }),
  )
  writeSync(pipes[1], 'x')
})
assert.equal(told, 1)
console.log('everything as it should be')
