import { RegisterChip } from './i2c-chip.ts'

/** A PCA9685: PCA9685 Rev. 4, section 7.3. */
export class PCA9685Model extends RegisterChip {
  constructor() {
    super(0x40)
    this.powerUp()
  }

  powerUp(): void {
    this.registers.fill(0)
    this.registers[0x00] = 0x11
    this.registers[0x01] = 0x04
    this.registers.set([0xe2, 0xe4, 0xe8, 0xe0], 0x02)
    this.registers[0xfe] = 0x1e
    for (let output = 0; output < 16; output++) this.registers[0x09 + 4 * output] = 0x10
  }

  /** The share of the period that an output is on. */
  duty(output: number): number {
    const at = 0x06 + 4 * output
    const word = (register: number) => this.registers[register]! | (this.registers[register + 1]! << 8)
    const on = word(at)
    const off = word(at + 2)
    // Asleep, no output changes: they are off after full off, and nothing else is modelled.
    if (off & 0x1000) return 0
    if (this.registers[0]! & 0x10) return Number.NaN
    return on & 0x1000 ? 1 : ((off - on + 4096) % 4096) / 4096
  }

  get hz(): number {
    return 25e6 / (4096 * (this.registers[0xfe]! + 1))
  }

  protected override store(register: number, byte: number): void {
    const asleep = (this.registers[0]! & 0x10) !== 0
    if (register === 0xfe && !asleep) return
    super.store(register, byte)
    // ALL_LED registers write those of all outputs.
    if (register >= 0xfa && register <= 0xfd)
      for (let output = 0; output < 16; output++) this.registers[0x06 + 4 * output + (register - 0xfa)] = byte
  }
}
