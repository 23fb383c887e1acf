import { diagnostic } from './errors.ts'

interface Watch {
  readonly listeners: Set<() => void>
  stop: (() => void) | undefined
}

/** Who wants to hear of which resource. A source of changes runs only while somebody listens. */
export class Watches {
  readonly #watches = new Map<string, Watch>()
  readonly #start: (uri: string, changed: () => void) => (() => void) | undefined
  readonly #diagnose: (text: string) => void

  /** @param start begins to watch a resource, where it has a source of changes, and returns what ends it */
  constructor(start: (uri: string, changed: () => void) => (() => void) | undefined, diagnose: (text: string) => void) {
    this.#start = start
    this.#diagnose = diagnose
  }

  /** Calls `changed` after each change of the resource, until the function returned is called. */
  add(uri: string, changed: () => void): () => void {
    let watch = this.#watches.get(uri)
    if (watch === undefined) {
      watch = { listeners: new Set(), stop: undefined }
      this.#watches.set(uri, watch)
      this.#begin(uri, watch)
    }
    const { listeners } = watch
    // One of its own for each call, so that the same function may listen twice.
    const listener = () => changed()
    listeners.add(listener)
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return
      this.#watches.delete(uri)
      this.#end(uri, watch)
    }
  }

  /** The resource changed. */
  tell(uri: string): void {
    const watch = this.#watches.get(uri)
    if (watch !== undefined) for (const listener of watch.listeners) listener()
  }

  /** The resources are others now: their sources are asked anew, and whoever listens is told to read again. */
  restart(): void {
    for (const [uri, watch] of this.#watches) {
      this.#end(uri, watch)
      this.#begin(uri, watch)
      this.tell(uri)
    }
  }

  #begin(uri: string, watch: Watch): void {
    try {
      watch.stop = this.#start(uri, () => this.tell(uri))
    } catch (thrown) {
      this.#diagnose(`${uri} cannot be watched: ${diagnostic(thrown)}`)
    }
  }

  #end(uri: string, watch: Watch): void {
    try {
      watch.stop?.()
    } catch (thrown) {
      this.#diagnose(`${uri} is watched on: ${diagnostic(thrown)}`)
    }
    watch.stop = undefined
  }
}
