import { ActuatorRules, type Refusal } from '../../../runtime/actuator-rules.ts'
import type { Actuator, Call, Clock } from '../../../runtime/index.ts'
import { completed } from './arguments.ts'
import type { BoardRecords } from './board-records.ts'
import { codeText, LinkCode, LinkError } from './codes.ts'
import type { LinkArgument } from './description.ts'
import { told } from './device-errors.ts'
import { type Move, putInto, startMove, within } from './device-moves.ts'

/** What {@link DeviceOutputs} needs from the device around it. */
export interface DeviceOutputsOptions {
  actuators: BoardRecords['actuators']
  clock: Clock
  log: Call['log']
  diagnose(text: string): void
}

/** What whoever asked for a move hears of it. Exactly one of `done` and `failed` is called, once. */
export interface MoveListener {
  done(value: unknown): void
  failed(thrown: unknown): void
  progress(progress: number, total?: number, text?: string): void
}

/** One actuator of a device. */
export interface Output {
  readonly number: number
  readonly name: string
  readonly actuator: Actuator<any>
  readonly args: LinkArgument[]
  /** A call moves it. */
  isCalled: boolean
  /** That move, once it is known that it takes a moment. */
  move: Move | undefined
  /** How many ways into a state that nobody called for it is on. */
  waysUnderWay: number
}

const codes: Readonly<Record<Refusal['rule'], number>> = {
  interlock: LinkCode.Interlocked,
  interval: LinkCode.TooSoon,
  rate: LinkCode.TooSoon,
  disarmed: LinkCode.NotArmed,
}

/** The actuators of a device: one move at a time on each, by the rules that it declares, and back into the safe state. */
export class DeviceOutputs {
  readonly #options: DeviceOutputsOptions
  readonly #outputs: readonly Output[]
  readonly #rules: ActuatorRules

