import { CborError, readCbor } from './cbor-reader.ts'
import { type DeviceMessage, type HelloMembers, type HostMessage, Kind } from './messages.ts'
import { type CborItem, fromItem, type LinkValue } from './value.ts'

/**
 * A frame that holds no message that this side knows: `broken` when it breaks the rules, `unknown` when it is of a kind
 * that a later version, or the sketch, has given a meaning. `session` and `id` are there where they could be read, so
 * that an unknown question can be answered.
 */
export type NoMessage = { kind: 'broken' } | { kind: 'unknown'; session?: number; id?: number }

const broken: NoMessage = Object.freeze({ kind: 'broken' })

/** Reads what a host sent. Elements behind those that are known are skipped. Never throws. */
export function readHostMessage(bytes: Uint8Array, start: number, end: number): HostMessage | NoMessage {
  const array = arrayOf(bytes, start, end)
  if (array === undefined) return broken
  const [kind, session, id, fourth, fifth, sixth] = array
  if (!isWhole(session, 0, 0xffff)) return unknown(kind)
  if (kind === Kind.hello) {
    return isWhole(id, 0) && session > 0 && isMembers(fourth)
      ? { kind: 'hello', session, version: id, members: fourth }
      : broken
  }
  if (kind === Kind.call || kind === Kind.cancel) {
    if (!isWhole(id, 0, 255)) return broken
    if (kind === Kind.cancel) return { kind: 'cancel', session, id }
    if (!isWhole(fourth, 0) || !Array.isArray(fifth)) return broken
    const args = fromItem(fifth)
    if (args === undefined) return broken
    const open = Array.isArray(sixth) ? sixth.filter(older => isWhole(older, 0, 255)) : []
    return { kind: 'call', session, id, actuator: fourth, args: args as LinkValue[], open }
  }
  if (!isWhole(id, -24, 255)) return unknown(kind, session)
  switch (kind) {
    case Kind.ping:
      return { kind: 'ping', session, id }
    case Kind.stop:
      return { kind: 'stop', session, id }
    case Kind.describe:
      return isWhole(fourth, 0) ? { kind: 'describe', session, id, record: fourth } : broken
    case Kind.read:
      return isWhole(fourth, 0) ? { kind: 'read', session, id, sensor: fourth } : broken
    case Kind.unwatch:
      return isWhole(fourth, 0) ? { kind: 'unwatch', session, id, sensor: fourth } : broken
    case Kind.arm:
      return typeof fourth === 'boolean' ? { kind: 'arm', session, id, armed: fourth } : broken
    case Kind.watch:
      if (!isWhole(fourth, 0) || !isOptional(fifth) || !isOptional(sixth)) return broken
      return {
        kind: 'watch',
        session,
        id,
        sensor: fourth,
        ...(typeof fifth === 'number' && { minIntervalMs: fifth }),
        ...(typeof sixth === 'number' && { deadBand: sixth }),
      }
    default:
      return unknown(kind, session, id)
  }
}

/** Reads what a device sent. Elements behind those that are known are skipped. Never throws. */
export function readDeviceMessage(bytes: Uint8Array, start: number, end: number): DeviceMessage | NoMessage {
  const array = arrayOf(bytes, start, end)
  if (array === undefined) return broken
  const [kind, session, third, fourth, fifth, sixth] = array
  if (!isWhole(session, 0, 0xffff)) return unknown(kind)
  switch (kind) {
    case Kind.deviceHello:
      return isWhole(third, 0) && isMembers(fourth)
        ? { kind: 'hello', session, version: third, members: fourth }
        : broken
    case Kind.result:
      if (!isId(third)) return broken
      return { kind: 'result', session, id: third, item: fourth ?? null, ageMs: age(fifth) }
    case Kind.error:
      if (!isId(third) || !isWhole(fourth, -0x8000_0000)) return broken
      return { kind: 'error', session, id: third, code: fourth, ...(typeof fifth === 'string' && { text: fifth }) }
    case Kind.update: {
      const value = fourth === undefined ? undefined : fromItem(fourth)
      if (!isWhole(third, 0) || value === undefined) return broken
      return { kind: 'update', session, sensor: third, value, ageMs: age(fifth) }
    }
    case Kind.progress:
      if (!isId(third)) return broken
      return {
        kind: 'progress',
        session,
        id: third,
        ...(typeof fourth === 'number' && { progress: fourth }),
        ...(typeof fifth === 'number' && { total: fifth }),
        ...(typeof sixth === 'string' && { text: sixth }),
      }
    case Kind.log:
      return isWhole(third, 0, 7) && typeof fourth === 'string'
        ? { kind: 'log', session, severity: third, text: fourth }
        : broken
    default:
      return unknown(kind, session, isId(third) ? third : undefined)
  }
}

function arrayOf(bytes: Uint8Array, start: number, end: number): CborItem[] | undefined {
  try {
    const item = readCbor(bytes, start, end)
    return Array.isArray(item) && isWhole(item[0], -0x8000_0000) ? item : undefined
  } catch (thrown) {
    if (thrown instanceof CborError) return undefined
    throw thrown
  }
}

function unknown(kind: CborItem | undefined, session?: number, id?: number): NoMessage {
  // A kind that is known here, and came without what belongs to it, is no newer message.
  if (Object.values(Kind).some(known => known === kind)) return broken
  return { kind: 'unknown', ...(session !== undefined && { session }), ...(id !== undefined && { id }) }
}

function isWhole(item: CborItem | undefined, from: number, to = Number.MAX_SAFE_INTEGER): item is number {
  return typeof item === 'number' && Number.isInteger(item) && item >= from && item <= to
}

function isId(item: CborItem | undefined): item is number {
  return isWhole(item, -24, 255)
}

function isOptional(item: CborItem | undefined): boolean {
  return item === undefined || item === null || (typeof item === 'number' && item >= 0)
}

function isMembers(item: CborItem | undefined): item is Map<number | string, CborItem> & HelloMembers {
  return item instanceof Map
}

function age(item: CborItem | undefined): number {
  return typeof item === 'number' && item > 0 ? item : 0
}
