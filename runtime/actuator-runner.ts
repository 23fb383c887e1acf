import { type ActuatorRules, isSafe } from './actuator-rules.ts'
import type { Actuator } from './board.ts'
import type { Call } from './call.ts'
import { InputRequired } from './call-state.ts'
import type { Clock } from './clock.ts'
import { publicMessage, RefusedMove } from './errors.ts'
import { type AbortListener, LazySignal, onAbort } from './lazy-signal.ts'
import { MoveCall } from './move-call.ts'
import { nobodysCall } from './nobodys-call.ts'
import { isThenable } from './thenable.ts'
import { within } from './within.ts'

const defaultTimeoutMs = 60_000
/** How long a move may take to notice that it was told to stop, before its actuator is made safe without it. */
const abortGraceMs = 1000
const nobodyToAsk = 'Nobody can be asked while the actuator goes to its safe state'

/** A move that takes time, and runs. */
export interface Move {
  /** Breaks it off. */
  readonly stop: LazySignal
  /** What `set` returned. */
  readonly outcome: Promise<unknown>
}

/** Why moves are broken off. */
export interface BreakOff {
  /** Why later calls are refused; left out, they are not. */
  readonly stopped?: string
  /** What the calls that are broken off are told. */
  readonly reason?: string
}

/** What an actuator is run with. */
export interface ActuatorRunnerOptions {
  readonly name: string
  readonly actuator: Actuator<any>
  /** The rules of all actuators of its board. */
  readonly rules: ActuatorRules
  readonly clock: Clock
  readonly diagnose: (text: string) => void
}

/**
 * Runs the calls of one actuator: one after the other, each within its time, and into the safe state when one is broken
 * off or when the program has to stop.
 */
export class ActuatorRunner {
  readonly name: string
  readonly actuator: Actuator<any>
  readonly #clock: Clock
  readonly #diagnose: (text: string) => void
  readonly #rules: ActuatorRules
  readonly #waiting: { start: () => void; refuse: (reason: Error) => void }[] = []
  #busy = false
  #move: Move | undefined = undefined
  #stopped: string | undefined = undefined
  #breaks = 0

  constructor(options: ActuatorRunnerOptions) {
    this.name = options.name
    this.actuator = options.actuator
    this.#clock = options.clock
    this.#diagnose = options.diagnose
    this.#rules = options.rules
  }

  /**
   * How often moves were broken off so far. A call that comes keeps it until its turn, so that a stop reaches also those
   * that wait for a person or for the hardware.
   */
  get breaks(): number {
    return this.#breaks
  }

  /**
   * Moves the actuator when its turn comes and its rules allow it. A call that is cancelled while it waits never moves
   * anything.
   *
   * @param breaks {@link ActuatorRunner.breaks} when the call came
   * @returns the outcome, or a promise of it when it has to be waited for
   * @throws RefusedMove when nothing was moved; Error when the move fails, takes too long, or is broken off
   */
  run(args: unknown, call: Call, breaks: number): unknown {
    if (!this.#busy) return this.#perform(args, call, breaks)
    return this.#turn(call).then(() => this.#perform(args, call, breaks))
  }

  #perform(args: unknown, call: Call, breaks: number): unknown {
    this.#busy = true
    const refused = this.#refusal(args, breaks)
    if (refused !== undefined) {
      this.#next()
      throw refused
    }
    this.#rules.begins(this.name, args)
    let outcome: unknown
    try {
      outcome = this.#set(args, call)
    } catch (thrown) {
      this.#failed(args, thrown)
      throw thrown
    }
    if (outcome instanceof Promise) return this.#finish(outcome, args)
    this.#done(args)
    return outcome
  }

