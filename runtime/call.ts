import type { Access } from './access.ts'
import type { FromSchema, JsonSchema } from './schema/types.ts'

/** How serious a log message is, rising (RFC 5424 severities, as MCP names them). */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** The log levels from the least to the most serious. */
export const logLevels: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** What a client says it can do (MCP ClientCapabilities); unknown members are kept. */
export interface ClientCapabilities {
  elicitation?: { form?: object; url?: object }
  sampling?: { tools?: object; context?: object }
  roots?: { listChanged?: boolean }
  [name: string]: unknown
}

/** Who a client says it is (MCP Implementation). For logs only: never decide by it. */
export interface ClientInfo {
  name: string
  version: string
  title?: string
  [name: string]: unknown
}

/** A form of primitive fields (MCP `requestedSchema`): strings, numbers, booleans and enumerations, no nesting. */
export interface FormSchema extends JsonSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
}

/** A question for the person, as a form. Never ask for secrets in a form. */
export interface ElicitForm<S extends FormSchema = FormSchema> {
  message: string
  requestedSchema: S
  /** Names the question within the call. Counted when left out. */
  key?: string
}

/** A page for the person to visit; for anything secret. `accept` means that they agreed to go there, not that they were. */
export interface ElicitUrl {
  message: string
  url: string
  key?: string
}

/** What the person answered. */
export type ElicitResult<T = Record<string, unknown>> =
  | { action: 'accept'; content: T }
  | { action: 'decline' }
  | { action: 'cancel' }

/** A request to the client's model (MCP `sampling/createMessage`; deprecated since 2026-07-28). */
export interface SampleRequest {
  messages: readonly { role: 'user' | 'assistant'; content: unknown }[]
  maxTokens: number
  key?: string
  [member: string]: unknown
}

/** The model's answer to a {@link SampleRequest}. */
export interface SampleResult {
  role: 'user' | 'assistant'
  content: unknown
  model: string
  stopReason?: string
  [member: string]: unknown
}

/** A folder that the client lets a server use (MCP Root; deprecated since 2026-07-28). */
export interface Root {
  uri: string
  name?: string
}

/**
 * What a handler is given beside its arguments: one call of one client. It is the same in every protocol revision.
 *
 * `elicit`, `sample` and `roots` ask the client something. In the handshake revisions the question goes out while the
 * handler waits. In 2026-07-28 the client repeats its request with the answer and **the handler runs again from its
 * start**, so ask first and act afterwards. A call that goes on as a task never runs again: there the handler waits in
 * every revision. They throw when the client cannot do it.
 */
export interface Call {
  /** Aborts when the client cancels, leaves, or the call takes too long. */
  readonly signal: AbortSignal
  /** Who calls, where known. For logs only. */
  readonly clientInfo: ClientInfo | undefined
  /** What the client says it can do. */
  readonly clientCapabilities: ClientCapabilities
  /** What the client may do; nothing when no client called. */
  readonly access?: Access
  /**
   * Tells how far the call is, if the client asked for it; nothing otherwise. `progress` must rise from call to call;
   * a value that does not is dropped.
   */
  progress(progress: number, total?: number, message?: string): void
  /** Sends a log message to the client, if it asked for this level. */
  log(level: LogLevel, data: unknown, logger?: string): void
  /** Asks the person by a form, or shows them a page. The answer fits the schema. */
  elicit<const S extends FormSchema>(question: ElicitForm<S>): Promise<ElicitResult<FromSchema<S>>>
  elicit(question: ElicitUrl): Promise<ElicitResult<never>>
  /** Asks the client's model. */
  sample(request: SampleRequest): Promise<SampleResult>
  /** Asks which folders the client lets this server use. */
  roots(key?: string): Promise<Root[]>
}
