import { closeSync, constants, openSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import tty from 'node:tty'

const { O_RDWR, O_NOCTTY } = constants
/** As x86 and ARM have it; Node does not tell. Without it a process that a test starts would keep the cable plugged in. */
const O_CLOEXEC = 0o2000000

/** Why there are no ptys here; nothing where there are. */
export const noPtys: string | undefined =
  process.platform === 'linux' ? undefined : 'the ptys of these tests are opened as Linux does it'

interface Libc {
  posix_openpt(flags: number): number
  grantpt(fd: number): number
  unlockpt(fd: number): number
  ptsname(fd: number): string
  ioctl(fd: number, request: number, argument: Uint8Array): number
}

let loaded: Libc | undefined

function libc(): Libc {
  if (loaded !== undefined) return loaded
  const koffi = createRequire(import.meta.url)('koffi')
  // Without a name: the C library that Node itself runs on, be it glibc or musl.
  const library = koffi.load(null)
  loaded = {
    posix_openpt: library.func('int posix_openpt(int)'),
    grantpt: library.func('int grantpt(int)'),
    unlockpt: library.func('int unlockpt(int)'),
    ptsname: library.func('const char *ptsname(int)'),
    ioctl: library.func('int ioctl(int, unsigned long, void *)'),
  }
  return loaded
}

/** `TCGETS2` of asm-generic, as x86 and ARM have it: four words of flags, the control characters, two speeds. */
const TCGETS2 = 0x802c542a
const termios2Bytes = 44

const inputFlags = { BRKINT: 0o2, ISTRIP: 0o40, INLCR: 0o100, IGNCR: 0o200, ICRNL: 0o400, IXON: 0o2000, IXOFF: 0o10000 }
const outputFlags = { OPOST: 0o1 }
const localFlags = { ISIG: 0o1, ICANON: 0o2, ECHO: 0o10, IEXTEN: 0o100000 }

/** The device's end of a pseudo terminal. The other end is a serial port like any other, as fresh as the kernel makes it. */
export class Pty {
  /** Where the port can be opened. */
  readonly path: string
  /** Takes what the host sends. */
  onBytes: (bytes: Buffer) => void = () => {}
  readonly #master: number
  /** Kept open, so that the port keeps its settings and the device is not hung up while no host is there. */
  readonly #port: number
  readonly #stream: tty.ReadStream
  #gone = false

  constructor() {
    const { posix_openpt, grantpt, unlockpt, ptsname } = libc()
    this.#master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    if (this.#master < 0 || grantpt(this.#master) !== 0 || unlockpt(this.#master) !== 0)
      throw new Error('the system gives no pty')
    this.path = ptsname(this.#master)
    this.#port = openSync(this.path, O_RDWR | O_NOCTTY)
    this.#stream = new tty.ReadStream(this.#master)
    this.#stream.on('data', (bytes: Buffer) => this.onBytes(bytes))
    this.#stream.on('error', () => {})
  }

  /** The device sends. */
  write(bytes: Uint8Array | string): void {
    if (!this.#gone) this.#stream.write(bytes)
  }

  /** The device does not take what the host sends. */
  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    this.#stream.resume()
  }

  /** The cable is pulled. */
  unplug(): void {
    if (this.#gone) return
    this.#gone = true
    this.#stream.destroy()
    closeSync(this.#port)
  }

  /** What the host set the line to. */
  settings(): { baudRate: number; cooked: string[] } {
    const bytes = Buffer.alloc(termios2Bytes)
    if (libc().ioctl(this.#master, TCGETS2, bytes) !== 0) throw new Error('the pty does not tell its settings')
    const set = (word: number, flags: Record<string, number>) =>
      Object.keys(flags).filter(name => (bytes.readUInt32LE(word * 4) & flags[name]!) !== 0)
    return {
      baudRate: bytes.readUInt32LE(40),
      cooked: [...set(0, inputFlags), ...set(1, outputFlags), ...set(3, localFlags)],
    }
  }
}
