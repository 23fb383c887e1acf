import type { Exchange } from './exchange.ts'
import type { HttpLimits } from './options.ts'
import { Session } from './session.ts'

/** The sessions of the handshake revisions, by their ids. */
export class Sessions {
  readonly #limits: HttpLimits
  /** In the order in which they were last used. */
  readonly #byId = new Map<string, Session>()

  constructor(limits: HttpLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#byId.size
  }

  /** The session of this id, for its owner. To anybody else there is none. */
  find(id: string, owner: string): Session | undefined {
    const session = this.#byId.get(id)
    if (session?.owner !== owner) return undefined
    this.#byId.delete(id)
    this.#byId.set(id, session)
    return session
  }

  /**
   * Begins a session. When there are as many as there may be, the one that was not used for the longest time ends: its
   * client learns it by a 404, and begins anew. Nothing when all of them are in use.
   */
  begin(exchange: Exchange, owner: string): Session | undefined {
    const { maxSessions, maxSessionsPerClient } = this.#limits
    const own = [...this.#byId.values()].filter(session => session.owner === owner)
    if (own.length >= maxSessionsPerClient && !this.#endOne(own)) return undefined
    if (this.#byId.size >= maxSessions && !this.#endOne(this.#byId.values())) return undefined
    const session = new Session(exchange, owner, () => this.#byId.delete(session.id))
    this.#byId.set(session.id, session)
    return session
  }

  /** Ends them all. */
  close(reason: string): void {
    for (const session of [...this.#byId.values()]) session.close(reason)
  }

  #endOne(sessions: Iterable<Session>): boolean {
    for (const session of sessions) {
      if (session.isBusy) continue
      session.close('There are too many sessions')
      return true
    }
    return false
  }
}
