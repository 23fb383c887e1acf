import type { Actuator, Call, Clock } from '../../../runtime/index.ts'

const graceMs = 1000
const defaultTimeoutMs = 60_000

/** A call that waits for its outcome on the device. */
export interface Move {
  /** Breaks it off: its signal aborts, and its actuator is made safe. */
  breakOff(reason: Error): void
}

/** How a move is made. Exactly one of `done` and `failed` is called, once. */
export interface MoveOptions {
  actuator: Actuator<any>
  args: unknown
  clock: Clock
  /** Makes the reason for a move that takes too long. */
  timedOut(): Error
  done(value: unknown): void
  failed(thrown: unknown): void
  /** It was broken off and is in its safe state; `failed` follows. */
  madeSafe(): void
  /** It heeded nothing when it was broken off, and ends only now, after `failed`. */
  endedLate(): void
  progress(progress: number, total?: number, text?: string): void
  log: Call['log']
}

/**
 * Moves an actuator. What is broken off, or takes too long, is told to stop, given a second to heed it, and made safe
 * in any case. A `set` that works at once is over when this returns.
 */
export function startMove(options: MoveOptions): Move | undefined {
  const { actuator, clock } = options
  const abort = new LazyAbort()
  let value: unknown
  try {
    value = actuator.set(options.args, callOf(abort, options))
  } catch (thrown) {
    options.failed(thrown)
    return undefined
  }
  if (!(value instanceof Promise)) {
    options.done(value)
    return undefined
  }
  let reason: Error | undefined
  let over = false
  const breakOff = (why: Error) => {
    if (reason !== undefined || over) return
    reason = why
    abort.abort(why)
    // The safe state does not wait for a move that may never heed its signal.
    within(clock, makeSafe(actuator)).then(
      () => within(clock, settledOf(value as Promise<unknown>)).then(end, end),
      end,
    )
  }
  const timer = clock.setTimeout(() => breakOff(options.timedOut()), actuator.timeoutMs ?? defaultTimeoutMs)
  const end = (): void => {
    if (over) return
    over = true
    clock.clearTimeout(timer)
    // Once more: the move may have undone it while it ended.
    within(clock, makeSafe(actuator)).then(
      () => {
        options.madeSafe()
        options.failed(reason)
      },
      thrown => options.failed(thrown),
    )
  }
  const ended = (tell: () => void) => {
    if (over && reason !== undefined) options.endedLate()
    if (over || reason !== undefined) return
    over = true
    clock.clearTimeout(timer)
    tell()
  }
  value.then(
    result => ended(() => options.done(result)),
    thrown => ended(() => options.failed(thrown)),
  )
  return { breakOff }
}

/** Puts an actuator into its safe state. Rejects when that fails. */
export async function makeSafe(actuator: Actuator<any>): Promise<void> {
  if (actuator.safe !== null) await putInto(actuator, actuator.safe)
}

/** Gives an actuator a state that nobody called for. What it returns is the way there, where that takes a moment. */
export function putInto(actuator: Actuator<any>, state: unknown): unknown {
  return actuator.set(state, callOf(new LazyAbort()))
}

/** Waits for a promise, for the grace time at most. Rejects when it is not over by then. */
export function within<T>(clock: Clock, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => reject(new Error(`not done in ${graceMs / 1000} s`)), graceMs)
    promise.finally(() => clock.clearTimeout(timer)).then(resolve, reject)
  })
}

/** A signal that costs nothing until somebody reads it: making one takes longer than the rest of a short call. */
export class LazyAbort {
  #controller: AbortController | undefined = undefined
  #reason: Error | undefined = undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  /** Aborts the signal, or the one that is made later. */
  abort(reason: Error): void {
    this.#reason ??= reason
    this.#controller?.abort(reason)
  }
}

function settledOf(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => {},
    () => {},
  )
}

/** A call as `set` sees it on a device: nobody can be asked anything over the link. */
function callOf(abort: LazyAbort, options?: MoveOptions): Call {
  const nobody = () => Promise.reject(new Error('nobody can be asked over the link'))
  return {
    get signal() {
      return abort.signal
    },
    clientInfo: undefined,
    clientCapabilities: {},
    progress: (progress, total, message) => options?.progress(progress, total, message),
    log: (level, data, logger) => options?.log(level, data, logger),
    elicit: nobody,
    sample: nobody,
    roots: nobody,
  }
}
