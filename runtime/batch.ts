import type { CallState } from './call-state.ts'
import { utf8Length } from './json.ts'

/** Gathers the answers to a batch and sends them as one array, when the last is there. */
export class Batch {
  /** So many bytes of answers still fit. */
  room: number
  readonly #send: (line: string) => void
  readonly #lines: string[] = []
  #expected = 0
  #complete = false

  constructor(send: (line: string) => void, room: number) {
    this.#send = send
    this.room = room
  }

  /** The call will be answered later. */
  expect(call: CallState): void {
    if (call.batch === this) return
    call.batch = this
    this.#expected++
  }

  /** An answer is there, or none will come. */
  add(call: CallState | undefined, line: string | undefined): void {
    if (line !== undefined) {
      this.#lines.push(line)
      this.room -= utf8Length(line) + 1
    }
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
