import type { SPI } from '../../../boards/io.ts'

/** An MCP3008 by the bits on its wires: DS21295, section 5. */
export class MCP3008Model implements SPI {
  readonly title = 'spidev0.0'
  readonly codes: number[]
  /** Unplugged, DOUT is pulled high. */
  plugged = true
  closed = false

  constructor(codes: number[]) {
    this.codes = codes
  }

  async transfer(bytes: Uint8Array): Promise<Uint8Array> {
    if (!this.plugged) return bytes.map(() => 0xff)
    const sent = [...bytes].flatMap(byte => [7, 6, 5, 4, 3, 2, 1, 0].map(bit => (byte >> bit) & 1))
    const start = sent.indexOf(1)
    // DOUT is high-impedance until the null bit.
    const given = sent.map(() => 1)
    if (start >= 0) {
      const [single, d2 = 0, d1 = 0, d0 = 0] = sent.slice(start + 1)
      if (single !== 1) throw new Error('differential inputs are not modelled')
      const code = this.codes[(d2 << 2) | (d1 << 1) | d0]!
      // A clock to sample, then the null bit, then ten bits with the most significant first.
      const from = start + 6
      given[from] = 0
      for (let bit = 0; bit < 10; bit++) given[from + 1 + bit] = (code >> (9 - bit)) & 1
    }
    return bytes.map((_, i) => given.slice(8 * i, 8 * i + 8).reduce((byte, bit) => (byte << 1) | bit, 0))
  }

  close(): void {
    this.closed = true
  }
}
