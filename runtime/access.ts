/** What a client may do: `read` the sensors, or also `act`: work the actuators. Stopping is for everybody. */
export type Access = 'read' | 'act'

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
