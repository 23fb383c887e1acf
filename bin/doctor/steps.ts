/** How a step of an examination went. `skip` is one that could not be taken, and tells why. */
export type Outcome = 'ok' | 'note' | 'fail' | 'skip'

/** One step: what was looked at, what was seen, and what to do where it is not well. */
export interface Step {
  outcome: Outcome
  /** One or two words: `permission`. */
  what: string
  text: string
  advice?: string
}

const marks: Record<Outcome, string> = { ok: 'ok  ', note: 'note', fail: 'FAIL', skip: '-   ' }
const whatColumns = 12

/** A step as it is printed: one line, and one more for what to do. */
export function stepText({ outcome, what, text, advice }: Step): string {
  const line = `${marks[outcome]}  ${what.padEnd(whatColumns)}  ${text}`
  return advice === undefined ? line : `${line}\n${' '.repeat(whatColumns + 8)}→ ${advice}`
}

/** Takes steps as they come, prints them, and knows how it went. */
export class Examination {
  readonly #print: (line: string) => void
  #failed = 0

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  get failed(): boolean {
    return this.#failed > 0
  }

  step(outcome: Outcome, what: string, text: string, advice?: string): void {
    if (outcome === 'fail') this.#failed++
    this.#print(stepText({ outcome, what, text, ...(advice !== undefined && { advice }) }))
  }

  /** A line between the steps. */
  heading(text: string): void {
    this.#print(text)
  }
}
