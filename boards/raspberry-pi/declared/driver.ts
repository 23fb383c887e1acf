import type { Actuator, Clock, Sensor } from '../../../runtime/index.ts'
import type { Claim } from './claim.ts'
import type { Fields, Values } from './field.ts'
import type { Wiring } from './wiring.ts'

/**
 * A driver as data: what may be written of a part, what the part takes of the board, and how it is made. A new one is one
 * file and a line in `drivers/index.ts`; the JSON Schema of a board's file, its checks and its documentation follow.
 */
export interface Driver<Name extends string = string, F extends Fields = Fields> {
  /** What an entry calls it. */
  readonly name: Name
  /** Whether its entries are sensors or actuators. */
  readonly does: 'senses' | 'moves'
  /** What it is, in a line. */
  readonly about: string
  /** What people call it as well: told who looks for that. */
  readonly alsoCalled?: readonly string[]
  /** Where it is wired and how it is set. */
  readonly fields: F
  /** The quantities of a part that senses several: an entry is a sensor for each, unless it names one as `quantity`. */
  readonly gives?: readonly string[]
  /** Whether it senses no number, but what is on or off. */
  readonly isOnOff?: boolean
  /** What is wrong with values that are right each by itself. */
  check?(values: Values<F>): Misfit | undefined
  /** What its entry takes of the board. */
  claims(values: Values<F>): readonly Claim[]
  /** The unit that an entry has by itself; of drivers that sense one quantity. */
  unit?(values: Values<F>): string | undefined
  /** The part that the entry is on. */
  part(values: Values<F>): PartPlan
}

/** Values that do not go together. */
export interface Misfit {
  /** The key that is told of. */
  readonly key: string
  readonly text: string
}

/** A part that is to be made, and what one entry is on it. Entries whose plans have the same key are on one part. */
export interface PartPlan<Member = any> {
  readonly key: string
  /** What this entry is on the part. */
  readonly member: Member
  /** What all entries of a part have to say alike, with what it is when it is left out. */
  readonly alike?: Readonly<Record<string, unknown>>
  /** Makes the part. Nothing of the hardware is touched: the wiring takes it when it is used. */
  make(members: Readonly<Record<string, Member>>, context: PartContext): MadePart
}

/** What a part is made with. */
export interface PartContext {
  readonly wiring: Wiring
  readonly clock?: Clock
}

/** A part that was made. */
export interface MadePart {
  /** The sensors of each entry, by quantity. One that senses a single quantity may call it as it likes. */
  readonly sensors?: Readonly<Record<string, Readonly<Record<string, Sensor>>>>
  /** The actuator of each entry. */
  readonly actuators?: Readonly<Record<string, Actuator<any>>>
  /** Finds it and puts its outputs into their safe state. */
  open?(): void | Promise<void>
  /** Leaves it asleep, its outputs off, and gives back what it was wired to. */
  close(): void | Promise<void>
}

/** Returns its argument, with the types of its fields. */
export function driver<const Name extends string, const F extends Fields>(
  definition: Driver<Name, F>,
): Driver<Name, F> {
  return definition
}
