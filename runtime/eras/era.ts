import type { LogLevel } from '../call.ts'
import type { CallState } from '../call-state.ts'
import type { RpcError } from '../errors.ts'
import type { Message, RequestId } from '../json-rpc.ts'
import type { ServerCore } from '../server-core.ts'
import type { Feature, Handler } from '../table.ts'
import type { TaskSupport } from '../tasks/task.ts'
import type { TaskTerms } from '../tasks/terms.ts'

/** A question to the client: elicitation, sampling or roots, in the words that all revisions share. */
export interface InputRequest {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  params?: Record<string, unknown>
}

/** The client's answer to an {@link InputRequest}: an object whose members depend on the question. */
export type InputAnswer = Record<string, unknown>

/** What a dialect needs of the connection that it speaks on. */
export interface Speaker {
  readonly server: ServerCore
  /** Sends a line. `about` is the request that it belongs to, if it belongs to one. */
  send(line: string, about?: RequestId): void
  readonly congested: boolean
}

/** What an era needs to know of a tool that may be called as a task. */
export interface TaskTool {
  readonly name: string
  readonly task: TaskSupport
}

/** A family of protocol revisions. Each message chooses its own, and a connection gets a dialect of those that are chosen. */
export interface Era {
  readonly name: string
  /** The protocol revisions it advertises, newest first. */
  readonly versions: readonly string[]
  /** What a client has to do to be served in this era, for the error of one that did neither: `send initialize first`. */
  readonly invitation: string
  /** Whether this request says by itself that it is of this era. `meta` is `params._meta`, when there is one. */
  begins(method: string, meta: Record<string, unknown> | undefined): boolean
  speak(speaker: Speaker): Dialect
}

/** One era on one connection, with what it remembers of that connection. */
export interface Dialect {
  /** The era's name. */
  readonly era: string
  /** Methods that only this era has. */
  readonly methods: Readonly<Record<string, Handler>>
  /** Whether it also answers requests that do not say so, as after a handshake. */
  readonly isOpen: boolean
  /**
   * Reads the envelope into the call: who calls, what they can do, what they want to hear.
   *
   * @throws RpcError when the envelope is wrong
   */
  open(call: CallState, params: Record<string, unknown> | undefined): void | Promise<void>
  /** The neutral value of a handler as the JSON text of this era's `result`. */
  seal(value: unknown, call: CallState): string | Promise<string>
  /** An error as this era's, or the JSON text of a result where this era tells such a failure as one. */
  sealError(error: RpcError, call: CallState): RpcError | string
  /** The least serious level of log messages that may be sent for a call now; nothing when none may. */
  logLevel(call: CallState): LogLevel | undefined
  /** The least serious level of log messages that may be sent without a call; nothing when none may. */
  readonly ownLogLevel: LogLevel | undefined
  /** Asks the client. Resolves with its answer, or throws. */
  ask(call: CallState, key: string, request: InputRequest): Promise<InputAnswer>
  /**
   * How a call of a tool goes on as a task; nothing when it is answered with the tool's result.
   *
   * @throws RpcError when the client cannot have it the way that the tool needs
   */
  taskTerms(call: CallState, params: Record<string, unknown>, tool: TaskTool): TaskTerms | undefined
  /** An answer to a request of ours. */
  response(message: Message): void
  /** Whether a batch may be read, and answered by a batch. */
  takesBatches(): boolean
  listChanged(feature: Feature): void
  log(level: LogLevel, data: unknown, logger: string | undefined): void
  /** The connection takes lines again after a time in which it did not. */
  drained(): void
  /** The server leaves: says so where the era has words for it. */
  farewell(): void
  /** The client is gone: lets go of what was kept for it. */
  close(): void
}
