/** How a chip is made ready, and left. */
export interface ChipOptions<State> {
  /** Finds out whether it is the right chip and configures it. What it returns is handed to each use. */
  configure(): Promise<State>
  /** Leaves it asleep, its outputs off. */
  sleep?(): Promise<void>
  /** The IO that it owns. */
  io: { close(): void }
}

/**
 * The life of a chip: one use at a time, configured before the first one and again after one that failed, since a chip that
 * was unplugged or lost its power has forgotten everything.
 */
export class Chip<State> {
  readonly #options: ChipOptions<State>
  #ready: { state: State } | undefined
  #touched = false
  #last: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  constructor(options: ChipOptions<State>) {
    this.#options = options
  }

  /** Works with the chip, when all uses that came before are over. */
  use<Result>(work: (state: State) => Promise<Result>): Promise<Result> {
    if (this.#closing !== undefined) return Promise.reject(new Error('the part is closed'))
    return this.#inTurn(async () => {
      this.#ready ??= { state: await this.#options.configure() }
      this.#touched = true
      try {
        return await work(this.#ready.state)
      } catch (thrown) {
        this.#ready = undefined
        throw thrown
      }
    })
  }

  /** Configures it now. */
  open(): Promise<void> {
    return this.use(async () => {})
  }

  /** Leaves it asleep, unless it was never there, and closes its IO. Calling it again waits for the first. */
  close(): Promise<void> {
    this.#closing ??= this.#inTurn(async () => {
      try {
        if (this.#touched) await this.#options.sleep?.()
      } finally {
        this.#options.io.close()
      }
    })
    return this.#closing
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}

/** Makes one measurement serve everybody who asks while it runs: three quantities of one chip are measured once. */
export function joined<Result>(measure: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= measure().finally(() => {
      running = undefined
    })
    return running
  }
}
