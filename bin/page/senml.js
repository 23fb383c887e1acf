/**
 * @typedef {object} Reading
 * @property {number | boolean | string} value
 * @property {string} [unit] a unit of the SenML registry
 * @property {number} time milliseconds since 1970, by the server's clock
 * @property {number} [asked] when it was asked for, by this clock
 */

/**
 * The records of a SenML pack (RFC 8428) with the base values put in: full name, unit, time and value.
 *
 * @param {any[]} pack
 * @returns {({name: string} & Reading)[]}
 */
export function recordsOf(pack) {
  let [baseName, baseTime, baseUnit] = ['', 0, /** @type {string | undefined} */ (undefined)]
  return pack.map(({ bn, bt, bu, n = '', t = 0, u, v, vb, vs, vd }) => {
    baseName = bn ?? baseName
    baseTime = bt ?? baseTime
    baseUnit = bu ?? baseUnit
    const unit = u ?? baseUnit
    const value = v ?? vb ?? vs ?? (vd === undefined ? '' : `${Math.floor((vd.length * 3) / 4)} bytes`)
    return { name: baseName + n, value, time: (baseTime + t) * 1000, ...(unit !== undefined && { unit }) }
  })
}

/**
 * The pack among the contents of a resource; empty when there is none.
 *
 * @param {{contents?: {mimeType?: string, text?: string}[]}} result
 */
export function packOf({ contents = [] }) {
  const text = contents.find(({ mimeType }) => mimeType === 'application/senml+json')?.text
  return recordsOf(JSON.parse(text ?? '[]'))
}

const widths = /** @type {const} */ ({ '1min': 60_000, '10min': 600_000, '1h': 3_600_000 })

/**
 * What a history resource tells, as points in the order of time: the last changes as they were, before them the minutes,
 * before those the ten minutes and the hours.
 *
 * @param {string} uri the sensor's
 * @param {ReturnType<typeof recordsOf>} records
 * @returns {{time: number, mean: number, lo: number, hi: number}[]}
 */
export function historyPoints(uri, records) {
  const changes = records.filter(({ name, value }) => name === uri && typeof value !== 'string')
  let points = changes.map(({ time, value }) => point(time, Number(value)))
  for (const tier of /** @type {(keyof typeof widths)[]} */ (Object.keys(widths))) {
    const from = points[0]?.time ?? Number.POSITIVE_INFINITY
    const of = (/** @type {string} */ figure) => records.filter(({ name }) => name === `${uri}/${tier}/${figure}`)
    const [los, his] = [of('min'), of('max')]
    const buckets = of('mean').map(({ time, value }, at) =>
      point(time, Number(value), Number(los[at]?.value ?? value), Number(his[at]?.value ?? value)),
    )
    // A bucket that reaches into what is known better is left out, unless there is nothing before it.
    points = [...buckets.filter(({ time }) => time + widths[tier] <= from), ...points]
  }
  return points
}

/**
 * @param {number} time
 * @param {number} mean
 */
function point(time, mean, lo = mean, hi = mean) {
  return { time, mean, lo, hi }
}