  async #finish(running: Promise<unknown>, args: unknown): Promise<unknown> {
    let outcome: unknown
    try {
      outcome = await running
    } catch (thrown) {
      this.#failed(args, thrown)
      throw thrown
    }
    this.#done(args)
    return outcome
  }

  #refusal(args: unknown, breaks: number): RefusedMove | undefined {
    if (this.#stopped !== undefined) return new RefusedMove('stopped', this.#stopped)
    if (breaks !== this.#breaks) {
      return new RefusedMove('stopped', `${this.name} was not moved: it was stopped meanwhile`)
    }
    const refusal = this.#rules.refusal(this.name, args)
    return refusal && new RefusedMove(refusal.rule, refusal.message)
  }

  #done(args: unknown): void {
    this.#rules.ended(this.name, args, true)
    this.#next()
  }

  #failed(args: unknown, thrown: unknown): void {
    if (thrown instanceof InputRequired) this.#rules.withdraw(this.name)
    else this.#rules.ended(this.name, args, false)
    this.#next()
  }

  #next(): void {
    this.#busy = false
    this.#waiting.shift()?.start()
  }

  /** Gives it its initial arguments, when it has some. Returns what went wrong, or nothing. */
  async begin(): Promise<string | undefined> {
    const { initial } = this.actuator
    if (initial === undefined || isSafe(this.actuator, initial) || this.#stopped !== undefined) return undefined
    try {
      const call = nobodysCall(new LazySignal(), 'Nobody can be asked while the actuator goes to its initial state')
      this.#rules.starts(this.name)
      await this.#set(initial, call)
      return undefined
    } catch (thrown) {
      return `${this.name} could not be put into its initial state: ${publicMessage(thrown)}`
    }
  }

  /**
   * Breaks off what runs and what waits, and puts the actuator into its safe state. Ahead of everything else.
   *
   * @returns what went wrong, or nothing
   */
  async makeSafe(why: BreakOff = {}): Promise<string | undefined> {
    const move = this.breakOff(why)
    let failure = await this.#safe()
    if (move !== undefined) {
      // A move that ends only now may have undone the safe state.
      await this.#patience(move.outcome.then(nothing, nothing))
      failure = await this.#safe()
    }
    return failure
  }

  /**
   * Breaks off what runs and what waits, and leaves the actuator as it then is.
   *
   * @returns what ran
   */
  breakOff({ stopped, reason = 'Stopped: the actuator was put into its safe state' }: BreakOff = {}): Move | undefined {
    this.#stopped ??= stopped
    this.#breaks++
    const error = new Error(stopped ?? reason)
    for (const { refuse } of this.#waiting.splice(0)) refuse(error)
    this.#move?.stop.abort(error)
    return this.#move
  }

  /** The last resort when nothing may be awaited any more: a `set` that works at once has worked when this returns. */
  makeSafeNow(): void {
    if (this.actuator.safe === null) return
    this.#breaks++
    try {
      const value = this.actuator.set(this.actuator.safe, nobodysCall(new LazySignal(), nobodyToAsk))
      if (isThenable(value)) value.then(nothing, nothing)
    } catch (thrown) {
      this.#diagnose(`${this.name} could not be made safe: ${publicMessage(thrown)}`)
    }
  }

  #turn(call: Call): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = {
        start: () => {
          forget()
          this.#busy = true
          resolve()
        },
        refuse: (reason: Error) => {
          forget()
          reject(reason)
        },
      }
      this.#waiting.push(turn)
      const forget = onAbort(call, reason => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1)
        reject(reason)
      })
    })
  }

  /** What `set` returns: as it is where it works at once, else a promise of it within its time. */
  #set(args: unknown, call: Call): unknown {
    const move = new MoveCall(call)
    const value = this.actuator.set(args, move)
    return isThenable(value) ? this.#watch(Promise.resolve(value), call, move.stop) : value
  }

  async #watch(running: Promise<unknown>, call: Call, stop: LazySignal): Promise<unknown> {
    const timeoutMs = this.actuator.timeoutMs ?? defaultTimeoutMs
    const move: Move = { stop, outcome: running }
    this.#move = move
    const forget = onAbort(call, reason => stop.abort(reason))
    const timer = this.#clock.setTimeout(
      () => stop.abort(new Error(`not done after ${timeoutMs / 1000} s: it was told to stop`)),
      timeoutMs,
    )
    try {
      const outcome = await this.#orAborted(running, stop)
      // A move that was told to stop and returns has stopped somewhere, and is no success.
      if (stop.aborted) throw stop.reason
      return outcome
    } catch (thrown) {
      // Half-way is no state to leave a machine in.
      if (stop.aborted && this.#stopped === undefined) {
        const failure = await this.#safe()
        if (failure !== undefined) throw new Error(`${publicMessage(thrown)}; ${failure}`)
      }
      throw thrown
    } finally {
      this.#clock.clearTimeout(timer)
      forget()
      if (this.#move === move) this.#move = undefined
    }
  }

  /** The move's outcome; or, when it does not heed its signal within the grace time, the reason of the abort. */
  #orAborted(running: Promise<unknown>, stop: LazySignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let grace: unknown
      const aborted: AbortListener = reason => {
        grace = this.#clock.setTimeout(() => {
          this.#diagnose(`${this.name} did not stop when it was told to: its set() should heed call.signal`)
          const late = () => void this.#endedLate()
          running.then(late, late)
          reject(reason)
        }, abortGraceMs)
      }
      const forget = onAbort(stop, aborted)
      const done = () => {
        this.#clock.clearTimeout(grace)
        forget()
      }
      running.then(
        settled => {
          done()
          resolve(settled)
        },
        thrown => {
          done()
          reject(thrown)
        },
      )
    })
  }

  /** A move that was given up has ended at last, and may have undone the safe state, or what came after it. */
  async #endedLate(): Promise<void> {
    const reason = `An earlier move of ${this.name} ended late: it was put into its safe state once more`
    this.#diagnose(reason)
    await this.makeSafe({ reason })
  }

  async #safe(): Promise<string | undefined> {
    if (this.actuator.safe === null) return undefined
    const abort = new LazySignal()
    try {
      const value = this.actuator.set(this.actuator.safe, nobodysCall(abort, nobodyToAsk))
      if (isThenable(value) && !(await this.#patience(Promise.resolve(value)))) {
        abort.abort(new Error('taking too long'))
        return `${this.name} did not reach its safe state in ${abortGraceMs / 1000} s: check it`
      }
      this.#rules.madeSafe(this.name)
      return undefined
    } catch (thrown) {
      const failure = `${this.name} could not be made safe: ${publicMessage(thrown)}`
      this.#diagnose(failure)
      return failure
    }
  }

  /** Waits for the grace time at most. Tells whether it was over by then. */
  #patience(over: Promise<unknown>): Promise<boolean> {
    const late = new Error('not over yet')
    return within(over, abortGraceMs, this.#clock, () => late).then(
      () => true,
      thrown => {
        if (thrown === late) return false
        throw thrown
      },
    )
  }
}

const nothing = () => {}
