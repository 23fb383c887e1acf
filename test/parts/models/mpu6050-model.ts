import { RegisterChip } from './i2c-chip.ts'

/** An MPU-6050 that rests on a table: RM-MPU-6000A-00 revision 4.2. */
export class MPU6050Model extends RegisterChip {
  /** In g, degrees Celsius and degrees a second. */
  readonly truth = { acceleration: [0, 0, 1], temperature: 25, rotation: [0, 0, 0] }

  constructor(id = 0x68) {
    super(0x68)
    this.registers[0x75] = id
    this.powerUp()
  }

  powerUp(): void {
    const id = this.registers[0x75]!
    this.registers.fill(0)
    this.registers[0x75] = id
    this.registers[0x6b] = 0x40
  }

  protected override load(register: number): number {
    // In the first byte of a burst, what was measured last is put there; asleep, nothing is.
    if (register === 0x3b && (this.registers[0x6b]! & 0x40) === 0) this.#measure()
    return super.load(register)
  }

  #measure(): void {
    const clip = (raw: number) => Math.min(Math.max(Math.round(raw), -32768), 32767)
    const perG = 16384 >> ((this.registers[0x1c]! >> 3) & 3)
    const perDegree = [131, 65.5, 32.8, 16.4][(this.registers[0x1b]! >> 3) & 3]!
    const { acceleration, temperature, rotation } = this.truth
    const raw = [
      ...acceleration.map(g => g * perG),
      (temperature - 36.53) * 340,
      ...rotation.map(degrees => degrees * perDegree),
    ]
    raw.forEach((value, i) => void this.putBig(0x3b + 2 * i, clip(value)))
  }
}
