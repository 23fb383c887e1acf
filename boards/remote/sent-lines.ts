const most = 16
const comparedLength = 4096

/** The last lines that were sent: a port that echoes gives them back, and they are no words of the device. */
export class SentLines {
  readonly #lines: string[] = []

  add(line: string): void {
    this.#lines.push(short(line))
    if (this.#lines.length > most) this.#lines.shift()
  }

  /** Whether it was sent a moment ago. Each line counts once. */
  isEcho(line: string): boolean {
    const at = this.#lines.indexOf(short(line))
    if (at !== -1) this.#lines.splice(at, 1)
    return at !== -1
  }
}

function short(line: string): string {
  return line.length > comparedLength ? `${line.length} ${line.slice(0, comparedLength)}` : line
}
