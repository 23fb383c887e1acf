import type { Clock } from '../../runtime/index.ts'
import type { DescriptionStore, StoredDevice } from './description-store.ts'

/** What is known of a device, in its place in a store where it has one. */
export class Shelf {
  readonly #clock: Clock
  readonly #store: DescriptionStore | undefined
  readonly #key: string
  readonly #waiting = new Set<() => void>()
  #stored: StoredDevice | undefined
  #isFilled: boolean

  constructor(clock: Clock, store: DescriptionStore | undefined, key: string | undefined) {
    this.#clock = clock
    this.#store = key === undefined ? undefined : store
    this.#key = key ?? ''
    this.#stored = this.#store?.load(this.#key)
    this.#isFilled = this.#stored !== undefined
  }

  get stored(): StoredDevice | undefined {
    return this.#stored
  }

  save(stored: StoredDevice): void {
    this.#stored = stored
    this.#store?.save(this.#key, stored)
    // A device that is plugged in elsewhere is known by what it calls itself.
    if (stored.kind === 'link' && stored.id !== '') this.#store?.save(idKey(stored.id), stored)
    this.#fill()
  }

  /** What was kept of the device with this unique id, wherever it was plugged in. */
  known(id: string): StoredDevice | undefined {
    return id === '' ? undefined : this.#store?.load(idKey(id))
  }

  /** It is of this kind: what was kept of another kind is of another device. */
  found(kind: StoredDevice['kind']): void {
    if (this.#stored?.kind !== kind) this.#stored = undefined
    this.#fill()
  }

  /** Resolves once something is known, or after `ms`, with whether it is. */
  filled(ms: number): Promise<boolean> {
    if (this.#isFilled) return Promise.resolve(true)
    return new Promise(resolve => {
      const done = () => {
        this.#clock.clearTimeout(timer)
        this.#waiting.delete(done)
        resolve(this.#isFilled)
      }
      const timer = this.#clock.setTimeout(done, ms)
      this.#waiting.add(done)
    })
  }

  /** Nobody waits any longer. */
  close(): void {
    for (const done of [...this.#waiting]) done()
  }

  #fill(): void {
    this.#isFilled = true
    this.close()
  }
}

function idKey(id: string): string {
  return `id:${id}`
}
