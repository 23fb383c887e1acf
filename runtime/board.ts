import type { Call } from './call.ts'
import type { ArgumentsOf, InputSchema, JsonSchema } from './schema/types.ts'
import type { SenmlUnit } from './senml-units.ts'
import type { TaskSupport } from './tasks/task.ts'

/** One value of a sensor: SenML's `v`, `vb`, `vs` or `vd` (RFC 8428, section 4.2). */
export type SensorValue = number | boolean | string | Uint8Array

/** What a reading is taken for. `signal` aborts when nobody waits for it any more. */
export interface ReadRequest {
  readonly signal: AbortSignal
}

/** What is remembered of a sensor, for whoever looks seldom. */
export interface SensorMemory {
  /** How many of the last changes are kept; 16 when left out. Each takes 16 bytes, a text up to 100 characters. */
  samples?: number
  /**
   * Reads the sensor in the background at this period, in milliseconds, while the hardware is open; never faster than
   * `ttlMs`. Left out, only what is read or told anyway is remembered.
   */
  everyMs?: number
}

/**
 * A border that subscribers hear of at once. A value equal to it has not crossed it; going back counts once the value is
 * inside again by the hysteresis or more.
 */
export interface Threshold {
  /** Crossed by a value above this. Crossed back by one at or below `above - hysteresis`. */
  above?: number
  /** Crossed by a value below this. Crossed back by one at or above `below + hysteresis`. */
  below?: number
  /** In the sensor's unit; 0 when left out. */
  hysteresis?: number
}

/** A sensor: something that can be read. It becomes the resource `sensor://<board>/<sensor>`. */
export interface Sensor {
  /** The name people see: `Soil moisture`. */
  title?: string
  /** What it measures and where, for the model. */
  description?: string
  /** What a reading is; `number` when left out. */
  type?: 'number' | 'integer' | 'boolean' | 'string' | 'data'
  /** A unit of the SenML registry (RFC 8428 and RFC 8798): `Cel`, `%RH`, `lx`, `/` for a ratio of 0 to 1. */
  unit?: SenmlUnit
  /** The smallest value that this sensor can truly give. A reading below it counts as a failed reading. */
  minimum?: number
  /** The largest value that this sensor can truly give. A reading above it counts as a failed reading. */
  maximum?: number
  /** A new value comes at most this often, in milliseconds. Readings younger than this are given again. 0 when left out. */
  ttlMs?: number
  /** Subscribers hear of a change only when it is larger than this, in the sensor's unit. 0 when left out. */
  deadBand?: number
  /** Subscribers hear of changes at most this often, in milliseconds; 1000 when left out. */
  minIntervalMs?: number
  /**
   * Borders of a number. Crossing one is a change that subscribers hear of at once, whatever `deadBand` and
   * `minIntervalMs` say, and is listed in the history with its time.
   */
  thresholds?: readonly Threshold[]
  /** What is remembered, at `sensor://<board>/<sensor>/history`; `false` for nothing. */
  history?: SensorMemory | false
  /** A reading that takes longer than this has failed, in milliseconds; 10 000 when left out. */
  timeoutMs?: number
  /** Takes one reading. Throw an error that says what does not answer and what to check. */
  read(request: ReadRequest): SensorValue | Promise<SensorValue>
  /**
   * A source of changes, when the hardware has one (an interrupt, a message). Calls `changed` with each new value until
   * the function that it returned is called. Without it the sensor is read every `ttlMs` while somebody is subscribed.
   */
  watch?(changed: (value: SensorValue) => void): () => void
}

