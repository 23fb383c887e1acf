import { constants, openSync, readFileSync, readlinkSync, readSync, writeSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import type { Serial } from '../../io.ts'
import { codeOf, HardwareError, hardwareError } from '../hardware-error.ts'
import { Descriptor } from '../kernel/descriptor.ts'
import { type KernelCalls, kernelOf, type SystemOptions } from '../kernel/kernel-calls.ts'
import { claim, Turns } from '../kernel/turns.ts'

// <asm-generic/ioctls.h> and <asm-generic/termbits.h>, as x86 and ARM have them.
const TCGETS2 = 0x802c542a
const TCSETS2 = 0x402c542b
const TCFLSH = 0x540b
const TIOCEXCL = 0x540c
const TCIFLUSH = 0
const termios2Bytes = 44
const VTIME = 5
const VMIN = 6
const CS8 = 0x30
const CSTOPB = 0x40
const CREAD = 0x80
const PARENB = 0x100
const PARODD = 0x200
const CLOCAL = 0x800
const BOTHER = 0x1000
const INPCK = 0x10
const parityFlags = { none: 0, even: PARENB, odd: PARENB | PARODD }

/** A serial line and how it is spoken: 8 bits, without flow control. */
export interface SerialOptions extends SystemOptions {
  /** A path, or a name in `/dev`; `serial0`, the UART of the header, when left out. */
  port?: string
  /** Bits a second; 9600 when left out. */
  baud?: number
  /** `none` when left out. */
  parity?: 'none' | 'even' | 'odd'
  /** 1 when left out. */
  stopBits?: 1 | 2
}

/**
 * Takes a serial line: the UART at GPIO14 and GPIO15, or an adapter on a USB cable.
 *
 * @throws HardwareError when it is not there, is the kernel's console, or another program has it
 */
export function serial(options: SerialOptions = {}): Serial {
  const { port = 'serial0', root = '/' } = options
  const path = join(root, isAbsolute(port) ? port : join('dev', port))
  const title = basename(port)
  const kernel = kernelOf(options)
  const console = consoleAt(path, root)
  if (console !== undefined)
    throw new HardwareError(
      'EBUSY',
      `${title} is the console of the kernel (console=${console} in cmdline.txt): take it off with sudo raspi-config nonint do_serial_cons 1`,
    )
  const release = claim(path, title)
  let fd: number | undefined
  try {
    // Without O_NONBLOCK it would wait for a modem to pick up.
    fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK)
    kernel.ioctl(fd, TIOCEXCL, 0)
    configure(kernel, fd, options)
    return new Line(new Descriptor(kernel, fd, title, { EIO: unplugged, ENODEV: unplugged }), release)
  } catch (thrown) {
    if (fd !== undefined) kernel.close(fd)
    release()
    throw hardwareError(title, thrown, {
      ENOENT: isAbsolute(port)
        ? 'is not there: ls /dev/serial/by-id shows the adapters that are plugged in'
        : 'is not there: switch the UART on with sudo raspi-config nonint do_serial_hw 0',
      EACCES: 'may not be opened by this user: sudo usermod -aG dialout NAME, and log in again',
      EINVAL: `cannot be set to ${options.baud ?? 9600} baud`,
      ENOTTY: 'is no serial line',
    })
  }
}

const unplugged = 'is gone: its cable was pulled'

function configure(kernel: KernelCalls, fd: number, { baud = 9600, parity = 'none', stopBits = 1 }: SerialOptions) {
  if (!Number.isInteger(baud) || baud <= 0) throw Object.assign(new Error(`${baud} baud`), { code: 'EINVAL' })
  const termios = Buffer.alloc(termios2Bytes)
  kernel.ioctl(fd, TCGETS2, termios)
  // Raw: neither input, output nor local modes but the check of the parity.
  termios.writeUInt32LE(parity === 'none' ? 0 : INPCK, 0)
  termios.writeUInt32LE(0, 4)
  const control = CS8 | CREAD | CLOCAL | BOTHER | parityFlags[parity] | (stopBits === 2 ? CSTOPB : 0)
  termios.writeUInt32LE(control, 8)
  termios.writeUInt32LE(0, 12)
  termios[17 + VTIME] = 0
  termios[17 + VMIN] = 1
  termios.writeUInt32LE(baud, 36)
  termios.writeUInt32LE(baud, 40)
  kernel.ioctl(fd, TCSETS2, termios)
  kernel.ioctl(fd, TCFLSH, TCIFLUSH)
}

