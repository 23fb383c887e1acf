import type { Trimming } from '../../../boards/parts/bme280-compensation.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { RegisterChip } from './i2c-chip.ts'

/** The trimming values and the raw values of the example in BST-BMP280-DS001, section 3.12. */
export const example = {
  trimming: {
    ...{ T1: 27504, T2: 26435, T3: -1000 },
    ...{ P1: 36477, P2: -10685, P3: 3024, P4: 2855, P5: 140, P6: -7, P7: 15500, P8: -14600, P9: 6000 },
    // Values of a real chip, since there is no humidity in that example.
    ...{ H1: 75, H2: 362, H3: 0, H4: 313, H5: 50, H6: 30 },
  },
  adcT: 519888,
  adcP: 415148,
  adcH: 28000,
}

export interface BME280State {
  id?: number
  trimming?: Trimming
  adcT?: number
  adcP?: number
  adcH?: number
}

/** A BME280 or BMP280 as its memory map says: BST-BME280-DS002 section 5. */
export class BME280Model extends RegisterChip {
  readonly #clock: Clock
  readonly #state: Required<BME280State>
  /** How long it measures, in milliseconds. */
  measurementMs = 9
  /** How many measurements it made. */
  measurements = 0
  #doneAt = 0
  #ctrlHum = 0

  constructor(clock: Clock, state: BME280State = {}) {
    super(0x76)
    this.#clock = clock
    this.#state = { id: 0x60, ...example, ...state }
    this.powerUp()
  }

  /** What its registers hold after power came. */
  powerUp(): void {
    this.registers.fill(0)
    this.registers[0xd0] = this.#state.id
    const { trimming } = this.#state
    const words = [trimming.T1, trimming.T2, trimming.T3]
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9] as const) words.push(trimming[`P${n}`])
    words.forEach((word, i) => void this.putLittle(0x88 + 2 * i, word))
    this.registers[0xa1] = trimming.H1
    this.putLittle(0xe1, trimming.H2)
    this.registers[0xe3] = trimming.H3
    this.registers[0xe4] = trimming.H4 >> 4
    this.registers[0xe5] = (trimming.H4 & 0x0f) | ((trimming.H5 & 0x0f) << 4)
    this.registers[0xe6] = trimming.H5 >> 4
    this.registers[0xe7] = trimming.H6
    this.#output(0x80000, 0x80000, 0x8000)
    this.#ctrlHum = 0
  }

  /** `sleep` or `forced`, as `ctrl_meas` says. */
  get mode(): string {
    this.#settle()
    return ['sleep', 'forced', 'forced', 'normal'][this.registers[0xf4]! & 3]!
  }

  protected override store(register: number, byte: number): void {
    super.store(register, byte)
    if (register !== 0xf4 || (byte & 3) === 0) return
    // A change of ctrl_hum becomes effective by writing ctrl_meas (section 5.4.3).
    this.#ctrlHum = this.registers[0xf2]!
    this.#doneAt = this.#clock.now() + this.measurementMs
    this.registers[0xf3] = 0x08
  }

  protected override load(register: number): number {
    this.#settle()
    return super.load(register)
  }

  #settle(): void {
    if ((this.registers[0xf3]! & 0x08) === 0 || this.#clock.now() < this.#doneAt) return
    const ctrl = this.registers[0xf4]!
    this.registers[0xf3] = 0
    this.registers[0xf4] = ctrl & ~3
    this.measurements++
    const { adcT, adcP, adcH } = this.#state
    this.#output(ctrl >> 5 ? adcT : 0x80000, (ctrl >> 2) & 7 ? adcP : 0x80000, this.#ctrlHum & 7 ? adcH : 0x8000)
  }

  #output(adcT: number, adcP: number, adcH: number): void {
    const bytes = [adcP >> 12, adcP >> 4, adcP << 4, adcT >> 12, adcT >> 4, adcT << 4, adcH >> 8, adcH]
    this.registers.set(bytes, 0xf7)
  }
}
