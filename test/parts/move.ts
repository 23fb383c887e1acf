import type { Actuator } from '../../runtime/board.ts'
import { LazySignal } from '../../runtime/lazy-signal.ts'
import { nobodysCall } from '../../runtime/nobodys-call.ts'

/** Moves an actuator, and hands out what cancels the move. */
export function move(actuator: Actuator<any>, args: object): { done: Promise<unknown>; cancel: (why: Error) => void } {
  const signal = new LazySignal()
  const done = Promise.resolve().then(() => actuator.set(args, nobodysCall(signal, 'nobody')))
  return { done, cancel: why => signal.abort(why) }
}

/** Moves an actuator to the end. */
export async function moved(actuator: Actuator<any>, args: object): Promise<unknown> {
  return move(actuator, args).done
}
