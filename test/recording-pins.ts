import { appendFileSync, readFileSync } from 'node:fs'

/** How an output is opened. Levels are logical: true is active. */
export interface PinOptions {
  activeLow: boolean
  initial: boolean
  safe: boolean
}

/**
 * Stands in for a GPIO back end where there is no hardware: it records every physical change in a file, as
 * `MS LINE out|in LEVEL`. What a former run left behind is made an input when it starts, as the kernel does when a
 * process that held a line is gone.
 */
export class RecordingPins {
  readonly #file: string | undefined
  readonly #pins = new Map<string, PinOptions>()

  constructor(file: string | undefined) {
    this.#file = file
    for (const line of this.#leftBehind()) this.#record(line, 'in', 0)
  }

  /** Direction and level in one step, so that an active-low relay never sees a pulse. */
  open(line: string, options: PinOptions): void {
    this.#pins.set(line, options)
    this.set(line, options.initial)
  }

  set(line: string, active: boolean): void {
    const pin = this.#pins.get(line)
    if (pin === undefined) throw new Error(`${line} is not open: call pin_open first`)
    this.#record(line, 'out', active !== pin.activeLow ? 1 : 0)
  }

  /** The same for an output that is there from the start, active high. */
  record(line: string, active: boolean): void {
    this.#record(line, 'out', active ? 1 : 0)
  }

  makeSafe(): void {
    for (const [line, { safe }] of this.#pins) this.set(line, safe)
  }

  #record(line: string, direction: 'out' | 'in', level: number): void {
    if (this.#file !== undefined) appendFileSync(this.#file, `${Date.now()} ${line} ${direction} ${level}\n`)
  }

  #leftBehind(): Set<string> {
    try {
      const lines = readFileSync(this.#file ?? '', 'utf8').split('\n')
      return new Set(lines.map(line => line.split(' ')[1]).filter(name => name !== undefined))
    } catch {
      return new Set()
    }
  }
}
