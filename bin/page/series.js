/**
 * @typedef {object} Figures what a stretch of time was
 * @property {number} lo
 * @property {number} hi
 * @property {number} mean weighted by time
 * @property {number} switches how many times the value changed
 */

/** How fine points have to be that are so old: no chart shows more. @type {readonly {olderThanMs: number, widthMs: number}[]} */
const fineness = [
  { olderThanMs: 3_600_000, widthMs: 300_000 },
  { olderThanMs: 600_000, widthMs: 10_000 },
  { olderThanMs: 0, widthMs: 1000 },
]

/**
 * A time series of bounded size: points with the lowest, highest and mean value of what they stand for. When it is full, old
 * points are put together, so that a day fits and drawing never takes longer.
 */
export class Series {
  #most
  /** Milliseconds since 1970, rising. @type {number[]} */
  times = []
  /** NaN where nothing is known from then on. @type {number[]} */
  means = []
  /** @type {number[]} */
  los = []
  /** @type {number[]} */
  his = []

  constructor(most = 2000) {
    this.#most = most
  }

  get last() {
    return this.times.at(-1) ?? Number.NEGATIVE_INFINITY
  }

  /**
   * Adds a point. One that is not later than the last is dropped: it was read twice.
   *
   * @param {number} time
   * @param {number} mean
   */
  add(time, mean, lo = mean, hi = mean) {
    if (!(time > this.last)) return
    if (this.times.length >= this.#most) this.#thin()
    this.times.push(time)
    this.means.push(mean)
    this.los.push(lo)
    this.his.push(hi)
  }

  /**
   * From then on nothing is known, until the next point.
   *
   * @param {number} time
   */
  gap(time) {
    if (this.times.length > 0 && !Number.isNaN(this.means.at(-1))) this.add(time, Number.NaN)
  }

  /** The index of the first point that matters from `from` on: the one before it says what was so at that time. */
  /** @param {number} from */
  firstFrom(from) {
    let low = 0
    let high = this.times.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (/** @type {number} */ (this.times[middle]) <= from) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }

  /**
   * @param {number} from
   * @param {number} to
   * @returns {Figures | undefined} nothing when nothing is known of that time
   */
  figures(from, to) {
    let lo = Number.POSITIVE_INFINITY
    let hi = Number.NEGATIVE_INFINITY
    let sum = 0
    let known = 0
    let switches = 0
    let before = Number.NaN
    for (let at = this.firstFrom(from); at < this.times.length && this.#time(at) <= to; at++) {
      const mean = /** @type {number} */ (this.means[at])
      const begins = Math.max(from, this.#time(at))
      const ends = Math.min(to, this.times[at + 1] ?? to)
      if (!Number.isNaN(mean) && ends >= from) {
        lo = Math.min(lo, /** @type {number} */ (this.los[at]))
        hi = Math.max(hi, /** @type {number} */ (this.his[at]))
        // A last point that was taken this very moment counts all the same.
        const weight = Math.max(1, ends - begins)
        sum += mean * weight
        known += weight
        if (!Number.isNaN(before) && before !== mean) switches++
      }
      before = mean
    }
    return known === 0 ? undefined : { lo, hi, mean: sum / known, switches }
  }

  /** Puts points together that no chart tells apart. What is too old even then is forgotten. */
  #thin() {
    const older = new Series(Number.POSITIVE_INFINITY)
    const { last } = this
    let begin = 0
    for (let at = 1; at <= this.times.length; at++) {
      if (at < this.times.length && this.#isAlike(begin, at, last)) continue
      const { lo, hi, mean } = this.#together(begin, at)
      older.add(this.#time(begin), mean, lo, hi)
      begin = at
    }
    const tooMany = Math.max(0, older.times.length - Math.floor(this.#most * 0.8))
    this.times = older.times.slice(tooMany)
    this.means = older.means.slice(tooMany)
    this.los = older.los.slice(tooMany)
    this.his = older.his.slice(tooMany)
  }

  /**
   * Whether two points fall into the same bucket of their age. A gap is one by itself.
   *
   * @param {number} one
   * @param {number} other
   * @param {number} now
   */
  #isAlike(one, other, now) {
    const [from, to] = [this.#time(one), this.#time(other)]
    const widthMs = fineness.find(({ olderThanMs }) => now - from >= olderThanMs)?.widthMs ?? 1000
    const isKnown = !Number.isNaN(this.means[one]) && !Number.isNaN(this.means[other])
    return isKnown && Math.floor(from / widthMs) === Math.floor(to / widthMs)
  }

  /**
   * What the points from one up to before another come to.
   *
   * @param {number} begin
   * @param {number} end
   */
  #together(begin, end) {
    let [lo, hi, sum, weight] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
    for (let at = begin; at < end; at++) {
      const lasts = Math.max(1, (this.times[at + 1] ?? 0) - this.#time(at))
      lo = Math.min(lo, this.los[at] ?? lo)
      hi = Math.max(hi, this.his[at] ?? hi)
      sum += (this.means[at] ?? 0) * lasts
      weight += lasts
    }
    return { lo, hi, mean: sum / weight }
  }

  /** @param {number} at */
  #time(at) {
    return /** @type {number} */ (this.times[at])
  }
}
