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
  readonly #type: 'number' | 'boolean' | 'string' | 'data'
  readonly #size: number
  /** Time and value in turn; of texts only the time. */
  readonly #ring: Float64Array
  readonly #texts: string[] | undefined
  readonly #deadBand: number
  #last: SensorValue | undefined = undefined
  #count = 0

  constructor(type: 'number' | 'boolean' | 'string' | 'data', samples: number, deadBand: number) {
    this.#type = type
    this.#size = type === 'data' ? 0 : samples
    this.#ring = new Float64Array(2 * this.#size)
    this.#texts = type === 'string' ? [] : undefined
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
    if (this.#size > 0) {
      const at = this.#count % this.#size
      this.#ring[2 * at] = time
      if (this.#texts === undefined) this.#ring[2 * at + 1] = Number(value)
      else this.#texts[at] = shortText(String(value))
    }
    this.#count++
  }

  /** What is kept, the oldest first. */
  list(): Change[] {
    const kept = Math.min(this.#count, this.#size)
    return Array.from({ length: kept }, (_, index) => {
      const at = (this.#count - kept + index) % this.#size
      return { value: this.#valueAt(at), time: this.#ring[2 * at]! }
    })
  }

  #valueAt(at: number): Change['value'] {
    if (this.#texts !== undefined) return this.#texts[at]!
    const number = this.#ring[2 * at + 1]!
    return this.#type === 'boolean' ? number === 1 : number
  }
}

function shortText(text: string): string {
  if (text.length <= longestText) return text
  // Joined anew: a slice would keep the whole of a long text alive.
  return `${[...text.slice(0, longestText - 1)].join('')}…`
}
