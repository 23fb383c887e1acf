import { TimeBuckets, tiers } from './time-buckets.ts'

/** How something that is on or off was, over some stretch of time. A value counts until the next one is seen. */
export interface SwitchFigures {
  readings: number
  /** How many times it went on or off. */
  switches: number
  /** The share of the time in which it was on, 0 to 1; left out when no time was seen to pass. */
  onShare?: number
}

/** On and off over time: what it was in all, and in each bucket. */
export class SwitchRecord {
  /** Switches, milliseconds on, milliseconds known. */
  readonly #buckets = new TimeBuckets()
  /** Readings, switches, milliseconds on, milliseconds known. */
  readonly #all = new Float64Array(4)
  #value: boolean | undefined = undefined
  #since = 0

  add(value: boolean, time: number): void {
    this.pass(time)
    const switched = this.#value !== undefined && this.#value !== value
    this.#value = value
    this.#since = time
    this.#all[0]!++
    if (switched) this.#all[1]!++
    for (let tier = 0; tier < tiers.length; tier++) {
      const row = this.#buckets.row(tier, time)
      this.#buckets.countOne(row)
      if (switched) this.#buckets.figures[3 * row]!++
    }
  }

  /** It could not be read: from now on nobody knows, until the next value. */
  fail(time: number): void {
    this.pass(time)
    this.#value = undefined
  }

  /** Time passed with the value as it was. */
  pass(now: number): void {
    const from = this.#since
    this.#since = now
    if (this.#value === undefined || now <= from) return
    this.#all[3]! += now - from
    if (this.#value) this.#all[2]! += now - from
    for (const [tier, { widthMs, size }] of tiers.entries()) {
      // What lies before the oldest bucket is in none of them.
      let start = Math.max(from, (Math.floor(now / widthMs) - size + 1) * widthMs)
      while (start < now) {
        const end = Math.min(now, (Math.floor(start / widthMs) + 1) * widthMs)
        const row = this.#buckets.row(tier, start)
        this.#buckets.figures[3 * row + 2]! += end - start
        if (this.#value) this.#buckets.figures[3 * row + 1]! += end - start
        start = end
      }
    }
  }

  get all(): SwitchFigures {
    const [readings, switches, on, known] = this.#all as unknown as [number, number, number, number]
    return figuresOf(readings, switches, on, known)
  }

  /** How it was in a tier's whole ring up to now. */
  window(tier: number, now: number): SwitchFigures | undefined {
    this.pass(now)
    let [readings, switches, on, known] = [0, 0, 0, 0]
    for (const { row } of this.#buckets.recent(tier, now)) {
      readings += this.#buckets.count(row)
      switches += this.#buckets.figures[3 * row]!
      on += this.#buckets.figures[3 * row + 1]!
      known += this.#buckets.figures[3 * row + 2]!
    }
    return readings === 0 && known === 0 ? undefined : figuresOf(readings, switches, on, known)
  }
}

function figuresOf(readings: number, switches: number, on: number, known: number): SwitchFigures {
  return { readings, switches, ...(known > 0 && { onShare: on / known }) }
}
