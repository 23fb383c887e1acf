import { Chart } from './chart.js'
import { announce, byId, freeId, make, setText } from './dom.js'
import { Series } from './series.js'
import { ageText, descriptionText, shown, shownText } from './words.js'

/** @typedef {import('./live.js').BoardSensor} BoardSensor */

/** One sensor on the page: its value, how old that is, what went wrong, and its chart. */
class SensorCard {
  series = new Series()
  /** @type {import('./senml.js').Reading | undefined} */
  reading = undefined
  #failed = false
  #number = make('span', { class: 'number' }, '–')
  #unit = make('span', { class: 'unit' })
  #age = make('span', { class: 'age' }, 'not read yet')
  #problem = make('p', { class: 'problem' })
  #chart
  title

  /** @param {BoardSensor} sensor */
  constructor({ name, title = name, description = '' }) {
    this.title = title
    const id = freeId('sensor')
    this.#problem.hidden = true
    this.#chart = new Chart(title, this.series)
    this.#chart.element.hidden = true
    // The facts in brackets are shown in other ways.
    const about = descriptionText(description).replace(/ ?\([^()]*\)$/, '')
    this.element = make(
      'li',
      { class: 'card sensor', 'aria-labelledby': id },
      make('div', { class: 'head' }, make('h3', { id }, title), this.#age),
      make('p', { class: 'value' }, this.#number, ' ', this.#unit),
      this.#problem,
      this.#chart.element,
      ...(about === '' ? [] : [make('p', { class: 'about' }, about)]),
    )
  }

  /** @param {import('./senml.js').Reading} reading */
  take(reading) {
    const { value, unit, time } = reading
    this.reading = reading
    const { number, unit: unitShown } = shown(value, unit)
    setText(this.#number, number)
    setText(this.#unit, unitShown)
    this.element.classList.toggle('text', typeof value === 'string')
    this.element.classList.toggle('failed', false)
    this.#problem.hidden = true
    if (this.#failed) announce(`${this.title} gives values again: ${shownText(value, unit)}`)
    this.#failed = false
    if (typeof value !== 'string') {
      this.#chart.element.hidden = false
      this.series.add(time, Number(value))
    }
  }

  /** @param {string} why */
  fail(why) {
    setText(this.#problem, `No reading. ${why}`)
    this.#problem.hidden = false
    this.element.classList.add('failed')
    if (!this.#failed) announce(`${this.title} gives no reading: ${why}`)
    this.#failed = true
    this.series.gap(Date.now())
  }

  /** @param {{time: number, mean: number, lo: number, hi: number}[]} points */
  remember(points) {
    const newer = this.series
    const older = new Series()
    for (const { time, mean, lo, hi } of points) older.add(time, mean, lo, hi)
    for (const [at, time] of newer.times.entries())
      older.add(time, newer.means[at] ?? Number.NaN, newer.los[at], newer.his[at])
    Object.assign(newer, { times: older.times, means: older.means, los: older.los, his: older.his })
  }

  /**
   * Draws what changes with time.
   *
   * @param {number} now
   * @param {number} spanMs
   */
  draw(now, spanMs) {
    if (this.reading === undefined) return
    const { time, unit, value } = this.reading
    setText(this.#age, ageText(now - time))
    if (this.#chart.element.hidden) return
    this.#chart.draw({ spanMs, now, unit, isSwitch: typeof value === 'boolean' })
  }
}

/** The sensors of a board. */
export class Sensors {
  #list = byId('sensors')
  /** By URI. @type {Map<string, SensorCard>} */
  #cards = new Map()
  #spanMs = 600_000
  #drawnAt = 0

  constructor() {
    for (const radio of document.querySelectorAll('input[name=span]')) {
      radio.addEventListener('change', () => {
        this.#spanMs = Number(/** @type {HTMLInputElement} */ (radio).value)
        this.draw()
      })
    }
  }

  /** @param {BoardSensor[]} sensors */
  show(sensors) {
    /** @type {Map<string, SensorCard>} */
    const cards = new Map()
    for (const sensor of sensors) cards.set(sensor.uri, this.#cards.get(sensor.uri) ?? new SensorCard(sensor))
    const same = cards.size === this.#cards.size && [...cards.keys()].every(uri => this.#cards.has(uri))
    this.#cards = cards
    if (!same) this.#list.replaceChildren(...[...cards.values()].map(({ element }) => element))
    byId('sensors-section').hidden = cards.size === 0
  }

  /**
   * @param {string} uri
   * @param {import('./senml.js').Reading} reading
   */
  take(uri, reading) {
    this.#cards.get(uri)?.take(reading)
    this.#drawSoon()
  }

  /**
   * @param {string} uri
   * @param {string} why
   */
  fail(uri, why) {
    this.#cards.get(uri)?.fail(why)
    this.#drawSoon()
  }

  /**
   * @param {string} uri
   * @param {{time: number, mean: number, lo: number, hi: number}[]} points
   */
  remember(uri, points) {
    this.#cards.get(uri)?.remember(points)
    this.#drawSoon()
  }

  /** The connection is gone: nothing is known from now on. */
  lose() {
    for (const { series } of this.#cards.values()) series.gap(Date.now())
  }

  /**
   * What a sensor said last, by its name.
   *
   * @param {string} name
   * @returns {{title: string, reading: import('./senml.js').Reading} | undefined}
   */
  lastOf(name) {
    for (const [uri, { title, reading }] of this.#cards) {
      if (uri.endsWith(`/${name}`)) return reading && { title, reading }
    }
    return undefined
  }

  draw() {
    this.#drawnAt = performance.now()
    const now = Date.now()
    for (const card of this.#cards.values()) card.draw(now, this.#spanMs)
  }

  /** However fast readings come, they are drawn a few times a second. */
  #drawSoon() {
    if (this.#drawnAt > performance.now()) return
    const wait = Math.max(0, this.#drawnAt + 250 - performance.now())
    this.#drawnAt = performance.now() + wait + 1
    setTimeout(() => requestAnimationFrame(() => this.draw()), wait)
  }
}
