import type { KernelCalls } from '../../boards/raspberry-pi/kernel/kernel-calls.ts'
import { addFiles, systemRoot } from './system-root.ts'

/** A controller of the fake kernel. */
export interface FakeChip {
  name: string
  label: string
  lines: number
  /** Names of lines, by offset. */
  named?: Record<number, string>
  /** Who has a line already, by offset. */
  taken?: Record<number, string>
}

interface Held {
  chip: FakeChip
  offset: number
  flags: bigint
  debounceUs: number
  tell: (() => void) | undefined
  events: Buffer[]
}

const ACTIVE_LOW = 2n
const OUTPUT = 8n
const EDGES = 16n | 32n

const failure = (code: string) => Object.assign(new Error(code), { code })
const cString = (bytes: Buffer, offset: number) => bytes.toString('utf8', offset, offset + 32).replace(/\0.*$/s, '')

/**
 * The GPIO character device as linux/gpio.h describes it, written down a second time and independently of the code that
 * speaks to it. It keeps each physical change as `GPIO17 out 1`, in the order in which they came.
 */
export class FakeGpio implements KernelCalls {
  readonly pointerBytes = 8
  readonly root: string
  /** What happened at the pins. */
  readonly physical: string[] = []
  /** Chips that were opened, and lines that were asked for. */
  readonly touched: string[] = []
  readonly #chips: readonly FakeChip[]
  readonly #open = new Map<number, FakeChip | Held>()
  readonly #levels = new Map<string, boolean>()
  #nextFd = 100
  #removed = false

  constructor(chips: readonly FakeChip[], files: Record<string, string> = {}) {
    this.#chips = chips
    this.root = systemRoot(files)
    addFiles(this.root, Object.fromEntries(chips.map(({ name }) => [`dev/${name}`, ''])))
  }

  /** Options for what is under test. */
  get system(): { root: string; kernel: KernelCalls } {
    return { root: this.root, kernel: this }
  }

  /** How many descriptors are open. */
  get descriptors(): number {
    return this.#open.size
  }

  /** The world sets the voltage of an input. */
  drive(chip: string, offset: number, high: boolean, timeMs = 0): void {
    this.#levels.set(`${chip} ${offset}`, high)
    const held = this.#heldAt(chip, offset)
    if (held === undefined || (held.flags & EDGES) === 0n) return
    const event = Buffer.alloc(48)
    event.writeBigUInt64LE(BigInt(Math.round(timeMs * 1e6)), 0)
    event.writeUInt32LE(high !== ((held.flags & ACTIVE_LOW) !== 0n) ? 1 : 2, 8)
    event.writeUInt32LE(offset, 12)
    held.events.push(event)
    held.tell?.()
  }

  /** The flags and the debounce time that the kernel has for a line. */
  lineConfig(chip: string, offset: number): { flags: number; debounceUs: number } | undefined {
    const held = this.#heldAt(chip, offset)
    return held && { flags: Number(held.flags), debounceUs: held.debounceUs }
  }

