import { HardwareError } from '../hardware-error.ts'

/** Work on one bus, piece after piece. What waits for its turn takes no thread of the pool. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Does a piece of work when all that came before it is over. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}

// A bus, and what is on it, is one thing in the whole process: these two belong to the process as well.
const turns = new Map<string, Turns>()
const claimed = new Set<string>()

/** The turns of a bus, by the path of its device. */
export function turnsOf(path: string): Turns {
  let found = turns.get(path)
  if (found === undefined) turns.set(path, (found = new Turns()))
  return found
}

/**
 * Takes what the kernel gives to as many as ask, for one owner in this process. The function returned gives it back.
 *
 * @throws HardwareError when it is taken
 */
export function claim(what: string, title: string): () => void {
  if (claimed.has(what)) throw new HardwareError('EBUSY', `${title} is taken by another part of this program`)
  claimed.add(what)
  return () => void claimed.delete(what)
}