/** An actuator: something that can be moved. It becomes a tool of the same name. */
export interface Actuator<S extends InputSchema = InputSchema> {
  /** The name people see: `Water pump`. */
  title?: string
  /** What it does and what follows from it, for the model. */
  description?: string
  /** The arguments: a JSON Schema 2020-12 whose root is an object, or a Standard Schema. No arguments when left out. */
  inputSchema?: S
  /** What `set` returns, when it returns something of its own. */
  outputSchema?: JsonSchema
  /** Another call takes the effect back: a lamp, but not a pump. False when left out, which hosts show as destructive. */
  reversible?: boolean
  /** The arguments are a state to be in, so that the same call twice does no more than once. False when left out. */
  absolute?: boolean
  /** It reaches beyond this machine and what is wired to it. False when left out. */
  reachesBeyond?: boolean
  /**
   * The arguments that put it into its safe state, used when the program starts to leave, loses its host, or a call is
   * cancelled half-way. `null` says on purpose that there is nothing to make safe.
   */
  safe: ArgumentsOf<S> | null
  /** The arguments it is given at the start, after the safe ones. The safe state when left out. */
  initial?: ArgumentsOf<S>
  /** Each move ends in the safe state by itself, as a dose or a homing run does: it is away only while `set` runs. */
  momentary?: boolean
  /**
   * The longest time away from the safe state, in milliseconds. When it is over the actuator is made safe, however many
   * calls came meanwhile. No limit when left out.
   */
  holdForMs?: number
  /** A call sooner than this after the last move is refused, in milliseconds. The safe arguments are always accepted. */
  minIntervalMs?: number
  /**
   * The most that a number among the arguments may change a second; a larger step is refused. Time since the last move
   * counts up to one second. The safe arguments are always accepted.
   */
  maxRate?: number
  /** Of all actuators with the same group only one may be away from its safe state: off before on. */
  group?: string
  /**
   * When a person is asked before a move: `each` time, before the `first` one since the start or since a stop, or `never`.
   * Where nobody can be asked, the move is refused. `never` when left out.
   */
  confirm?: 'never' | 'first' | 'each'
  /** Who may move it: the `model` as well, or a `person` only, who works a page or a command. `model` when left out. */
  audience?: 'model' | 'person'
  /** The name of the sensor that shows the effect. It is read after each move, and after a stop. */
  readback?: string
  /**
   * What `readback` shows while the actuator is safe, within the sensor's dead band: a value, or a range with both ends. A
   * sensor that is on or off needs none where the safe arguments are one value.
   */
  safeReading?: number | boolean | string | readonly [least: number, most: number]
  /**
   * When it stays off until a person arms the outputs. `true`: after the start, after a stop, and after its host was gone.
   * `false`: never. When left out: after a stop.
   */
  arming?: boolean
  /**
   * The hardware keeps `holdForMs`, `minIntervalMs`, `maxRate`, `group` and `arming: true` by itself, as a device behind a
   * cable does. They are told to the model and left to it.
   */
  selfKept?: boolean
  /** A call that takes longer than this is aborted and the actuator made safe, in milliseconds; 60 000 when left out. */
  timeoutMs?: number
  /**
   * Whether a call may go on as a task that the client polls: see `task` of a tool. When left out: `optional` for a
   * `timeoutMs` over 60 000, and else `never`.
   */
  task?: TaskSupport
  /**
   * Moves it. Called with arguments that fit the schema, for one call at a time. Slow moves report `call.progress` and
   * stop when `call.signal` aborts.
   */
  set(args: ArgumentsOf<S>, call: Call): unknown
}

/** A board: a table of sensors and actuators, as data with functions in it. */
export interface Board {
  /** The board's name, in URIs and for clients: a letter, then letters, digits, `_` or `-`; at most 64. */
  name: string
  /** The version of the board's description; `0.0.0` when left out. */
  version?: string
  /** The name people see. */
  title?: string
  /** What the board is and how to use it; clients hand it to the model as the server's instructions. */
  description?: string
  /**
   * What a device says of itself, when others than its operator wrote it: served as data at `device://<board>`, and never
   * a part of the instructions.
   */
  about?: string
  /** The sensors by name: a letter, then letters, digits, `_` or `-`; at most 64. */
  sensors?: Record<string, Sensor>
  /** The actuators by name: a letter, then letters, digits, `_` or `-`; at most 64. */
  actuators?: Record<string, Actuator<any>>
  /** What this board occupies, when only one program may have it: a port, a bus (`/dev/ttyACM0`). */
  device?: string
  /** Takes the hardware. Called once, before the first reading or move. */
  open?(): void | Promise<void>
  /**
   * Puts every output into its safe state at once, for hardware that can do so by itself, such as a device behind a cable.
   * It is called in the place of the actuators' safe arguments, which then say what that state is. Such hardware is in
   * charge of its own state at the start.
   */
  makeSafe?(): void | Promise<void>
  /** A person armed the outputs, or disarmed them: for hardware that keeps `arming` by itself. */
  arm?(armed: boolean): void | Promise<void>
  /** Gives the hardware back. Called once, after the actuators are safe. */
  close?(): void | Promise<void>
}

/** Returns its argument. Around an actuator it lets TypeScript infer the arguments of `set` from `inputSchema`. */
export function actuator<const S extends InputSchema>(definition: Actuator<S>): Actuator<S> {
  return definition
}

/** Returns its argument. Around a sensor it checks the type where it is written. */
export function sensor(definition: Sensor): Sensor {
  return definition
}
