import type { Atmega328p } from './atmega328p.ts'

/** How a chip is kept in step with the clock on the wall. */
export interface RealTimeOptions {
  /** Milliseconds of a clock that only goes forward; `performance.now()` when left out. */
  now?: () => number
  /** Called after each stretch that the chip ran. */
  onStretch?: () => void
}

const quietMs = 10
const busyMs = 1
/** So long after a byte, in either direction, the next one is waited for in short steps. */
const lingerMs = 25
/** The longest stretch in one go: whatever else the program does gets its turn in between. */
const longestStretchMs = 20
/** Further behind than this it does not catch up: its clock has then gone slow for a moment. */
const mostBehindMs = 200

/** Runs a chip in real time, never faster. On a machine that is too slow for it, the chip is slow. */
export class RealTime {
  readonly #chip: Atmega328p
  readonly #now: () => number
  readonly #onStretch: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #startedAt = 0
  #startCycle = 0
  #lastByteAt = Number.NEGATIVE_INFINITY
  #running = false
  /** Milliseconds that its clock has lost, because the machine was too slow for it. */
  lostMs = 0

  constructor(chip: Atmega328p, { now = () => performance.now(), onStretch = () => {} }: RealTimeOptions = {}) {
    this.#chip = chip
    this.#now = now
    this.#onStretch = onStretch
  }

  start(): void {
    if (this.#running) return
    this.#running = true
    this.#startedAt = this.#now()
    this.#startCycle = this.#chip.cycles
    this.#wait(0)
  }

  stop(): void {
    this.#running = false
    clearTimeout(this.#timer)
  }

  /** Takes the chip up to this moment. To be called before something reaches it, so that it does not come too early. */
  catchUp(): void {
    if (!this.#running) return
    const target = this.#target()
    const chip = this.#chip
    chip.runUntil(Math.min(target, chip.cycles + (longestStretchMs / 1000) * chip.hz))
    this.#onStretch()
    const behindMs = ((this.#target() - chip.cycles) / chip.hz) * 1000
    if (behindMs > mostBehindMs) {
      this.lostMs += behindMs
      this.#startedAt += behindMs
    }
  }

  /** Says that a byte came or went: it is likely that more follow. */
  noteByte(): void {
    this.#lastByteAt = this.#now()
    if (this.#running) this.#wait(busyMs)
  }

  /** The cycle that it is now. */
  #target(): number {
    return this.#startCycle + ((this.#now() - this.#startedAt) / 1000) * this.#chip.hz
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.catchUp()
      if (!this.#running) return
      const behind = this.#target() - this.#chip.cycles > (longestStretchMs / 2000) * this.#chip.hz
      const busy = this.#now() - this.#lastByteAt < lingerMs
      this.#wait(behind ? 0 : busy ? busyMs : quietMs)
    }, ms)
  }
}