/** The name under which the kernel writes its messages to this line, if it does. */
function consoleAt(path: string, root: string): string | undefined {
  let commandLine: string
  try {
    commandLine = readFileSync(join(root, 'proc/cmdline'), 'utf8')
  } catch {
    return undefined
  }
  const names = [basename(path), linkedName(path)]
  return [...commandLine.matchAll(/(?:^|\s)console=([^\s,]+)/g)]
    .map(([, name]) => name!)
    .find(name => names.includes(name))
}

function linkedName(path: string): string | undefined {
  try {
    return basename(readlinkSync(path))
  } catch {
    return undefined
  }
}

/** How long a line that is full is left alone. */
const fullMs = 5

class Line implements Serial {
  readonly title: string
  readonly #descriptor: Descriptor
  readonly #release: () => void
  readonly #reads = new Turns()
  readonly #writes = new Turns()
  /** Ends the read that waits. */
  #endRead: ((thrown: unknown) => void) | undefined

  constructor(descriptor: Descriptor, release: () => void) {
    this.title = descriptor.title
    this.#descriptor = descriptor
    this.#release = release
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#writes.take(async () => {
      for (let sent = 0; sent < bytes.length; ) {
        const count = this.#descriptor.use((_, fd) => unlessLater(() => writeSync(fd, bytes, sent)))
        if (count === undefined) await new Promise(resolve => setTimeout(resolve, fullMs))
        else sent += count
      }
    })
  }

  read(byteLength: number, timeoutMs: number): Promise<Uint8Array> {
    return this.#reads.take(() => this.#read(Buffer.alloc(byteLength), timeoutMs))
  }

  flush(): void {
    this.#descriptor.use((kernel, fd) => kernel.ioctl(fd, TCFLSH, TCIFLUSH))
  }

  close(): void {
    if (this.#descriptor.closed) return
    this.#endRead?.(new HardwareError('EBADF', `${this.title} is closed`))
    this.#descriptor.close()
    this.#release()
  }

  #read(bytes: Buffer, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      let come = 0
      let stop = () => {}
      const end = (settle: () => void) => {
        clearTimeout(timer)
        stop()
        this.#endRead = undefined
        settle()
      }
      const timer = setTimeout(() => {
        const told =
          come === 0
            ? `does not answer within ${timeoutMs} ms: check its power, and that its TX goes to RX here`
            : `gave ${come} of ${bytes.length} bytes within ${timeoutMs} ms: check its baud rate`
        end(() => reject(new HardwareError('ETIMEDOUT', `${this.title} ${told}`)))
      }, timeoutMs)
      this.#endRead = thrown => end(() => reject(thrown))
      const take = () => {
        try {
          const count = this.#descriptor.use((_, fd) =>
            unlessLater(() => readSync(fd, bytes, come, bytes.length - come, null)),
          )
          // The end of a file is a line that nobody is at any more.
          if (count === 0) throw new HardwareError('ENODEV', `${this.title} ${unplugged}`)
          come += count ?? 0
          if (come === bytes.length) end(() => resolve(bytes))
        } catch (thrown) {
          end(() => reject(thrown))
        }
      }
      try {
        stop = this.#descriptor.use((kernel, fd) => kernel.onReadable(fd, take))
      } catch (thrown) {
        end(() => reject(thrown))
      }
    })
  }
}

/** What a call gave that may have to wait: nothing when it would. */
function unlessLater(call: () => number): number | undefined {
  try {
    return call()
  } catch (thrown) {
    if (codeOf(thrown) === 'EAGAIN') return undefined
    throw thrown
  }
}
