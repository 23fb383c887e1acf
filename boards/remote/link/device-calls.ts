import type { Call, Clock } from '../../../runtime/index.ts'
import { namesOf, outputOf } from './arguments.ts'
import type { BoardRecords } from './board-records.ts'
import { CallMemory, type RememberedCall } from './call-memory.ts'
import { LinkCode, LinkError } from './codes.ts'
import { told } from './device-errors.ts'
import { type Move, makeSafe, startMove, within } from './device-moves.ts'
import { type LinkValue, toValue } from './value.ts'

/** How a call ended. */
export type CallOutcome = { value: LinkValue } | { code: number; text?: string }

/** What {@link DeviceCalls} needs from the device around it. */
export interface DeviceCallsOptions {
  actuators: BoardRecords['actuators']
  /** How many calls may run at a time. */
  calls: number
  clock: Clock
  /** After how long a call that is not over says that it goes on, in milliseconds. */
  workingAfterMs: number
  answer(id: number, outcome: CallOutcome): void
  progress(id: number, progress?: number, total?: number, text?: string): void
  log: Call['log']
  diagnose(text: string): void
}

/** The calls of a device: each id runs once, one at a time on each actuator, and none outlives its session. */
export class DeviceCalls {
  readonly #options: DeviceCallsOptions
  readonly #memory: CallMemory<CallOutcome>
  /** By the number of its actuator. A move of an earlier session may be here until it has ended. */
  readonly #moves = new Map<number, Move | undefined>()

  constructor(options: DeviceCallsOptions) {
    this.#options = options
    this.#memory = new CallMemory(options.calls)
  }

  /** Takes a call, new or sent again. */
  call(id: number, actuator: number, args: readonly LinkValue[], open: readonly number[] = []): void {
    const known = this.#memory.find(id)
    if (known !== undefined) return this.#again(known)
    if (!this.#memory.isNew(id)) return this.#options.answer(id, { code: LinkCode.Forgotten })
    const call = this.#memory.add(id, actuator, open)
    if (call === undefined) return this.#options.answer(id, { code: LinkCode.Busy })
    try {
      const entry = this.#options.actuators[actuator]
      if (entry === undefined) throw new LinkError(LinkCode.Unknown)
      if (this.#moves.has(actuator)) throw new LinkError(LinkCode.Busy)
      this.#run(call, entry, outputOf(entry.actuator.inputSchema, namesOf(entry.args, args)))
    } catch (thrown) {
      this.#end(call, told(thrown))
    }
  }

  /** Breaks a call off. One that has not come yet is not run when it comes. */
  cancel(id: number): void {
    const known = this.#memory.find(id)
    if (known === undefined) {
      if (!this.#memory.isNew(id)) return this.#options.answer(id, { code: LinkCode.Forgotten })
      const call = this.#memory.add(id, -1)
      return call === undefined ? undefined : this.#end(call, { code: LinkCode.Cancelled })
    }
    if (known.outcome !== undefined) return this.#options.answer(id, known.outcome)
    this.#moves.get(known.actuator)?.breakOff(new LinkError(LinkCode.Cancelled))
    // It may take a while to get safe: the host hears that its cancel has arrived.
    if (known.outcome === undefined) this.#options.progress(id)
  }

  /** Everything to its safe value, whatever runs. Returns the numbers of the actuators that did not get there. */
  async stop(): Promise<number[]> {
    for (const move of this.#moves.values()) move?.breakOff(new LinkError(LinkCode.Stopped))
    const failed: number[] = []
    const { actuators, clock, diagnose } = this.#options
    await Promise.all(
      actuators.map(({ name, actuator }, number) =>
        within(clock, makeSafe(actuator)).catch(thrown => {
          failed.push(number)
          diagnose(`${name} could not be made safe: ${told(thrown).text ?? 'it failed'}`)
        }),
      ),
    )
    return failed.sort((a, b) => a - b)
  }

  /** A new session begins: what nobody waits for any more is broken off, and no id means anything. */
  newSession(): void {
    this.#memory.clear()
    for (const move of this.#moves.values()) move?.breakOff(new LinkError(LinkCode.Stopped))
  }

  #again(call: RememberedCall<CallOutcome>): void {
    if (call.outcome === undefined) this.#options.progress(call.id)
    else this.#options.answer(call.id, call.outcome)
  }

  #run(call: RememberedCall<CallOutcome>, entry: BoardRecords['actuators'][number], args: unknown): void {
    const { clock, workingAfterMs } = this.#options
    const { actuator } = entry
    // Until it is known whether it goes on, the place counts as taken.
    this.#moves.set(call.actuator, undefined)
    let working: unknown
    const end = (outcome: CallOutcome) => {
      clock.clearTimeout(working)
      this.#moves.delete(call.actuator)
      this.#end(call, outcome)
    }
    const move = startMove({
      actuator,
      args,
      clock,
      timedOut: () => new LinkError(LinkCode.TimedOut),
      done: value => end(outcomeOf(value)),
      failed: thrown => end(told(thrown)),
      progress: (progress, total, text) => {
        if (this.#isCurrent(call)) this.#options.progress(call.id, progress, total, text?.slice(0, 100))
      },
      log: this.#options.log,
    })
    if (move === undefined) return
    this.#moves.set(call.actuator, move)
    working = clock.setTimeout(() => {
      if (this.#isCurrent(call)) this.#options.progress(call.id)
    }, workingAfterMs)
  }

  #isCurrent(call: RememberedCall<CallOutcome>): boolean {
    return this.#memory.find(call.id) === call && call.outcome === undefined
  }

  #end(call: RememberedCall<CallOutcome>, outcome: CallOutcome): void {
    call.outcome = outcome
    if (this.#memory.find(call.id) === call) this.#options.answer(call.id, outcome)
  }
}

function outcomeOf(value: unknown): CallOutcome {
  try {
    return { value: toValue(value) }
  } catch (thrown) {
    return told(thrown)
  }
}
