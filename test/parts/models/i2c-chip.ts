import type { I2C } from '../../../boards/io.ts'

/** What every chip on an I2C bus does: it acknowledges its address, or it does not. */
export abstract class I2CChip implements I2C {
  readonly address: number
  readonly title: string
  /** Unplugged, it acknowledges nothing. */
  plugged = true
  closed = false

  constructor(address: number) {
    this.address = address
    this.title = `0x${address.toString(16).padStart(2, '0')} on i2c-1`
  }

  /** The bytes of a write, without the address. */
  protected abstract written(bytes: Uint8Array): void
  /** The bytes of a read. */
  protected abstract given(byteLength: number): Uint8Array

  /** What the kernel's adapter says when nobody acknowledges. */
  protected nack(): never {
    throw new Error(`${this.title} does not answer: check its wiring, its power and its address`)
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#addressed()
    this.written(bytes)
  }

  async read(byteLength: number): Promise<Uint8Array> {
    this.#addressed()
    return this.given(byteLength)
  }

  async writeRead(bytes: Uint8Array, byteLength: number): Promise<Uint8Array> {
    this.#addressed()
    this.written(bytes)
    return this.given(byteLength)
  }

  close(): void {
    this.closed = true
  }

  #addressed(): void {
    if (this.closed) throw new Error(`${this.title} is closed`)
    if (!this.plugged) this.nack()
  }
}

/** A chip with registers of a byte and a pointer that moves on by itself. */
export class RegisterChip extends I2CChip {
  readonly registers = new Uint8Array(256)
  #pointer = 0

  protected written(bytes: Uint8Array): void {
    this.#pointer = bytes[0] ?? this.#pointer
    for (const byte of bytes.subarray(1)) this.store(this.#pointer++, byte)
  }

  protected given(byteLength: number): Uint8Array {
    return Uint8Array.from({ length: byteLength }, () => this.load(this.#pointer++))
  }

  protected store(register: number, byte: number): void {
    this.registers[register] = byte
  }

  protected load(register: number): number {
    return this.registers[register]!
  }

  /** Puts 16 bits into two registers, low byte first. */
  putLittle(register: number, value: number): void {
    this.registers[register] = value
    this.registers[register + 1] = value >> 8
  }

  /** Puts 16 bits into two registers, high byte first. */
  putBig(register: number, value: number): void {
    this.registers[register] = value >> 8
    this.registers[register + 1] = value
  }
}
