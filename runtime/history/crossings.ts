import type { Threshold } from '../board.ts'

/** A threshold that was crossed, and when, in milliseconds since 1970-01-01 UTC. */
export interface Crossing {
  limit: number
  direction: 'upwards' | 'downwards'
  time: number
}

interface Limit {
  readonly limit: number
  readonly isUpper: boolean
  readonly hysteresis: number
  /** Whether the value is beyond it; unknown before the first value. */
  beyond: boolean | undefined
}

const mostKept = 8

/** Which thresholds a sensor's values are beyond, and the last times that it changed. */
export class Crossings {
  readonly #limits: Limit[]
  readonly #kept: Crossing[] = []

  constructor(thresholds: readonly Threshold[]) {
    this.#limits = thresholds.flatMap(({ above, below, hysteresis = 0 }) => [
      ...(above === undefined ? [] : [{ limit: above, isUpper: true, hysteresis, beyond: undefined }]),
      ...(below === undefined ? [] : [{ limit: below, isUpper: false, hysteresis, beyond: undefined }]),
    ])
  }

  /** Tells whether this value crossed a threshold. The first value crosses none: it only says on which side it is. */
  take(value: number, time: number): boolean {
    let crossed = false
    for (const limit of this.#limits) {
      const beyond = isBeyond(limit, value)
      if (limit.beyond !== undefined && limit.beyond !== beyond) {
        crossed = true
        this.#kept.push({ limit: limit.limit, direction: beyond === limit.isUpper ? 'upwards' : 'downwards', time })
        if (this.#kept.length > mostKept) this.#kept.shift()
      }
      limit.beyond = beyond
    }
    return crossed
  }

  /** The last ones, the oldest first. */
  list(): readonly Crossing[] {
    return this.#kept
  }

  /** What the value is beyond at the moment. */
  beyond(): { limit: number; side: 'above' | 'below' }[] {
    return this.#limits.flatMap(({ limit, isUpper, beyond }): { limit: number; side: 'above' | 'below' }[] =>
      beyond ? [{ limit, side: isUpper ? 'above' : 'below' }] : [],
    )
  }
}

function isBeyond({ limit, isUpper, hysteresis, beyond = false }: Limit, value: number): boolean {
  const inside = beyond ? hysteresis : 0
  // Equal is not beyond; once beyond, back is at the hysteresis and not only past it.
  return isUpper ? value > limit - inside : value < limit + inside
}
