/** What becomes of an opened port. */
export interface OpenedPortEvents {
  /** Bytes came; the chunk is good during the call only. */
  bytes(chunk: Uint8Array): void
  /** It does not work any more. Called once. */
  lost(thrown: unknown): void
}

/** The part of an opened port that moves bytes. */
export interface OpenedPort {
  /** Begins to read. */
  start(events: OpenedPortEvents): void
  /** Sends all of the bytes; a promise when the system does not take them at once. Never called while one is under way. */
  put(bytes: Uint8Array): Promise<void> | undefined
  pause(): void
  resume(): void
  /** Resolves when the system has next to nothing left to send, or cannot send any more. Works after `stop` too. */
  drain(): Promise<void>
  /** Stops moving bytes. Closing the port is left to whoever opened it. */
  stop(): void
}
