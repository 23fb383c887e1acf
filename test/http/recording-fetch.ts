import type { RecordedLine } from '../official/recording.ts'

/** A `fetch` that keeps every message of both directions, as lines in the order in which they went by. */
export class RecordingFetch {
  readonly lines: RecordedLine[] = []
  /** Responses that are still being read. */
  readonly #reading = new Set<Promise<void>>()

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    if (typeof init?.body === 'string') this.lines.push({ from: 'client', line: init.body })
    const response = await fetch(input, init)
    if (response.body === null) return response
    const [forClient, forUs] = response.body.tee()
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const reading = this.#read(forUs, isStream)
    this.#reading.add(reading)
    void reading.finally(() => this.#reading.delete(reading))
    const { status, statusText, headers } = response
    return new Response(forClient, { status, statusText, headers })
  }

  async #read(body: ReadableStream<Uint8Array>, isStream: boolean): Promise<void> {
    let text = ''
    try {
      for await (const piece of body.pipeThrough(new TextDecoderStream() as any) as any) {
        text += piece
        if (!isStream) continue
        const events = text.split('\n\n')
        text = events.pop()!
        for (const event of events) this.#keep(/^data: (.+)$/m.exec(event)?.[1])
      }
    } catch {
      // A stream that the client left has no end.
    }
    if (!isStream) this.#keep(text)
  }

  #keep(line: string | undefined): void {
    if (line?.startsWith('{')) this.lines.push({ from: 'server', line })
  }
}
