import type { EventStream } from './event-stream.ts'

/** How often a client comes back to a stream that ended before its last event, in milliseconds. */
const retryMs = 1000

/** What an event takes beside its text, in bytes. */
const eventBytes = 200
/** So many streams are remembered of which something was given up. */
const mostLost = 100

/** Room that all streams of a session have for what was sent and may be asked for again, the oldest given up first. */
export class ReplayStore {
  readonly #maxBytes: number
  readonly #streams = new Map<number, ReplayableStream>()
  readonly #lost = new Set<number>()
  #bytes = 0
  #last = -1

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** A new stream with a number of its own. */
  begin(): ReplayableStream {
    const stream = new ReplayableStream(++this.#last, this)
    this.#streams.set(stream.number, stream)
    return stream
  }

  /**
   * The stream of an event, and the event's place in it; `over` when nothing comes after it; nothing when there is no such
   * event, or what came after it was given up.
   */
  find(eventId: string): { stream: ReplayableStream; after: number } | 'over' | undefined {
    const [, first, second] = /^(\d{1,15})-(\d{1,15})$/.exec(eventId) ?? []
    const [number, after] = [Number(first ?? Number.NaN), Number(second)]
    const stream = this.#streams.get(number)
    if (stream === undefined) return number <= this.#last && !this.#lost.has(number) ? 'over' : undefined
    return stream.endsAt(after) ? 'over' : { stream, after }
  }

  /** Ends every stream. */
  end(): void {
    for (const stream of this.#streams.values()) stream.finish()
    this.#streams.clear()
  }

  /** An event is kept. */
  add(line: string): void {
    this.#bytes += line.length + eventBytes
    if (this.#bytes <= this.#maxBytes) return
    const streams = [...this.#streams.values()]
    // What was sent, all of it, is the least likely to be asked for.
    this.#makeRoom(streams.filter(stream => stream.isOver))
    this.#makeRoom(streams)
  }

  /** A stream has had its last event. */
  finished(stream: ReplayableStream): void {
    if (stream.size > 0) return
    this.#streams.delete(stream.number)
    if (!stream.hasLost) return
    this.#lost.add(stream.number)
    for (const number of this.#lost) if (this.#lost.size > mostLost) this.#lost.delete(number)
  }

  #makeRoom(streams: readonly ReplayableStream[]): void {
    for (const stream of streams) {
      while (this.#bytes > this.#maxBytes && stream.size > 0) this.#bytes -= stream.forgetOldest() + eventBytes
      if (stream.isFinished) this.finished(stream)
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
  /** Some of its events were given up. */
  hasLost = false
  #finished = false
  readonly #store: ReplayStore
  readonly #kept: Kept[] = []
  #last = 0
  /** Up to here everything was given to a connection. */
  #given = 0
  #reader: EventStream | undefined = undefined

  constructor(number: number, store: ReplayStore) {
    this.number = number
    this.#store = store
  }

  /** Whether nothing more comes. */
  get isFinished(): boolean {
    return this.#finished
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
    return this.#finished && place >= this.#last
  }

  /** Everything was given to a connection, and nothing more comes. */
  get isOver(): boolean {
    return this.#finished && this.#given >= this.#last
  }

  send(line: string): void {
    const place = ++this.#last
    this.#kept.push({ place, line })
    if (this.isRead) this.#give({ place, line })
    this.#store.add(line)
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
    this.#finished = true
    this.release()
    this.#store.finished(this)
  }

  /** Gives up the oldest event, and returns its size. */
  forgetOldest(): number {
    this.hasLost = true
    return this.#kept.shift()?.line.length ?? 0
  }

  #resume(reader: EventStream, after: number, primes: boolean): void {
    this.release()
    this.#reader = reader
    if (primes) reader.prime(`${this.number}-${after}`, retryMs)
    for (const event of this.#kept) if (event.place > after) this.#give(event)
    if (this.#finished) this.release()
  }

  #give({ place, line }: Kept): void {
    this.#reader!.event(line, `${this.number}-${place}`)
    if (this.isRead) this.#given = Math.max(this.#given, place)
  }
}
