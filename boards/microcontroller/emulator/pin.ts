/** A pin of the chip as its surroundings see it. Times are in cycles of the chip's clock. */
export class Pin {
  /** Its name in the datasheet: `PB1`. */
  readonly name: string
  /** How often it began, and ceased, to be driven high. */
  rises = 0
  falls = 0
  /** The cycle of the last change. */
  changedAt = 0
  #high = false
  #highCycles = 0
  #pulseCycles = 0
  #pulseEnd = Number.NEGATIVE_INFINITY
  #dutyFrom = 0
  #dutyHigh = 0
  readonly #listeners = new Set<PinListener>()
  readonly #now: () => number
  readonly #drive: (high: boolean) => void

  /** @internal */
  constructor(name: string, now: () => number, drive: (high: boolean) => void) {
    this.name = name
    this.#now = now
    this.#drive = drive
  }

  /** Whether the chip drives it high; false as well while it is an input. */
  get high(): boolean {
    return this.#high
  }

  /** Puts a level on it from outside, which the chip reads while the pin is an input. */
  set(high: boolean): void {
    this.#drive(high)
  }

  /** How long the last whole pulse was high, and when it ended. 0 cycles when there was none. */
  get pulse(): { cycles: number; end: number } {
    return { cycles: this.#pulseCycles, end: this.#pulseEnd }
  }

  /** The part of the time, 0 to 1, that it was high since this was last asked. */
  duty(): number {
    const now = this.#now()
    const high = this.#highCycles + (this.#high ? now - this.changedAt : 0)
    const part = now > this.#dutyFrom ? (high - this.#dutyHigh) / (now - this.#dutyFrom) : Number(this.#high)
    this.#dutyFrom = now
    this.#dutyHigh = high
    return part
  }

  /** Calls `listener` at each change, in the cycle of it, until the function that it returned is called. */
  onChange(listener: PinListener): () => void {
    const own: PinListener = (high, cycle) => listener(high, cycle)
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  /** @internal what the chip does with it */
  drivenBy(high: boolean, cycle: number): void {
    if (high === this.#high) return
    this.#high = high
    if (high) this.rises++
    else {
      this.falls++
      this.#pulseCycles = cycle - this.changedAt
      this.#pulseEnd = cycle
      this.#highCycles += this.#pulseCycles
    }
    this.changedAt = cycle
    for (const listener of this.#listeners) listener(high, cycle)
  }
}

/** Told that a pin is driven high from now on, or no longer, and in which cycle. */
export type PinListener = (high: boolean, cycle: number) => void

/** The datasheet's name of a pin: `D13` and `A0`, as they are printed on an Arduino Uno, are `PB5` and `PC0`. */
export function pinName(name: string): string {
  const [, letter, digits] = /^([DA])(\d+)$/.exec(name) ?? []
  const number = Number(digits)
  if (letter === 'A' && number <= 5) return `PC${number}`
  if (letter === 'D' && number <= 7) return `PD${number}`
  if (letter === 'D' && number <= 13) return `PB${number - 8}`
  if (letter === 'D' && number <= 19) return `PC${number - 14}`
  return name
}
