import type {
  Call,
  ClientCapabilities,
  ClientInfo,
  ElicitForm,
  ElicitUrl,
  LogLevel,
  Root,
  SampleRequest,
  SampleResult,
} from './call.ts'
import { bindMethodsWhenRead } from './call-methods.ts'
import { LazySignal } from './lazy-signal.ts'

/** A call as the actuator sees that it moves: the same, with a signal that also aborts when the move is broken off. */
export class MoveCall implements Call {
  static {
    bindMethodsWhenRead(MoveCall.prototype)
  }

  readonly #call: Call
  #stop: LazySignal | undefined = undefined

  constructor(call: Call) {
    this.#call = call
  }

  /** Tells the move to stop. */
  get stop(): LazySignal {
    this.#stop ??= new LazySignal()
    return this.#stop
  }

  get signal(): AbortSignal {
    return this.stop.signal
  }

  get clientInfo(): ClientInfo | undefined {
    return this.#call.clientInfo
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#call.clientCapabilities
  }

  progress(progress: number, total?: number, message?: string): void {
    this.#call.progress(progress, total, message)
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    this.#call.log(level, data, logger)
  }

  elicit(question: ElicitForm | ElicitUrl): Promise<any> {
    return this.#call.elicit(question as ElicitForm)
  }

  sample(request: SampleRequest): Promise<SampleResult> {
    return this.#call.sample(request)
  }

  roots(key?: string): Promise<Root[]> {
    return this.#call.roots(key)
  }
}
