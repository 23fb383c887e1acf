import { HelloKey, type HelloMembers } from './messages.ts'
import type { CborItem, FloatBytes } from './value.ts'

/** What a device says of itself in its hello, with the defaults of what it left out. */
export interface DeviceHello {
  name: string
  /** What no other device has; empty when it says nothing. */
  id: string
  firmware: string
  /** The hash of its description, and how many records that has. */
  hash: number
  records: number
  /** Differs from that of the start before. */
  boot: number
  /** The longest frame it takes, with its check and before stuffing. */
  maxFrame: number
  /** How many calls may be under way. */
  calls: number
  /** The fail-safe period that is in force. */
  failSafeMs: number
  /** How long it may take before the first byte of an answer. */
  answerMs: number
  /** The longest answer to a read or a call, with its check and before stuffing. */
  largestAnswer: number
  /** The widest float that it takes. */
  floats: FloatBytes
  /** How many questions may wait for their first answer. */
  window: number
  /** How many bytes its receiver can hold; 0 when it says nothing. For those who pace what they write. */
  receiveBuffer: number
  /** Whether the outputs that need it may move; `undefined` where none needs it. */
  armed: boolean | undefined
}

/** Reads the members of a device's hello; unknown ones and ones of the wrong type are skipped. */
export function readHello(members: HelloMembers): DeviceHello {
  const key = HelloKey.device
  const number = (at: number, otherwise: number, least = 0) => {
    const item = members.get(at)
    return typeof item === 'number' && Number.isInteger(item) && item >= least ? item : otherwise
  }
  const floats = number(key.floats, 4)
  return {
    name: text(members.get(key.name)),
    id: text(members.get(key.id)),
    firmware: text(members.get(key.firmware)),
    hash: number(key.hash, 0),
    records: Math.min(number(key.records, 0), 1024),
    boot: number(key.boot, 0),
    maxFrame: number(key.maxFrame, 48, 48),
    calls: Math.min(number(key.calls, 1, 1), 16),
    failSafeMs: number(key.failSafeMs, 5000, 1),
    answerMs: number(key.answerMs, 50),
    largestAnswer: number(key.largestAnswer, 64, 1),
    floats: floats >= 8 ? 8 : floats >= 4 ? 4 : floats >= 2 ? 2 : 0,
    window: Math.min(number(key.window, 1, 1), 16),
    receiveBuffer: number(key.receiveBuffer, 0),
    armed: boolean(members.get(key.armed)),
  }
}

function boolean(item: CborItem | undefined): boolean | undefined {
  return typeof item === 'boolean' ? item : undefined
}

function text(item: CborItem | undefined): string {
  if (typeof item === 'string') return item
  if (item instanceof Uint8Array) return Array.from(item, byte => byte.toString(16).padStart(2, '0')).join('')
  return ''
}
