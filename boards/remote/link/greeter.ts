import type { Clock } from '../../../runtime/index.ts'
import { noSession } from './messages.ts'
import { chooseSession, type Random } from './session.ts'

const firstMs = 250
const slowestMs = 1000

/** What a {@link Greeter} needs from the link around it. */
export interface GreeterOptions {
  clock: Clock
  random: Random
  /** Says hello under this session number. */
  say(session: number): void
  /** A hello is said again. */
  repeated(): void
}

/** Says hello until it is answered: at short intervals at first, since a board that is up answers at once. */
export class Greeter {
  readonly #options: GreeterOptions
  #session = noSession
  #ms = firstMs
  #timer: unknown = undefined

  constructor(options: GreeterOptions) {
    this.#options = options
  }

  /** The session that is being offered, or that was taken. */
  get session(): number {
    return this.#session
  }

  /** Offers a new session. A number that was answered is never offered again. */
  begin(): void {
    const before = this.#session
    do this.#session = chooseSession(this.#options.random)
    while (this.#session === before)
    this.#ms = firstMs
    this.say()
  }

  /** Says hello now, and again later. */
  say(): void {
    const { clock, random } = this.#options
    this.stop()
    this.#timer = clock.setTimeout(
      () => {
        this.#options.repeated()
        this.#ms = Math.min(slowestMs, this.#ms * 2)
        this.say()
      },
      this.#ms * (1 + random() / 2),
    )
    // Last, since on a line in memory the answer comes before this returns.
    this.#options.say(this.#session)
  }

  /** It was answered, or nobody is there to be greeted. */
  stop(): void {
    this.#options.clock.clearTimeout(this.#timer)
  }
}
