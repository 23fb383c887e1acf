import type { Clock } from '../../../runtime/clock.ts'
import { WordRegisters } from './word-registers.ts'

const pairs = ['01', '03', '13', '23', '0', '1', '2', '3']
const fullScales = [6.144, 4.096, 2.048, 1.024, 0.512, 0.256, 0.256, 0.256]

/** An ADS1115 with voltages at its inputs: SBAS444, Register Map. */
export class ADS1115Model extends WordRegisters {
  readonly volts: number[]
  /** How long a conversion takes, of what it should. */
  slowness = 1
  readonly #clock: Clock
  #doneAt: number | undefined

  constructor(clock: Clock, volts: number[]) {
    super(0x48)
    this.#clock = clock
    this.volts = volts
    this.powerUp()
  }

  powerUp(): void {
    this.words[0] = 0
    this.words[1] = 0x8583
    this.words[2] = 0x8000
    this.words[3] = 0x7fff
    this.#doneAt = undefined
  }

  protected override store(register: number, word: number): void {
    super.store(register, word)
    if (register !== 1 || (word & 0x8000) === 0) return
    this.words[1] = word & 0x7fff
    const samplesASecond = [8, 16, 32, 64, 128, 250, 475, 860][(word >> 5) & 7]!
    this.#doneAt = this.#clock.now() + (1000 / samplesASecond) * this.slowness
  }

  protected override load(register: number): number {
    if (this.#doneAt !== undefined && this.#clock.now() >= this.#doneAt) this.#convert()
    // OS reads as 1 while nothing is converted.
    return register === 1 && this.#doneAt === undefined ? this.words[1]! | 0x8000 : super.load(register)
  }

  #convert(): void {
    this.#doneAt = undefined
    const config = this.words[1]!
    const [plus, minus] = pairs[(config >> 12) & 7]!
    const volts = this.volts[Number(plus)]! - (minus === undefined ? 0 : this.volts[Number(minus)]!)
    const code = Math.round((volts / fullScales[(config >> 9) & 7]!) * 0x8000)
    this.words[0] = Math.min(Math.max(code, -0x8000), 0x7fff) & 0xffff
  }
}
