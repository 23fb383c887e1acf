import type { Actuator, Sensor } from '../../runtime/board.ts'

/**
 * A part that is wired to a board: what it senses and moves, to be spread into a `Board`. It owns the IO that it was handed:
 * `close` gives that back.
 */
export interface Part {
  sensors?: Record<string, Sensor>
  actuators?: Record<string, Actuator<any>>
  /**
   * Finds the part and configures it. A part that was not opened, or that failed, is configured at its next use.
   *
   * @throws Error that names the part and its place, and says what to check
   */
  open?(): void | Promise<void>
  /** Puts the part to sleep, its outputs off, and closes its IO. */
  close?(): void | Promise<void>
}

/** A part with the sensors of these names. */
export interface SensorPart<Name extends string> extends Part {
  sensors: Record<Name, Sensor>
  open(): Promise<void>
  close(): Promise<void>
}

/** A part with the actuators of these names. */
export interface ActuatorPart<Name extends string> extends Part {
  actuators: Record<Name, Actuator<any>>
  open(): void | Promise<void>
  close(): void | Promise<void>
}

/** What a part's actuator may be told beside what its driver knows: texts and rules, as an `Actuator` has them. */
export type ActuatorSettings = Pick<
  Actuator,
  | 'title'
  | 'description'
  | 'holdForMs'
  | 'minIntervalMs'
  | 'maxRate'
  | 'group'
  | 'confirm'
  | 'audience'
  | 'arming'
  | 'readback'
  | 'timeoutMs'
>

/** What every part may be told. */
export interface PartOptions {
  /** Where it is, for people: `Seed tray` makes the sensor `Seed tray: temperature`. */
  title?: string
}

/** The title of one quantity of a part. */
export function titled({ title }: PartOptions, quantity: string): string {
  return title === undefined ? quantity.charAt(0).toUpperCase() + quantity.slice(1) : `${title}: ${quantity}`
}
