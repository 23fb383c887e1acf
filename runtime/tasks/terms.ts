import type { LogLevel } from '../call.ts'
import type { InputAnswer, InputRequest } from '../eras/era.ts'
import type { RpcError } from '../errors.ts'

/** How a call goes on as a task: what is up to the era that it began in. */
export interface TaskTerms {
  /** What the tool has to ask first is asked before the task is there, by rounds of the same request. */
  readonly asksFirst: boolean
  /** How long from its beginning the client wants it to be kept, in milliseconds. */
  readonly ttlMs: number | undefined
  /** The neutral value of the tool as the JSON text of the era's result. */
  seal(value: unknown): string
  /** An error as the era's, or the JSON text of a result where the era tells such a failure as one. */
  sealError(error: RpcError): RpcError | string
  /** Why the client cannot be asked this; nothing when it can. */
  refusal(request: InputRequest): RpcError | undefined
  /** Asks by a request of our own, where the era has those. In others the client finds the question when it polls. */
  ask?(taskId: string, key: string, request: InputRequest, signal: AbortSignal): Promise<InputAnswer>
  /** Tells how far the call is, where the era tells it of a task. */
  progress?(taskId: string, progress: number, total: number | undefined, message: string | undefined): void
  log?(taskId: string, level: LogLevel, data: unknown, logger: string | undefined): void
}
