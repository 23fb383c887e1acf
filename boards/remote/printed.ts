import { printedText } from './device-text.ts'

/** What a device printed since its line was opened: text for people, and noise that is told once. */
export class Printed {
  readonly #onText: (line: string) => void
  readonly #onNoise: () => void
  #texts = 0
  #noise = 0

  constructor(onText: (line: string) => void, onNoise: () => void) {
    this.#onText = onText
    this.#onNoise = onNoise
  }

  /** The line was opened. */
  begin(): void {
    this.#texts = 0
    this.#noise = 0
  }

  take(bytes: Uint8Array, start: number, end: number): void {
    const text = printedText(bytes, start, end)
    if (text === undefined) this.noise()
    else if (text !== '') {
      this.#texts++
      this.#onText(text)
    }
  }

  /** Something that is no text. */
  noise(): void {
    if (this.#noise++ === 0) this.#onNoise()
  }

  /** What it is that came, for whoever wonders why nothing is answered. */
  get kind(): 'nothing' | 'text' | 'noise' {
    if (this.#texts === 0 && this.#noise === 0) return 'nothing'
    return this.#noise > this.#texts ? 'noise' : 'text'
  }
}