  /** The controllers go away while lines are held. */
  remove(): void {
    this.#removed = true
    for (const one of this.#open.values()) if ('tell' in one) one.tell?.()
  }

  addressOf(): bigint {
    throw new Error('GPIO has no pointers')
  }

  open(path: string): number {
    const chip = this.#chips.find(({ name }) => path.endsWith(`/${name}`))
    if (chip === undefined) throw failure('ENOENT')
    this.touched.push(chip.name)
    return this.#add(chip)
  }

  close(fd: number): void {
    if (!this.#open.delete(fd)) throw failure('EBADF')
  }

  read(fd: number, into: Uint8Array): number {
    const held = this.#open.get(fd) as Held
    if (this.#removed) throw failure('ENODEV')
    const event = held.events.shift()
    if (event === undefined) throw new Error('a read with nothing to read would wait for ever')
    into.set(event)
    return event.length
  }

  ioctl(fd: number, request: number, argument: Buffer): number {
    const target = this.#open.get(fd)
    if (target === undefined) throw failure('EBADF')
    if (this.#removed) throw failure('ENODEV')
    const size = (request >>> 16) & 0x3fff
    if (argument.length !== size) throw failure('EFAULT')
    const number = request & 0xff
    if ('offset' in target) this.#lineIoctl(target, number, argument)
    else this.#chipIoctl(target, number, argument)
    return 0
  }

  ioctlInPool(): Promise<number> {
    throw new Error('no pin waits for anything')
  }

  onReadable(fd: number, tell: () => void): () => void {
    const held = this.#open.get(fd) as Held
    held.tell = tell
    return () => {
      held.tell = undefined
    }
  }

  #chipIoctl(chip: FakeChip, number: number, argument: Buffer): void {
    if (number === 0x01) {
      argument.write(chip.name, 0)
      argument.write(chip.label, 32)
      argument.writeUInt32LE(chip.lines, 64)
    } else if (number === 0x05) {
      const offset = argument.readUInt32LE(64)
      if (offset >= chip.lines) throw failure('EINVAL')
      argument.write(chip.named?.[offset] ?? '', 0)
      const consumer = this.#heldAt(chip.name, offset) ? 'held in this test' : (chip.taken?.[offset] ?? '')
      argument.write(consumer, 32)
      argument.writeBigUInt64LE(consumer === '' ? 0n : 1n, 72)
    } else if (number === 0x07) {
      this.#request(chip, argument)
    } else throw failure('ENOTTY')
  }

  #request(chip: FakeChip, argument: Buffer): void {
    const offset = argument.readUInt32LE(0)
    this.touched.push(`${chip.name} line ${offset} for ${cString(argument, 256).replace(/\d+/, 'PID')}`)
    if (argument.readUInt32LE(560) !== 1 || offset >= chip.lines) throw failure('EINVAL')
    if (chip.taken?.[offset] !== undefined || this.#heldAt(chip.name, offset)) throw failure('EBUSY')
    const held: Held = { chip, offset, flags: 0n, debounceUs: 0, tell: undefined, events: [] }
    this.#configure(held, argument.subarray(288, 560))
    argument.writeInt32LE(this.#add(held), 588)
  }

  #configure(held: Held, config: Buffer): void {
    held.flags = config.readBigUInt64LE(0)
    held.debounceUs = 0
    let value = false
    for (let i = 0; i < config.readUInt32LE(8); i++) {
      const at = 32 + 24 * i
      if (config.readBigUInt64LE(at + 16) !== 1n) throw failure('EINVAL')
      const id = config.readUInt32LE(at)
      if (id === 2) value = config.readBigUInt64LE(at + 8) === 1n
      else if (id === 3) held.debounceUs = config.readUInt32LE(at + 8)
      else throw failure('EINVAL')
    }
    if ((held.flags & OUTPUT) !== 0n) this.#drive(held, value)
  }

  #lineIoctl(held: Held, number: number, argument: Buffer): void {
    const low = (held.flags & ACTIVE_LOW) !== 0n
    if (number === 0x0d) this.#configure(held, argument)
    else if (number === 0x0e) {
      const high = this.#levels.get(`${held.chip.name} ${held.offset}`) ?? false
      argument.writeBigUInt64LE(high !== low ? 1n : 0n, 0)
    } else if (number === 0x0f) {
      if (argument.readBigUInt64LE(8) !== 1n) throw failure('EINVAL')
      if ((held.flags & OUTPUT) === 0n) throw failure('EPERM')
      this.#drive(held, argument.readBigUInt64LE(0) === 1n)
    } else throw failure('ENOTTY')
  }

  #drive(held: Held, value: boolean): void {
    const high = value !== ((held.flags & ACTIVE_LOW) !== 0n)
    this.#levels.set(`${held.chip.name} ${held.offset}`, high)
    this.physical.push(`GPIO${held.offset} out ${high ? 1 : 0}`)
  }

  #heldAt(chip: string, offset: number): Held | undefined {
    return [...this.#open.values()].find(
      (one): one is Held => 'offset' in one && one.chip.name === chip && one.offset === offset,
    )
  }

  #add(one: FakeChip | Held): number {
    this.#open.set(this.#nextFd, one)
    return this.#nextFd++
  }
}

/** A Raspberry Pi 4 as a kernel of 2024 shows it. */
export const pi4: readonly FakeChip[] = [
  {
    name: 'gpiochip0',
    label: 'pinctrl-bcm2711',
    lines: 58,
    named: { 2: 'SDA1', 17: 'GPIO17', 42: 'STATUS_LED_G_CLK' },
  },
  { name: 'gpiochip1', label: 'raspberrypi-exp-gpio', lines: 8, named: { 0: 'BT_ON', 2: 'PWR_LED_OFF' } },
]
