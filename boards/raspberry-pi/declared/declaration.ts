import type { Actuator, SensorMemory, Threshold } from '../../../runtime/index.ts'
import type { ActuatorSettings } from '../../parts/part.ts'
import type { Calibration } from './calibration.ts'
import type { Driver } from './driver.ts'
import type { actuatorDrivers, sensorDrivers } from './drivers/index.ts'
import type { Written } from './field.ts'

/** What any sensor may be told, beside where it is wired. The members are those of a `Sensor`. */
export interface SensorSettings {
  readonly title?: string
  readonly description?: string
  readonly ttlMs?: number
  readonly minIntervalMs?: number
  readonly timeoutMs?: number
  readonly history?: SensorMemory | false
  /** One quantity only, from here on. */
  readonly deadBand?: number
  readonly thresholds?: readonly Threshold[]
  readonly minimum?: number
  readonly maximum?: number
  /** What the values mean: what the part gives, and what that is in `unit`. */
  readonly calibration?: Calibration
  readonly unit?: string
}

/** What any actuator may be told, beside where it is wired. The members are those of an `Actuator`. */
export type ActuatorEntrySettings = {
  readonly [K in Exclude<keyof ActuatorSettings, 'timeoutMs'> | 'safeReading']?: Exclude<Actuator[K], undefined>
}

type EntryOf<D> = D extends Driver<infer Name, infer F> ? { readonly driver: Name } & Written<F> : never

/** A sensor, or the several sensors of one part: which driver it has, where it is wired, and what it is told. */
export type SensorEntry = EntryOf<(typeof sensorDrivers)[number]> & SensorSettings

/** An actuator: which driver it has, where it is wired, and what it is told. */
export type ActuatorEntry = EntryOf<(typeof actuatorDrivers)[number]> & ActuatorEntrySettings

/** What is wired to a Raspberry Pi, as data: what stands in a `board.json`. */
export interface BoardDeclaration {
  /** Where editors find the JSON Schema of the file. */
  readonly $schema?: string
  /** The board's name: a letter, then letters, digits, `_` or `-`; at most 64. */
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly version?: string
  /** By name. A part that senses several quantities gives a sensor for each: `air_temperature`, `air_humidity`. */
  readonly sensors?: Readonly<Record<string, SensorEntry>>
  readonly actuators?: Readonly<Record<string, ActuatorEntry>>
}
