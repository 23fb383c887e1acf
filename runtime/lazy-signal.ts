/** A signal that costs nothing until somebody reads it. */
export class LazySignal {
  #controller: AbortController | undefined = undefined
  #reason: Error | undefined = undefined

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Whether it was aborted. */
  get aborted(): boolean {
    return this.#reason !== undefined
  }

  /** Aborts the signal, or the one that is made later. */
  abort(reason: Error): void {
    this.#reason ??= reason
    this.#controller?.abort(reason)
  }
}
