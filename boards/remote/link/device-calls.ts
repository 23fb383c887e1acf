import type { Clock } from '../../../runtime/index.ts'
import { namesOf, outputOf } from './arguments.ts'
import { CallMemory, type RememberedCall } from './call-memory.ts'
import { LinkCode, LinkError } from './codes.ts'
import { told } from './device-errors.ts'
import type { DeviceOutputs, Output } from './device-outputs.ts'
import { type LinkValue, toValue } from './value.ts'

/** How a call ended. */
export type CallOutcome = { value: LinkValue } | { code: number; text?: string }

/** What {@link DeviceCalls} needs from the device around it. */
export interface DeviceCallsOptions {
  outputs: DeviceOutputs
  /** How many calls may run at a time. */
  calls: number
  clock: Clock
  /** After how long a call that is not over says that it goes on, in milliseconds. */
  workingAfterMs: number
  answer(id: number, outcome: CallOutcome): void
  progress(id: number, progress?: number, total?: number, text?: string): void
}

/** The calls of a device: each id runs once, and none outlives its session. */
export class DeviceCalls {
  readonly #options: DeviceCallsOptions
  readonly #memory: CallMemory<CallOutcome>

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
      const output = this.#options.outputs.resting(actuator)
      this.#run(call, output, outputOf(output.actuator.inputSchema, namesOf(output.args, args)))
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
      // Without a place it is not remembered; that its id is used keeps it from running all the same.
      return call === undefined
        ? this.#options.answer(id, { code: LinkCode.Cancelled })
        : this.#end(call, { code: LinkCode.Cancelled })
    }
    if (known.outcome !== undefined) return this.#options.answer(id, known.outcome)
    this.#options.outputs.breakOff(known.actuator, new LinkError(LinkCode.Cancelled))
    // It may take a while to get safe: the host hears that its cancel has arrived.
    if (known.outcome === undefined) this.#options.progress(id)
  }

  /** A new session begins: what nobody waits for any more is broken off, and no id means anything. */
  newSession(): void {
    this.#memory.clear()
    this.#options.outputs.breakOffAll()
  }

  #again(call: RememberedCall<CallOutcome>): void {
    if (call.outcome === undefined) this.#options.progress(call.id)
    else this.#options.answer(call.id, call.outcome)
  }

  #run(call: RememberedCall<CallOutcome>, output: Output, args: unknown): void {
    const { outputs, clock, workingAfterMs } = this.#options
    let working: unknown
    const end = (outcome: CallOutcome) => {
      clock.clearTimeout(working)
      this.#end(call, outcome)
    }
    const goesOn = outputs.move(output, args, {
      done: value => end(outcomeOf(value)),
      failed: thrown => end(told(thrown)),
      progress: (progress, total, text) => {
        if (this.#isCurrent(call)) this.#options.progress(call.id, progress, total, text?.slice(0, 100))
      },
    })
    if (!goesOn) return
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
