import type { CallState } from './call-state.ts'

/** Gathers the answers to a batch and sends them as one array, when the last is there. */
export class Batch {
  readonly #send: (line: string) => void
  readonly #lines: string[] = []
  #expected = 0
  #complete = false

  constructor(send: (line: string) => void) {
    this.#send = send
  }

  /** The call will be answered later. */
  expect(call: CallState): void {
    if (call.batch === this) return
    call.batch = this
    this.#expected++
  }

  /** An answer is there, or none will come. */
  add(call: CallState | undefined, line: string | undefined): void {
    if (line !== undefined) this.#lines.push(line)
    if (call?.batch === this) {
      call.batch = undefined
      this.#expected--
    }
    this.#flush()
  }

  /** The whole batch was read. */
  complete(): void {
    this.#complete = true
    this.#flush()
  }

  #flush(): void {
    if (!this.#complete || this.#expected > 0 || this.#lines.length === 0) return
    this.#send(`[${this.#lines.join(',')}]`)
    this.#lines.length = 0
  }
}
