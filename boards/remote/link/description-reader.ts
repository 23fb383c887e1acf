import { LinkCode, LinkError } from './codes.ts'
import {
  EntryClass,
  EntryKey,
  type LinkActuator,
  type LinkArgument,
  type LinkDescription,
  type LinkSensor,
  type LinkType,
  linkTypes,
} from './description.ts'
import { meantNumber } from './meant-number.ts'
import { type CborItem, fromItem, type LinkValue } from './value.ts'

const nameRule = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * Puts a description together from the records of a device, in order. Records about the same thing are taken together;
 * classes and members that are unknown are skipped.
 *
 * @throws LinkError when a name is missing or no name, or a number is skipped
 */
export function readDescription(name: string, hash: number, records: Iterable<CborItem>): LinkDescription {
  const device = new Map<number | string, CborItem>()
  const sensors: Members[] = []
  const actuators: Members[] = []
  const args: Members[][] = []
  for (const record of records) {
    if (!Array.isArray(record)) continue
    const [kind, number, third, fourth] = record
    if (kind === EntryClass.device) merge(device, number)
    else if (typeof number !== 'number') continue
    else if (kind === EntryClass.sensor) merge(memberAt(sensors, number), third)
    else if (kind === EntryClass.actuator) merge(memberAt(actuators, number), third)
    else if (kind === EntryClass.argument && typeof third === 'number') {
      if (number >= actuators.length) throw malformed('an argument without its actuator')
      merge(memberAt((args[number] ??= []), third), fourth)
    }
  }
  return {
    hash,
    name,
    ...head(device),
    sensors: sensors.map(sensorOf),
    actuators: actuators.map((members, number) => actuatorOf(members, (args[number] ?? []).map(argumentOf))),
  }
}

type Members = Map<number | string, CborItem>

/** Numbers come one after the other, so that no record can ask for room that the device does not fill. */
function memberAt(list: Members[], number: number): Members {
  if (number === list.length) list.push(new Map())
  const members = list[number]
  if (members === undefined) throw malformed(`number ${number} out of turn`)
  return members
}

function merge(into: Members, from: CborItem | undefined): void {
  if (from instanceof Map) for (const [key, item] of from) into.set(key, item)
}

function malformed(what: string): LinkError {
  return new LinkError(LinkCode.Failed, `the device's description is malformed: ${what}`)
}

function head(members: Members): { title?: string; description?: string } {
  return { ...text(members, 'title'), ...text(members, 'description') }
}

function sensorOf(members: Members): LinkSensor {
  return {
    name: nameOf(members),
    ...head(members),
    type: typeOf(members),
    ...text(members, 'unit'),
    ...number(members, 'minimum'),
    ...number(members, 'maximum'),
    ...number(members, 'ttlMs'),
    ...number(members, 'deadBand'),
    ...number(members, 'minIntervalMs'),
    ...number(members, 'timeoutMs'),
    ...text(members, 'deviceClass'),
    ...number(members, 'stateClass'),
  }
}

function argumentOf(members: Members): LinkArgument {
  const initial = valueAt(members, EntryKey.initial)
  const values = valueAt(members, EntryKey.values)
  return {
    name: members.has(EntryKey.name) ? nameOf(members) : '',
    ...head(members),
    type: typeOf(members),
    optional: members.get(EntryKey.optional) === true,
    ...text(members, 'unit'),
    ...number(members, 'minimum'),
    ...number(members, 'maximum'),
    ...number(members, 'step'),
    ...(Array.isArray(values) && { values: values.map(each => (typeof each === 'number' ? meantNumber(each) : each)) }),
    ...number(members, 'maxLength'),
    ...(initial !== undefined && { initial }),
    ...text(members, 'schema'),
  }
}

function actuatorOf(members: Members, args: LinkArgument[]): LinkActuator {
  const safe = valueAt(members, EntryKey.safe)
  const initial = valueAt(members, EntryKey.initial)
  const hints = members.get(EntryKey.hints)
  const arming = members.get(EntryKey.arming)
  return {
    name: nameOf(members),
    ...head(members),
    arguments: args,
    ...((safe === null || Array.isArray(safe)) && { safe }),
    hints: typeof hints === 'number' ? hints : 0,
    ...number(members, 'timeoutMs'),
    ...text(members, 'output'),
    ...number(members, 'minIntervalMs'),
    ...(Array.isArray(initial) && { initial }),
    ...number(members, 'holdForMs'),
    ...number(members, 'maxRate'),
    ...number(members, 'group'),
    ...number(members, 'confirm'),
    ...number(members, 'audience'),
    ...number(members, 'readback'),
    ...(typeof arming === 'boolean' && { arming }),
  }
}

function nameOf(members: Members): string {
  const name = members.get(EntryKey.name)
  if (typeof name !== 'string' || !nameRule.test(name)) throw malformed('a name is missing or is no name')
  return name
}

function typeOf(members: Members): LinkType {
  const type = members.get(EntryKey.type)
  // A type of a later version: whatever it is, it is passed through.
  return type === undefined ? 'number' : (linkTypes[type as number] ?? 'any')
}

function valueAt(members: Members, key: number): LinkValue | undefined {
  const item = members.get(key)
  return item === undefined ? undefined : fromItem(item)
}

type KeyName = keyof typeof EntryKey

function text<K extends KeyName>(members: Members, name: K): { [N in K]?: string } {
  const item = members.get(EntryKey[name])
  return (typeof item === 'string' ? { [name]: item } : {}) as { [N in K]?: string }
}

function number<K extends KeyName>(members: Members, name: K): { [N in K]?: number } {
  const item = members.get(EntryKey[name])
  return (typeof item === 'number' ? { [name]: meantNumber(item) } : {}) as { [N in K]?: number }
}
