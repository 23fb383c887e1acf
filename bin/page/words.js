/** Units as people read them, where the registry's symbol does not tell by itself. */
const readable = /** @type {Record<string, string>} */ ({
  Cel: '°C',
  Ohm: 'Ω',
  deg: '°',
  lat: '°',
  lon: '°',
  '%RH': '%',
  '%EL': '%',
  EL: 's',
  '/100': '%',
  '/1000': '‰',
  '1/s': 'per s',
  '1/min': 'per min',
  'beat/min': 'beats/min',
  count: '',
})

/**
 * A value as people read it: a ratio of 0 to 1 in percent, a switch in words, at most four digits that matter.
 *
 * @param {unknown} value
 * @param {string} [unit] a unit of the SenML registry
 * @returns {{number: string, unit: string}}
 */
export function shown(value, unit) {
  if (typeof value === 'boolean') return { number: value ? 'On' : 'Off', unit: '' }
  if (typeof value !== 'number') return { number: String(value), unit: '' }
  if (unit === '/' || unit === '%') return { number: numberText(value * 100), unit: '%' }
  return { number: numberText(value), unit: unit === undefined ? '' : unitText(unit) }
}

/**
 * The same in one piece: `24.4 °C`.
 *
 * @param {unknown} value
 * @param {string} [unit]
 */
export function shownText(value, unit) {
  const { number, unit: text } = shown(value, unit)
  return text === '' ? number : `${number} ${text}`
}

/**
 * Three figures of one stretch of time, with as many digits as tell them apart, and their unit.
 *
 * @param {number} lo
 * @param {number} mean
 * @param {number} hi
 * @param {string | undefined} unit
 * @returns {[string, string, string, string]}
 */
export function rangeTexts(lo, mean, hi, unit) {
  const factor = unit === '/' || unit === '%' ? 100 : 1
  const range = (hi - lo) * factor
  const digits = range > 0 ? Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(range)))) : 4
  const text = (/** @type {number} */ value) => numberText(Number((value * factor).toFixed(digits)))
  return [text(lo), text(mean), text(hi), shown(0, unit).unit]
}

/**
 * A description as people read it. A device's own words are quoted for models, which must not take them for instructions;
 * people see whose page they read.
 *
 * @param {string} [description]
 */
export function descriptionText(description = '') {
  return description.replace(/^Says of itself: "(.*?)"/s, '$1')
}

/** @param {string} unit */
export function unitText(unit) {
  return readable[unit] ?? unit.replace(/m2\b/, 'm²').replace(/m3\b/, 'm³').replace(/s2\b/, 's²').replace(/^u/, 'µ')
}

/** @param {number} value */
export function numberText(value) {
  const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4))
  // A real minus, and no minus before nothing.
  return String(rounded === 0 ? 0 : rounded).replace('-', '−')
}

/** @param {number} ms */
export function ageText(ms) {
  const seconds = Math.max(0, ms / 1000)
  if (seconds < 2) return 'now'
  return `${spanText(seconds * 1000)} ago`
}

/**
 * A length of time in its two largest words at most.
 *
 * @param {number} ms
 */
export function spanText(ms) {
  const seconds = ms / 1000
  if (seconds < 55) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

/** @param {number} time */
export function clockText(time) {
  return new Date(time).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
}

/**
 * A name of a program's as words: `soilMoisture` and `soil_moisture` are `Soil moisture`.
 *
 * @param {string} name
 */
export function wordsOf(name) {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What the name of an argument says of its unit. */
const unitOfName = /** @type {Record<string, string>} */ ({
  percent: '%',
  percentage: '%',
  seconds: 's',
  second: 's',
  milliseconds: 'ms',
  ms: 'ms',
  minutes: 'min',
  hours: 'h',
  degrees: '°',
  angle: '°',
  celsius: '°C',
  hz: 'Hz',
  hertz: 'Hz',
  volts: 'V',
  millimetres: 'mm',
  mm: 'mm',
  lux: 'lx',
  rpm: 'rpm',
  litres: 'l',
})

/**
 * The unit of an argument: what its schema says, or what its name does.
 *
 * @param {string} name
 * @param {any} schema
 */
export function argumentUnit(name, schema) {
  if (typeof schema.unit === 'string') return schema.unit === '/' ? '' : unitText(schema.unit)
  const last =
    name
      .replace(/([a-z\d])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[_-]/)
      .at(-1) ?? ''
  return Object.hasOwn(unitOfName, last) ? /** @type {string} */ (unitOfName[last]) : ''
}
