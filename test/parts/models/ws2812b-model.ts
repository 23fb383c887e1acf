import type { SPI } from '../../../boards/io.ts'

/**
 * A strip of WS2812B on the MOSI line of an SPI bus, by the times of its datasheet. Between transfers the line is low, but
 * for less than the lamps need to take their data.
 */
export class WS2812BModel implements SPI {
  readonly title = 'spidev0.0'
  /** Red, green and blue of each lamp. */
  lamps: number[][]
  closed = false
  readonly #hz: number

  constructor(lamps: number, hz = 2_400_000) {
    this.lamps = Array.from({ length: lamps }, () => [9, 9, 9])
    this.#hz = hz
  }

  async transfer(bytes: Uint8Array): Promise<Uint8Array> {
    if (bytes.length > 4096) throw new Error('spidev0.0 cannot transfer as many bytes at once')
    const line = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
    const bits: number[] = []
    let taken = false
    for (const [, high, low] of line.matchAll(/(1+)(0+)/g)) {
      if (taken) throw new Error('data after the reset')
      const highUs = (high!.length / this.#hz) * 1e6
      const lowUs = (low!.length / this.#hz) * 1e6
      if (Math.abs(highUs - 0.4) <= 0.15) bits.push(0)
      else if (Math.abs(highUs - 0.8) <= 0.15) bits.push(1)
      else throw new Error(`high for ${highUs} µs`)
      if (lowUs > 280) taken = true
      else if (Math.abs(lowUs - (bits.at(-1) === 0 ? 0.85 : 0.45)) > 0.15) throw new Error(`low for ${lowUs} µs`)
    }
    if (!taken) throw new Error('no reset at the end')
    this.lamps = this.lamps.map((before, lamp) => {
      const own = bits.slice(24 * lamp, 24 * lamp + 24)
      if (own.length < 24) return before
      const value = own.reduce((word, bit) => (word << 1) | bit, 0)
      return [(value >> 8) & 0xff, value >> 16, value & 0xff]
    })
    return bytes.map(() => 0)
  }

  close(): void {
    this.closed = true
  }
}
