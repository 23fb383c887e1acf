import { I2CChip } from './i2c-chip.ts'

/** A chip of Texas Instruments' kind: a pointer, and registers of 16 bits, high byte first. */
export class WordRegisters extends I2CChip {
  readonly words: number[] = []
  #pointer = 0

  protected written(bytes: Uint8Array): void {
    this.#pointer = bytes[0] ?? this.#pointer
    if (bytes.length === 3) this.store(this.#pointer, (bytes[1]! << 8) | bytes[2]!)
  }

  protected given(): Uint8Array {
    const word = this.load(this.#pointer)
    return Uint8Array.of(word >> 8, word)
  }

  protected store(register: number, word: number): void {
    this.words[register] = word
  }

  protected load(register: number): number {
    return this.words[register] ?? 0
  }
}
