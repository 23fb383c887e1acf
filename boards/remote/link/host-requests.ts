import type { Clock } from '../../../runtime/index.ts'
import { LinkCode, LinkDownError, LinkError } from './codes.ts'
import type { LinkCounters } from './counters.ts'
import type { DeviceHello } from './hello.ts'
import { lost, refusal } from './host-endings.ts'
import { type Answer, HostRequest, type Question } from './host-request.ts'
import type { DeviceMessage, HostMessage } from './messages.ts'
import { RequestIds } from './request-ids.ts'
import type { Random } from './session.ts'
import { backOff, waitMs } from './wait.ts'

/** A call that is at work is asked after at this pace, doubled up to the slowest, in milliseconds. */
const askAfterMs = 1000
const slowestAskMs = 5000
/** What the device gets on top of a move's own time to make things safe and say so, in milliseconds. */
const graceMs = 3000
/** The device takes an id for newer when it is less than 128 ahead: no call is left further behind than this. */
const farthestAhead = 100

/** What {@link HostRequests} needs from the link around it. */
export interface HostRequestsOptions {
  clock: Clock
  random: Random
  counters: LinkCounters
  baud: number
  marginMs: number
  /** How often a message is sent before the device counts as gone. */
  tries: number
  /** How long a question waits for a device that is away, in milliseconds. */
  awayMs: number
  /** Sends; returns the bytes on the line, or 0 when the message is longer than the device can take. */
  send(message: HostMessage): number
  /** The device does not answer any more. */
  gaveUp(): void
  /** Whether the host's own host lives: if not, nothing is sent that would keep outputs on. */
  isAlive(): boolean
}

interface Session {
  number: number
  hello: DeviceHello
}

/** All questions of the host: one queue, one question at a time on the line, repeats until answered, and what is under way. */
export class HostRequests {
  readonly #options: HostRequestsOptions
  readonly #queue: HostRequest[] = []
  readonly #flying = new Map<number, HostRequest>()
  readonly #ids = new RequestIds()
  #session: Session | undefined = undefined

  constructor(options: HostRequestsOptions) {
    this.#options = options
  }

  /** How many questions wait or are under way. */
  get pending(): number {
    return this.#queue.length + this.#flying.size
  }

