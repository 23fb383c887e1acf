/** One ring of buckets: `size` of them, each `widthMs` long. */
export interface Tier {
  readonly widthMs: number
  readonly size: number
}

/** Ten minutes by the minute, an hour by ten minutes, a day by the hour. */
export const tiers: readonly Tier[] = [
  { widthMs: 60_000, size: 10 },
  { widthMs: 600_000, size: 6 },
  { widthMs: 3_600_000, size: 24 },
]

/** The row of all time: it is nobody's bucket, and never emptied. */
export const allRow = tiers.reduce((sum, { size }) => sum + size, 0)
const rows = allRow + 1
const starts = tiers.map((_, tier) => tiers.slice(0, tier).reduce((sum, { size }) => sum + size, 0))

/**
 * Buckets of time in two typed arrays of fixed size: three figures and a count for each bucket. A bucket begins at a
 * whole multiple of its width (UTC), and takes the place of the one a whole ring before it.
 *
 *   tier 0  │min│min│…│      10 rows          figures[3 * row]   counts[2 * row]      which bucket it is
 *   tier 1  │10 min│…│        6 rows                             counts[2 * row + 1]  how many were counted
 *   tier 2  │hour│…│         24 rows
 *   all time                 1 row, the last
 */
export class TimeBuckets {
  /** Three figures a row; what they are is for the owner to say. 0 in a new bucket. */
  readonly figures: Float64Array
  readonly #counts: Uint32Array

  constructor() {
    // One piece of memory for both: each piece costs as much beside as three buckets.
    const memory = new ArrayBuffer(rows * 32)
    this.figures = new Float64Array(memory, 0, rows * 3)
    this.#counts = new Uint32Array(memory, rows * 24)
  }

  /** The row of the bucket that this time falls in, emptied where it was another bucket's. */
  row(tier: number, time: number): number {
    const { widthMs, size } = tiers[tier]!
    const number = Math.floor(time / widthMs)
    const row = starts[tier]! + (number % size)
    if (this.#counts[2 * row] !== number) {
      this.#counts[2 * row] = number
      this.#counts[2 * row + 1] = 0
      this.figures.fill(0, 3 * row, 3 * row + 3)
    }
    return row
  }

  /** How many were counted in the bucket of a row. */
  count(row: number): number {
    return this.#counts[2 * row + 1]!
  }

  /** Counts one more in the bucket of a row. Returns how many they are now. */
  countOne(row: number): number {
    return ++this.#counts[2 * row + 1]!
  }

  /** The rows of a tier that belong to the time up to `now`, the oldest first, each with when its bucket began. */
  recent(tier: number, now: number): { row: number; start: number }[] {
    const { widthMs, size } = tiers[tier]!
    const last = Math.floor(now / widthMs)
    const found: { row: number; start: number }[] = []
    for (let number = Math.max(0, last - size + 1); number <= last; number++) {
      const row = starts[tier]! + (number % size)
      if (this.#counts[2 * row] === number) found.push({ row, start: number * widthMs })
    }
    return found
  }
}
