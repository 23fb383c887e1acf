import type { RecordEntry } from '../../runtime/index.ts'

/** How {@link Repeats} is made. */
export interface RepeatsOptions {
  write(entry: RecordEntry): void
  /** How long alike calls are counted before they are written as one, in milliseconds. */
  gatherMs: number
}

interface Counted {
  times: number
  since: string
  last: RecordEntry
}

/** Calls that differ in their arguments each time are written one by one, beyond so many. */
const mostKinds = 64

/**
 * Counts calls that only read and are alike: same tool, client, arguments and outcome. A host that polls the sensors each
 * second would push every move out of the record. The first is written as it comes, the others of some minutes as one.
 */
export class Repeats {
  readonly #options: RepeatsOptions
  readonly #kinds = new Map<string, Counted | undefined>()
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(options: RepeatsOptions) {
    this.#options = options
  }

  /** A reading call is over. */
  take(entry: RecordEntry): void {
    const kind = kindOf(entry)
    if (!this.#kinds.has(kind)) {
      if (this.#kinds.size < mostKinds) this.#kinds.set(kind, undefined)
      this.#timer ??= setTimeout(() => this.end(), this.#options.gatherMs).unref()
      return this.#options.write(entry)
    }
    const { times = 0, since = entry.time } = this.#kinds.get(kind) ?? {}
    this.#kinds.set(kind, { times: times + 1, since, last: entry })
  }

  /** Writes what was counted, and begins anew. */
  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const counted = [...this.#kinds.values()]
    this.#kinds.clear()
    for (const each of counted) {
      if (each === undefined) continue
      const { times, since, last } = each
      const { request: _, ...alike } = last
      this.#options.write(times === 1 ? last : { ...alike, time: since, times, until: last.time })
    }
  }
}

function kindOf({ board, tool, client, arguments: given, outcome, reason }: RecordEntry): string {
  try {
    return JSON.stringify([board, tool, client, given, outcome, reason])
  } catch {
    return JSON.stringify([board, tool, client, outcome, reason])
  }
}
