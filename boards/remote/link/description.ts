import { writeCbor } from './cbor-writer.ts'
import type { ByteSink } from './frame.ts'
import type { CborInput, LinkValue } from './value.ts'

/** What a record of the description describes: the second element of a describe result says which one of them. */
export const EntryClass = Object.freeze({ device: 0, sensor: 1, actuator: 2, argument: 3 })

/** The members of a record by their number. One table for all classes, so that a small device has one function for it. */
export const EntryKey = Object.freeze({
  name: 1,
  title: 2,
  description: 3,
  type: 4,
  unit: 5,
  minimum: 6,
  maximum: 7,
  step: 8,
  values: 9,
  ttlMs: 10,
  deadBand: 11,
  minIntervalMs: 12,
  timeoutMs: 13,
  hints: 14,
  optional: 15,
  initial: 16,
  maxLength: 17,
  safe: 18,
  holdForMs: 19,
  maxRate: 20,
  group: 21,
  confirm: 22,
  audience: 23,
  readback: 24,
  arming: 25,
  schema: 26,
  output: 27,
  deviceClass: 28,
  stateClass: 29,
})

/** The types of a sensor or an argument, by their number on the wire. */
export const linkTypes = ['number', 'integer', 'boolean', 'string', 'data', 'any'] as const

/** The type of a sensor or an argument. `any` is whatever the schema beside it says. */
export type LinkType = (typeof linkTypes)[number]

/** The bits of `hints`: what is not said counts as dangerous. */
export const Hint = Object.freeze({ notDestructive: 1, idempotent: 2, closedWorld: 4 })

/** What sensors, actuators and arguments have in common. */
export interface LinkEntry {
  name: string
  title?: string
  description?: string
}

/** A sensor as its device describes it; the members mean what they mean in a `Sensor` of the board model. */
export interface LinkSensor extends LinkEntry {
  type: LinkType
  unit?: string
  minimum?: number
  maximum?: number
  ttlMs?: number
  deadBand?: number
  minIntervalMs?: number
  timeoutMs?: number
  deviceClass?: string
  stateClass?: number
}

/** One argument of an actuator. An actuator whose only argument has the name `''` takes it as all its arguments. */
export interface LinkArgument extends LinkEntry {
  type: LinkType
  optional: boolean
  unit?: string
  minimum?: number
  maximum?: number
  step?: number
  values?: readonly LinkValue[]
  maxLength?: number
  /** The value that is taken when it is left out. */
  initial?: LinkValue
  /** Its JSON Schema as text, where the members above cannot say all. */
  schema?: string
}

/** An actuator as its device describes it. */
export interface LinkActuator extends LinkEntry {
  arguments: LinkArgument[]
  /** Arguments of the safe state by position, `null` when there is none on purpose, left out when the device says nothing. */
  safe?: readonly LinkValue[] | null
  /** Bits of {@link Hint}. */
  hints: number
  timeoutMs?: number
  /** The JSON Schema of what a call returns, as text. */
  output?: string
  /** Least time between two moves. */
  minIntervalMs?: number
  initial?: readonly LinkValue[]
  holdForMs?: number
  maxRate?: number
  group?: number
  confirm?: number
  audience?: number
  /** The number of the sensor that shows the effect. */
  readback?: number
  arming?: boolean
}

/** All that a device says of itself, in the order of its numbers: plain data that may be stored as JSON under its hash. */
export interface LinkDescription {
  hash: number
  name: string
  title?: string
  description?: string
  sensors: LinkSensor[]
  actuators: LinkActuator[]
}

/**
 * The hash of a description: FNV-1a of 32 bits over the bytes of all records, in order, each as it stands in its
 * frame. A device makes it when it is built, or once at its start by writing its records into this instead of the line.
 */
export class DescriptionHash implements ByteSink {
  #hash = 0x811c9dc5

  /** Takes the next byte. */
  byte(value: number): void {
    this.#hash = Math.imul(this.#hash ^ value, 0x01000193)
  }

  /** The hash of what was taken so far. */
  get value(): number {
    return this.#hash >>> 0
  }
}

/** The hash of records that are all at hand. */
export function hashOf(records: readonly CborInput[]): number {
  const hash = new DescriptionHash()
  for (const record of records) writeCbor(hash, record)
  return hash.value
}
