import type { Call } from '../call.ts'
import { InputRequired } from '../call-state.ts'
import type { InputAnswer, InputRequest } from '../eras/era.ts'
import { DeviceFailure } from '../errors.ts'
import { isObject } from '../json.ts'
import { type CallsOptions, type DeviceCalls, follow } from './calls.ts'
import { modernMeta } from './envelope.ts'
import { askHost, isQuestion } from './questions.ts'
import type { Result } from './requests.ts'
import { questionKey, Suspensions } from './suspensions.ts'

/** What the device wants back with the answers. */
interface Round {
  number: number
  inputResponses?: Record<string, InputAnswer>
  requestState?: string
}

/** So many times a device may answer one call by questions. */
const mostRounds = 16

/** Calls to a device of 2026-07-28: its questions stand in its results, and it keeps nothing while it waits. */
export class ModernCalls implements DeviceCalls {
  readonly running = new Set<Call>()
  readonly #options: CallsOptions
  readonly #suspensions: Suspensions

  constructor(options: CallsOptions) {
    this.#options = options
    this.#suspensions = new Suspensions(options.clock, options.questionMs)
  }

  async run(method: string, params: Record<string, unknown>, call: Call): Promise<Result> {
    const suspension = await this.#suspensions.take(method, params, call)
    // An answer to a question that is forgotten is none: the device keeps nothing, so it is simply asked anew.
    if (suspension === undefined || suspension === 'gone') return this.#run(method, params, call, { number: 1 })
    return suspension.resume(call)
  }

  // A device of this revision sends no requests, and must get no response.
  question(): void {
    this.#options.diagnose(`${this.#options.deviceName()} sent a request, which devices of its revision do not`)
  }

  withdrawn(): void {}

  close(): void {
    this.#suspensions.clear()
  }

  async #run(method: string, params: Record<string, unknown>, call: Call, round: Round): Promise<Result> {
    const { requests, version, clientInfo, timeoutMs, deviceName } = this.#options
    const { number, ...more } = round
    this.running.add(call)
    try {
      const exchange = requests.send(
        method,
        id => ({
          ...params,
          ...more,
          _meta: { ...modernMeta(version, clientInfo, call), progressToken: id },
        }),
        { timeoutMs, acts: method === 'tools/call', onProgress: (...told) => call.progress(...told) },
      )
      const result = await follow(exchange, call, reason => requests.cancel(exchange, reason))
      if (result.resultType !== 'input_required') return result
      if (number === mostRounds)
        throw new DeviceFailure(`${deviceName()} asked ${mostRounds} times and still wants to know more`)
      const { inputRequests, requestState } = result
      const state = typeof requestState === 'string' ? { requestState } : {}
      if (inputRequests === undefined && requestState !== undefined) {
        return await this.#run(method, params, call, { number: number + 1, ...state })
      }
      const questions = this.#questionsIn(inputRequests)
      return await this.#ask(method, params, call, questions, questionKey(), { number: number + 1, ...state })
    } finally {
      this.running.delete(call)
    }
  }

  /** Asks all at once: the host answers them together. */
  async #ask(
    method: string,
    params: Record<string, unknown>,
    call: Call,
    questions: Record<string, InputRequest>,
    key: string,
    next: Round,
  ): Promise<Result> {
    const asked = Object.entries(questions).map(
      async ([name, question]) => [name, await askHost(call, `${key}-${name}`, question)] as const,
    )
    const outcomes = await Promise.allSettled(asked)
    const failures = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as Error] : []))
    const failure = failures.find(each => !(each instanceof InputRequired)) ?? failures[0]
    if (failure instanceof InputRequired) {
      this.#suspensions.add(key, {
        method,
        params,
        resume: again => this.#ask(method, params, again, questions, key, next),
        expire: () => {},
      })
    }
    if (failure !== undefined) throw failure
    const answers = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    return this.#run(method, params, call, { ...next, inputResponses: Object.fromEntries(answers) })
  }

  #questionsIn(inputRequests: unknown): Record<string, InputRequest> {
    const entries = isObject(inputRequests) ? Object.entries(inputRequests) : []
    if (entries.length === 0 || !entries.every(([, question]) => isQuestion(question))) {
      throw new DeviceFailure(`${this.#options.deviceName()} asked something that is no question of this protocol`)
    }
    return Object.fromEntries(entries) as unknown as Record<string, InputRequest>
  }
}
