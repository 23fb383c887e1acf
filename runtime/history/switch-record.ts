import { allRow, TimeBuckets, tiers } from './time-buckets.ts'

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
  /** What it is a record of. */
  readonly kind = 'switch'
  /** Switches, milliseconds on, milliseconds known. */
  readonly #buckets = new TimeBuckets()
  #value: boolean | undefined = undefined
  #since = 0

  add(value: boolean, time: number): void {
    this.pass(time)
    const switched = this.#value !== undefined && this.#value !== value
    this.#value = value
    this.#since = time
    this.#count(allRow, switched)
    for (let tier = 0; tier < tiers.length; tier++) this.#count(this.#buckets.row(tier, time), switched)
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
    this.#hold(allRow, this.#value, now - from)
    for (const [tier, { widthMs, size }] of tiers.entries()) {
      // What lies before the oldest bucket is in none of them.
      let start = Math.max(from, (Math.floor(now / widthMs) - size + 1) * widthMs)
      while (start < now) {
        const end = Math.min(now, (Math.floor(start / widthMs) + 1) * widthMs)
        this.#hold(this.#buckets.row(tier, start), this.#value, end - start)
        start = end
      }
    }
  }

  get all(): SwitchFigures {
    return this.#figuresOf([allRow])
  }

  /** How it was in a tier's whole ring up to now. */
  window(tier: number, now: number): SwitchFigures | undefined {
    this.pass(now)
    const rows = this.#buckets.recent(tier, now).map(({ row }) => row)
    return rows.length === 0 ? undefined : this.#figuresOf(rows)
  }

  #count(row: number, switched: boolean): void {
    this.#buckets.countOne(row)
    if (switched) this.#buckets.figures[3 * row]!++
  }

  #hold(row: number, value: boolean, ms: number): void {
    if (value) this.#buckets.figures[3 * row + 1]! += ms
    this.#buckets.figures[3 * row + 2]! += ms
  }

  #figuresOf(rows: readonly number[]): SwitchFigures {
    const { figures } = this.#buckets
    const sum = (figure: (row: number) => number) => rows.reduce((all, row) => all + figure(row), 0)
    const known = sum(row => figures[3 * row + 2]!)
    return {
      readings: sum(row => this.#buckets.count(row)),
      switches: sum(row => figures[3 * row]!),
      ...(known > 0 && { onShare: sum(row => figures[3 * row + 1]!) / known }),
    }
  }
}
