/**
 * What a client may do: `read` the sensors, also `act` (work the actuators), or all that a `person` may who works the board
 * themselves: what is not for a model, and without being asked first. Stopping is for everybody.
 */
export type Access = 'read' | 'act' | 'person'

/** What something needs to be found and used; `nobody` is what the operator does not allow. */
export type NeededAccess = Access | 'nobody'

const ranks: Record<NeededAccess, number> = { read: 0, act: 1, person: 2, nobody: 3 }

/** Whether a client with this access may use what needs that one. */
export function suffices(access: Access, needed: NeededAccess): boolean {
  return ranks[access] >= ranks[needed]
}

/** Who is at the other end of a connection, as far as its transport knows. */
export interface Peer {
  /** What it may do; `act` when left out. */
  readonly access?: Access
  /** A stable name that was proven, such as that of its access token. For the record, and to tell one from another. */
  readonly client?: string
  /**
   * It comes back over other connections, as a client that polls over HTTP does: what it began as a task goes on when this
   * one ends. When left out, its tasks are told to stop then.
   */
  readonly returns?: boolean
}
