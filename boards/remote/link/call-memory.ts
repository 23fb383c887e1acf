import { isNewer } from './session.ts'

/** What the device knows of one call: `outcome` is there once it is over. */
export interface RememberedCall<Outcome> {
  readonly id: number
  readonly actuator: number
  outcome: Outcome | undefined
}

/**
 * The memory that makes a call run once: one place more than calls may run at a time, so that the last refusal has a
 * place as well. An id that is neither remembered nor newer than the newest is never run.
 */
export class CallMemory<Outcome> {
  readonly #places: number
  #calls: RememberedCall<Outcome>[] = []
  #newest: number | undefined = undefined

  /** @param calls how many calls may run at a time */
  constructor(calls: number) {
    this.#places = calls + 1
  }

  /** The call with this id, while it is remembered. */
  find(id: number): RememberedCall<Outcome> | undefined {
    return this.#calls.find(call => call.id === id)
  }

  /** Whether a call with this id may be new: it is ahead of all that came before. */
  isNew(id: number): boolean {
    return this.#newest === undefined || isNewer(id, this.#newest)
  }

  /** Remembers a call that came just now, in place of the oldest one that is over. */
  add(id: number, actuator: number): RememberedCall<Outcome> {
    const call: RememberedCall<Outcome> = { id, actuator, outcome: undefined }
    if (this.#calls.length >= this.#places) {
      const over = this.#calls.findIndex(({ outcome }) => outcome !== undefined)
      this.#calls.splice(over === -1 ? 0 : over, 1)
    }
    this.#calls.push(call)
    this.#newest = id
    return call
  }

  /** How many calls are not over. */
  get running(): number {
    return this.#calls.filter(({ outcome }) => outcome === undefined).length
  }

  /** A new session: no id means anything any more. */
  clear(): void {
    this.#calls = []
    this.#newest = undefined
  }
}
