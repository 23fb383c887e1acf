import type { CborInput, CborItem, LinkValue } from './value.ts'

/** The major version of the protocol: both sides must have the same one. */
export const linkVersion = 1

/** The session of frames that belong to none: what a device sends before a host said hello. */
export const noSession = 0

/** The first number of a message. 0 to 11 go to the device, 12 to 23 come from it; negative ones are the sketch's own. */
export const Kind = Object.freeze({
  hello: 0,
  ping: 1,
  describe: 2,
  read: 3,
  call: 4,
  cancel: 5,
  watch: 6,
  unwatch: 7,
  stop: 8,
  arm: 9,
  result: 12,
  error: 13,
  deviceHello: 14,
  update: 15,
  progress: 16,
  log: 17,
})

/** The numbers of the hello's members, by direction. */
export const HelloKey = Object.freeze({
  host: Object.freeze({ maxFrame: 1, failSafeMs: 2, name: 3 }),
  device: Object.freeze({
    name: 1,
    id: 2,
    firmware: 3,
    hash: 4,
    records: 5,
    boot: 6,
    maxFrame: 7,
    calls: 8,
    failSafeMs: 9,
    answerMs: 10,
    largestAnswer: 11,
    floats: 12,
    window: 13,
    receiveBuffer: 14,
    armed: 15,
  }),
})

/** Members of a hello by their number; unknown ones are kept and mean nothing. */
export type HelloMembers = ReadonlyMap<number | string, CborItem>

/**
 * What a host sends. `id` ties an answer to it: 0 to 255 and rising for calls, -1 to -24 for everything else.
 * `open` names the older calls whose outcome the host does not have yet. What is left out of `watch` is as the device's description says.
 */
export type HostMessage =
  | { kind: 'hello'; session: number; version: number; members: HelloMembers }
  | { kind: 'ping'; session: number; id: number }
  | { kind: 'describe'; session: number; id: number; record: number }
  | { kind: 'read'; session: number; id: number; sensor: number }
  | {
      kind: 'call'
      session: number
      id: number
      actuator: number
      args: readonly LinkValue[]
      open?: readonly number[]
    }
  | { kind: 'cancel'; session: number; id: number }
  | { kind: 'watch'; session: number; id: number; sensor: number; minIntervalMs?: number; deadBand?: number }
  | { kind: 'unwatch'; session: number; id: number; sensor: number }
  | { kind: 'stop'; session: number; id: number }
  | { kind: 'arm'; session: number; id: number; armed: boolean }

/** What a device sends. Ages are milliseconds. A `progress` without a number only says that the work goes on. */
export type DeviceMessage =
  | { kind: 'hello'; session: number; version: number; members: HelloMembers }
  | { kind: 'result'; session: number; id: number; item: CborItem; ageMs: number }
  | { kind: 'error'; session: number; id: number; code: number; text?: string }
  | { kind: 'update'; session: number; sensor: number; value: LinkValue; ageMs: number }
  | { kind: 'progress'; session: number; id: number; progress?: number; total?: number; text?: string }
  | { kind: 'log'; session: number; severity: number; text: string }

/** A message in the shape in which it is written: an array that begins with its kind and its session. */
export function hostArray(message: HostMessage): CborInput[] {
  const { session } = message
  switch (message.kind) {
    case 'hello':
      return [Kind.hello, session, message.version, message.members]
    case 'describe':
      return [Kind.describe, session, message.id, message.record]
    case 'read':
      return [Kind.read, session, message.id, message.sensor]
    case 'call':
      return short(
        [Kind.call, session, message.id, message.actuator, message.args],
        [message.open?.length ? message.open : null],
      )
    case 'watch':
      return short(
        [Kind.watch, session, message.id, message.sensor],
        [message.minIntervalMs ?? null, message.deadBand ?? null],
      )
    case 'unwatch':
      return [Kind.unwatch, session, message.id, message.sensor]
    case 'arm':
      return [Kind.arm, session, message.id, message.armed]
    default:
      return [Kind[message.kind], session, message.id]
  }
}

/** A device's message in the shape in which it is written. */
export function deviceArray(message: DeviceMessage | ResultOf): CborInput[] {
  const { session } = message
  switch (message.kind) {
    case 'hello':
      return [Kind.deviceHello, session, message.version, message.members]
    case 'result':
      return short([Kind.result, session, message.id], [message.item, message.ageMs || null])
    case 'error':
      return short([Kind.error, session, message.id, message.code], [message.text ?? null])
    case 'update':
      return short([Kind.update, session, message.sensor, message.value], [message.ageMs || null])
    case 'progress':
      return short(
        [Kind.progress, session, message.id],
        [message.progress ?? null, message.total ?? null, message.text ?? null],
      )
    case 'log':
      return [Kind.log, session, message.severity, message.text]
  }
}

/** A result that is to be written: anything that CBOR can hold. */
export interface ResultOf {
  kind: 'result'
  session: number
  id: number
  item: CborInput
  ageMs: number
}

/** What is null at the end of a message is not sent. */
function short(head: CborInput[], tail: CborInput[]): CborInput[] {
  while (tail.length > 0 && tail.at(-1) === null) tail.pop()
  return [...head, ...tail]
}
