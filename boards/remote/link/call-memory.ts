import { isNewer } from './session.ts'

/** What the device knows of one call: `outcome` is there once it is over. */
export interface RememberedCall<Outcome> {
  readonly id: number
  readonly actuator: number
  outcome: Outcome | undefined
}

/**
 * The memory that makes a call run once. It has a place for each call that may be under way: with a new call the host
 * names the older ones whose outcome it does not have yet, and all others may be forgotten. An id that is neither
 * remembered nor newer than the newest is never run.
 */
export class CallMemory<Outcome> {
  readonly #places: number
  #calls: RememberedCall<Outcome>[] = []
  #newest: number | undefined = undefined

  /** @param places how many calls may be under way at a time */
  constructor(places: number) {
    this.#places = places
  }

  /** The call with this id, while it is remembered. */
  find(id: number): RememberedCall<Outcome> | undefined {
    return this.#calls.find(call => call.id === id)
  }

  /** Whether a call with this id may be new: it is ahead of all that came before. */
  isNew(id: number): boolean {
    return this.#newest === undefined || isNewer(id, this.#newest)
  }

  /**
   * Remembers a call that came just now, in place of those that are over and not among `open` (all are, when it is left
   * out). `undefined` when no place is free: the host has sent more calls than it may, and this one is never run.
   */
  add(id: number, actuator: number, open?: readonly number[]): RememberedCall<Outcome> | undefined {
    this.#newest = id
    if (open !== undefined) {
      this.#calls = this.#calls.filter(call => call.outcome === undefined || open.includes(call.id))
    }
    if (this.#calls.length >= this.#places) return undefined
    const call: RememberedCall<Outcome> = { id, actuator, outcome: undefined }
    this.#calls.push(call)
    return call
  }

  /** A new session: no id means anything any more. */
  clear(): void {
    this.#calls = []
    this.#newest = undefined
  }
}
