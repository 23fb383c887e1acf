import type { Call } from '../call.ts'
import { InputRequired } from '../call-state.ts'
import type { InputRequest } from '../eras/era.ts'
import { DeviceFailure, ErrorCode, publicMessage, RpcError } from '../errors.ts'
import { toJson } from '../json.ts'
import { errorLine, type Message, type RequestId, successLine } from '../json-rpc.ts'
import { type CallsOptions, type DeviceCalls, follow } from './calls.ts'
import { askHost, isQuestion } from './questions.ts'
import type { Exchange, Result } from './requests.ts'
import { questionKey, Suspensions } from './suspensions.ts'

// A device of the handshake revisions asks while its call runs, and its question does not say to which call it belongs.
// A host of the same revisions is asked in the same way. One of 2026-07-28 is answered with the question; the device's
// call stays open meanwhile, and goes on when the host repeats its request with the answer:
//
//   host                     client                     device
//    │ tools/call             │ tools/call               │
//    ├───────────────────────►├─────────────────────────►│
//    │         input_required │       elicitation/create │
//    │◄───────────────────────┤◄─────────────────────────┤
//    │ tools/call + answer    │ answer                   │
//    ├───────────────────────►├─────────────────────────►│
//    │                 result │                   result │
//    │◄───────────────────────┤◄─────────────────────────┤

interface Question {
  id: RequestId
  key: string
  request: InputRequest
}

/** A call that the device works on. */
interface Running {
  method: string
  params: Record<string, unknown>
  exchange: Exchange
  /** Who waits for it; nobody while a host has a question to answer. */
  call: Call | undefined
  /** Ends the wait of who waits, and leaves the device's call open. */
  interrupt: (reason: Error) => void
  questions: Question[]
  isAsking: boolean
}

/** How long a question waits for the other calls to end, so that it is clear to which it belongs, in milliseconds. */
const unclearMs = 1000
const mostQuestions = 16

/** Calls to a device of the handshake revisions. */
export class LegacyCalls implements DeviceCalls {
  readonly #options: CallsOptions
  readonly #running = new Set<Running>()
  readonly #suspensions: Suspensions
  /** Questions of which it is not clear yet to which call they belong. */
  readonly #unclear = new Map<Question, unknown>()

  constructor(options: CallsOptions) {
    this.#options = options
    this.#suspensions = new Suspensions(options.clock, options.questionMs)
  }

