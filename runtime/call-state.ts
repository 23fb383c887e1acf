import type { Access } from './access.ts'
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
import type { Dialect, InputAnswer, InputRequest } from './eras/era.ts'
import { RpcError } from './errors.ts'
import { isObject } from './json.ts'
import type { RequestId } from './json-rpc.ts'
import { LazySignal } from './lazy-signal.ts'
import type { Checked } from './schema/types.ts'
import { compileSchema } from './schema.ts'

/** Where the notifications of a call go. */
export interface CallOutlet {
  notify(method: string, params: object, about: CallState): void
  /** The client does not read: what a later message makes obsolete need not be sent. */
  readonly congested: boolean
  /** What the client may do. */
  readonly access: Access
  /** The name under which the transport knows the client. */
  readonly client: string | undefined
}

/** One request while it runs. Handlers see it as {@link Call}. */
export class CallState implements Call {
  readonly id: RequestId
  readonly method: string
  readonly outlet: CallOutlet
  readonly dialect: Dialect
  clientInfo: ClientInfo | undefined = undefined
  clientCapabilities: ClientCapabilities = noCapabilities
  /** The least serious level that the request asked for, where the era has requests ask. */
  logLevel: LogLevel | undefined = undefined
  progressToken: string | number | undefined = undefined
  /** Nothing more may be sent for this call: it was answered or cancelled. */
  settled = false
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
  #lastProgress = Number.NEGATIVE_INFINITY
  #stop: LazySignal | undefined = undefined

  constructor(id: RequestId, method: string, dialect: Dialect, outlet: CallOutlet) {
    this.id = id
    this.method = method
    this.dialect = dialect
    this.outlet = outlet
  }

  get signal(): AbortSignal {
    this.#stop ??= new LazySignal()
    return this.#stop.signal
  }

  /** Whether the call was told to stop. */
  get aborted(): boolean {
    return this.#stop?.aborted === true
  }

  /** Tells the handler to stop; the call is still answered. */
  abort(reason: Error): void {
    this.#stop ??= new LazySignal()
    this.#stop.abort(reason)
  }

  progress(progress: number, total?: number, message?: string): void {
    if (this.progressToken === undefined || this.settled || this.outlet.congested) return
    if (!(progress > this.#lastProgress) || !Number.isFinite(progress)) return
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

  async elicit(question: ElicitForm | ElicitUrl): Promise<any> {
    const { key = this.#nextKey('elicitation'), ...asked } = question
    const isPage = 'url' in asked
    const form = isPage ? undefined : compileSchema(asked.requestedSchema, `requestedSchema of "${key}"`, 'form')
    const params = isPage ? { mode: 'url', ...asked } : asked
    for (let tries = 0; ; tries++) {
      const { action, content = {} } = await this.#ask(key, { method: 'elicitation/create', params })
      if (action === 'decline' || action === 'cancel') return { action }
      const accepted: Checked = action === 'accept' ? { ok: true, value: content } : unknownAction
      const checked = accepted.ok && form !== undefined ? await form.check(content) : accepted
      if (checked.ok) return { action, content: checked.value }
      if (tries === 2) throw new RpcError(-32602, `The answer to "${key}" does not fit: ${checked.problems.join('; ')}`)
      // The same question once more: a form that was filled in wrongly is never taken for an answer.
      if (this.answers !== undefined) delete this.answers[key]
    }
  }

  async sample({ key = this.#nextKey('sampling'), ...params }: SampleRequest): Promise<SampleResult> {
    const answer = await this.#ask(key, { method: 'sampling/createMessage', params })
    if (typeof answer.model !== 'string' || answer.content === undefined) throw badAnswer(key, "a model's message")
    return answer as unknown as SampleResult
  }

  async roots(key: string = this.#nextKey('roots')): Promise<Root[]> {
    const { roots } = await this.#ask(key, { method: 'roots/list' })
    if (!Array.isArray(roots)) throw badAnswer(key, 'a list of roots')
    return roots as Root[]
  }

  async #ask(key: string, request: InputRequest): Promise<InputAnswer> {
    const given = this.answers
    if (given !== undefined && Object.hasOwn(given, key)) {
      const answer = given[key]
      if (isObject(answer)) return answer
      delete given[key]
    }
    return this.dialect.ask(this, key, request)
  }

  #nextKey(kind: string): string {
    return `${kind}_${++this.#asked}`
  }
}

const noCapabilities: ClientCapabilities = Object.freeze({})

function badAnswer(key: string, expected: string): RpcError {
  return new RpcError(-32602, `The answer to "${key}" is not ${expected}`)
}

const unknownAction: Checked = { ok: false, problems: ['its action must be accept, decline or cancel'] }

/** Thrown through a handler whose question goes out with the answer to its request. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired'
  constructor() {
    super('The client has to answer first')
  }
}
