import type { Clock } from './clock.ts'
import type { Icon } from './content.ts'
import type { HandlerTable } from './table.ts'
import type { TaskStore } from './tasks/task-store.ts'

/** Who the server is (MCP Implementation). */
export interface ServerInfo {
  name: string
  version: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: readonly Icon[]
}

/** What connections and eras need to know of the server behind them. */
export interface ServerCore {
  readonly info: ServerInfo
  readonly instructions: string | undefined
  readonly table: HandlerTable
  readonly clock: Clock
  readonly maxMessageBytes: number
  readonly maxCallsInFlight: number
  /** How long the client has to answer a question, in milliseconds. */
  readonly questionTimeoutMs: number
  readonly tasks: TaskStore
  /** A connection is gone: what began on it stops, unless its client comes back. */
  left(connection: object, reason: Error): void
  /** Whether any tool may be called as a task. */
  servesTasks(): boolean
  /** What the server offers, read off its table. Tasks are not among it: each era has its own words for them. */
  capabilities(): Record<string, unknown>
  /** Whether a resource or template has this URI. */
  knowsResource(uri: string): boolean
  /** Calls `changed` after each change of the resource, until the function returned is called. */
  subscribe(uri: string, changed: () => void): () => void
  /** Makes and reads state that the client carries between two requests. */
  readonly requestState: RequestStateSealer
  /** Is told of each message, where a silent host is taken for one that hangs. */
  readonly deadMan: { heard(): void } | undefined
  /** A client chose from which level on it hears log messages. */
  onLogLevel(): void
  /** A line for the operator. Never for the client. */
  diagnose(text: string): void
}

/** Signs what a client carries for us, so that what it brings back can be believed (MCP `requestState`). */
export interface RequestStateSealer {
  seal(state: Record<string, unknown>): Promise<string>
  /** The state, or nothing when it was not sealed here, was changed, or is too old. */
  open(sealed: string): Promise<Record<string, unknown> | undefined>
}
