import type { OpenEntry, RecordEnd, RecordEntry } from '../../runtime/index.ts'
import { recordLine } from './line.ts'

/** Something that becomes a line when its turn comes to be written. */
export interface Queued {
  /** About how much room it takes while it waits, in characters. */
  readonly weight: number
  /** The line with its newline. Asked for once. */
  text(): string
  /** There is no room for it: it will not be written. */
  leftOut?(): void
}

/** What an {@link OpenLine} needs of its recorder. */
export interface OpenLineOptions {
  /** Takes the line of the end, when a line `started` was written. */
  append(entry: RecordEntry): void
  /** Called when the end is in the queue. Returns what is to be waited for before the call is answered. */
  ended(): Promise<void> | undefined
}

/** A move that was begun. One line when it is over by the time that it is written, two when it is not. */
export class OpenLine implements OpenEntry, Queued {
  readonly weight: number
  ready: Promise<void> | undefined = undefined
  readonly #begun: RecordEntry
  readonly #call: string
  readonly #options: OpenLineOptions
  #end: RecordEntry | undefined = undefined
  #isWritten = false

  constructor(begun: RecordEntry, call: string, options: OpenLineOptions) {
    this.#begun = begun
    this.#call = call
    this.#options = options
    this.weight = recordLine(begun).length
  }

  text(): string {
    this.#isWritten = true
    return recordLine(this.#end ?? { ...this.#begun, call: this.#call, outcome: 'started' })
  }

  /** Its end is written all the same. */
  leftOut(): void {
    this.#isWritten = true
  }

  end(how: RecordEnd): Promise<void> | undefined {
    if (this.#end !== undefined) return undefined
    this.#end = { ...this.#begun, ...how, ...(this.#isWritten && { call: this.#call }) }
    if (this.#isWritten) this.#options.append(this.#end)
    return this.#options.ended()
  }
}
