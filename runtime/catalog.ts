import type { ActuatorRules } from './actuator-rules.ts'
import type { ActuatorRunner } from './actuator-runner.ts'
import { Arming } from './arming.ts'
import type { Board } from './board.ts'
import * as deferredCatalog from './board-catalog.ts'
import { assertName } from './board-name.ts'
import type { Clock } from './clock.ts'
import type { Resource, ResourceTemplate, Tool } from './definitions.ts'
import type { OperatorLimits } from './operator-limits.ts'
import type { SensorReader } from './sensor-reader.ts'
import type { StoppedOutput, StopToolsOptions } from './stop-tools.ts'

/** A board as MCP: what a server registers for it, and what it asks of it. */
export interface Catalog {
  readonly sensors: readonly SensorReader[]
  readonly actuators: readonly ActuatorRunner[]
  readonly arming: Arming
  /** Nothing for a board without actuators. */
  readonly rules: ActuatorRules | undefined
  readonly tools: Readonly<Record<string, Tool<any>>>
  readonly resources: Readonly<Record<string, Resource>>
  readonly resourceTemplates: Readonly<Record<string, ResourceTemplate>>
  /** Reads in the background what the board wants to have remembered. Returns what ends it. */
  sample(): () => void
  /** What became of each output at a stop, as far as a sensor tells. */
  stopped(failed: ReadonlySet<string>): Promise<StoppedOutput[]>
  /** After a stop nothing counts that a person agreed to before. */
  forgetConsent(): void
}

/** What the catalog needs of the server. */
export interface CatalogOptions {
  readonly clock: Clock
  readonly diagnose: (text: string) => void
  /** Resolves when the hardware is open; nothing when it is. Rejects with why it is not. */
  readonly ready: () => Promise<void> | undefined
  /** The sensors of the board before, when it had the same name: what they remember is gone on with. */
  readonly lastSensors?: readonly SensorReader[]
  /** Adds a read-only tool `read_sensors`, for hosts that do not show resources to the model. */
  readonly readSensorsTool: boolean
  /** What the person who runs the server allows. */
  readonly limits: OperatorLimits
  readonly stop: StopToolsOptions['stop']
  readonly arm: StopToolsOptions['arm']
}

/**
 * Turns a board into resources and tools.
 *
 * @throws DefinitionError for each mistake in the board's declaration, with where it is and what would be right
 */
export function catalog(board: Board, options: CatalogOptions): Catalog {
  if (!isBare(board)) return deferredCatalog.catalogOf(board, options)
  assertName('board', board.name)
  return { ...nothing, arming: new Arming() }
}

/** A board that has nothing to serve: its server lives from what is added to it. */
function isBare({ sensors = {}, actuators = {}, about }: Board): boolean {
  return about === undefined && Object.keys(sensors).length === 0 && Object.keys(actuators).length === 0
}

const nothing: Omit<Catalog, 'arming'> = {
  sensors: [],
  actuators: [],
  rules: undefined,
  tools: {},
  resources: {},
  resourceTemplates: {},
  sample: () => () => {},
  stopped: async () => [],
  forgetConsent: () => {},
}
