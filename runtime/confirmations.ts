import type { Call } from './call.ts'
import { CallState, InputRequired } from './call-state.ts'
import type { Clock } from './clock.ts'
import { RefusedMove } from './errors.ts'
import { toBase64 } from './json.ts'

/** A move that a person is asked about. */
export interface Question {
  /** The actuator's name. */
  readonly name: string
  /** Its arguments, as the person sees them. */
  readonly args: string
  /** The question in words. */
  readonly message: string
  /** What the person can do where the host cannot ask them, as a sentence. */
  readonly instead?: string
}

interface Pending extends Question {
  readonly expires: number
  used: boolean
}

const lifetimeMs = 10 * 60_000
const mostPending = 256
const keyPrefix = 'confirm_'

/**
 * Asks a person before a move. What they agree to is good for that actuator with those very arguments, for ten minutes,
 * and once: in 2026-07-28 the answer comes with a repeated request, and the same request must not move anything again.
 */
export class Confirmations {
  readonly #clock: Clock
  readonly #pending = new Map<string, Pending>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `move` once a person has agreed to it.
   *
   * @throws RefusedMove when they do not, when nobody can be asked, and when what they agreed to was used already
   */
  async agreed<T>(question: Question, call: Call, move: () => Promise<T>): Promise<T> {
    if (call.clientCapabilities.elicitation === undefined) {
      throw new RefusedMove(
        'confirm',
        `${question.name} was not carried out: a person has to agree to it, and this host cannot ask one (MCP elicitation). ${question.instead ?? ''}`.trim(),
      )
    }
    const key = this.#answered(call) ?? this.#remember(question)
    const pending = this.#pending.get(key)
    if (pending === undefined || pending.used || !isSame(pending, question) || pending.expires < this.#clock.now()) {
      throw new RefusedMove(
        'confirm',
        `${question.name} was not carried out: what the person agreed to was used, or is too old`,
      )
    }
    pending.used = true
    try {
      const { action } = await call.elicit({ key, message: question.message, requestedSchema: noFields })
      if (action !== 'accept') {
        throw new RefusedMove('confirm', `${question.name} was not carried out: the person did not agree to it`)
      }
      if (this.#pending.get(key) !== pending) {
        throw new RefusedMove('confirm', `${question.name} was not carried out: everything was stopped meanwhile`)
      }
      return await move()
    } catch (thrown) {
      // The answer, or that to a further question, comes with the next request.
      if (thrown instanceof InputRequired) pending.used = false
      throw thrown
    } finally {
      if (pending.used) this.#pending.delete(key)
    }
  }

  /** After a stop nothing counts that a person agreed to before. */
  forget(): void {
    this.#pending.clear()
  }

  /** The key of a question that this request brings the answer to. */
  #answered(call: Call): string | undefined {
    const answers = call instanceof CallState ? call.answers : undefined
    return answers === undefined ? undefined : Object.keys(answers).find(key => key.startsWith(keyPrefix))
  }

  #remember(question: Question): string {
    const now = this.#clock.now()
    for (const [key, { expires }] of this.#pending) {
      if (this.#pending.size < mostPending && expires >= now) break
      this.#pending.delete(key)
    }
    const key = `${keyPrefix}${toBase64(crypto.getRandomValues(new Uint8Array(12)))}`
    this.#pending.set(key, { ...question, expires: now + lifetimeMs, used: false })
    return key
  }
}

function isSame(one: Question, other: Question): boolean {
  return one.name === other.name && one.args === other.args
}

const noFields = { type: 'object', properties: {} } as const