  constructor(options: DeviceOutputsOptions) {
    this.#options = options
    this.#outputs = options.actuators.map((entry, number) => {
      return { ...entry, number, isCalled: false, move: undefined, waysUnderWay: 0 }
    })
    const actuators = Object.fromEntries(
      options.actuators.map(({ name, actuator, args }) => [name, withCompleteStates(actuator, args)]),
    )
    this.#rules = new ActuatorRules(actuators, { clock: options.clock, overdue: name => this.#overdue(name) })
  }

  /** Whether the outputs that need it may move; `undefined` where none needs it. */
  get armed(): boolean | undefined {
    return this.#outputs.some(needsArming) ? this.#rules.armed : undefined
  }

  /** Everything into its initial state, or else its safe one: what was left on by an earlier run is over. */
  start(): void {
    for (const output of this.#outputs) {
      const { name, actuator } = output
      const state = actuator.initial ?? actuator.safe
      if (state === null) continue
      this.#rules.starts(name)
      this.#put(output, state, 'could not be put into its state at the start').catch(() => {})
    }
  }

  /** @throws LinkError when there is none of this number, or it moves */
  resting(number: number): Output {
    const output = this.#outputs[number]
    if (output === undefined) throw new LinkError(LinkCode.Unknown)
    if (output.isCalled || output.waysUnderWay > 0) throw new LinkError(LinkCode.Busy)
    return output
  }

  /**
   * Moves an actuator that rests. Tells whether that goes on: `set` may be over when this returns.
   *
   * @throws LinkError when a rule forbids it now
   */
  move(output: Output, args: unknown, listener: MoveListener): boolean {
    const { name, actuator } = output
    const refusal = this.#rules.refusal(name, args)
    if (refusal !== undefined) throw refused(name, refusal)
    this.#rules.begins(name, args)
    output.isCalled = true
    const end = (isDone: boolean, tell: () => void) => {
      output.isCalled = false
      output.move = undefined
      this.#rules.ended(name, args, isDone)
      tell()
    }
    const move = startMove({
      actuator,
      args,
      clock: this.#options.clock,
      timedOut: () => new LinkError(LinkCode.TimedOut),
      done: value => end(true, () => listener.done(value)),
      failed: thrown => end(false, () => listener.failed(thrown)),
      madeSafe: () => this.#isSafe(output),
      endedLate: () => {
        // It may have undone the safe state, or what a later call made of it.
        this.#options.log('warning', `${name} went on after it was broken off: it is put into its safe state again`)
        this.#makeSafe(output, LinkCode.Stopped).catch(() => {})
      },
      progress: listener.progress,
      log: this.#options.log,
    })
    if (move !== undefined) output.move = move
    return move !== undefined
  }

  /** Breaks off the move of a call, if it is still under way. */
  breakOff(number: number, reason: Error): void {
    this.#outputs[number]?.move?.breakOff(reason)
  }

  /** Breaks off what runs; each goes into its safe state. */
  breakOffAll(): void {
    for (const { move } of this.#outputs) move?.breakOff(new LinkError(LinkCode.Stopped))
  }

  /**
   * Everything to its safe state, whatever runs, and disarmed.
   *
   * @returns the numbers of the actuators that did not get there
   */
  async stop(): Promise<number[]> {
    this.#rules.disarm()
    const failed: number[] = []
    await Promise.all(
      this.#outputs.map(output =>
        this.#makeSafe(output, LinkCode.Stopped).catch(() => void failed.push(output.number)),
      ),
    )
    return failed.sort((a, b) => a - b)
  }

  /** A person lets the outputs that need it move, or no longer: then they go into their safe state. */
  arm(armed: boolean): void {
    if (armed) return this.#rules.arm()
    this.#rules.disarm()
    for (const output of this.#outputs.filter(needsArming)) {
      this.#makeSafe(output, LinkCode.Stopped).catch(() => {})
    }
  }

  /** Nothing is overdue any more. */
  close(): void {
    this.#rules.close()
  }

  async #overdue(name: string): Promise<void> {
    const output = this.#outputs.find(each => each.name === name)!
    try {
      await this.#makeSafe(output, LinkCode.TimedOut)
      this.#options.log('warning', `${name} was away from its safe state for too long: it was put there`)
    } catch {
      // It is told, and tried again after a while.
    }
  }

  #makeSafe(output: Output, code: number): Promise<void> {
    output.move?.breakOff(new LinkError(code))
    const { safe } = output.actuator
    if (safe === null) return Promise.resolve()
    return this.#put(output, safe, 'could not be made safe', () => {
      // A move that ends only now may undo it: then it is safe once that is over.
      if (!output.isCalled) this.#isSafe(output)
    })
  }

  /** What works at once has worked when this returns, so that the next message finds it done. */
  #put(output: Output, state: unknown, failure: string, done = () => {}): Promise<void> {
    const { clock, diagnose, log } = this.#options
    const failed = (thrown: unknown) => {
      const text = `${output.name} ${failure}: ${told(thrown).text ?? 'it failed'}`
      diagnose(text)
      log('critical', text)
    }
    try {
      const way = putInto(output.actuator, state)
      if (!(way instanceof Promise)) {
        done()
        return Promise.resolve()
      }
      output.waysUnderWay++
      return within(clock, way).then(
        () => {
          output.waysUnderWay--
          done()
        },
        thrown => {
          output.waysUnderWay--
          failed(thrown)
          throw thrown
        },
      )
    } catch (thrown) {
      failed(thrown)
      return Promise.reject(thrown)
    }
  }

  #isSafe({ name, actuator }: Output): void {
    // Where there is nothing to make safe, nothing was moved.
    if (actuator.safe !== null) this.#rules.madeSafe(name)
  }
}

/** An actuator as its rules see it: its states are complete, as the arguments of a call are, so that the two compare. */
function withCompleteStates(actuator: Actuator<any>, args: LinkArgument[]): Actuator<any> {
  const { safe, initial, inputSchema } = actuator
  // What a Standard Schema makes of arguments is complete already.
  if (inputSchema !== undefined && '~standard' in inputSchema) return actuator
  return Object.create(actuator, {
    ...(safe !== null && { safe: { value: completed(args, safe) } }),
    ...(initial !== undefined && { initial: { value: completed(args, initial) } }),
  })
}

function needsArming({ actuator: { arming, selfKept } }: Output): boolean {
  return arming === true && selfKept !== true
}

function refused(name: string, { rule, message }: Refusal): LinkError {
  const code = codes[rule]
  // How a person arms is known to the host alone.
  if (rule === 'disarmed') return new LinkError(code, codeText(code))
  return new LinkError(code, message.replace(`${name} was not moved: `, ''))
}
