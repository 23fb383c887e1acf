import { createRequire } from 'node:module'
import { endianness } from 'node:os'
import { getSystemErrorName } from 'node:util'

type Koffi = typeof import('koffi')

/** Sends one datagram, at once. Throws what the kernel says against it. */
export type SendDatagram = (text: string) => void

const familyUnix = 1
const typeDatagram = 2
const closeOnExec = 0o2_000_000
/** Nothing waits for a supervisor that does not read, and no signal comes when it is gone. */
const sendFlags = 0x40 | 0x4000

/**
 * The socket at which a supervisor hears of this process. Node has no datagram sockets with a path, so it goes through the
 * package `koffi`.
 *
 * @param address a path, or a name in the abstract namespace behind `@` (sd_notify(3))
 * @throws Error when the address is none, or the package is not there: what to do
 */
export function notifySocket(address: string): SendDatagram {
  const to = socketAddress(address)
  const koffi = loadKoffi()
  // Without a name: the C library that Node itself runs on, be it glibc or musl.
  const library = koffi.load(null)
  const socket = library.func('int socket(int, int, int)')
  const sendto = library.func('intptr_t sendto(int, void *, size_t, int, void *, unsigned int)')
  const checked = (call: string, result: number | bigint): number => {
    if (result >= 0) return Number(result)
    const code = getSystemErrorName(-koffi.errno())
    throw Object.assign(new Error(`${call} ${address}: ${code}`), { code })
  }
  const fd = checked('socket', socket(familyUnix, typeDatagram | closeOnExec, 0))
  return text => {
    const bytes = Buffer.from(text)
    // Not connected: when the supervisor starts anew, another socket stands at the same place.
    checked('sendto', sendto(fd, bytes, bytes.length, sendFlags, to, to.length))
  }
}

/** `struct sockaddr_un` for an address, and no longer than it needs to be: each byte of an abstract name counts. */
export function socketAddress(address: string): Buffer {
  const isAbstract = address.startsWith('@')
  if (!isAbstract && !address.startsWith('/')) throw new Error(`${address} is no socket with a path or a name behind @`)
  const path = isAbstract ? Buffer.from(`\0${address.slice(1)}`) : Buffer.from(`${address}\0`)
  // sun_path of Linux.
  if (path.length > 108) throw new Error(`${address} is too long for the address of a socket`)
  const family = Buffer.alloc(2)
  if (endianness() === 'LE') family.writeUInt16LE(familyUnix)
  else family.writeUInt16BE(familyUnix)
  return Buffer.concat([family, path])
}

/** The package by which a supervisor is told. Throws an Error that says what to do when it is not there. */
export function loadKoffi(): Koffi {
  try {
    return createRequire(import.meta.url)('koffi') as Koffi
  } catch (thrown) {
    const missing = (thrown as { code?: string } | null)?.code === 'MODULE_NOT_FOUND'
    throw new Error(
      missing
        ? 'the package koffi, by which it is told, is not installed: run npm install koffi beside ferrule'
        : `the package koffi, by which it is told, does not load: ${thrown instanceof Error ? thrown.message : thrown}`,
    )
  }
}