  /** Asks. Waits for the device for a while when it is away. */
  ask(question: Question): Promise<Answer> {
    const request = new HostRequest(question)
    request.listen(() => this.#aborted(request))
    if (request.settled) return request.outcome
    if (question.kind === 'stop') this.#queue.unshift(request)
    else this.#queue.push(request)
    if (this.#session === undefined) this.#expectBack(request)
    this.#pump()
    return request.outcome
  }

  /** The device answered the hello: what waited goes out. */
  open(number: number, hello: DeviceHello): void {
    this.#session = { number, hello }
    for (const { timer } of this.#queue) this.#options.clock.clearTimeout(timer)
    this.#pump()
  }

  /** What waits to be sent is not sent any more. A stop is. */
  refuseWaiting(why: string): void {
    for (const request of this.#queue.splice(0)) {
      if (request.question.kind === 'stop') this.#queue.push(request)
      else this.#settle(request, () => request.fail(new LinkDownError(why)))
    }
  }

  /** The session is over: what is under way ends with what is known of it, what waits goes on waiting for a while. */
  shut(why: string): void {
    this.#session = undefined
    for (const request of [...this.#flying.values()]) {
      // A stop belongs to no session: it goes on until it is answered or its tries are used up.
      if (request.question.kind !== 'stop') this.#settle(request, () => request.fail(lost(request, why)))
    }
    for (const request of this.#queue) this.#expectBack(request)
  }

  /** It is over for good. */
  close(): void {
    this.shut('the link was closed')
    for (const request of [...this.#flying.values()]) {
      this.#settle(request, () => request.fail(lost(request, 'the link was closed')))
    }
    for (const request of this.#queue.splice(0)) {
      this.#options.clock.clearTimeout(request.timer)
      request.fail(new LinkDownError('the link was closed; nothing was moved'))
    }
  }

  /** Takes an answer or a sign of work in the current session. Returns false when nobody waits for it. */
  take(message: Extract<DeviceMessage, { kind: 'result' | 'error' | 'progress' }>): boolean {
    const request = this.#flying.get(message.id)
    if (request === undefined) return false
    if (message.kind === 'progress') this.#works(request, message)
    else if (message.kind === 'result') this.#settle(request, () => request.succeed(message))
    else this.#settle(request, () => request.fail(refusal(request, message)))
    this.#pump()
    return true
  }

  #pump(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#launch(next)
  }

  #next(): HostRequest | undefined {
    const session = this.#session
    let waiting = 0
    let calls = 0
    let oldest: number | undefined
    for (const request of this.#flying.values()) {
      if (!request.working && request.question.kind !== 'stop') waiting++
      if (request.question.kind !== 'call') continue
      calls++
      oldest ??= request.id
    }
    const at = this.#queue.findIndex(({ question }) => {
      // A stop goes out even to a device that did not answer yet: it is obeyed in any session.
      if (question.kind === 'stop') return true
      if (session === undefined || waiting >= session.hello.window) return false
      if (question.kind === 'ask') return this.#flying.size < 18
      if (calls >= session.hello.calls) return false
      return oldest === undefined || this.#ids.aheadOf(oldest) < farthestAhead
    })
    return at === -1 ? undefined : this.#queue.splice(at, 1)[0]
  }

  #launch(request: HostRequest): void {
    const { clock } = this.#options
    clock.clearTimeout(request.timer)
    request.id = this.#ids.next(request.question.kind, id => this.#flying.has(id))
    this.#flying.set(request.id, request)
    const message = request.question.message(this.#session?.number ?? 0, request.id)
    request.sent = message.kind === 'call' ? { ...message, open: this.#openCalls(request) } : message
    this.#send(request)
  }

  /** The device keeps the outcome of these, and may forget all others. */
  #openCalls(except: HostRequest): number[] {
    const calls = [...this.#flying.values()].filter(({ question }) => question.kind === 'call')
    return calls.filter(request => request !== except).map(({ id }) => id)
  }

  #send(request: HostRequest): void {
    if (request.tries > 0) this.#options.counters.repeats++
    request.tries++
    if (request.sent!.kind === 'call') request.copies++
    try {
      request.bytesOut = this.#options.send(request.sent!)
    } catch (thrown) {
      const text = thrown instanceof Error ? thrown.message : String(thrown)
      return this.#settle(request, () => request.fail(new LinkError(LinkCode.BadArguments, text)))
    }
    if (request.bytesOut === 0) {
      return this.#settle(request, () => request.fail(new LinkError(LinkCode.TooLarge)))
    }
    this.#wait(request)
  }

  #wait(request: HostRequest): void {
    // On a line in memory the answer is there before the message is sent.
    if (request.settled) return
    this.#options.clock.clearTimeout(request.timer)
    const { clock, random, baud, marginMs } = this.#options
    const { answerMs = 50, largestAnswer = 64 } = this.#session?.hello ?? {}
    const bytesBack = request.question.answerBytes ?? largestAnswer
    // Half as much again for what has to be escaped, marker and newline.
    const first = waitMs({ baud, answerMs, marginMs }, request.bytesOut, bytesBack * 1.5 + 2)
    const ms = request.working
      ? Math.max(first, Math.min(slowestAskMs, backOff(askAfterMs, request.tries, random)))
      : backOff(first, request.tries - 1, random)
    request.timer = clock.setTimeout(() => this.#unanswered(request), ms)
  }

  #unanswered(request: HostRequest): void {
    const { clock, tries, isAlive } = this.#options
    const overdue = request.working && clock.now() >= request.deadline
    if (overdue && request.question.kind === 'call' && request.sent!.kind === 'call') return this.#cancel(request)
    // Asking after a call feeds the device's fail-safe timer as well as a ping does.
    if (request.working && !overdue && !isAlive()) return this.#wait(request)
    if (overdue && request.question.kind === 'ask') {
      this.#settle(request, () => request.fail(new LinkError(LinkCode.TimedOut, 'the device did not finish in time')))
      return this.#pump()
    }
    if (request.tries < tries) return this.#send(request)
    const { kind } = request.question
    if (kind === 'stop') this.#settle(request, () => request.fail(lost(request, 'the device does not answer')))
    if (this.#session !== undefined) this.#options.gaveUp()
  }

  #works(request: HostRequest, message: Extract<DeviceMessage, { kind: 'progress' }>): void {
    const { clock } = this.#options
    if (!request.working) request.deadline = clock.now() + request.question.timeMs + graceMs
    request.working = true
    request.tries = 0
    clock.clearTimeout(request.timer)
    this.#wait(request)
    if (message.progress !== undefined) request.question.onProgress?.(message.progress, message.total, message.text)
  }

  #aborted(request: HostRequest): void {
    if (request.settled) return
    const reason = request.question.signal?.reason ?? new Error('cancelled')
    const at = this.#queue.indexOf(request)
    if (at !== -1) this.#queue.splice(at, 1)
    if (request.sent?.kind === 'call') return this.#cancel(request)
    if (request.sent?.kind !== 'cancel') this.#settle(request, () => request.fail(reason))
    this.#pump()
  }

  /** From now on the cancel is repeated in place of the call, until the device says how the call ended. */
  #cancel(request: HostRequest): void {
    this.#options.clock.clearTimeout(request.timer)
    request.sent = { kind: 'cancel', session: this.#session?.number ?? 0, id: request.id }
    request.tries = 0
    request.working = false
    this.#send(request)
  }

  #expectBack(request: HostRequest): void {
    const { clock, awayMs } = this.#options
    clock.clearTimeout(request.timer)
    request.timer = clock.setTimeout(() => {
      const at = this.#queue.indexOf(request)
      if (at === -1) return
      this.#queue.splice(at, 1)
      request.fail(
        new LinkDownError('the device does not answer, and nothing was moved: check its cable and its power'),
      )
    }, awayMs)
  }

  #settle(request: HostRequest, tell: () => void): void {
    this.#options.clock.clearTimeout(request.timer)
    if (this.#flying.get(request.id) === request) this.#flying.delete(request.id)
    if (!request.settled) tell()
  }
}
