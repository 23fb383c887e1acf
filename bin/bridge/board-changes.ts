import type { Board } from '../../runtime/index.ts'
import { shownJson } from './held-tool.ts'

const most = 12

/**
 * What a board offers now that it did not offer before, a short text for each change; none when nothing is different, or
 * when nothing was known before and nothing is known now.
 */
export function boardChanges(before: Board, after: Board): string[] {
  if (isEmpty(before)) {
    return isEmpty(after) ? [] : [`it described itself: ${names(after.actuators)}; ${names(after.sensors)}`]
  }
  const changes = [
    ...(before.version === after.version ? [] : [`its firmware is ${after.version ?? 'not said'}`]),
    ...tableChanges('actuator', before.actuators, after.actuators),
    ...tableChanges('sensor', before.sensors, after.sensors),
  ]
  return changes.length <= most ? changes : [...changes.slice(0, most), `and ${changes.length - most} more`]
}

function isEmpty({ sensors = {}, actuators = {} }: Board): boolean {
  return Object.keys(sensors).length === 0 && Object.keys(actuators).length === 0
}

function names(table: object = {}): string {
  return Object.keys(table).join(', ') || 'none'
}

function tableChanges(what: string, before: object = {}, after: object = {}): string[] {
  const old = new Map(Object.entries(before))
  return [
    ...Object.entries(after).flatMap(([name, entry]) => {
      if (!old.has(name)) return [`${what} ${name} is new`]
      const changed = changedMembers(old.get(name), entry)
      return changed.length === 0 ? [] : [`${what} ${name} has another ${changed.join(', ')}`]
    }),
    ...[...old.keys()].filter(name => !Object.hasOwn(after, name)).map(name => `${what} ${name} is gone`),
  ]
}

function changedMembers(before: object, after: object): string[] {
  const [old, now] = [shownMembers(before), shownMembers(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(member => old[member] !== now[member])
}

/** What can be seen of an entry; what it does cannot be compared. */
function shownMembers(entry: object): Record<string, string | undefined> {
  const members = Object.entries(entry).filter(([, value]) => typeof value !== 'function')
  return Object.fromEntries(
    members.map(([name, value]) => [name, JSON.stringify(name === 'inputSchema' ? shownJson(value) : value)]),
  )
}
