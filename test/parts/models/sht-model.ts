import type { Clock } from '../../../runtime/clock.ts'
import { I2CChip } from './i2c-chip.ts'

/** The checksum bit by bit as a division of polynomials, written apart from the product's. */
function checksum(high: number, low: number): number {
  const bits = `${high.toString(2).padStart(8, '0')}${low.toString(2).padStart(8, '0')}`
  // The initial 0xff is the same as inverting the first 8 bits.
  const dividend = [...bits].map((bit, i) => Number(bit) ^ (i < 8 ? 1 : 0)).concat(Array(8).fill(0))
  const divisor = [1, 0, 0, 1, 1, 0, 0, 0, 1]
  for (let i = 0; i < 16; i++) if (dividend[i]) for (const [j, bit] of divisor.entries()) dividend[i + j]! ^= bit
  return Number.parseInt(dividend.slice(16).join(''), 2)
}

export interface SHTModelOptions {
  clock: Clock
  /** What a command, as hexadecimal digits, makes ready, and when. Unknown ones are not acknowledged. */
  commands: Record<string, { ms: number; words?: readonly number[] }>
}

/** An SHT3x or SHT4x: commands, and a read that is not acknowledged until the answer is there. */
export class SHTModel extends I2CChip {
  readonly commands: SHTModelOptions['commands']
  /** The commands that it took. */
  readonly taken: string[] = []
  /** Damages the checksum of the word with this number. */
  damaged: number | undefined
  readonly #clock: Clock
  #answer: { at: number; words: readonly number[] } | undefined

  constructor({ clock, commands }: SHTModelOptions) {
    super(0x44)
    this.#clock = clock
    this.commands = commands
  }

  protected written(bytes: Uint8Array): void {
    const command = Buffer.from(bytes).toString('hex')
    const known = this.commands[command]
    if (known === undefined) this.nack()
    this.taken.push(command)
    this.#answer = known.words && { at: this.#clock.now() + known.ms, words: known.words }
  }

  protected given(byteLength: number): Uint8Array {
    const answer = this.#answer
    if (answer === undefined || this.#clock.now() < answer.at) this.nack()
    this.#answer = undefined
    const bytes = answer.words.flatMap((word, i) => {
      const sum = checksum(word >> 8, word & 0xff)
      return [word >> 8, word & 0xff, i === this.damaged ? sum ^ 1 : sum]
    })
    return Uint8Array.from(bytes.slice(0, byteLength))
  }
}
