import type { ActuatorRules } from './actuator-rules.ts'
import type { ActuatorRunner } from './actuator-runner.ts'
import type { Arming } from './arming.ts'
import type { Board } from './board.ts'
import type { Clock } from './clock.ts'
import { diagnostic, publicMessage } from './errors.ts'
import type { Owner, Ownership } from './owner.ts'
import { within } from './within.ts'

/** How long hardware that is just being taken may take to be there, before it is left, in milliseconds. */
const openingMs = 1000
/** How long a board that keeps itself safe may take for it, in milliseconds. */
const makeSafeMs = 1000

/** What is needed to look after the hardware of a server. Board and actuators may be others after a while. */
export interface HardwareOptions {
  readonly board: () => Board
  readonly actuators: () => readonly ActuatorRunner[]
  readonly arming: () => Arming
  /** Nothing for a board without actuators. */
  readonly rules: () => ActuatorRules | undefined
  readonly owner: Owner
  readonly clock: Clock
  readonly diagnose: (text: string) => void
  /** Called once, when the hardware is there. */
  readonly onOpen: () => void
}

/** The hardware of a board through its life: taken once, made safe at any time, given back once. */
export class Hardware {
  readonly #options: HardwareOptions
  #ownership: Ownership | undefined = undefined
  #opening: Promise<void> | undefined = undefined
  #open = false
  #closed = false

  constructor(options: HardwareOptions) {
    this.#options = options
  }

  /** Whether the hardware is there. */
  get isOpen(): boolean {
    return this.#open
  }

  /** Resolves when the hardware is there; nothing when it is. */
  ready(): Promise<void> | undefined {
    return this.#open ? undefined : this.open()
  }

  /** Takes it, and puts every actuator into its safe state. Calling it again waits for the first. */
  open(): Promise<void> {
    if (this.#closed) return Promise.reject(new Error(`${this.#options.board().name} was closed`))
    this.#opening ??= this.#take()
    return this.#opening
  }

  /** Puts every actuator into its safe state, ahead of everything. Returns what went wrong. */
  async makeSafe(): Promise<string[]> {
    return [...(await this.stop()).values()]
  }

  /** The same. Returns what went wrong by the name of the actuator, or of the board that makes itself safe. */
  async stop(): Promise<Map<string, string>> {
    return this.#open ? this.#stop() : new Map()
  }

  /** The same for hardware that may not have been taken yet: it is taken then, which puts it into its safe state. */
  async takeAndStop(): Promise<Map<string, string>> {
    try {
      await within(this.open(), openingMs, this.#options.clock)
    } catch (thrown) {
      const { name } = this.#options.board()
      return new Map([[name, `${name} could not be made safe: ${publicMessage(thrown)}`]])
    }
    return this.#stop()
  }

  /** The last resort when nothing may be awaited any more. */
  makeSafeNow(): void {
    if (this.#open) for (const runner of this.#options.actuators()) runner.makeSafeNow()
  }

  /** Breaks off every move for good, makes everything safe, and gives it back. */
  async close(reason: string): Promise<void> {
    this.#closed = true
    const { board, clock, diagnose } = this.#options
    let safe = this.#open ? this.#stop(reason) : Promise.resolve(new Map<string, string>())
    if (!this.#open && this.#opening !== undefined) {
      // Hardware that is just being taken is given back once it is there.
      await within(this.#opening, openingMs, clock).catch(() => {})
      if (this.#open) safe = this.#stop(reason)
    }
    for (const failure of (await safe).values()) diagnose(failure)
    this.#options.rules()?.close()
    try {
      if (this.#open) await board().close?.()
    } catch (thrown) {
      diagnose(`${board().name} could not be closed: ${diagnostic(thrown)}`)
    }
    this.#open = false
    await this.#ownership?.release()
  }

  async #take(): Promise<void> {
    const { owner, diagnose } = this.#options
    const board = this.#options.board()
    try {
      if (board.device !== undefined) this.#ownership = await owner.own(board.device, board.title ?? board.name)
      await board.open?.()
      this.#open = true
      // Whatever a former run left behind, the first thing that happens is the safe state. A board that keeps itself
      // safe knows better: it may serve others already.
      const failures = board.makeSafe === undefined ? await this.makeSafe() : []
      for (const failure of failures) diagnose(failure)
      for (const runner of this.#options.actuators()) {
        const failure = await runner.begin()
        if (failure !== undefined) diagnose(failure)
      }
      if (!this.#closed) this.#options.onOpen()
    } catch (thrown) {
      diagnose(`${board.name} could not be opened: ${diagnostic(thrown)}`)
      await this.#ownership?.release()
      this.#ownership = undefined
      throw new Error(`${board.name} could not be opened: ${publicMessage(thrown)}`)
    }
  }

  /** Breaks off every move. Later ones are refused when `stopped` says why. */
  async #stop(stopped?: string): Promise<Map<string, string>> {
    const board = this.#options.board()
    const runners = this.#options.actuators()
    const rules = this.#options.rules()
    const why = stopped === undefined ? {} : { stopped }
    const failures = new Map<string, string>()
    this.#options.arming().disarm()
    if (board.makeSafe === undefined) {
      await Promise.all(
        runners.map(async runner => {
          const failure = await runner.makeSafe(why)
          if (failure !== undefined) failures.set(runner.name, failure)
        }),
      )
      return failures
    }
    for (const runner of runners) runner.breakOff(why)
    try {
      await within(board.makeSafe(), makeSafeMs, this.#options.clock)
      for (const { name } of runners) rules?.madeSafe(name)
    } catch (thrown) {
      failures.set(board.name, `${board.name} could not be made safe: ${publicMessage(thrown)}`)
    }
    return failures
  }
}
