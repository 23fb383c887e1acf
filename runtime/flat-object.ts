import { asciiBytes, digit0, isAscii, isDigit } from './ascii.ts'
import { isAt } from './decoder.ts'
import { isObject } from './json.ts'

/**
 * Reads objects that have the same members as one before, and nothing in them but decimal numbers and truth values, as the
 * arguments of actuators mostly do: `{"pin":17,"on":true}`. It gives what `JSON.parse` gives, without a text in between.
 */
export class FlatObject {
  /** What stands before each value: `{"pin":` and `,"on":`. */
  readonly #openings: readonly Uint8Array[]
  readonly #names: readonly string[]
  readonly #model: Record<string, unknown>
  /** Where the value ends that was read last. */
  #at = 0

  private constructor(model: Record<string, unknown>, names: readonly string[], openings: readonly string[]) {
    this.#model = { ...model }
    this.#names = names
    this.#openings = openings.map(asciiBytes)
  }

  /** For objects like this one; nothing when it is another kind of value. */
  static like(model: unknown): FlatObject | undefined {
    if (!isObject(model)) return undefined
    const names = Object.keys(model)
    if (names.length === 0 || names.length > mostMembers || !names.every(name => isScalar(model[name])))
      return undefined
    const openings = names.map((name, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)
    return openings.every(isAscii) ? new FlatObject(model, names, openings) : undefined
  }

  /** The object that a part of bytes is; nothing when it has other members, or other values. */
  read(bytes: Uint8Array, start: number, end: number): Record<string, unknown> | undefined {
    const openings = this.#openings
    const object = { ...this.#model }
    this.#at = start
    for (let i = 0; i < openings.length; i++) {
      const opening = openings[i]!
      const at = this.#at
      if (!isAt(opening, bytes, at)) return undefined
      const value = this.#scalar(bytes, at + opening.length, end)
      if (value === undefined) return undefined
      object[this.#names[i]!] = value
    }
    return this.#at === end - 1 && bytes[this.#at] === closingBrace ? object : undefined
  }

  #scalar(bytes: Uint8Array, at: number, end: number): number | boolean | undefined {
    const first = bytes[at]
    if (first !== letterT && first !== letterF) return this.#number(bytes, at, end)
    const word = first === letterT ? 'true' : 'false'
    for (let i = 1; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return undefined
    this.#at = at + word.length
    return first === letterT
  }

  /**
   * A number of few digits: both the digits as a whole number and the power of ten are exact, so their quotient is the
   * number that is nearest to the decimal.
   */
  #number(bytes: Uint8Array, start: number, end: number): number | undefined {
    const isNegative = bytes[start] === minus
    const first = isNegative ? start + 1 : start
    let at = first
    let digits = 0
    for (; at < end && isDigit(bytes[at]!); at++) digits = digits * 10 + bytes[at]! - digit0
    if (at === first || (at > first + 1 && bytes[first] === digit0)) return undefined
    let divisor = 1
    if (bytes[at] === point) {
      const fraction = ++at
      for (; at < end && isDigit(bytes[at]!); at++) {
        digits = digits * 10 + bytes[at]! - digit0
        divisor *= 10
      }
      if (at === fraction) return undefined
    }
    if (at - first > mostDigits) return undefined
    this.#at = at
    const value = divisor === 1 ? digits : digits / divisor
    return isNegative ? -value : value
  }
}

const mostMembers = 8
/** In characters, with the point. So many digits are exact in a double. */
const mostDigits = 15

const minus = 0x2d
const point = 0x2e
const letterF = 0x66
const letterT = 0x74
const closingBrace = 0x7d

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}
