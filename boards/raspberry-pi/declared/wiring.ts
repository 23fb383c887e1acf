import type { Digital, I2C, PWM, Serial, SPI } from '../../io.ts'
import { type I2COptions, i2c } from '../bus/i2c.ts'
import { type SerialOptions, serial } from '../bus/serial.ts'
import { type SPIOptions, spi } from '../bus/spi.ts'
import { type DigitalOptions, digital } from '../gpio/digital.ts'
import { HardwareError } from '../hardware-error.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { type LedOptions, led } from '../sysfs/led.ts'
import { type PWMOptions, pwm } from '../sysfs/pwm.ts'
import type { Quantity } from '../sysfs/quantity.ts'

/** Something of the board that is taken when it is first used, and again after that failed. */
class Late<Taken> {
  readonly title: string
  readonly #take: () => Taken
  #taken: Taken | undefined
  #closed = false

  constructor(title: string, take: () => Taken) {
    this.title = title
    this.#take = take
  }

  get(): Taken {
    if (this.#closed) throw new HardwareError('EBADF', `${this.title} is closed`)
    this.#taken ??= this.#take()
    return this.#taken
  }

  /** What was taken, where it was. */
  get taken(): Taken | undefined {
    return this.#taken
  }

  /** Closes it with what it is given, where it was taken. */
  close(close: (taken: Taken) => void): void {
    const taken = this.#taken
    this.#taken = undefined
    this.#closed = true
    if (taken !== undefined) close(taken)
  }
}

/** What one part is wired to. Each piece of IO can be handed to a driver at once, and is taken from the board later. */
export class Wiring {
  readonly #system: SystemOptions
  readonly #io: { take(): unknown; close(): void }[] = []

  constructor(system: SystemOptions) {
    this.#system = system
  }

  /** Takes all of it now. Returns what could not be had. */
  async take(): Promise<unknown[]> {
    const failures: unknown[] = []
    for (const io of this.#io) {
      try {
        await io.take()
      } catch (thrown) {
        failures.push(thrown)
      }
    }
    return failures
  }

  /** Gives back what was taken, as it was made to be left. */
  close(): void {
    for (const io of this.#io) io.close()
  }

  digital(options: DigitalOptions): Digital {
    return this.#digital(String(options.pin), () => digital({ ...this.#system, ...options }))
  }

  led(options: LedOptions): Digital {
    return this.#digital(`LED ${options.name}`, () => led({ ...this.#system, ...options }))
  }

  i2c(options: I2COptions): I2C {
    const { address, bus = 1 } = options
    const title = `0x${address.toString(16).padStart(2, '0')} on ${typeof bus === 'number' ? `i2c-${bus}` : bus}`
    const late = new Late(title, () => i2c({ ...this.#system, ...options }))
    return this.#kept({
      address,
      // A bus that was named is known by its number once it is there.
      get title() {
        return late.taken?.title ?? title
      },
      take: () => late.get(),
      write: async bytes => late.get().write(bytes),
      read: async byteLength => late.get().read(byteLength),
      writeRead: async (bytes, byteLength) => late.get().writeRead(bytes, byteLength),
      close: () => late.close(taken => taken.close()),
    })
  }

  spi(options: SPIOptions): SPI {
    const { bus = 0, select = 0 } = options
    const late = new Late(`spidev${bus}.${select}`, () => spi({ ...this.#system, ...options }))
    return this.#kept({
      title: late.title,
      take: () => late.get(),
      transfer: async bytes => late.get().transfer(bytes),
      close: () => late.close(taken => taken.close()),
    })
  }

  serial(options: SerialOptions): Serial {
    const late = new Late(options.port ?? 'serial0', () => serial({ ...this.#system, ...options }))
    return this.#kept({
      title: late.title,
      take: () => late.get(),
      write: async bytes => late.get().write(bytes),
      read: async (byteLength, timeoutMs) => late.get().read(byteLength, timeoutMs),
      flush: () => late.get().flush(),
      close: () => late.close(taken => taken.close()),
    })
  }

  /** It takes a moment to be had: {@link take} waits for it, and before that it cannot be written. */
  pwm(options: PWMOptions): PWM {
    const title = options.pin ?? `channel ${options.channel ?? 0} of ${options.chip}`
    const system = this.#system
    let taken: PWM | undefined
    let closed = false
    return this.#kept({
      hz: options.hz ?? 1000,
      async take() {
        taken ??= await pwm({ ...system, ...options })
        // It was given back meanwhile.
        if (closed) taken.close()
      },
      write(duty) {
        if (taken === undefined || closed) throw new HardwareError('EBADF', `${title} is not open`)
        taken.write(duty)
      },
      close() {
        closed = true
        taken?.close()
      },
    })
  }

  /** What the kernel measures. It may come and go: it is looked for again after a failure. */
  quantity(title: string, find: (system: SystemOptions) => Quantity): Pick<Quantity, 'read'> {
    const late = new Late(title, () => find(this.#system))
    this.#io.push({ take: () => late.get(), close: () => late.close(() => {}) })
    return { read: async () => late.get().read() }
  }

  #digital(title: string, take: () => Digital): Digital {
    const late = new Late(title, take)
    return this.#kept({
      take: () => late.get(),
      read: () => late.get().read(),
      write: value => late.get().write(value),
      watch(changed) {
        const { watch } = late.get()
        return watch === undefined ? () => {} : watch.call(late.get(), changed)
      },
      close: () => late.close(taken => taken.close()),
    })
  }

  #kept<IO extends { close(): void }>(io: IO & { take(): unknown }): IO {
    this.#io.push(io)
    return io
  }
}
