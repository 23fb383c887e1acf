import type { EventStream } from './event-stream.ts'

/** How often a client comes back to a stream that ended before its last event, in milliseconds. */
const retryMs = 1000

/** Room that all streams of a session have for what was sent and may be asked for again, the oldest given up first. */
export class ReplayStore {
  readonly #maxBytes: number
  readonly #streams = new Map<number, ReplayableStream>()
  #bytes = 0
  #last = -1

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** A new stream with a number of its own. */
  begin(): ReplayableStream {
    const stream = new ReplayableStream(++this.#last, bytes => this.#make(bytes))
    this.#streams.set(stream.number, stream)
    return stream
  }

  /** The stream of an event, and the event's place in it; nothing when it was given up, or never was. */
  find(eventId: string): { stream: ReplayableStream; after: number } | undefined {
    const parts = /^(\d{1,15})-(\d{1,15})$/.exec(eventId)
    const stream = parts === null ? undefined : this.#streams.get(Number(parts[1]))
    return stream === undefined ? undefined : { stream, after: Number(parts![2]) }
  }

  /** Ends every stream. */
  end(): void {
    for (const stream of this.#streams.values()) stream.finish()
    this.#streams.clear()
  }

  #make(room: number): void {
    this.#bytes += room
    if (this.#bytes <= this.#maxBytes) return
    const streams = [...this.#streams.values()]
    // What was sent, all of it, is the least likely to be asked for.
    this.#forget(streams.filter(stream => stream.isOver))
    this.#forget(streams)
  }

  #forget(streams: readonly ReplayableStream[]): void {
    for (const stream of streams) {
      while (this.#bytes > this.#maxBytes && stream.size > 0) this.#bytes -= stream.forgetOldest()
      if (stream.size === 0 && stream.finished) this.#streams.delete(stream.number)
    }
  }
}

interface Kept {
  place: number
  line: string
}

/** A stream of events that outlives the connections it is sent on: one takes it up where another was cut. */
export class ReplayableStream {
  readonly number: number
  finished = false
  readonly #make: (bytes: number) => void
  readonly #kept: Kept[] = []
  #last = 0
  /** Up to here everything was given to a connection. */
  #given = 0
  #reader: EventStream | undefined = undefined

  constructor(number: number, make: (bytes: number) => void) {
    this.number = number
    this.#make = make
  }

  /** How many events are kept. */
  get size(): number {
    return this.#kept.length
  }

  get congested(): boolean {
    return this.#reader?.congested === true
  }

  /** Whether somebody reads it now. */
  get isRead(): boolean {
    return this.#reader?.open === true
  }

  /** Whether nothing comes after an event, now or later. */
  endsAt(place: number): boolean {
    return this.finished && place >= this.#last
  }

  /** Everything was given to a connection, and nothing more comes. */
  get isOver(): boolean {
    return this.finished && this.#given >= this.#last
  }

  send(line: string): void {
    const place = ++this.#last
    this.#kept.push({ place, line })
    if (this.isRead) this.#give({ place, line })
    this.#make(line.length)
  }

  /** Sends on this connection what comes, after what nobody was given yet; whoever had the stream before loses it. */
  attach(reader: EventStream, primes: boolean): void {
    this.#resume(reader, this.#given, primes)
  }

  /** The same from behind an event on. */
  replay(reader: EventStream, after: number, primes: boolean): void {
    this.#resume(reader, after, primes)
  }

  /** Lets go of the connection; the client comes back for the rest. */
  release(): void {
    this.#reader?.end()
    this.#reader = undefined
  }

  /** The last event was sent. */
  finish(): void {
    this.finished = true
    this.release()
  }

  /** Gives up the oldest event, and returns its size. */
  forgetOldest(): number {
    return this.#kept.shift()?.line.length ?? 0
  }

  #resume(reader: EventStream, after: number, primes: boolean): void {
    this.release()
    this.#reader = reader
    if (primes) reader.prime(`${this.number}-${after}`, retryMs)
    for (const event of this.#kept) if (event.place > after) this.#give(event)
    if (this.finished) this.release()
  }

  #give({ place, line }: Kept): void {
    this.#reader!.event(line, `${this.number}-${place}`)
    if (this.isRead) this.#given = Math.max(this.#given, place)
  }
}
