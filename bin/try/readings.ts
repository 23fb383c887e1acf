import { isSenmlUnit, readableUnit } from '../../runtime/senml-units.ts'

/** One value that was read, with the full SenML name of what gave it. */
export interface Reading {
  name: string
  value: number | boolean | string
  unit?: string
}

interface SenmlRecord {
  bn?: string
  bu?: string
  n?: string
  u?: string
  v?: number
  vb?: boolean
  vs?: string
  vd?: string
}

/** The readings of a SenML pack in JSON (RFC 8428), its base fields resolved and records without a value left out. */
export function readingsOf(pack: unknown): Reading[] {
  if (!Array.isArray(pack)) return []
  const readings: Reading[] = []
  let baseName = ''
  let baseUnit: string | undefined
  for (const record of pack as SenmlRecord[]) {
    baseName = record.bn ?? baseName
    baseUnit = record.bu ?? baseUnit
    const value = record.v ?? record.vb ?? record.vs ?? record.vd
    if (value === undefined) continue
    const unit = record.u ?? baseUnit
    readings.push({ name: baseName + (record.n ?? ''), value, ...(unit !== undefined && { unit }) })
  }
  return readings
}

/** A value as a person reads it, with its unit: `24.3 °C`, `42.0 %`, `yes`. */
export function readable(value: Reading['value'], unit?: string): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return plain(value)
  if (unit === '/') return `${rounded(value * 100)} %`
  if (unit === '%RH') return `${rounded(value)} % RH`
  if (unit === undefined) return Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value) : rounded(value)
  return `${rounded(value)} ${isSenmlUnit(unit) ? readableUnit(unit) : plain(unit)}`
}

/** A number short enough for a narrow column and long enough to see it move. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const size = Math.abs(value)
  if (size >= 1e7 || (size > 0 && size < 1e-3)) return value.toExponential(2)
  const text = value.toFixed(size >= 1000 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3)
  return Number(text) === 0 ? '0' : text
}

/** A text from elsewhere, without what could steer a terminal. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ').trim()
}
