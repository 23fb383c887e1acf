import { I2CChip } from './i2c-chip.ts'

/** An MCP3424: each byte written is its configuration; it gives its value, then that configuration for as long as it is read. */
export class MCP3424Model extends I2CChip {
  configuration = 0x90

  constructor() {
    super(0x68)
  }

  protected written(bytes: Uint8Array): void {
    this.configuration = bytes.at(-1) ?? this.configuration
  }

  protected given(byteLength: number): Uint8Array {
    const bytes = new Uint8Array(byteLength).fill(this.configuration)
    bytes.set([0x01, 0x23].slice(0, byteLength))
    return bytes
  }
}
