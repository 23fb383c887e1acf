import { isObject } from '../../../runtime/index.ts'
import { nearest } from '../../../runtime/nearest.ts'
import type { Driver, PartPlan } from './driver.ts'
import { actuatorDrivers, sensorDrivers } from './drivers/index.ts'
import { type Fields, isThere, listed, shown, Wrong } from './field.ts'
import { isName, type Tell, unknownKey, wrongName } from './names.ts'
import { actuatorSettings, quantitySettings, sensorSettings } from './settings.ts'

/** An entry of which everything is known that its driver has to know. */
export interface CheckedEntry {
  /** `sensors.air` */
  readonly path: string
  readonly name: string
  readonly driver: Driver
  /** What was said of it as any sensor or actuator. */
  readonly settings: Readonly<Record<string, any>>
  /** The quantities that are sensors: all of its part, or the one that it names. Nothing for an actuator. */
  readonly quantities: readonly string[] | undefined
  readonly plan: PartPlan
  /** What was read of its driver's fields. */
  readonly values: any
}

/** Tools that every server with actuators has. */
const takenNames = ['read_sensors', 'stop_all', 'arm_outputs']
/** Where entries stand. */
export type Section = 'sensors' | 'actuators'
/** What each of the two may say. */
export const sections = {
  sensors: {
    drivers: sensorDrivers as unknown as readonly Driver[],
    settings: { ...sensorSettings, ...quantitySettings },
  },
  actuators: { drivers: actuatorDrivers as unknown as readonly Driver[], settings: actuatorSettings },
} as const satisfies Record<Section, { drivers: readonly Driver[]; settings: Fields }>

/** Checks an entry. Gives it, unless what its driver has to know of it is wrong or missing. */
export function entryOf(section: Section, name: string, entry: unknown, tell: Tell): CheckedEntry | undefined {
  const path = `${section}.${name}`
  const at = (key: string) => `${path}.${key}`
  if (!isName(name)) tell(path, wrongName(name))
  if (section === 'actuators' && takenNames.includes(name))
    tell(path, 'is what every server calls a tool of its own: take another name')
  if (!isObject(entry)) {
    tell(path, `must be an object: { "driver": … }; ${isThere(entry)}`)
    return undefined
  }
  const driver = driverOf(section, path, entry.driver, tell)
  if (driver === undefined) return undefined
  const settingFields = withoutThose(sections[section].settings, driver.fields)
  const known = [...Object.keys(driver.fields), ...Object.keys(settingFields)]
  for (const key of Object.keys(entry)) {
    if (key !== 'driver' && !known.includes(key)) tell(at(key), strangeKey(section, driver, key, known))
  }
  const settings = readAll(settingFields, entry, at, tell)
  let isRight = true
  const wrong: Tell = (where, text) => {
    isRight = false
    tell(where, text)
  }
  const values: any = readAll(driver.fields, entry, at, wrong)
  for (const [key, field] of Object.entries(driver.fields)) {
    if (field.required && entry[key] === undefined)
      wrong(
        path,
        `lacks its "${key}": ${beginningSmall(String(field.schema.description))}. For example "${key}": ${field.example}`,
      )
  }
  const misfit = isRight ? driver.check?.(values) : undefined
  if (misfit !== undefined) wrong(at(misfit.key), misfit.text)
  if (!isRight) return undefined
  const quantities =
    section === 'actuators' ? undefined : values.quantity !== undefined ? [values.quantity] : driver.gives
  const found = { path, name, driver, values, settings, quantities, plan: driver.part(values) }
  if (section === 'sensors') checkSensorSettings(found, entry, at, tell)
  else if (settings.safeReading !== undefined && settings.readback === undefined)
    tell(at('safeReading'), 'is what the sensor named by "readback" shows: add that, or leave this out')
  return found
}

function checkSensorSettings(
  { driver, values, settings, quantities }: CheckedEntry,
  entry: Record<string, unknown>,
  at: (key: string) => string,
  tell: Tell,
): void {
  const several = quantities !== undefined && quantities.length > 1
  const { isOnOff = false } = driver
  for (const key of Object.keys(quantitySettings).filter(key => settings[key] !== undefined)) {
    if (several)
      tell(
        at(key),
        `is for one quantity, and the ${driver.name} gives ${quantities.join(', ')}: name one of them, as "quantity": "${quantities[0]}"`,
      )
    else if (isOnOff) tell(at(key), 'is for numbers, and this is on or off: leave it out')
  }
  if (several || isOnOff) return
  const { unit, calibration, minimum, maximum } = settings
  // One that is there and wrong is told of already.
  if (calibration !== undefined && entry.unit === undefined)
    tell(at('calibration'), 'needs a "unit": what its second numbers are in, such as "unit": "/" for a share of 1')
  const own = driver.unit?.(values)
  const isFree = entry.calibration !== undefined || (driver.unit !== undefined && own === undefined)
  if (unit !== undefined && !isFree && unit !== own)
    tell(at('unit'), `is what a "calibration" gives, and there is none: the ${driver.name} has a unit of its own`)
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    tell(at('minimum'), `is ${minimum}, which is more than "maximum", ${maximum}`)
}

function driverOf(section: Section, path: string, name: unknown, tell: Tell): Driver | undefined {
  const { drivers } = sections[section]
  const found = drivers.find(driver => driver.name === name)
  if (found !== undefined) return found
  const other = section === 'sensors' ? 'actuators' : 'sensors'
  const all = drivers.map(driver => driver.name)
  if (name === undefined) tell(path, `lacks its "driver". There is ${listed(all)}`)
  else if (typeof name !== 'string')
    tell(`${path}.driver`, `must be the name of a driver, such as "${all[0]}"; ${isThere(name)}`)
  else if (sections[other].drivers.some(driver => driver.name === name))
    tell(`${path}.driver`, `is "${name}", which belongs to "${other}": move the entry there`)
  else tell(`${path}.driver`, `is ${shown(name)}, which is no driver. ${meantDriver(drivers, name)}`)
  return undefined
}

function meantDriver(drivers: readonly Driver[], name: string): string {
  const word = name.toLowerCase().replaceAll(/[ _]/g, '-')
  const isCalled = (words: readonly string[]) =>
    drivers.find(driver => words.some(each => driver.name === each || driver.alsoCalled?.includes(each)))
  const known = isCalled([word]) ?? isCalled(word.split('-'))
  const names = drivers.map(driver => driver.name)
  const meant = known?.name ?? nearest(word, names)
  return meant === undefined ? `There is ${listed(names)}` : `Did you mean "${meant}"?`
}

function strangeKey(section: Section, driver: Driver, key: string, keys: readonly string[]): string {
  const other = section === 'sensors' ? 'actuators' : 'sensors'
  if (Object.hasOwn(sections[other].settings, key)) return `is for ${other} only: leave it out`
  return unknownKey(key, ['driver', ...keys], `The driver ${driver.name}`)
}

function withoutThose(fields: Fields, others: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !Object.hasOwn(others, key)))
}

/** Reads what is written of some fields; what is wrong is told. */
export function readAll(
  fields: Fields,
  entry: Record<string, unknown>,
  at: (key: string) => string,
  tell: Tell,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(fields)) {
    // Code may write undefined for what it leaves out.
    if (!Object.hasOwn(entry, key) || entry[key] === undefined) continue
    const value: unknown = field.read(entry[key])
    if (value instanceof Wrong) tell(at(key), value.text)
    else values[key] = value
  }
  return values
}

function beginningSmall(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
