import type { Access } from '../access.ts'
import { type Asker, elicit, roots, sample } from '../asking.ts'
import {
  type Call,
  type ClientCapabilities,
  type ClientInfo,
  type ElicitForm,
  type ElicitUrl,
  type LogLevel,
  logLevels,
  type Root,
  type SampleRequest,
  type SampleResult,
} from '../call.ts'
import { bindMethodsWhenRead } from '../call-methods.ts'
import type { Clock } from '../clock.ts'
import type { InputAnswer, InputRequest } from '../eras/era.ts'
import { type AbortListener, LazySignal, type Stoppable } from '../lazy-signal.ts'
import type { Task } from './task.ts'
import type { TaskTerms } from './terms.ts'

/** Who made the call, and the time it may take to be answered. */
export interface TaskCallOptions {
  readonly clientInfo: ClientInfo | undefined
  readonly clientCapabilities: ClientCapabilities
  readonly access: Access
  readonly client: string | undefined
  readonly clock: Clock
  readonly questionTimeoutMs: number
}

/**
 * A call as its handler sees it once it goes on as a task. It outlives its request: questions wait in the task, and the
 * handler waits for the answer instead of running again.
 */
export class TaskCall implements Call, Asker, Stoppable {
  static {
    bindMethodsWhenRead(TaskCall.prototype)
  }

  readonly clientInfo: ClientInfo | undefined
  readonly clientCapabilities: ClientCapabilities
  readonly access: Access
  readonly client: string | undefined
  /** What the tool threw, for the record. */
  thrown: unknown = undefined
  /** No question goes out with an answer here: the handler never runs again. */
  readonly questions = undefined
  readonly #task: Task
  readonly #terms: TaskTerms
  readonly #options: TaskCallOptions
  readonly #stop = new LazySignal()
  #asked = 0
  #lastProgress = Number.NEGATIVE_INFINITY

  constructor(task: Task, terms: TaskTerms, options: TaskCallOptions) {
    this.clientInfo = options.clientInfo
    this.clientCapabilities = options.clientCapabilities
    this.access = options.access
    this.client = options.client
    this.#task = task
    this.#terms = terms
    this.#options = options
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Whether it was told to stop. */
  get cancelled(): boolean {
    return this.#stop.aborted
  }

  onAbort(listener: AbortListener): () => void {
    return this.#stop.onAbort(listener)
  }

  /** Tells the handler to stop. */
  abort(reason: Error): void {
    this.#stop.abort(reason)
  }

  progress(progress: number, total?: number, message?: string): void {
    if (!(progress > this.#lastProgress) || !Number.isFinite(progress) || this.#isOver) return
    this.#lastProgress = progress
    this.#task.say(message ?? howFar(progress, total), this.#options.clock.now())
    this.#terms.progress?.(this.#task.id, progress, total, message)
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#isOver) return
    if (typeof data === 'string' && logLevels.indexOf(level) >= logLevels.indexOf('info')) {
      this.#task.say(data, this.#options.clock.now())
    }
    this.#terms.log?.(this.#task.id, level, data, logger)
  }

  elicit(question: ElicitForm | ElicitUrl): Promise<any> {
    return elicit(this, question)
  }

  sample(request: SampleRequest): Promise<SampleResult> {
    return sample(this, request)
  }

  roots(key?: string): Promise<Root[]> {
    return roots(this, key)
  }

  nextKey(kind: string): string {
    return `${kind}_${++this.#asked}`
  }

  // Each question is asked under a key of its own, so there is no answer to forget.
  forget(): void {}

  ask(wanted: string, request: InputRequest): Promise<InputAnswer> {
    const { clock, questionTimeoutMs } = this.#options
    const { signal } = this
    return new Promise((resolve, reject) => {
      const refusal = this.#isOver ? new Error('The task is over') : this.#terms.refusal(request)
      if (refusal !== undefined) return reject(refusal)
      if (signal.aborted) return reject(signal.reason)
      const key = this.#task.freeKey(wanted)
      const done = () => {
        clock.clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
        this.#task.shut(key, clock.now())
      }
      const answer = (given: InputAnswer) => {
        done()
        resolve(given)
      }
      const refuse = (reason: unknown) => {
        done()
        reject(reason)
      }
      const aborted = () => refuse(signal.reason)
      const timer = clock.setTimeout(
        () => refuse(new Error(`The client did not answer "${key}" in ${questionTimeoutMs / 1000} s`)),
        questionTimeoutMs,
      )
      signal.addEventListener('abort', aborted, { once: true })
      this.#task.open(key, { request, answer }, clock.now())
      this.#terms.ask?.(this.#task.id, key, request, signal).then(answer, refuse)
    })
  }

  get #isOver(): boolean {
    return this.#task.outcome !== undefined
  }
}

function howFar(progress: number, total: number | undefined): string {
  if (total === undefined || !(total > 0) || !Number.isFinite(total)) return `${progress}`
  return `${Math.round((100 * progress) / total)} %`
}
