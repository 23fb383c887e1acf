import { make, setText } from './dom.js'
import { rangeTexts, spanText } from './words.js'

const columns = 300
const rows = 60
const margin = 4
const leastSpanMs = 60_000

/** @typedef {import('./series.js').Series} Series */

/**
 * A line chart of one sensor over the last while. However many points there are, it draws at most one a column: the mean as
 * a line, and what lies between the lowest and the highest as a band behind it. Its text alternative says the same in
 * figures.
 */
export class Chart {
  #svg = svg('svg', { viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: 'none', role: 'img', class: 'chart' })
  #band = svg('path', { class: 'band' })
  #line = svg('path', { class: 'line' })
  #now = svg('path', { class: 'now' })
  #began = make('span')
  #figures = make('span')
  #title
  #series

  /**
   * @param {string} title
   * @param {Series} series
   */
  constructor(title, series) {
    this.#title = title
    this.#series = series
    this.#svg.append(this.#band, this.#line, this.#now)
    // The picture's text alternative says all of it, in whole words.
    this.element = make(
      'figure',
      {},
      this.#svg,
      make(
        'figcaption',
        { 'aria-hidden': 'true' },
        make('span', { class: 'axis' }, this.#began, make('span', {}, 'now')),
        this.#figures,
      ),
    )
  }

  /**
   * Draws what is known of the time up to now. While that is less than the span, what there is fills the chart.
   *
   * @param {{spanMs: number, now: number, unit: string | undefined, isSwitch: boolean}} options
   */
  draw({ spanMs, now, unit, isSwitch }) {
    const from = Math.max(now - spanMs, Math.min(this.#series.times[0] ?? now, now - leastSpanMs))
    const figures = this.#series.figures(from, now)
    const span = spanText(now - from)
    setText(this.#began, `${span} ago`)
    if (figures === undefined) {
      setText(this.#figures, 'nothing known')
      this.#describe(`${this.#title}: nothing is known of the last ${span}.`)
      for (const path of [this.#band, this.#line, this.#now]) path.setAttribute('d', '')
      return
    }
    const { lo, hi, mean, switches } = figures
    if (isSwitch) {
      const changes = switches === 1 ? 'switched once' : `switched ${switches} times`
      setText(this.#figures, `on ${Math.round(mean * 100)} % · ${changes}`)
      this.#describe(`${this.#title} in the last ${span}: on ${Math.round(mean * 100)} % of the time, ${changes}.`)
    } else {
      const [low, middle, high, unitShown] = rangeTexts(lo, mean, hi, unit)
      setText(this.#figures, `min ${low} · mean ${middle} · max ${high}`)
      const figure = (/** @type {string} */ text) => `${text} ${unitShown}`.trim()
      this.#describe(
        `${this.#title} in the last ${span}: minimum ${figure(low)}, mean ${figure(middle)}, maximum ${figure(high)}.`,
      )
    }
    this.#trace(from, now, isSwitch ? { low: 0, high: 1 } : roomFor(lo, hi), isSwitch)
  }

  /**
   * @param {number} from
   * @param {number} to
   * @param {{low: number, high: number}} bounds
   * @param {boolean} isSwitch
   */
  #trace(from, to, { low, high }, isSwitch) {
    const y = (/** @type {number} */ value) =>
      (rows - margin - ((value - low) / (high - low)) * (rows - 2 * margin)).toFixed(1)
    let line = ''
    let band = ''
    const stretches = stretchesOf(this.#series, from, to, isSwitch)
    for (const { points, ends } of stretches) {
      const first = /** @type {Column} */ (points[0])
      const last = /** @type {Column} */ (points.at(-1))
      // A switch stands where it was until it is thrown.
      const step = (/** @type {number} */ at) =>
        isSwitch && at > 0 ? `${points[at]?.x} ${y(points[at - 1]?.mean ?? 0)}L` : ''
      const path = points.map(({ x, mean }, at) => `${step(at)}${x} ${y(mean)}`)
      // And the last value holds to the end.
      const trace = `M${path.join('L')}L${ends} ${y(last.mean)}`
      line += trace
      if (isSwitch) band += `${trace}L${ends} ${y(0)}L${first.x} ${y(0)}Z`
      else if (points.some(({ lo, hi }) => hi > lo)) {
        const all = [...points, { ...last, x: ends }]
        const above = all.map(({ x, hi }) => `${x} ${y(hi)}`)
        const below = all.reverse().map(({ x, lo }) => `${x} ${y(lo)}`)
        band += `M${[...above, ...below].join('L')}Z`
      }
    }
    this.#line.setAttribute('d', line)
    this.#band.setAttribute('d', band)
    const current = stretches.at(-1)
    // Stretched as the picture is, a circle would be an egg; the round end of a line is round.
    this.#now.setAttribute(
      'd',
      current?.ends === columns ? `M${columns} ${y(current.points.at(-1)?.mean ?? 0)}h0.01` : '',
    )
  }

  /** @param {string} text */
  #describe(text) {
    if (this.#svg.getAttribute('aria-label') !== text) this.#svg.setAttribute('aria-label', text)
  }
}

/**
 * @typedef {{x: number, mean: number, lo: number, hi: number, count: number}} Column what came together in one column
 * @typedef {{points: Column[], ends: number}} Stretch columns without a gap between them, and where the last value ends
 */

/**
 * The columns that a series fills, in stretches between its gaps.
 *
 * @param {Series} series
 * @param {number} from
 * @param {number} to
 * @param {boolean} isSwitch a switch is what it was last, and nothing in the middle
 */
function stretchesOf(series, from, to, isSwitch) {
  const { times, means, los, his } = series
  /** @type {Stretch[]} */
  const stretches = []
  /** @type {Stretch | undefined} */
  let current
  for (let at = series.firstFrom(from); at < times.length; at++) {
    const [mean = Number.NaN, lo = 0, hi = 0, time = 0] = [means[at], los[at], his[at], times[at]]
    const x = Math.max(0, Math.min(columns, Math.round(((time - from) / (to - from)) * columns)))
    if (Number.isNaN(mean)) {
      if (current !== undefined) current.ends = x
      current = undefined
      continue
    }
    if (current === undefined) {
      current = { points: [], ends: columns }
      stretches.push(current)
    }
    const last = current.points.at(-1)
    if (last?.x !== x) current.points.push({ x, mean, lo, hi, count: 1 })
    else {
      last.mean = isSwitch ? mean : (last.mean * last.count + mean) / (last.count + 1)
      last.lo = Math.min(last.lo, lo)
      last.hi = Math.max(last.hi, hi)
      last.count++
    }
  }
  return stretches
}

/**
 * The range that is drawn: what there is and some room, and never so little that noise looks like a storm.
 *
 * @param {number} lo
 * @param {number} hi
 */
function roomFor(lo, hi) {
  const least = Math.max(Math.abs(lo), Math.abs(hi)) * 0.02 || 1
  const room = Math.max(hi - lo, least)
  const middle = (hi + lo) / 2
  return { low: middle - room * 0.55, high: middle + room * 0.55 }
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string>} attributes
 * @returns {SVGElementTagNameMap[K]}
 */
function svg(tag, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}
