import process from 'node:process'
import type { Digital } from '../../io.ts'
import { codeOf, HardwareError, hardwareError } from '../hardware-error.ts'
import { Descriptor } from '../kernel/descriptor.ts'
import { type KernelCalls, kernelOf } from '../kernel/kernel-calls.ts'
import { withChip } from './chips.ts'
import { type FoundLine, findLine, type PinOptions } from './find-line.ts'
import {
  configureLine,
  type LineConfig,
  type LineEvent,
  LineFlag,
  lineEvents,
  lineInfo,
  lineValue,
  requestLine,
  setLineValue,
} from './uapi.ts'

/** How a pin is used. Levels are logical: with `activeLow`, true is a low voltage. */
export interface DigitalOptions extends PinOptions {
  /** `input` when left out. */
  mode?: 'input' | 'output'
  /** True is the low level: a relay board, a button to ground. */
  activeLow?: boolean
  /** The resistor of the chip. It stays as it is when left out. */
  pull?: 'up' | 'down' | 'off'
  /** An output that drives one level only and leaves the other to a resistor. Both when left out. */
  drive?: 'open-drain' | 'open-source'
  /** The level that an output has from its first moment on; false when left out. */
  initial?: boolean
  /** The level that an output is left with when it is closed; false when left out. */
  safe?: boolean
  /** An input has changed when its level has been steady for as long; at once when left out. */
  debounceMs?: number
}

const pullFlags = {
  up: LineFlag.BIAS_PULL_UP,
  down: LineFlag.BIAS_PULL_DOWN,
  off: LineFlag.BIAS_DISABLED,
}
const driveFlags = { 'open-drain': LineFlag.OPEN_DRAIN, 'open-source': LineFlag.OPEN_SOURCE }

/**
 * Takes a pin, through the kernel's GPIO character device. An output gets its direction and its first level in one step.
 *
 * @throws HardwareError when the pin is not there, or the device tree or another program has it
 */
export function digital(options: DigitalOptions): Digital {
  const { mode = 'input', activeLow, pull, drive, initial = false, debounceMs } = options
  const kernel = kernelOf(options)
  const found = findLine(options)
  const config: LineConfig = {
    flags:
      (mode === 'output' ? LineFlag.OUTPUT : LineFlag.INPUT) |
      (activeLow ? LineFlag.ACTIVE_LOW : 0) |
      (pull === undefined ? 0 : pullFlags[pull]) |
      (drive === undefined ? 0 : driveFlags[drive]),
    ...(mode === 'output' && { value: initial }),
    ...(mode === 'input' && debounceMs !== undefined && { debounceMs }),
  }
  const line = new Descriptor(kernel, take(kernel, found, config), found.title, {
    ENODEV: 'is gone: its controller was removed',
  })
  return mode === 'output' ? new Output(line, options.safe ?? false) : new Input(line, config)
}

function take(kernel: KernelCalls, { chip, offset, title }: FoundLine, config: LineConfig): number {
  return withChip(kernel, chip.path, fd => {
    try {
      return requestLine(kernel, fd, { offset, consumer: `ferrule ${process.pid}`, config })
    } catch (thrown) {
      const { consumer } = codeOf(thrown) === 'EBUSY' ? lineInfo(kernel, fd, offset) : { consumer: '' }
      const holder = consumer === '' ? 'the kernel' : `"${consumer}"`
      throw hardwareError(title, thrown, {
        EBUSY: `is taken by ${holder}: a program that runs, or a line of /boot/firmware/config.txt that gives the pin away`,
        EINVAL: 'cannot be used that way: the controller has no such pull, drive or debounce',
        ENOTSUP: 'cannot be used that way: the controller has no such pull, drive or debounce',
        EOPNOTSUPP: 'cannot be used that way: the controller has no such pull, drive or debounce',
      })
    }
  })
}

class Output implements Digital {
  readonly #line: Descriptor
  readonly #safe: boolean

  constructor(line: Descriptor, safe: boolean) {
    this.#line = line
    this.#safe = safe
  }

  read(): boolean {
    return this.#line.use(lineValue)
  }

  write(value: boolean): void {
    this.#line.use((kernel, fd) => setLineValue(kernel, fd, value))
  }

  close(): void {
    if (this.#line.closed) return
    try {
      // Some kernels leave an output as it was when it is let go.
      this.write(this.#safe)
    } catch (thrown) {
      if (codeOf(thrown) !== 'ENODEV') throw thrown
    } finally {
      this.#line.close()
    }
  }
}

const edges = LineFlag.EDGE_RISING | LineFlag.EDGE_FALLING

class Input implements Digital {
  readonly #line: Descriptor
  readonly #config: LineConfig
  readonly #watchers = new Set<(value: boolean, timeMs: number) => void>()
  #stop: (() => void) | undefined

  constructor(line: Descriptor, config: LineConfig) {
    this.#line = line
    this.#config = config
  }

  read(): boolean {
    return this.#line.use(lineValue)
  }

  write(): void {
    throw new HardwareError(
      'EINVAL',
      `${this.#line.title} was taken as an input: take it with mode: 'output' to set it`,
    )
  }

  watch(changed: (value: boolean, timeMs: number) => void): () => void {
    if (this.#stop === undefined) this.#begin()
    // A function of its own, so that the same one may be given twice.
    const watcher = (value: boolean, timeMs: number) => changed(value, timeMs)
    this.#watchers.add(watcher)
    return () => {
      if (this.#watchers.delete(watcher) && this.#watchers.size === 0) this.#end()
    }
  }

  close(): void {
    this.#watchers.clear()
    if (this.#stop !== undefined) this.#end()
    this.#line.close()
  }

  #begin(): void {
    this.#line.use((kernel, fd) => {
      configureLine(kernel, fd, { ...this.#config, flags: this.#config.flags | edges })
      this.#stop = kernel.onReadable(fd, () => this.#tell(kernel, fd))
    })
  }

  #tell(kernel: KernelCalls, fd: number): void {
    let events: LineEvent[]
    try {
      events = lineEvents(kernel, fd)
    } catch (thrown) {
      // It would be told of the same failure for ever.
      this.#stop?.()
      this.#stop = undefined
      // The controller was removed: the next reading says so.
      if (codeOf(thrown) === 'ENODEV') return
      throw thrown
    }
    for (const { value, timeMs } of events) {
      for (const watcher of [...this.#watchers]) watcher(value, timeMs)
    }
  }

  #end(): void {
    this.#stop?.()
    this.#stop = undefined
    try {
      this.#line.use((kernel, fd) => configureLine(kernel, fd, this.#config))
    } catch (thrown) {
      if (codeOf(thrown) !== 'ENODEV') throw thrown
    }
  }
}
