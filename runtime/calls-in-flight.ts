import type { CallState } from './call-state.ts'
import type { RequestId } from './json-rpc.ts'

/** The requests of one connection that are being answered, by their ids. */
export class CallsInFlight {
  readonly #calls = new Map<RequestId, CallState>()
  #idle: { reached: Promise<void>; reach: () => void } | undefined = undefined

  get size(): number {
    return this.#calls.size
  }

  has(id: RequestId): boolean {
    return this.#calls.has(id)
  }

  get(id: RequestId): CallState | undefined {
    return this.#calls.get(id)
  }

  add(call: CallState): void {
    this.#calls.set(call.id, call)
  }

  /** The call was answered, or need not be. */
  forget(call: CallState): void {
    if (this.#calls.get(call.id) === call) this.#calls.delete(call.id)
    if (this.#calls.size === 0) this.#reach()
  }

  /** Resolves when no request is in flight. */
  idle(): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve()
    if (this.#idle === undefined) {
      let reach = () => {}
      const reached = new Promise<void>(resolve => {
        reach = resolve
      })
      this.#idle = { reached, reach }
    }
    return this.#idle.reached
  }

  /** Tells every call to stop. They are still answered. */
  abort(reason: Error): void {
    for (const call of this.#calls.values()) call.abort(reason)
  }

  /** Nobody waits for an answer any more. */
  clear(): void {
    this.#calls.clear()
    this.#reach()
  }

  #reach(): void {
    this.#idle?.reach()
    this.#idle = undefined
  }
}
