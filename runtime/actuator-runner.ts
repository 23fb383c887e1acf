import { type ActuatorRules, isSafe } from './actuator-rules.ts'
import type { Actuator } from './board.ts'
import type { Call } from './call.ts'
import { InputRequired } from './call-state.ts'
import type { Clock } from './clock.ts'
import { publicMessage, RefusedMove } from './errors.ts'
import { LazySignal } from './lazy-signal.ts'
import { nobodysCall } from './nobodys-call.ts'
import { within } from './within.ts'

const defaultTimeoutMs = 60_000
/** How long a move may take to notice that it was told to stop, before its actuator is made safe without it. */
const abortGraceMs = 1000
const nobodyToAsk = 'Nobody can be asked while the actuator goes to its safe state'

/** A move that runs. */
export interface Move {
  readonly abort: LazySignal
  /** Resolves when `set` is over, however it ended. */
  readonly over: Promise<void>
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
   * @throws RefusedMove when nothing was moved; Error when the move fails, takes too long, or is broken off
   */
  async run(args: unknown, call: Call, breaks: number): Promise<unknown> {
    if (this.#busy) await this.#turn(call.signal)
    this.#busy = true
    try {
      if (this.#stopped !== undefined) throw new RefusedMove('stopped', this.#stopped)
      if (breaks !== this.#breaks)
        throw new RefusedMove('stopped', `${this.name} was not moved: it was stopped meanwhile`)
      const refusal = this.#rules.refusal(this.name, args)
      if (refusal !== undefined) throw new RefusedMove(refusal.rule, refusal.message)
      return await this.#ruled(args, call)
    } finally {
      this.#busy = false
      this.#waiting.shift()?.start()
    }
  }

  async #ruled(args: unknown, call: Call): Promise<unknown> {
    this.#rules.begins(this.name, args)
    try {
      const outcome = await this.#set(args, call)
      this.#rules.ended(this.name, args, true)
      return outcome
    } catch (thrown) {
      if (thrown instanceof InputRequired) this.#rules.withdraw(this.name)
      else this.#rules.ended(this.name, args, false)
      throw thrown
    }
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
      await this.#patience(move.over)
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
    this.#move?.abort.abort(error)
    return this.#move
  }

  /** The last resort when nothing may be awaited any more: a `set` that works at once has worked when this returns. */
  makeSafeNow(): void {
    if (this.actuator.safe === null) return
    this.#breaks++
    try {
      const value = this.actuator.set(this.actuator.safe, nobodysCall(new LazySignal(), nobodyToAsk))
      if (value instanceof Promise) value.catch(() => {})
    } catch (thrown) {
      this.#diagnose(`${this.name} could not be made safe: ${publicMessage(thrown)}`)
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const done = () => signal.removeEventListener('abort', aborted)
      const turn = {
        start: () => {
          done()
          this.#busy = true
          resolve()
        },
        refuse: (reason: Error) => {
          done()
          reject(reason)
        },
      }
      const aborted = () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', aborted, { once: true })
      this.#waiting.push(turn)
    })
  }

  async #set(args: unknown, call: Call): Promise<unknown> {
    const abort = new LazySignal()
    const value = this.actuator.set(args, withSignal(call, abort))
    if (!(value instanceof Promise)) return value
    const timeoutMs = this.actuator.timeoutMs ?? defaultTimeoutMs
    const over = value.then(
      () => {},
      () => {},
    )
    const move: Move = { abort, over }
    this.#move = move
    const cancelled = () => abort.abort(call.signal.reason as Error)
    if (call.signal.aborted) cancelled()
    call.signal.addEventListener('abort', cancelled, { once: true })
    const timer = this.#clock.setTimeout(
      () => abort.abort(new Error(`not done after ${timeoutMs / 1000} s: it was told to stop`)),
      timeoutMs,
    )
    try {
      const outcome = await this.#orAborted(value, abort)
      // A move that was told to stop and returns has stopped somewhere, and is no success.
      if (abort.aborted) throw abort.signal.reason
      return outcome
    } catch (thrown) {
      // Half-way is no state to leave a machine in.
      if (abort.aborted && this.#stopped === undefined) {
        const failure = await this.#safe()
        if (failure !== undefined) throw new Error(`${publicMessage(thrown)}; ${failure}`)
      }
      throw thrown
    } finally {
      this.#clock.clearTimeout(timer)
      call.signal.removeEventListener('abort', cancelled)
      if (this.#move === move) this.#move = undefined
    }
  }

  /** The move's outcome; or, when it does not heed its signal within the grace time, the reason of the abort. */
  #orAborted(value: Promise<unknown>, abort: LazySignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let grace: unknown
      const { signal } = abort
      const aborted = () => {
        grace = this.#clock.setTimeout(() => {
          this.#diagnose(`${this.name} did not stop when it was told to: its set() should heed call.signal`)
          const late = () => void this.#endedLate()
          value.then(late, late)
          reject(signal.reason)
        }, abortGraceMs)
      }
      const done = () => {
        this.#clock.clearTimeout(grace)
        signal.removeEventListener('abort', aborted)
      }
      signal.addEventListener('abort', aborted, { once: true })
      if (signal.aborted) aborted()
      value.then(
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
      if (value instanceof Promise && !(await this.#patience(value))) {
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

/** The same call with a signal that also aborts when the move is to be broken off. */
function withSignal(call: Call, abort: LazySignal): Call {
  return {
    get signal() {
      return abort.signal
    },
    clientInfo: call.clientInfo,
    clientCapabilities: call.clientCapabilities,
    progress: (progress, total, message) => call.progress(progress, total, message),
    log: (level, data, logger) => call.log(level, data, logger),
    elicit: (question: any) => call.elicit(question) as Promise<any>,
    sample: request => call.sample(request),
    roots: key => call.roots(key),
  }
}
