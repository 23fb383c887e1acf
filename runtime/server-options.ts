import type { Board } from './board.ts'
import type { Clock } from './clock.ts'
import type { Icon } from './content.ts'
import type { Prompt, Resource, ResourceTemplate, Tool } from './definitions.ts'
import { DefinitionError } from './errors.ts'
import type { OperatorLimits } from './operator-limits.ts'
import type { Owner } from './owner.ts'
import type { Recorder } from './recorder.ts'
import type { ServerInfo } from './server-core.ts'

/** How a server differs from the usual. Everything may be left out. */
export interface ServerOptions {
  /** What clients hand to their model about this server; the board's description when left out. */
  instructions?: string
  websiteUrl?: string
  icons?: readonly Icon[]
  /** Tools of your own, beside the board's actuators. */
  tools?: Record<string, Tool<any>>
  /** Resources of your own by URI, beside the board's sensors. */
  resources?: Record<string, Resource>
  /** Resource templates of your own by URI template (RFC 6570). */
  resourceTemplates?: Record<string, ResourceTemplate>
  prompts?: Record<string, Prompt<any>>
  /** Adds a read-only tool `read_sensors`, for hosts that do not show resources to the model. */
  readSensorsTool?: boolean
  /** What the person who runs the server allows: narrower than the board's own rules, never wider. */
  limits?: OperatorLimits
  /** Keeps a record of every call, and of stops. */
  recorder?: Recorder
  /**
   * A host that says nothing for so long, in milliseconds, hangs: everything is made safe, and what wants to be armed is
   * disarmed. Hosts that ping may have a short time; without it a silent host is waited for as long as its pipe is open.
   */
  hostSilenceMs?: number
  /** Extensions that are served, by id, with their settings (2026-07-28, basic/versioning). */
  extensions?: Record<string, object>
  /** The longest line that is read, in bytes; 4 MiB when left out. */
  maxLineBytes?: number
  /** The longest message that is sent, in bytes; lists are cut into pages to fit. 8 MiB when left out. */
  maxMessageBytes?: number
  /** How many requests of one client may run at once; 1024 when left out. */
  maxCallsInFlight?: number
  /** How long a client may take to answer a question, in milliseconds; 10 minutes when left out. */
  questionTimeoutMs?: number
  /** How many tasks may run at once, and how many outcomes are kept; 256 when left out. One client may have a quarter. */
  maxTasks?: number
  /** How long the outcome of a task is kept, in milliseconds; 5 minutes when left out. */
  taskTtlMs?: number
  /** At least 32 bytes that sign what clients carry between two requests; random when left out. */
  requestStateSecret?: Uint8Array
  /**
   * For a server that learns only later what it serves, such as one for a device behind a cable that was never seen
   * before. It says from the beginning that it has tools, resources and prompts; while this gives a promise, lists and
   * calls wait for it.
   */
  untilKnown?: () => Promise<void> | undefined
  /** Who takes the hardware; an owner for this process when left out. */
  owner?: Owner
  clock?: Clock
  /** Takes lines for the operator, without a newline. Transports send them to stderr. */
  diagnose?: (text: string) => void
}

/** Who a server is: its board, as its options complete it. */
export function serverInfo(board: Board, { websiteUrl, icons }: ServerOptions): ServerInfo {
  return {
    name: board.name,
    version: board.version ?? '0.0.0',
    ...(board.title === undefined ? {} : { title: board.title }),
    ...(websiteUrl === undefined ? {} : { websiteUrl }),
    ...(icons === undefined ? {} : { icons }),
  }
}

/**
 * The value of an option that limits something, or the usual one.
 *
 * @throws DefinitionError for what is no whole number from 1 on
 */
export function limitOf(name: string, value: number | undefined, usual: number): number {
  if (value === undefined) return usual
  if (!Number.isSafeInteger(value) || value < 1) throw new DefinitionError(`${name} must be a whole number from 1 on`)
  return value
}
