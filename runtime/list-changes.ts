import type { Feature } from './table.ts'

/** Gathers changes of lists: many in one go are one change for a client. */
export class ListChanges {
  readonly #tell: (feature: Feature) => void
  readonly #changed = new Set<Feature>()

  /** @param tell called once for each list that changed, after what runs now */
  constructor(tell: (feature: Feature) => void) {
    this.#tell = tell
  }

  add(feature: Feature): void {
    if (this.#changed.size === 0) Promise.resolve().then(() => this.#flush())
    this.#changed.add(feature)
  }

  #flush(): void {
    const features = [...this.#changed]
    this.#changed.clear()
    for (const feature of features) this.#tell(feature)
  }
}
