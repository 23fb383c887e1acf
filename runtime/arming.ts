/** Whether the outputs of a board may move at all: a stop keeps them off until a person arms them. */
export class Arming {
  #armed = false
  #stopped = false

  /** Whether a person armed the outputs since the start and since the last stop. */
  get armed(): boolean {
    return this.#armed
  }

  /** Whether the outputs were stopped, and no person has armed them since. */
  get stopped(): boolean {
    return this.#stopped
  }

  /** The outputs were stopped: those that do not say otherwise stay off until a person arms them. */
  stop(): void {
    this.#armed = false
    this.#stopped = true
  }

  /** Whoever armed them is gone, or the host is: those that want to be armed stay off. */
  disarm(): void {
    this.#armed = false
  }

  /** A person lets the outputs move. */
  arm(): void {
    this.#armed = true
    this.#stopped = false
  }
}
