import type { Clock } from '../../runtime/index.ts'

/** What a device may speak. */
export type DeviceKind = 'link' | 'mcp'

/** How a {@link Search} asks. */
export interface SearchOptions {
  clock: Clock
  /** Begins to say hello on the link, which repeats it by itself. */
  startLink(): void
  /** Asks once whether the device speaks MCP. `number` counts from 0. */
  probeMcp(number: number): void
  /** So long nothing answered. Told once. */
  silent(ms: number): void
}

/** What is tried first gets this long before the other one is tried, in milliseconds. */
const headStartMs = { link: 300, mcp: 500 }
const firstProbeMs = 400
/** Boards boot for up to 8 s. After that it is no board that boots, and is not to be flooded. */
const slowestProbeMs = 1500
const bootingMs = 10_000
const idleProbeMs = 5000

/**
 * Finds out what a device speaks, by asking both ways in turn until one is answered: a board that was just opened may
 * be deaf for seconds, and no fixed wait fits all.
 */
export class Search {
  readonly #options: SearchOptions
  #timers: unknown[] = []
  #running = false
  #since = 0

  constructor(options: SearchOptions) {
    this.#options = options
  }

  get running(): boolean {
    return this.#running
  }

  /** Begins anew, with what was found last. `mcpAfterMs` holds the probes back while the link is likely to come back. */
  begin(first: DeviceKind, mcpAfterMs?: number): void {
    this.end()
    const { clock, startLink, silent } = this.#options
    this.#running = true
    this.#since = clock.now()
    this.#after(bootingMs, () => silent(bootingMs))
    if (first === 'link') {
      this.#after(mcpAfterMs ?? headStartMs.link, () => this.#probe(0, firstProbeMs))
      startLink()
    } else {
      this.#after(headStartMs.mcp, startLink)
      this.#probe(0, firstProbeMs)
    }
  }

  /** It was found, or the line is gone. */
  end(): void {
    this.#running = false
    for (const timer of this.#timers.splice(0)) this.#options.clock.clearTimeout(timer)
  }

  #probe(number: number, waitMs: number): void {
    const isBooting = this.#options.clock.now() - this.#since < bootingMs
    this.#after(isBooting ? waitMs : idleProbeMs, () => this.#probe(number + 1, Math.min(slowestProbeMs, waitMs * 1.5)))
    // Last, since on a line in memory the answer comes before this returns.
    this.#options.probeMcp(number)
  }

  #after(ms: number, run: () => void): void {
    const { clock } = this.#options
    const timer = clock.setTimeout(() => {
      this.#timers.splice(this.#timers.indexOf(timer), 1)
      run()
    }, ms)
    this.#timers.push(timer)
  }
}
