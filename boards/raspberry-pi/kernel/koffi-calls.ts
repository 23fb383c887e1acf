import { closeSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { getSystemErrorName } from 'node:util'
import { HardwareError } from '../hardware-error.ts'
import type { KernelCalls } from './kernel-calls.ts'
import { ReadableWatch } from './readable-watch.ts'

type Koffi = typeof import('koffi')

/** The functions of the C library that are called. Arguments are as C has them. */
export interface CLibrary {
  epoll_create1(flags: number): number
  epoll_ctl(epoll: number, operation: number, fd: number, event: Uint8Array): number
  epoll_wait: InPool<[epoll: number, events: Uint8Array, most: number, timeoutMs: number]>
  eventfd(initial: number, flags: number): number
}

/** A call that runs in libuv's thread pool; it gives what the function returned, or throws what `errno` says. */
export type InPool<Arguments extends unknown[]> = (...args: Arguments) => Promise<number>

let loaded: KernelCalls | undefined

/**
 * The calls of this machine's kernel. The package that makes them is loaded with the first pin or bus and not before.
 *
 * @throws HardwareError when this is no Linux, or the package `koffi` is not installed or does not load
 */
export function loadKernelCalls(): KernelCalls {
  if (process.platform !== 'linux')
    throw new HardwareError('ENOSYS', `pins and buses are driven through Linux, and this is ${process.platform}`)
  loaded ??= kernelCalls(loadKoffi(name => createRequire(import.meta.url)(name)))
  return loaded
}

/** Loads the package, or says what to do. */
export function loadKoffi(require: (name: string) => unknown): Koffi {
  try {
    return require('koffi') as Koffi
  } catch (thrown) {
    const missing = (thrown as { code?: string } | null)?.code === 'MODULE_NOT_FOUND'
    const why = missing
      ? 'is not installed: run npm install koffi'
      : `does not load: ${thrown instanceof Error ? thrown.message : thrown}. Run npm install koffi again on this machine`
    throw new HardwareError('ENOPKG', `the package koffi, which calls the kernel for pins and buses, ${why}`, {
      cause: thrown,
    })
  }
}

function kernelCalls(koffi: Koffi): KernelCalls {
  // Without a name: the C library that Node itself runs on, be it glibc or musl.
  const library = koffi.load(null)
  const failed = (call: string) => {
    const name = getSystemErrorName(-koffi.errno())
    return Object.assign(new Error(`${call}: ${name}`), { code: name })
  }
  const checked = (call: string, result: number): number => {
    if (result < 0) throw failed(call)
    return result
  }
  const atOnce = (prototype: string) => {
    const call = library.func(prototype)
    return (...args: unknown[]) => checked(call.info.name, call(...args))
  }
  // What is passed to a call in the pool has to outlive it.
  const passed = new Set<unknown[]>()
  const inPool = (prototype: string) => {
    const call = library.func(prototype)
    return (...args: unknown[]) =>
      new Promise<number>((resolve, reject) => {
        passed.add(args)
        call.async(...args.slice(0, call.info.arguments.length), (thrown: unknown, result: number) => {
          passed.delete(args)
          if (thrown) reject(thrown)
          else if (result < 0) reject(failed(call.info.name))
          else resolve(result)
        })
      })
  }
  const ioctl = atOnce('int ioctl(int, unsigned long, void *)')
  const ioctlNumber = atOnce('int ioctl(int, unsigned long, unsigned long)')
  const ioctlInPool = inPool('int ioctl(int, unsigned long, void *)')
  let watch: ReadableWatch | undefined
  const libc: CLibrary = {
    epoll_create1: atOnce('int epoll_create1(int)'),
    epoll_ctl: atOnce('int epoll_ctl(int, int, int, void *)'),
    epoll_wait: inPool('int epoll_wait(int, void *, int, int)'),
    eventfd: atOnce('int eventfd(unsigned int, int)'),
  }
  return {
    pointerBytes: koffi.sizeof('void *') === 8 ? 8 : 4,
    addressOf: koffi.address,
    open: path => openSync(path, 'r+'),
    close: closeSync,
    read: (fd, into) => readSync(fd, into),
    ioctl: (fd, request, argument) => (typeof argument === 'number' ? ioctlNumber : ioctl)(fd, request, argument),
    ioctlInPool,
    onReadable(fd, tell) {
      watch ??= new ReadableWatch(libc)
      return watch.add(fd, tell)
    },
  }
}
