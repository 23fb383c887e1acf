import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { digital } from '../../boards/raspberry-pi/gpio/digital.ts'
import { loadKernelCalls, loadKoffi } from '../../boards/raspberry-pi/kernel/koffi-calls.ts'
import { Child, projectDir } from '../child.ts'
import { systemRoot } from './system-root.ts'

const FIONREAD = 0x541b
const isLinux = process.platform === 'linux'

/** A pipe with a name: opened for both directions, it waits for nobody. */
function fifo(): { path: string; fd: number } {
  const path = join(systemRoot(), 'fifo')
  execFileSync('mkfifo', [path])
  const fd = loadKernelCalls().open(path)
  onTestFinished(() => closeSync(fd))
  return { path, fd }
}

describe.runIf(isLinux)('calls into the kernel', () => {
  it('what it says comes back, and what fails has its word for it', async () => {
    const kernel = loadKernelCalls()
    const { fd } = fifo()
    writeSync(fd, 'four')
    const count = Buffer.alloc(4)
    kernel.ioctl(fd, FIONREAD, count)
    expect(count.readInt32LE()).toBe(4)
    count.fill(0)
    await kernel.ioctlInPool(fd, FIONREAD, count)
    expect(count.readInt32LE()).toBe(4)
    const noTerminal = expect.objectContaining({ code: 'ENOTTY' })
    expect(() => kernel.ioctl(fd, 0x5401, Buffer.alloc(64))).toThrow(noTerminal)
    expect(() => kernel.ioctl(-1, 0x5401, 0)).toThrow(expect.objectContaining({ code: 'EBADF' }))
    await expect(kernel.ioctlInPool(fd, 0x5401, Buffer.alloc(64))).rejects.toEqual(noTerminal)
    expect(kernel.pointerBytes).toBe(process.arch === 'arm' || process.arch === 'ia32' ? 4 : 8)
  })

  it('one wait tells of every descriptor, and of none that is not watched any more', async () => {
    const kernel = loadKernelCalls()
    const pipes = [fifo(), fifo()]
    const heard: number[] = []
    const told = pipes.map(({ fd }, i) => {
      let stop = () => {}
      const next = new Promise<void>(resolve => {
        stop = kernel.onReadable(fd, () => {
          kernel.read(fd, Buffer.alloc(8))
          heard.push(i)
          resolve()
        })
      })
      return { next, stop }
    })
    writeSync(pipes[1]!.fd, 'x')
    await told[1]!.next
    told[1]!.stop()
    told[1]!.stop()
    writeSync(pipes[1]!.fd, 'x')
    writeSync(pipes[0]!.fd, 'x')
    await told[0]!.next
    told[0]!.stop()
    expect(heard).toEqual([1, 0])
  })

  it('a descriptor that is closed is free at once, and its number serves the next one', async () => {
    const kernel = loadKernelCalls()
    const first = fifo()
    const second = fifo()
    onTestFinished(kernel.onReadable(second.fd, () => {}))
    for (let i = 0; i < 20; i++) {
      const fd = openSync(first.path, 'r+')
      const next = new Promise<void>(resolve => {
        const stop = kernel.onReadable(fd, () => {
          kernel.read(fd, Buffer.alloc(8))
          stop()
          resolve()
        })
      })
      writeSync(fd, 'x')
      await next
      closeSync(fd)
    }
  })

  it.each([
    ['nothing is watched any more', 'stop()'],
    ['process.exit() while something is watched', 'setImmediate(() => process.exit(0))'],
    ['an exception while something is watched', 'process.exitCode = 0; throw new Error("on purpose")'],
  ])('the process ends: %s', async (_, end) => {
    const { path } = fifo()
    const source = `
      import { loadKernelCalls } from './boards/raspberry-pi/kernel/koffi-calls.ts'
      const kernel = loadKernelCalls()
      const fd = kernel.open(${JSON.stringify(path)})
      const stop = kernel.onReadable(fd, () => { kernel.read(fd, new Uint8Array(8)); ${end} })
      setImmediate(() => console.error('watching'))`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', source]
    const child = new Child(process.execPath, args, { cwd: projectDir })
    onTestFinished(() => child.stop())
    await child.tells('watching')
    const writer = openSync(path, 'r+')
    writeSync(writer, 'x')
    closeSync(writer)
    const { code } = await child.exit()
    expect(code).toBe(end.includes('throw') ? 1 : 0)
  })

  it('a listener that slips is an uncaught exception, and the others go on hearing', async () => {
    const { path } = fifo()
    const source = `
      import { writeSync } from 'node:fs'
      import { loadKernelCalls } from './boards/raspberry-pi/kernel/koffi-calls.ts'
      const kernel = loadKernelCalls()
      process.on('uncaughtException', thrown => console.log(thrown.message))
      const fds = [kernel.open(${JSON.stringify(path)}), kernel.open(${JSON.stringify(fifo().path)})]
      const stops = fds.map((fd, i) => kernel.onReadable(fd, () => {
        kernel.read(fd, new Uint8Array(8))
        stops[i]()
        if (i === 0) writeSync(fds[1], 'x')
        if (i === 0) throw new Error('slipped')
        console.log('heard')
      }))
      writeSync(fds[0], 'x')`
    const printed = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', source], {
      cwd: projectDir,
      encoding: 'utf8',
    })
    expect(printed).toBe('slipped\nheard\n')
  })
})

describe('what is missing', () => {
  it.runIf(isLinux && !existsSync('/dev/gpiochip0'))('a machine without pins says so', () => {
    expect(() => digital({ pin: 'GPIO17' })).toThrow('this machine has no GPIO controller: there is no /dev/gpiochip0')
  })

  it('another system than Linux', () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform')!
    onTestFinished(() => void Object.defineProperty(process, 'platform', platform))
    Object.defineProperty(process, 'platform', { value: 'darwin' })
    expect(() => loadKernelCalls()).toThrow('pins and buses are driven through Linux, and this is darwin')
  })

  it('the package that makes the calls is named', () => {
    const fails = (code: string | undefined, message: string) => () =>
      loadKoffi(() => {
        throw Object.assign(new Error(message), { code })
      })
    expect(fails('MODULE_NOT_FOUND', "Cannot find module 'koffi'")).toThrow(
      'the package koffi, which calls the kernel for pins and buses, is not installed: run npm install koffi',
    )
    expect(fails(undefined, 'Cannot find the native Koffi module')).toThrow(
      'does not load: Cannot find the native Koffi module. Run npm install koffi again on this machine',
    )
  })
})
