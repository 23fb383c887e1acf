import type { I2C, Serial, SPI } from '../io.ts'

/** A part's place on an I2C bus. Whatever fails there is told with the part's name and its place. */
export class I2CPlace {
  readonly #part: string
  readonly #i2c: I2C

  constructor(part: string, i2c: I2C) {
    this.#part = part
    this.#i2c = i2c
  }

  /** Sends bytes. */
  write(...bytes: number[]): Promise<void> {
    return this.#told(this.#i2c.write(Uint8Array.from(bytes)))
  }

  /** Takes bytes, without saying which. */
  async read(byteLength: number): Promise<DataView> {
    return this.#whole(await this.#told(this.#i2c.read(byteLength)), byteLength)
  }

  /** Reads what begins at a register. */
  async register(register: number, byteLength: number): Promise<DataView> {
    return this.#whole(await this.#told(this.#i2c.writeRead(Uint8Array.of(register), byteLength)), byteLength)
  }

  /** Reads a register of one byte. */
  async byte(register: number): Promise<number> {
    return (await this.register(register, 1)).getUint8(0)
  }

  /** @param what what the part does wrong, and what to check: `has the id 0x00: check its wiring` */
  failure(what: string): Error {
    return new Error(`${this.#part} at ${this.#title} ${what}`)
  }

  get #title(): string {
    return this.#i2c.title ?? hex(this.#i2c.address)
  }

  #whole(bytes: Uint8Array, byteLength: number): DataView {
    if (bytes.length !== byteLength) throw this.failure(`gave ${bytes.length} bytes of ${byteLength}: check its wiring`)
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #told<Result>(transfer: Promise<Result>): Promise<Result> {
    return transfer.catch(thrown => {
      throw namedError(this.#part, this.#title, thrown)
    })
  }
}

/** The same for a place on an SPI bus. */
export class SPIPlace {
  readonly #part: string
  readonly #spi: SPI

  constructor(part: string, spi: SPI) {
    this.#part = part
    this.#spi = spi
  }

  /** Sends bytes and gives what came back. */
  transfer(bytes: Uint8Array): Promise<Uint8Array> {
    return this.#spi.transfer(bytes).catch(thrown => {
      throw namedError(this.#part, this.#title, thrown)
    })
  }

  /** @param what what the part does wrong, and what to check */
  failure(what: string): Error {
    return new Error(`${this.#part} at ${this.#title} ${what}`)
  }

  get #title(): string {
    return this.#spi.title ?? 'its SPI bus'
  }
}

/** The same for a place on a serial line. */
export class SerialPlace {
  readonly #part: string
  readonly #serial: Serial

  constructor(part: string, serial: Serial) {
    this.#part = part
    this.#serial = serial
  }

  /** Sends bytes. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#told(this.#serial.write(bytes))
  }

  /** Gives the next bytes, as many as asked for, if they come in time. */
  read(byteLength: number, timeoutMs: number): Promise<Uint8Array> {
    return this.#told(this.#serial.read(byteLength, timeoutMs))
  }

  /** Forgets what has come and was not read. */
  flush(): void {
    try {
      this.#serial.flush()
    } catch (thrown) {
      throw namedError(this.#part, this.#title, thrown)
    }
  }

  /** @param what what the part does wrong, and what to check */
  failure(what: string): Error {
    return new Error(`${this.#part} at ${this.#title} ${what}`)
  }

  get #title(): string {
    return this.#serial.title ?? 'its serial line'
  }

  #told<Result>(transfer: Promise<Result>): Promise<Result> {
    return transfer.catch(thrown => {
      throw namedError(this.#part, this.#title, thrown)
    })
  }
}

/** `0x1f`. */
export function hex(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`
}

/** What IO threw, with the part's name: IO that has a title begins its messages with it. */
function namedError(part: string, title: string, thrown: unknown): Error {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new Error(`${part} at ${message.startsWith(title) ? message : `${title}: ${message}`}`, { cause: thrown })
}
