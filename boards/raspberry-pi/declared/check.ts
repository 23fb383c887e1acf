import { isObject } from '../../../runtime/index.ts'
import { nearest } from '../../../runtime/nearest.ts'
import { type CheckedEntry, entryOf, readAll, type Section } from './check-entry.ts'
import { collisions } from './claim.ts'
import { listed, shown, text } from './field.ts'
import type { Mistake } from './mistake.ts'
import { isName, type Tell, unknownKey, wrongName } from './names.ts'

/** A declaration without a mistake. */
export interface CheckedBoard {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly version?: string
  readonly sensors: readonly CheckedEntry[]
  readonly actuators: readonly CheckedEntry[]
}

/** What the checks know of the machine. */
export interface CheckOptions {
  /** Whether two pins share each PWM channel, as before the Raspberry Pi 5. */
  readonly pairedPWM: boolean
}

/** The texts at the top of a declaration. */
export const boardTexts = {
  title: text('The name that people see', 'Greenhouse', 200),
  description: text('What the board is and how to use it, for the model', 'Two beds under glass.', 10_000),
  version: text('The version of this description', '1.0.0', 64),
}
/** What may stand at the top of a declaration. */
export const boardKeys: readonly string[] = ['$schema', 'name', ...Object.keys(boardTexts), 'sensors', 'actuators']

/** Checks a declaration. Gives what it says, or all the mistakes in it. */
export function checkDeclaration(declaration: unknown, options: CheckOptions): CheckedBoard | Mistake[] {
  if (!isObject(declaration))
    return [{ path: '', text: `must be an object: { "name": "greenhouse", "sensors": { … } }` }]
  const mistakes: Mistake[] = []
  const tell = (path: string, text: string) => void mistakes.push({ path, text })
  for (const key of Object.keys(declaration)) {
    if (!boardKeys.includes(key)) tell(key, unknownKey(key, boardKeys.slice(1)))
  }
  const { name } = declaration
  if (name === undefined) tell('', 'lacks its name: add "name": "greenhouse", or what you want to call it')
  else if (!isName(name)) tell('name', wrongName(name))
  const texts = readAll(boardTexts, declaration, key => key, tell)
  const checked = {
    sensors: entriesOf('sensors', declaration, tell),
    actuators: entriesOf('actuators', declaration, tell),
  }
  const all = [...checked.sensors, ...checked.actuators]
  const claimants = all.map(({ path, driver, values }) => ({
    where: path,
    claims: driver.claims(values).filter(({ what }) => options.pairedPWM || !what.startsWith('PWM channel')),
  }))
  for (const { where, text } of collisions(claimants)) tell(where, text)
  for (const one of unlike(all)) tell(one.path, one.text)
  const names = sensorNames(checked.sensors, tell)
  // What an entry with a mistake would give is not known: that it is missing is no second mistake.
  const doubtful = entriesIn(declaration.sensors)
    .map(([name]) => name)
    .filter(name => !checked.sensors.some(one => one.name === name))
  for (const [name, entry] of entriesIn(declaration.actuators))
    readbackOf(`actuators.${name}`, entry, names, doubtful, tell)
  if (mistakes.length > 0) return mistakes
  return { ...texts, name: name as string, ...checked }
}

function entriesOf(section: Section, declaration: Record<string, unknown>, tell: Tell): CheckedEntry[] {
  const entries = declaration[section]
  if (entries === undefined) return []
  if (!isObject(entries)) {
    tell(
      section,
      `must be an object with an entry for each: { "${section === 'sensors' ? 'air' : 'pump'}": { "driver": … } }`,
    )
    return []
  }
  return entriesIn(entries).flatMap(([name, entry]) => entryOf(section, name, entry, tell) ?? [])
}

/** What entries on one part say differently of the part. */
function unlike(all: readonly CheckedEntry[]): Mistake[] {
  const first = new Map<string, CheckedEntry>()
  return all.flatMap(one => {
    const other = first.get(one.plan.key)
    if (other === undefined) {
      first.set(one.plan.key, one)
      return []
    }
    return Object.entries(one.plan.alike ?? {})
      .filter(([key, value]) => other.plan.alike?.[key] !== value)
      .map(([key]) => ({
        path: `${one.path}.${key}`,
        text: `is ${said(one, key)} here and ${said(other, key)} at ${other.path}, which is on the same part: say the same in both`,
      }))
  })
}

function said({ plan }: CheckedEntry, key: string): string {
  const value = plan.alike?.[key]
  return value === undefined ? 'left out' : shown(value)
}

/** The names of all sensors. Two entries may come to the same one. */
function sensorNames(sensors: readonly CheckedEntry[], tell: Tell): string[] {
  const takers = new Map<string, string>()
  for (const { path, name, quantities } of sensors) {
    for (const sensor of namesOf(name, quantities)) {
      const other = takers.get(sensor)
      if (other !== undefined) tell(path, `gives the sensor "${sensor}", and so does ${other}: rename one of them`)
      else if (sensor.length > 64)
        tell(path, `gives the sensor "${sensor}", and a name has 64 letters at most: shorten it`)
      else takers.set(sensor, path)
    }
  }
  return [...takers.keys()]
}

/** The names of the sensors of an entry, by quantity: `air_temperature` ..., or its own name for one quantity. */
export function namesOf(name: string, quantities: readonly string[] | undefined): string[] {
  return quantities === undefined || quantities.length < 2 ? [name] : quantities.map(quantity => `${name}_${quantity}`)
}

function readbackOf(
  path: string,
  entry: unknown,
  sensors: readonly string[],
  doubtful: readonly string[],
  tell: Tell,
): void {
  const { readback } = isObject(entry) ? entry : {}
  if (typeof readback !== 'string' || readback === '' || sensors.includes(readback)) return
  if (doubtful.some(name => readback === name || readback.startsWith(`${name}_`))) return
  const near = nearest(readback, sensors) ?? sensors.find(each => each.startsWith(`${readback}_`))
  const hint = near === undefined ? `There is ${listed(sensors) || 'none'}` : `Did you mean "${near}"?`
  tell(`${path}.readback`, `is ${shown(readback)}, and there is no such sensor. ${hint}`)
}

function entriesIn(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}
