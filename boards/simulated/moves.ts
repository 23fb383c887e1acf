import type { Call } from '../../runtime/call.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { GreenhouseState } from './climate.ts'
import type { House } from './house.ts'
import { pause, rounded } from './world.ts'

/** A part of the house that takes its time. */
export interface SlowPart {
  /** Simulated seconds until it is done; 0 when it is. */
  readonly secondsLeft: (state: GreenhouseState) => number
  /** Ends what it does, at once. */
  readonly stop: (state: GreenhouseState) => void
  /** How far it is, in words. */
  readonly message: (state: GreenhouseState) => string
}

/** What is under way in a house: at most one move of each part. */
export class Moves {
  readonly #house: House
  readonly #clock: Clock
  readonly #speed: number
  readonly #underWay = new Map<SlowPart, AbortController>()

  /** @param speed simulated seconds to one second of the clock */
  constructor(house: House, clock: Clock, speed: number) {
    this.#house = house
    this.#clock = clock
    this.#speed = speed
  }

  /**
   * Starts a part and waits for it, with a word to the caller each second, until it has no seconds left, the call is
   * cancelled or the move is ended. Then the part is stopped in that very moment, and the wait is over. A move of the
   * same part that is under way ends first.
   */
  async carryOut(part: SlowPart, call: Call, start: (state: GreenhouseState) => void): Promise<void> {
    this.end(part)
    this.#house.change(start)
    const move = new AbortController()
    this.#underWay.set(part, move)
    const stopNow = () => this.#house.change(part.stop)
    const signals = [call.signal, move.signal]
    for (const signal of signals) signal.addEventListener('abort', stopNow)
    if (call.signal.aborted) stopNow()
    try {
      await this.#wait(part, call, signals)
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', stopNow)
      if (this.#underWay.get(part) === move) this.#underWay.delete(part)
    }
  }

  /** Ends the move of a part, if there is one. */
  end(part: SlowPart): void {
    this.#underWay.get(part)?.abort()
    this.#underWay.delete(part)
  }

  /** Ends every move. */
  endAll(): void {
    for (const part of [...this.#underWay.keys()]) this.end(part)
  }

  async #wait({ secondsLeft, message }: SlowPart, call: Call, signals: readonly AbortSignal[]): Promise<void> {
    const house = this.#house
    const total = secondsLeft(house.look())
    for (let left = total; left > 0 && !signals.some(({ aborted }) => aborted); left = secondsLeft(house.look())) {
      // Timers may fire a little early, and a wait of 0 ms would then spin.
      await pause(this.#clock, Math.max(1, Math.min(1000, (left / this.#speed) * 1000)), signals)
      const state = house.look()
      call.progress(rounded(total - secondsLeft(state), 1), rounded(total, 1), message(state))
    }
  }
}
