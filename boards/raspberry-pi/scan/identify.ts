import type { Clock } from '../../../runtime/clock.ts'
import type { I2C } from '../../io.ts'
import { checkedWords } from '../../parts/crc8.ts'
import { wait } from '../../parts/wait.ts'
import { type Answer, askableAddresses, type KnownPart, partsAt } from './known-parts.ts'

/** Sensirion's chips make an answer ready within this. */
const answerMs = 1

const sensirion = {
  /** Read the serial number: one byte, which to a chip with registers names one and nothing more. */
  sht4x: { command: [0x89], byteLength: 6 },
  /** Read the status. Of two bytes, so it is only for chips that have no registers. */
  sht3x: { command: [0xf3, 0x2d], byteLength: 3 },
} as const

/**
 * Tells which part has an address, by what reading it gives and nothing else: no register is written.
 *
 * @returns nothing when it cannot be told
 */
export async function identify(chip: I2C, clock?: Clock): Promise<KnownPart | undefined> {
  if (!askableAddresses.has(chip.address)) return undefined
  const parts = partsAt(chip.address).filter(({ answers }) => answers !== undefined)
  // A chip of commands has nothing to give before it got one; one with registers always has.
  const first = await plainRead(chip, 1)
  if (first === undefined) {
    for (const part of parts) {
      if (typeof part.answers === 'string' && (await answers(chip, sensirion[part.answers], clock))) return part
    }
    return undefined
  }
  if (await isConverter(chip)) return undefined
  const registers = new Registers(chip, first[0]!)
  for (const part of parts) {
    if (typeof part.answers === 'object' && (await registers.match(part.answers))) return part
  }
  return undefined
}

async function plainRead(chip: I2C, byteLength: number): Promise<Uint8Array | undefined> {
  return chip.read(byteLength).catch(() => undefined)
}

async function answers(
  chip: I2C,
  { command, byteLength }: { command: readonly number[]; byteLength: number },
  clock: Clock | undefined,
): Promise<boolean> {
  try {
    await chip.write(Uint8Array.from(command))
    await wait(answerMs, clock === undefined ? {} : { clock })
    const answer = await chip.read(byteLength)
    return checkedWords(new DataView(answer.buffer, answer.byteOffset, answer.byteLength)) !== undefined
  } catch {
    return false
  }
}

/**
 * An MCP3421 and its family take the name of a register as their configuration. They are told by what they give: a value, and
 * then that configuration as often as it is read.
 */
async function isConverter(chip: I2C): Promise<boolean> {
  if (chip.address < 0x68 || chip.address > 0x6f) return false
  const given = await plainRead(chip, 6)
  // A bus that cannot read as much cannot tell them apart, so nothing is asked.
  if (given === undefined) return true
  const [, , , fourth, fifth, sixth] = given
  return fourth === fifth && fifth === sixth && fourth !== 0 && fourth !== 0xff
}

/** The registers of a chip, each read once. */
class Registers {
  readonly #chip: I2C
  readonly #before: number
  readonly #read = new Map<string, Promise<number | undefined>>()

  /** @param before what it gave before it was asked for anything */
  constructor(chip: I2C, before: number) {
    this.#chip = chip
    this.#before = before
  }

  async match(answers: readonly Answer[]): Promise<boolean> {
    for (const { register, byteLength, values } of answers) {
      const value = await this.#value(register, byteLength)
      if (value === undefined || !values.includes(value)) return false
    }
    return true
  }

  #value(register: number, byteLength: number): Promise<number | undefined> {
    const key = `${register} ${byteLength}`
    let value = this.#read.get(key)
    if (value === undefined) this.#read.set(key, (value = this.#ask(register, byteLength)))
    return value
  }

  async #ask(register: number, byteLength: number): Promise<number | undefined> {
    try {
      const bytes = await this.#chip.writeRead(Uint8Array.of(register), byteLength)
      if (bytes[0] === register && (await this.#isOneRegister(register))) {
        await this.#chip.write(Uint8Array.of(this.#before))
        return undefined
      }
      return bytes.reduce((value, byte) => value * 256 + byte, 0)
    } catch {
      return undefined
    }
  }

  /** A multiplexer at 0x76 or 0x77 has taken the register's name as its channels. It gets back what it had. */
  async #isOneRegister(register: number): Promise<boolean> {
    if (this.#chip.address < 0x70) return false
    const again = await plainRead(this.#chip, 1)
    return again?.[0] === register
  }
}
