import type { SensorValue } from '../board.ts'
import { differs } from '../differs.ts'

/** A value and when it came, in milliseconds since 1970-01-01 UTC. */
export interface Change {
  value: number | boolean | string
  time: number
}

/** The longest part of a text that is remembered, in characters. */
const longestText = 100

/** The last changes of a sensor, in a ring of fixed size. Bytes are counted and not kept. */
export class Changes {
  readonly #times: Float64Array
  readonly #numbers: Float64Array | undefined
  readonly #texts: string[] | undefined
  readonly #isBoolean: boolean
  readonly #deadBand: number
  #last: SensorValue | undefined = undefined
  #count = 0

  constructor(type: 'number' | 'boolean' | 'string' | 'data', samples: number, deadBand: number) {
    const kept = type === 'data' ? 0 : samples
    this.#times = new Float64Array(kept)
    this.#numbers = type === 'number' || type === 'boolean' ? new Float64Array(kept) : undefined
    this.#texts = type === 'string' ? [] : undefined
    this.#isBoolean = type === 'boolean'
    this.#deadBand = deadBand
  }

  /** How many changes there were, the first value not counted. */
  get count(): number {
    return Math.max(0, this.#count - 1)
  }

  /** Takes a value; one within the dead band of the last change is none. */
  add(value: SensorValue, time: number): void {
    if (this.#last !== undefined && !differs(this.#last, value, this.#deadBand)) return
    this.#last = value
    const size = this.#times.length
    if (size > 0) {
      const at = this.#count % size
      this.#times[at] = time
      if (this.#numbers !== undefined) this.#numbers[at] = Number(value)
      if (this.#texts !== undefined) this.#texts[at] = shortText(String(value))
    }
    this.#count++
  }

  /** What is kept, the oldest first. */
  list(): Change[] {
    const size = this.#times.length
    const kept = Math.min(this.#count, size)
    return Array.from({ length: kept }, (_, index) => {
      const at = (this.#count - kept + index) % size
      return { value: this.#valueAt(at), time: this.#times[at]! }
    })
  }

  #valueAt(at: number): Change['value'] {
    if (this.#texts !== undefined) return this.#texts[at]!
    return this.#isBoolean ? this.#numbers![at] === 1 : this.#numbers![at]!
  }
}

function shortText(text: string): string {
  if (text.length <= longestText) return text
  // Joined anew: a slice would keep the whole of a long text alive.
  return `${[...text.slice(0, longestText - 1)].join('')}…`
}
