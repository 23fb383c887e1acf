import type { Call } from '../call.ts'
import { CallState } from '../call-state.ts'
import type { Clock } from '../clock.ts'
import { subjectOf } from '../eras/subject.ts'
import type { Result } from './requests.ts'

/** A call that waits for the host to come back with an answer. */
export interface Suspension {
  method: string
  params: Record<string, unknown>
  /** Goes on with it for the request that brought the answer. */
  resume(call: Call): Promise<Result>
  /** Nobody came back in time. */
  expire(): void
}

/** Makes the keys of questions unlike those that a tool of the server itself uses. */
const keyPrefix = 'device-'
const most = 64

/** A key for a question that nobody can guess who was not asked it: it opens the way back to the call that waits. */
export function questionKey(): string {
  return keyPrefix + crypto.randomUUID()
}

/** The calls that wait for a host to repeat its request with an answer, by the key of the question. */
export class Suspensions {
  readonly #clock: Clock
  readonly #lifetimeMs: number
  readonly #kept = new Map<string, { suspension: Suspension; timer: unknown }>()

  constructor(clock: Clock, lifetimeMs: number) {
    this.#clock = clock
    this.#lifetimeMs = lifetimeMs
  }

  /** Keeps a call. Tells whether there was room for it. */
  add(key: string, suspension: Suspension): boolean {
    if (this.#kept.size >= most) return false
    const timer = this.#clock.setTimeout(() => {
      this.#kept.delete(key)
      suspension.expire()
    }, this.#lifetimeMs)
    this.#kept.set(key, { suspension, timer })
    return true
  }

  /**
   * The call that this request goes on with; `gone` when it brings an answer that nothing waits for any more; nothing
   * for a request that begins.
   */
  async take(
    method: string,
    params: Record<string, unknown>,
    call: Call | undefined,
  ): Promise<Suspension | 'gone' | undefined> {
    const answers = call instanceof CallState ? call.answers : undefined
    if (answers === undefined) return undefined
    let isAnswer = false
    for (const answered in answers) {
      if (!answered.startsWith(keyPrefix)) continue
      isAnswer = true
      const key = answered.slice(0, keyPrefix.length + 36)
      const kept = this.#kept.get(key)
      if (kept === undefined || kept.suspension.method !== method) continue
      if ((await subjectOf(method, kept.suspension.params)) !== (await subjectOf(method, params))) continue
      // Two repeats of one request may have come while this one was looked at.
      if (!this.#kept.delete(key)) continue
      this.#clock.clearTimeout(kept.timer)
      return kept.suspension
    }
    return isAnswer ? 'gone' : undefined
  }

  /** Lets go of all of them. */
  clear(): void {
    for (const { suspension, timer } of this.#kept.values()) {
      this.#clock.clearTimeout(timer)
      suspension.expire()
    }
    this.#kept.clear()
  }
}
