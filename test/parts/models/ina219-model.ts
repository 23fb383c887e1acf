import type { Clock } from '../../../runtime/clock.ts'
import { WordRegisters } from './word-registers.ts'

/** An INA219 with raw values at its inputs: SBOS448G, section 8.6. */
export class INA219Model extends WordRegisters {
  /** The shunt voltage in steps of 10 µV, and the bus voltage in steps of 4 mV. */
  readonly raw: { shunt: number; bus: number }
  conversionMs = 2 * 0.586
  readonly #clock: Clock
  #doneAt: number | undefined

  constructor(clock: Clock, raw: { shunt: number; bus: number }) {
    super(0x40)
    this.#clock = clock
    this.raw = raw
    this.words[0] = 0x399f
  }

  get mode(): number {
    return this.words[0]! & 7
  }

  protected override store(register: number, word: number): void {
    if (register !== 0) return super.store(register, word)
    super.store(0, word)
    if ((word & 7) !== 3) return
    this.words[2] = this.words[2]! & ~2
    this.#doneAt = this.#clock.now() + this.conversionMs
  }

  protected override load(register: number): number {
    if (this.#doneAt !== undefined && this.#clock.now() >= this.#doneAt) {
      this.#doneAt = undefined
      this.words[1] = this.raw.shunt & 0xffff
      this.words[2] = (this.raw.bus << 3) | 2
    }
    return super.load(register)
  }
}
