import type { HostMessage } from './messages.ts'
import type { CborItem } from './value.ts'

/** What an answer carried. */
export interface Answer {
  item: CborItem
  ageMs: number
}

/** Something to ask. */
export interface Question {
  /** Makes the message once it is known under which session and id it goes out. */
  message(session: number, id: number): HostMessage
  /** `call` runs once and is numbered as such; `stop` goes ahead of all; `ask` may be repeated freely. */
  kind: 'call' | 'ask' | 'stop'
  /** How long the answer may be, with its check and before stuffing. */
  answerBytes: number | undefined
  /** How long the work itself may take, in milliseconds. */
  timeMs: number
  onProgress: ((progress: number, total?: number, text?: string) => void) | undefined
  signal: AbortSignal | undefined
}

/** A question on its way: from the queue over the line to its answer. */
export class HostRequest {
  readonly question: Question
  readonly outcome: Promise<Answer>
  #resolve!: (answer: Answer) => void
  #reject!: (reason: unknown) => void
  /** What is sent, and sent again; undefined while it waits in the queue. A cancel takes the place of its call. */
  sent: HostMessage | undefined = undefined
  id = 0
  /** How often it was sent since the device last gave a sign. */
  tries = 0
  /** How often the call itself was sent, over all. */
  copies = 0
  bytesOut = 0
  /** Whether the device said that it works on it. */
  working = false
  /** When its time is up, once it is at work. */
  deadline = 0
  timer: unknown = undefined
  settled = false
  #onSettled: () => void = () => {}

  constructor(question: Question) {
    this.question = question
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Whoever asked hears of it; a failure that nobody listens to must not end the program.
    this.outcome.catch(() => {})
  }

  /** Calls `aborted` when whoever asked does not want it any more. */
  listen(aborted: () => void): void {
    const { signal } = this.question
    if (signal === undefined) return
    if (signal.aborted) return aborted()
    signal.addEventListener('abort', aborted, { once: true })
    this.#onSettled = () => signal.removeEventListener('abort', aborted)
  }

  /** It was answered. */
  succeed(answer: Answer): void {
    this.settled = true
    this.#onSettled()
    this.#resolve(answer)
  }

  /** It ended in another way. */
  fail(reason: unknown): void {
    this.settled = true
    this.#onSettled()
    this.#reject(reason)
  }
}
