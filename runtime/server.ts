import type { Peer } from './access.ts'
import type { Board } from './board.ts'
import type { LogLevel } from './call.ts'
import type { Clock } from './clock.ts'
import type { Connection, Outlet } from './connection.ts'
import type { Prompt, Resource, ResourceTemplate, Tool } from './definitions.ts'
import { isObject } from './json.ts'
import type { Registry } from './registry.ts'
import type { ServerInfo } from './server-core.ts'
import type { StopReport } from './stop-tools.ts'

/** A server: one board, and what was added to it, for any number of clients. */
export interface Server {
  readonly info: ServerInfo
  readonly board: Board
  /** The tools by name. Changing them tells every client that the list changed. */
  readonly tools: Registry<Tool<any>>
  readonly resources: Registry<Resource>
  readonly resourceTemplates: Registry<ResourceTemplate>
  readonly prompts: Registry<Prompt<any>>
  readonly maxLineBytes: number
  readonly clock: Clock
  /** Takes lines for the operator. */
  diagnose: (text: string) => void
  /** Tells every client that watches this resource that it changed. */
  resourceUpdated(uri: string): void
  /** Sends a log message to every client that wants to hear it (handshake revisions). */
  log(level: LogLevel, data: unknown, logger?: string): void
  /** The least serious level that any client wants to hear of without a call; nothing when none does. */
  readonly logLevel: LogLevel | undefined
  /** Called when {@link Server.logLevel} may be another one. */
  onLogLevel: () => void
  /** How many clients are connected. */
  readonly clients: number
  /** A new client: its lines go into the connection, the answers into the outlet. */
  connect(outlet: Outlet, peer?: Peer): Connection
  /**
   * Takes the hardware and puts every actuator into its safe state. Clients are answered meanwhile; what needs the
   * hardware waits. Calling it again changes nothing.
   *
   * @throws what the board threw; calls then fail with its message
   */
  open(): Promise<void>
  /**
   * Serves another description of the same hardware, such as a device behind a cable that got new firmware. Clients are
   * told which lists changed. The hardware stays open: neither board's `open` or `close` is called.
   *
   * @throws DefinitionError for a mistake in the new board, and goes on with the old one
   */
  replaceBoard(board: Board): void
  /** Puts every actuator into its safe state, ahead of everything that runs or waits. Returns what went wrong. */
  makeSafe(): Promise<string[]>
  /** The last resort of a process that dies: what can be made safe at once is. */
  makeSafeNow(): void
  /**
   * Puts every actuator into its safe state, as {@link Server.makeSafe} does. What does not say `arming: false` stays there
   * until {@link Server.arm}.
   *
   * @param by who stopped it, for the operator
   */
  stop(by: string): Promise<StopReport>
  /** A person lets the outputs move: after a stop, and those that want to be armed. `by` is who, for the operator. */
  arm(by: string): Promise<void>
  /** Whether a person armed the outputs since the start and since the last stop. */
  readonly armed: boolean
  /** Whether the outputs were stopped, and no person has armed them since. */
  readonly stopped: boolean
  /**
   * Stops for good: calls are broken off, actuators made safe, subscriptions ended, the hardware given back.
   * Calling it again waits for the first.
   */
  close(reason?: string): Promise<void>
}

/** Marks a server, for other copies of this package too. */
export const serverBrand = Symbol.for('ferrule.server')

/** Whether a value is a {@link Server}, also one of another copy of this package. */
export function isServer(value: unknown): value is Server {
  return isObject(value) && (value as { [serverBrand]?: true })[serverBrand] === true
}
