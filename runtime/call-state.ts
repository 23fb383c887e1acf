import type { Access } from './access.ts'
import type { Asker } from './asking.ts'
import type { Batch } from './batch.ts'
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
import { logLevels } from './call.ts'
import { bindMethodsWhenRead } from './call-methods.ts'
import type { Dialect, InputAnswer, InputRequest } from './eras/era.ts'
import * as deferredQuestions from './eras/questions.ts'
import { isObject } from './json.ts'
import type { RequestId } from './json-rpc.ts'
import { type AbortListener, LazySignal, type Stoppable } from './lazy-signal.ts'

/** Where the notifications of a call go. */
export interface CallOutlet {
  notify(method: string, params: object, about: CallState): void
  /** The client does not read: what a later message makes obsolete need not be sent. */
  readonly congested: boolean
  /** What the client may do. */
  readonly access: Access
  /** The name under which the transport knows the client. */
  readonly client: string | undefined
  /** The client comes back over other connections: its tasks outlive this one. */
  readonly returns: boolean
}

/** Whoever makes a request, as its era knows them: from a handshake, or from the request itself. */
export interface Caller {
  readonly clientInfo: ClientInfo | undefined
  readonly clientCapabilities: ClientCapabilities
  /** The least serious level of log messages that the request asked for, where the era has requests ask. */
  readonly logLevel: LogLevel | undefined
}

/** One request while it runs. Handlers see it as {@link Call}. */
export class CallState implements Call, Asker, Stoppable {
  static {
    bindMethodsWhenRead(CallState.prototype)
  }

  readonly id: RequestId
  readonly method: string
  readonly outlet: CallOutlet
  readonly dialect: Dialect
  caller: Caller = nobody
  progressToken: string | number | undefined = undefined
  /** Nothing more may be sent for this call: it was answered or cancelled. */
  settled = false
  /** What the tool threw, for the record. */
  thrown: unknown = undefined
  cancelled = false
  /** The request's params, where an era needs them again. */
  params: Record<string, unknown> | undefined = undefined
  /** Answers that the client has given so far, by key. */
  answers: Record<string, unknown> | undefined = undefined
  /** Questions that are open when the handler is done. The modern era sends them instead of a result. */
  questions: Record<string, InputRequest> | undefined = undefined
  /** The structured answer of the tool need not be an object, for an era that has to wrap it then. */
  anyOutput = false
  /** The batch that waits for the answer, if the request came in one. */
  batch: Batch | undefined = undefined
  #asked = 0
  #lastProgress: number | undefined = undefined
  #stop: LazySignal | undefined = undefined

  constructor(id: RequestId, method: string, dialect: Dialect, outlet: CallOutlet) {
    this.id = id
    this.method = method
    this.dialect = dialect
    this.outlet = outlet
  }

  get clientInfo(): ClientInfo | undefined {
    return this.caller.clientInfo
  }

  get clientCapabilities(): ClientCapabilities {
    return this.caller.clientCapabilities
  }

  get access(): Access {
    return this.outlet.access
  }

  get client(): string | undefined {
    return this.outlet.client
  }

  get signal(): AbortSignal {
    this.#stop ??= new LazySignal()
    return this.#stop.signal
  }

  /** Whether the call was told to stop. */
  get aborted(): boolean {
    return this.#stop?.aborted === true
  }

  onAbort(listener: AbortListener): () => void {
    this.#stop ??= new LazySignal()
    return this.#stop.onAbort(listener)
  }

  /** Tells the handler to stop; the call is still answered. */
  abort(reason: Error): void {
    this.#stop ??= new LazySignal()
    this.#stop.abort(reason)
  }

  progress(progress: number, total?: number, message?: string): void {
    if (this.progressToken === undefined || this.settled || this.outlet.congested) return
    if (!(progress > (this.#lastProgress ?? Number.NEGATIVE_INFINITY)) || !Number.isFinite(progress)) return
    this.#lastProgress = progress
    const params: Record<string, unknown> = { progressToken: this.progressToken, progress }
    if (total !== undefined && Number.isFinite(total)) params.total = total
    if (message !== undefined) params.message = message
    this.outlet.notify('notifications/progress', params, this)
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.settled || this.outlet.congested) return
    const least = this.dialect.logLevel(this)
    if (least === undefined || logLevels.indexOf(level) < logLevels.indexOf(least)) return
    this.outlet.notify('notifications/message', logger === undefined ? { level, data } : { level, logger, data }, this)
  }

  elicit(question: ElicitForm | ElicitUrl): Promise<any> {
    return deferredQuestions.elicit(this, question)
  }

  sample(request: SampleRequest): Promise<SampleResult> {
    return deferredQuestions.sample(this, request)
  }

  roots(key?: string): Promise<Root[]> {
    return deferredQuestions.roots(this, key)
  }

  nextKey(kind: string): string {
    return `${kind}_${++this.#asked}`
  }

  async ask(key: string, request: InputRequest): Promise<InputAnswer> {
    const given = this.answers
    if (given !== undefined && Object.hasOwn(given, key)) {
      const answer = given[key]
      if (isObject(answer)) return answer
      delete given[key]
    }
    return this.dialect.ask(this, key, request)
  }

  forget(key: string): void {
    if (this.answers !== undefined) delete this.answers[key]
  }
}

const nobody: Caller = Object.freeze({
  clientInfo: undefined,
  clientCapabilities: Object.freeze({}),
  logLevel: undefined,
})

/** Thrown through a handler whose question goes out with the answer to its request. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired'
  constructor() {
    super('The client has to answer first')
  }
}
