import type { ClientCapabilities, FormSchema } from '../call.ts'
import type { CallState } from '../call-state.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject } from '../json.ts'
import { type Message, notificationLine, type RequestId, requestLine } from '../json-rpc.ts'
import { type Missing, missingCapability, missingError } from './capabilities.ts'
import type { InputAnswer, InputRequest, Speaker } from './era.ts'
import { formFor, revisionNeeded } from './older-forms.ts'

const mostQuestions = 64

interface Question {
  resolve: (answer: InputAnswer) => void
  reject: (error: Error) => void
}

/** What a question belongs to: a request, or a task that may have none. */
export interface Asking {
  readonly id: RequestId | undefined
  readonly signal: AbortSignal
}

/** What is needed to put questions to the client of a connection. */
export interface LegacyQuestionsOptions {
  readonly speaker: Speaker
  /** The revision that the handshake agreed on. */
  readonly version: () => string
  readonly capabilities: () => ClientCapabilities
}

/** Questions to the client of a connection, as requests of our own. */
export class LegacyQuestions {
  readonly #options: LegacyQuestionsOptions
  readonly #questions = new Map<RequestId, Question>()
  #last = 0

  constructor(options: LegacyQuestionsOptions) {
    this.#options = options
  }

  /** Asks on behalf of a request. Resolves with the answer. */
  ask(call: CallState, key: string, request: InputRequest): Promise<InputAnswer> {
    const refusal = this.refusal(request)
    if (refusal !== undefined) return Promise.reject(refusal)
    return this.askAbout(call, key, request.method, this.paramsOf(request))
  }

  /** Why the client cannot be asked this; nothing when it can. */
  refusal(request: InputRequest): RpcError | undefined {
    const missing = this.#missing(request)
    return missing === undefined ? undefined : missingError(missing)
  }

  /** The params of a question, in the words of the revision. */
  paramsOf({ method, params }: InputRequest): object | undefined {
    if (method !== 'elicitation/create' || params === undefined) return params
    if (params.mode === 'url') return { ...params, elicitationId: crypto.randomUUID() }
    return { ...params, requestedSchema: formFor(this.#options.version(), params.requestedSchema as FormSchema) }
  }

  /** An answer to one of the questions, or to none of them. */
  response({ id, result, error }: Message): void {
    const question = this.#questions.get(id)
    if (question === undefined) return
    this.#questions.delete(id)
    if (error !== undefined) {
      const message = isObject(error) && typeof error.message === 'string' ? error.message : 'no reason given'
      question.reject(new Error(`The client refused: ${message}`))
    } else if (isObject(result)) question.resolve(result)
    else question.reject(new Error('The client answered with something that is no result'))
  }

  /** The client is gone. */
  close(): void {
    for (const { reject } of this.#questions.values()) reject(new Error('The client is gone'))
    this.#questions.clear()
  }

  /** Asks on behalf of a request, or of a task that may have none. Resolves with the answer. */
  askAbout({ id: about, signal }: Asking, key: string, method: string, params?: object): Promise<InputAnswer> {
    const { speaker } = this.#options
    if (this.#questions.size >= mostQuestions) {
      return Promise.reject(new RpcError(ErrorCode.InternalError, `More than ${mostQuestions} questions are open`))
    }
    const { clock, questionTimeoutMs } = speaker.server
    const id = `ferrule-${++this.#last}`
    return new Promise<InputAnswer>((resolve, reject) => {
      const giveUp = (reason: Error) => {
        if (!this.#questions.delete(id)) return
        done()
        speaker.send(notificationLine('notifications/cancelled', { requestId: id, reason: reason.message }), about)
        reject(reason)
      }
      const aborted = () => giveUp(signal.reason as Error)
      const timer = clock.setTimeout(
        () => giveUp(new Error(`The client did not answer "${key}" in ${questionTimeoutMs / 1000} s`)),
        questionTimeoutMs,
      )
      const done = () => {
        clock.clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
      }
      signal.addEventListener('abort', aborted, { once: true })
      this.#questions.set(id, {
        resolve: answer => {
          done()
          resolve(answer)
        },
        reject: error => {
          done()
          reject(error)
        },
      })
      speaker.send(requestLine(id, method, params), about)
      if (signal.aborted) aborted()
    })
  }

  #missing(request: InputRequest): Missing | undefined {
    const missing = missingCapability(this.#options.capabilities(), request)
    if (missing !== undefined || request.method !== 'elicitation/create') return missing
    const needed = revisionNeeded(request.params ?? {})
    if (this.#options.version() >= needed) return undefined
    return { message: `This question needs a client of revision ${needed} or later`, required: { elicitation: {} } }
  }
}
