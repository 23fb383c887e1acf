import { allRow, TimeBuckets, tiers } from './time-buckets.ts'

/** What the readings of some stretch of time were. */
export interface NumberFigures {
  readings: number
  minimum: number
  maximum: number
  /** The mean of the readings, each counting the same. */
  mean: number
}

/** Which way a value goes: whether the newer half of a window lies above or below the older one by more than noise. */
export type Trend = 'rising' | 'falling' | 'steady'

/** A bucket of readings. */
export interface NumberBucket extends NumberFigures {
  /** When it began, in milliseconds since 1970-01-01 UTC. */
  start: number
}

/** Numbers over time: what they were in all, and in each bucket. */
export class NumberRecord {
  /** What it is a record of. */
  readonly kind = 'number'
  /** Smallest, largest, sum. */
  readonly #buckets = new TimeBuckets()
  readonly #deadBand: number

  constructor(deadBand: number) {
    this.#deadBand = deadBand
  }

  add(value: number, time: number): void {
    this.#addTo(allRow, value)
    for (let tier = 0; tier < tiers.length; tier++) this.#addTo(this.#buckets.row(tier, time), value)
  }

  /** What all readings were; nothing when there were none. */
  get all(): NumberFigures | undefined {
    return this.#figuresOf(allRow)
  }

  /** The buckets of a tier that have readings, the oldest first. */
  buckets(tier: number, now: number): NumberBucket[] {
    return this.#buckets.recent(tier, now).flatMap(({ row, start }) => {
      const figures = this.#figuresOf(row)
      return figures === undefined ? [] : [{ start, ...figures }]
    })
  }

  /** What the readings of a tier's whole ring were, with their trend where two buckets or more tell one. */
  window(tier: number, now: number): (NumberFigures & { trend?: Trend }) | undefined {
    const buckets = this.buckets(tier, now)
    if (buckets.length === 0) return undefined
    const figures = merged(buckets)
    const trend = trendOf(buckets, figures, this.#deadBand)
    return { ...figures, ...(trend !== undefined && { trend }) }
  }

  #addTo(row: number, value: number): void {
    const { figures } = this.#buckets
    const at = 3 * row
    if (this.#buckets.countOne(row) === 1) figures.fill(value, at, at + 3)
    else {
      if (value < figures[at]!) figures[at] = value
      if (value > figures[at + 1]!) figures[at + 1] = value
      figures[at + 2]! += value
    }
  }

  #figuresOf(row: number): NumberFigures | undefined {
    const readings = this.#buckets.count(row)
    if (readings === 0) return undefined
    const { figures } = this.#buckets
    const [minimum, maximum, sum] = [figures[3 * row]!, figures[3 * row + 1]!, figures[3 * row + 2]!]
    return { readings, minimum, maximum, mean: between(sum / readings, minimum, maximum) }
  }
}

function merged(buckets: readonly NumberFigures[]): NumberFigures {
  const readings = buckets.reduce((sum, bucket) => sum + bucket.readings, 0)
  const minimum = Math.min(...buckets.map(bucket => bucket.minimum))
  const maximum = Math.max(...buckets.map(bucket => bucket.maximum))
  // Shares of the mean instead of sums: a sum of the largest numbers would be infinite.
  const mean = buckets.reduce((sum, bucket) => sum + bucket.mean * (bucket.readings / readings), 0)
  return { readings, minimum, maximum, mean: between(mean, minimum, maximum) }
}

/** What wanders within a quarter of its own range goes nowhere. */
const noiseShare = 0.25

function trendOf(buckets: readonly NumberBucket[], all: NumberFigures, deadBand: number): Trend | undefined {
  const first = buckets[0]!.start
  const last = buckets.at(-1)!.start
  if (first === last) return undefined
  const middle = (first + last) / 2
  const older = merged(buckets.filter(({ start }) => start < middle)).mean
  const newer = merged(buckets.filter(({ start }) => start > middle)).mean
  const noise = Math.max(deadBand, noiseShare * (all.maximum - all.minimum))
  if (newer - older > noise) return 'rising'
  return older - newer > noise ? 'falling' : 'steady'
}

/** Rounding may carry a mean past what it is the mean of. */
function between(mean: number, minimum: number, maximum: number): number {
  return Math.min(Math.max(mean, minimum), maximum)
}
