import type { SensorValue } from './board.ts'
import { DefinitionError } from './errors.ts'
import { readableUnit, type SenmlUnit, senmlUnits } from './senml-units.ts'

/** The media type of a SenML pack in JSON (RFC 8428, section 5). */
export const senmlMediaType = 'application/senml+json'

/** One value of one sensor, with the time it was taken. */
export interface Reading {
  /** The sensor's name, to be put behind the pack's base name. */
  name: string
  value: SensorValue
  unit?: SenmlUnit | undefined
  /** Milliseconds since 1970-01-01 UTC. */
  time: number
  /** A new value comes within this time, in milliseconds. */
  ttlMs?: number | undefined
}

/** A record of a SenML pack in JSON (RFC 8428, section 5). Times are in seconds. */
export interface SenmlRecord {
  /** The base name, before the name of this and every later record. */
  bn?: string
  /** The base time, added to the time of this and every later record. */
  bt?: number
  /** The unit of this and every later record that names none. */
  bu?: string
  /** The version of the pack; 10 when left out. */
  bver?: number
  n?: string
  u?: string
  v?: number
  vb?: boolean
  vs?: string
  /** Bytes in base64url without padding. */
  vd?: string
  t?: number
  /** The next value comes within this time. */
  ut?: number
}

/** Version 10 with the feature "Secondary Units", code 4, added as 2^4 (RFC 9100, sections 3 and 4). */
const versionWithSecondaryUnits = 26

/**
 * Makes a SenML pack (RFC 8428) of readings: the base name, and a time and unit common to all, stand once, on the first
 * record. A pack with a secondary unit says so by its version (RFC 9100), since not every reader knows those.
 *
 * @throws {DefinitionError} when a name breaks the rules of {@link assertSenmlName}
 * @throws {Error} when a value is a number that JSON cannot hold
 */
export function senmlPack(baseName: string, readings: readonly Reading[]): SenmlRecord[] {
  const [first, ...others] = readings
  if (first === undefined) return []
  const oneTime = others.length > 0 && others.every(({ time }) => time === first.time)
  const oneUnit = others.length > 0 && others.every(({ unit }) => unit === first.unit) ? first.unit : undefined

  return readings.map((reading, index) => {
    assertSenmlName(baseName + reading.name)
    const record: SenmlRecord = {}
    if (index === 0) {
      record.bn = baseName
      if (oneTime) record.bt = first.time / 1000
      if (oneUnit !== undefined) record.bu = oneUnit
      Object.assign(record, senmlVersionOf(readings.map(({ unit }) => unit)))
    }
    record.n = reading.name
    if (oneUnit === undefined && reading.unit !== undefined) record.u = reading.unit
    setValue(record, reading)
    if (!oneTime) record.t = reading.time / 1000
    if (reading.ttlMs) record.ut = reading.ttlMs / 1000
    return record
  })
}

/** The version of a pack with these units: said only where one of them is a secondary one (RFC 9100). */
export function senmlVersionOf(units: readonly (SenmlUnit | undefined)[]): Pick<SenmlRecord, 'bver'> {
  const isSecondary = units.some(unit => unit !== undefined && senmlUnits.get(unit)?.of !== undefined)
  return isSecondary ? { bver: versionWithSecondaryUnits } : {}
}

function setValue(record: SenmlRecord, { name, value }: Reading): void {
  if (typeof value === 'boolean') record.vb = value
  else if (typeof value === 'string') record.vs = value
  else if (typeof value !== 'number') record.vd = base64url(value)
  else if (Number.isFinite(value)) record.v = value
  else throw new Error(`${name} gave ${value}: a reading must be a finite number`)
}

/**
 * Checks a full SenML name, which is the base name and the name together: it starts with a letter or digit and goes on
 * with letters, digits and `-` `:` `.` `/` `_` (RFC 8428, section 4.5.1).
 *
 * @throws {DefinitionError} when the name breaks this rule
 */
export function assertSenmlName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9\-:./_]*$/.test(name)) return
  throw new DefinitionError(
    `${JSON.stringify(name)} is no SenML name: it must start with a letter or digit and go on with these or - : . / _`,
  )
}

/**
 * One reading as a short English line for a model or a person: `Air temperature: 22.5 °C`, or
 * `Soil moisture: 0.42 (ratio 0 to 1, 42 %), read 0.3 s ago`. Text that a sensor gives is quoted, on one line and bounded,
 * so that it cannot pass for something the program says. An age below 0.1 s is not worth mentioning.
 */
export function readableReading(title: string, value: SensorValue, unit?: SenmlUnit, ageMs = 0): string {
  const age = ageMs < 100 ? '' : `, read ${readableAge(ageMs)} ago`
  return `${title}: ${readableValue(value, unit)}${age}`
}

const longestText = 200
const mostBytes = 16

function readableValue(value: SensorValue, unit: SenmlUnit | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') {
    // JSON leaves the control characters from DEL to 0x9f and Unicode's two line ends as they are.
    const line = JSON.stringify(value.slice(0, longestText)).replace(/[\u007f-\u009f\u2028\u2029]/g, ' ')
    return value.length > longestText ? `${line} and ${value.length - longestText} more characters` : line
  }
  if (typeof value !== 'number') {
    const hex = Array.from(value.subarray(0, mostBytes), byte => byte.toString(16).padStart(2, '0')).join(' ')
    const count = value.length === 1 ? '1 byte' : `${value.length} bytes`
    return value.length === 0 ? count : `${count}: ${hex}${value.length > mostBytes ? ' …' : ''}`
  }
  const number = readableNumber(value)
  if (unit === undefined) return number
  if (unit === '/' || unit === '%') {
    const range = value >= 0 && value <= 1 ? 'ratio 0 to 1' : 'ratio'
    return `${number} (${range}, ${Number((value * 100).toPrecision(4))} %)`
  }
  return number + readableSuffix(unit)
}

/** A unit as it stands behind a number, with the space where one belongs; nothing for no unit. */
export function readableSuffix(unit: SenmlUnit | undefined): string {
  if (unit === undefined) return ''
  if (unit === 'count' || unit === '/' || unit === '%') return unit === 'count' ? ' (count)' : ' (ratio)'
  const text = readableUnit(unit)
  return text.startsWith('°') && text !== '°C' ? text : ` ${text}`
}

/** At most four decimals, and four significant digits below 1: enough to read, and no 22.499999999. */
export function readableNumber(value: number): string {
  const rounded = Number(Math.abs(value) < 1 ? value.toPrecision(4) : value.toFixed(4))
  // A sum of decimals may be a tiny bit below zero, and "-0" only puzzles.
  return String(rounded === 0 ? 0 : rounded)
}

/** How long ago, in few words: `0.3 s`, `5 min`. */
export function readableAge(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 10) return `${readableNumber(Math.round(seconds * 10) / 10)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Base64url without padding (RFC 4648, section 5). */
function base64url(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    const digits = Math.min(bytes.length - at, 3) + 1
    for (let digit = 0; digit < digits; digit++) text += alphabet[(group >> (18 - 6 * digit)) & 63]
  }
  return text
}