  get running(): Call[] {
    return [...this.#running].flatMap(({ call }) => (call === undefined ? [] : [call]))
  }

  async run(method: string, params: Record<string, unknown>, call: Call): Promise<Result> {
    const suspension = await this.#suspensions.take(method, params, call)
    if (suspension === 'gone') {
      throw new DeviceFailure(
        `${this.#options.deviceName()} does not wait for this answer any more: nothing was done with it; call again`,
      )
    }
    if (suspension !== undefined) return suspension.resume(call)
    const { requests, timeoutMs } = this.#options
    const running: Running = {
      method,
      params,
      exchange: requests.send(method, id => ({ ...params, _meta: { progressToken: id } }), {
        timeoutMs,
        acts: method === 'tools/call',
        onProgress: (...told) => running.call?.progress(...told),
      }),
      call,
      interrupt: () => {},
      questions: [],
      isAsking: false,
    }
    this.#running.add(running)
    void running.exchange.outcome
      .catch(() => {})
      .then(() => {
        this.#running.delete(running)
        this.#assign()
      })
    return this.#wait(running, call)
  }

  question({ id, method, params }: Message): void {
    const request = params === undefined ? { method } : { method, params }
    if (method === 'ping') return this.#options.send(successLine(id, '{}'))
    if (!isQuestion(request)) return this.#refuse(id, ErrorCode.MethodNotFound, `Unknown method ${method.slice(0, 80)}`)
    if (this.#running.size === 0) {
      return this.#refuse(id, ErrorCode.InternalError, 'No call is under way whose client could be asked')
    }
    const question = { id, key: questionKey(), request }
    const open = this.#unclear.size + [...this.#running].reduce((sum, { questions }) => sum + questions.length, 0)
    if (open >= mostQuestions) return this.#refuse(id, ErrorCode.InternalError, 'Too many questions are open')
    const timer = this.#options.clock.setTimeout(() => this.#assignTo(question, this.#candidates()[0]), unclearMs)
    this.#unclear.set(question, timer)
    this.#assign()
  }

  withdrawn(id: unknown): void {
    for (const [question, timer] of this.#unclear) {
      if (question.id !== id) continue
      this.#options.clock.clearTimeout(timer)
      this.#unclear.delete(question)
    }
    // One that the host was asked already stays: its answer is not sent then.
    for (const { questions } of this.#running) {
      const at = questions.findIndex(question => question.id === id)
      if (at > 0) questions.splice(at, 1)
      else if (at === 0) questions[0] = { ...questions[0]!, id: withdrawnId }
    }
  }

  close(): void {
    for (const timer of this.#unclear.values()) this.#options.clock.clearTimeout(timer)
    this.#unclear.clear()
    this.#suspensions.clear()
    this.#running.clear()
  }

  /** The calls that a question may belong to, the likeliest first. */
  #candidates(): Running[] {
    const running = [...this.#running]
    const waiting = running.filter(({ call }) => call !== undefined)
    return waiting.length > 0 ? waiting : running
  }

  #assign(): void {
    if (this.#unclear.size === 0) return
    const candidates = this.#candidates()
    if (candidates.length > 1) return
    for (const question of this.#unclear.keys()) this.#assignTo(question, candidates[0])
  }

  #assignTo(question: Question, running: Running | undefined): void {
    const { clock, diagnose, deviceName } = this.#options
    clock.clearTimeout(this.#unclear.get(question))
    if (!this.#unclear.delete(question)) return
    if (running === undefined) return this.#refuse(question.id, ErrorCode.InternalError, 'The call is over')
    if (this.#candidates().length > 1) {
      diagnose(`${deviceName()} asks something while several calls run: the oldest is taken for the one that asks`)
    }
    running.questions.push(question)
    void this.#ask(running)
  }

  /** Waits for the device on behalf of a call, until it answers or has a question for which the host must come back. */
  #wait(running: Running, call: Call): Promise<Result> {
    running.call = call
    const interrupted = new Promise<never>((_, reject) => {
      running.interrupt = reject
    })
    const { requests } = this.#options
    const answered = follow(running.exchange, call, reason => {
      if (running.call === call) requests.cancel(running.exchange, reason)
    })
    return Promise.race([answered, interrupted])
  }

  /** Puts the questions of a call to its host, one after the other. */
  async #ask(running: Running): Promise<void> {
    const { requests } = this.#options
    while (!running.isAsking && !running.exchange.settled) {
      const { call } = running
      const [question] = running.questions
      if (call === undefined || question === undefined) return
      running.isAsking = true
      requests.pause(running.exchange)
      try {
        const answer = await askHost(call, question.key, question.request)
        const { id } = running.questions.shift()!
        if (!running.exchange.settled && id !== withdrawnId) this.#options.send(successLine(id, toJson(answer)))
      } catch (thrown) {
        if (thrown instanceof InputRequired) return this.#suspend(running, question, thrown)
        const { id } = running.questions.shift()!
        const code = thrown instanceof RpcError && thrown.code !== -32021 ? thrown.code : ErrorCode.InternalError
        if (!running.exchange.settled && id !== withdrawnId) this.#refuse(id, code, publicMessage(thrown))
      } finally {
        running.isAsking = false
      }
      if (running.questions.length === 0) requests.resume(running.exchange)
    }
  }

  #suspend(running: Running, question: Question, reason: InputRequired): void {
    const { requests, deviceName } = this.#options
    const isKept = this.#suspensions.add(question.key, {
      method: running.method,
      params: running.params,
      resume: call => {
        const outcome = this.#wait(running, call)
        void this.#ask(running)
        return outcome
      },
      expire: () => requests.cancel(running.exchange, 'Nobody answered the question'),
    })
    const { interrupt } = running
    running.call = undefined
    if (isKept) return interrupt(reason)
    interrupt(new DeviceFailure(`${deviceName()} has too many questions open: answer those first, then call again`))
    requests.cancel(running.exchange, 'Too many questions are open')
  }

  #refuse(id: RequestId, code: number, message: string): void {
    this.#options.send(errorLine(id, new RpcError(code, message)))
  }
}

/** In the place of the id of a question that the device does not want answered any more. */
const withdrawnId = ''
