import type { Link, LinkReceiver } from '../../runtime/index.ts'

/** A link of bytes whose other end is the test: it feeds what it likes and takes as much as it likes. */
export class TextLink implements Link {
  /** What was taken, a write at a time. */
  readonly writes: string[] = []
  /** Whether the other end reads: while it does not, `write` asks to wait. */
  reading = true
  paused = false
  pauses = 0
  #receiver: LinkReceiver | undefined = undefined

  open(receiver: LinkReceiver): void {
    this.#receiver = receiver
  }

  write(text: string): boolean {
    this.writes.push(text)
    return this.reading
  }

  pause(): void {
    this.paused = true
    this.pauses++
  }

  resume(): void {
    this.paused = false
  }

  /** Gives bytes, or text as UTF-8, in Node's chunks of the given size. The memory is used again, as a driver would. */
  feed(input: string | Uint8Array, chunkSize = Number.POSITIVE_INFINITY): void {
    const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : new Uint8Array(input)
    for (let from = 0; from < bytes.length; from += chunkSize) {
      const chunk = Buffer.from(bytes.subarray(from, from + chunkSize))
      this.#receiver!.bytes(chunk)
      chunk.fill(0x7b)
    }
  }

  end(): void {
    this.#receiver!.end()
  }

  /** The other end has read everything. */
  drain(): void {
    this.#receiver!.drained()
  }

  /** The messages so far, and the proof that each stands on a line of its own. */
  get messages(): any[] {
    const text = this.writes.join('')
    if (text === '') return []
    if (!text.endsWith('\n')) throw new Error('the output does not end in a newline')
    return text
      .slice(0, -1)
      .split('\n')
      .map(line => JSON.parse(line))
  }
}
