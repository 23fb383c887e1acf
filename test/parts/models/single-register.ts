import { I2CChip } from './i2c-chip.ts'

/**
 * A chip of one register: any byte that is written goes there, and reading gives it. A PCF8574 puts it out at its pins, a
 * TCA9548A connects the channels that it names.
 */
export class SingleRegister extends I2CChip {
  value: number
  /** All bytes that were written. */
  readonly taken: number[] = []

  constructor(address: number, value: number) {
    super(address)
    this.value = value
  }

  protected written(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.taken.push(byte)
      this.value = byte
    }
  }

  protected given(byteLength: number): Uint8Array {
    return new Uint8Array(byteLength).fill(this.value)
  }
}
