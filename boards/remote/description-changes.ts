import { cleanDescription } from './clean-description.ts'
import { cleanText } from './device-text.ts'
import type { LinkActuator, LinkDescription, LinkEntry } from './link/index.ts'
import { jsonOf } from './link-values.ts'

const most = 12
const longestShown = 80

const sensorMembers = 'type unit minimum maximum ttlMs'.split(' ')
const argumentMembers = 'type optional unit minimum maximum step values maxLength initial schema'.split(' ')
const actuatorMembers =
  'safe hints holdForMs minIntervalMs maxRate timeoutMs group confirm audience readback arming output'.split(' ')

/**
 * What a device says of itself now that it did not say before, for the person who has to decide whether that is right:
 * what is new and gone, and which limits are others. One short text for each change; none when nothing is different.
 */
export function descriptionChanges(before: LinkDescription, after: LinkDescription): string[] {
  const [old, now] = [cleanDescription(before), cleanDescription(after)]
  const changes = [
    ...listChanges('actuator', old.actuators, now.actuators, actuatorChanges),
    ...listChanges('sensor', old.sensors, now.sensors, (one, other) => memberChanges(one, other, sensorMembers)),
  ]
  if (readsOtherwise(old, now)) changes.push('titles or descriptions read otherwise')
  if (changes.length <= most) return changes
  return [...changes.slice(0, most), `and ${changes.length - most} more`]
}

function listChanges<E extends LinkEntry>(
  what: string,
  before: readonly E[],
  after: readonly E[],
  changesOf: (one: E, other: E) => string[],
): string[] {
  const shown = ({ name }: E) => `${what} ${cleanText(name, longestShown)}`
  const old = new Map(before.map(entry => [entry.name, entry]))
  const names = new Set(after.map(({ name }) => name))
  return [
    ...after.filter(({ name }) => !old.has(name)).map(entry => `${shown(entry)} is new`),
    ...before.filter(({ name }) => !names.has(name)).map(entry => `${shown(entry)} is gone`),
    ...after.flatMap(entry => {
      const last = old.get(entry.name)
      return last === undefined ? [] : changesOf(last, entry).map(change => `${shown(entry)}: ${change}`)
    }),
  ]
}

function actuatorChanges(before: LinkActuator, after: LinkActuator): string[] {
  return [
    ...memberChanges(before, after, actuatorMembers),
    ...listChanges('argument', before.arguments, after.arguments, (one, other) =>
      memberChanges(one, other, argumentMembers),
    ),
  ]
}

function memberChanges(before: object, after: object, members: readonly string[]): string[] {
  return members.flatMap(member => {
    const [old, now] = [shownMember(before, member), shownMember(after, member)]
    return old === now ? [] : [`${member} was ${cleanText(old, longestShown)} and is ${cleanText(now, longestShown)}`]
  })
}

function shownMember(entry: object, member: string): string {
  const value = (entry as Record<string, any>)[member]
  return value === undefined ? 'not said' : JSON.stringify(jsonOf(value))
}

/** Whether something reads otherwise that is there before and after. */
function readsOtherwise(before: LinkDescription, after: LinkDescription): boolean {
  return (
    before.name !== after.name ||
    wordsDiffer(before, after) ||
    anyDiffers(before.sensors, after.sensors, wordsDiffer) ||
    anyDiffers(before.actuators, after.actuators, (one, other) => {
      return wordsDiffer(one, other) || anyDiffers(one.arguments, other.arguments, wordsDiffer)
    })
  )
}

function anyDiffers<E extends LinkEntry>(before: readonly E[], after: readonly E[], differ: (a: E, b: E) => boolean) {
  const old = new Map(before.map(entry => [entry.name, entry]))
  return after.some(entry => {
    const last = old.get(entry.name)
    return last !== undefined && differ(last, entry)
  })
}

function wordsDiffer(one: Pick<LinkEntry, 'title' | 'description'>, other: typeof one): boolean {
  return one.title !== other.title || one.description !== other.description
}
