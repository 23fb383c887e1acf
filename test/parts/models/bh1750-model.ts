import type { Clock } from '../../../runtime/clock.ts'
import { I2CChip } from './i2c-chip.ts'

/** A BH1750 in light of some lux, by its instruction set: one-time H-resolution only. */
export class BH1750Model extends I2CChip {
  lux: number
  mode: 'down' | 'on' | 'measuring' = 'down'
  readonly #clock: Clock
  #mtreg = 69
  #data = 0
  #doneAt = 0

  constructor(clock: Clock, lux: number) {
    super(0x23)
    this.#clock = clock
    this.lux = lux
  }

  protected written(bytes: Uint8Array): void {
    for (const opcode of bytes) this.#execute(opcode)
  }

  protected given(): Uint8Array {
    if (this.mode === 'measuring' && this.#clock.now() >= this.#doneAt) {
      this.#data = Math.min(Math.round((this.lux * 1.2 * this.#mtreg) / 69), 65535)
      this.mode = 'down'
    }
    return Uint8Array.of(this.#data >> 8, this.#data)
  }

  #execute(opcode: number): void {
    if (opcode === 0x00) this.mode = 'down'
    else if (opcode === 0x01) this.mode = 'on'
    else if (opcode >> 3 === 0b01000) this.#mtreg = (this.#mtreg & 0x1f) | ((opcode & 7) << 5)
    else if (opcode >> 5 === 0b011) this.#mtreg = (this.#mtreg & 0xe0) | (opcode & 0x1f)
    else if (opcode === 0x20) {
      this.mode = 'measuring'
      this.#doneAt = this.#clock.now() + 180
    } else this.nack()
  }
}
