import { nextCallId } from './session.ts'

const lastAsk = -20
const firstStop = -21
const lastStop = -24

/**
 * The ids of the host's questions: calls count up, everything else goes round below zero. A stop may outlive the session
 * in which it was sent, so its ids are apart from those of the others.
 */
export class RequestIds {
  #call = 0
  #ask = 0
  #stop = 0

  /** The next id of its kind that is not in use. */
  next(kind: 'call' | 'ask' | 'stop', inUse: (id: number) => boolean): number {
    if (kind === 'call') {
      do this.#call = nextCallId(this.#call)
      while (inUse(this.#call))
      return this.#call
    }
    if (kind === 'stop') {
      this.#stop = this.#stop <= lastStop || this.#stop > firstStop ? firstStop : this.#stop - 1
      return this.#stop
    }
    do this.#ask = this.#ask <= lastAsk ? -1 : this.#ask - 1
    while (inUse(this.#ask))
    return this.#ask
  }

  /** How far the next call would be ahead of an older one. */
  aheadOf(older: number): number {
    return (nextCallId(this.#call) - older) & 0xff
  }
}

/** Whether an id is one of a stop. */
export function isStopId(id: number): boolean {
  return id <= firstStop
}
