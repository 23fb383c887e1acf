import type { Sensor, SensorValue } from '../../../runtime/index.ts'
import { type Field, field, isThere, Wrong } from './field.ts'

/** What was measured, and what it was in truth; in the order of what was measured. */
export type Calibration = readonly (readonly [measured: number, true_: number])[]

const mostPoints = 100

/** `[[2.9, 0], [0.8, 1]]`: two points or more, each what the part gives and what that means. */
export function calibration(): Field<Calibration> {
  const description =
    'Points of a line, each what the part gives and what that means, in "unit": [[2.9, 0], [0.8, 1]]. Between and beyond them it is straight'
  const point = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }
  const schema = { type: 'array', items: point, minItems: 2, maxItems: mostPoints, description }
  return field(
    schema,
    [
      [2.9, 0],
      [0.8, 1],
    ] as Calibration,
    written => {
      if (!Array.isArray(written) || written.length < 2 || !written.every(isPoint))
        return new Wrong(`must be two points or more, such as [[2.9, 0], [0.8, 1]]; ${isThere(written)}`)
      if (written.length > mostPoints)
        return new Wrong(`must be ${mostPoints} points at most; there are ${written.length}`)
      const points = [...(written as Calibration)].sort(([a], [b]) => a - b)
      const twice = points.find(([measured], i) => measured === points[i + 1]?.[0])
      return twice === undefined ? points : new Wrong(`has two points at ${twice[0]}: one of them is wrong`)
    },
  )
}

function isPoint(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length === 2 && value.every(each => typeof each === 'number' && Number.isFinite(each))
  )
}

/** What a measured value means: straight between two points, and beyond the last ones as between these. */
export function calibrated(points: Calibration, measured: number): number {
  const above = points.findIndex(([x]) => x > measured)
  const i = Math.min(Math.max(above < 0 ? points.length - 1 : above, 1), points.length - 1)
  const [x0, y0] = points[i - 1]!
  const [x1, y1] = points[i]!
  return Number((y0 + ((measured - x0) * (y1 - y0)) / (x1 - x0)).toPrecision(6))
}

/** A sensor whose values mean something else. What it can truly give follows from what it could before. */
export function withCalibration(sensor: Sensor, points: Calibration): Sensor {
  const { minimum, maximum, unit: _, read, watch: __, ...rest } = sensor
  const ends = [minimum, maximum].filter(end => end !== undefined)
  const inside = points.filter(([x]) => x >= (minimum ?? -Infinity) && x <= (maximum ?? Infinity))
  const reached = [...ends.map(end => calibrated(points, end)), ...inside.map(([, y]) => y)]
  return {
    ...rest,
    ...(ends.length === 2 && { minimum: Math.min(...reached), maximum: Math.max(...reached) }),
    read(request) {
      const value = read(request)
      const meant = (measured: SensorValue) => (typeof measured === 'number' ? calibrated(points, measured) : measured)
      return value instanceof Promise ? value.then(meant) : meant(value)
    },
  }
}
