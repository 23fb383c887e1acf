import type { OpenEntry, RecordEnd, RecordEntry, Recorder } from '../../runtime/index.ts'
import { elapsedMs } from '../elapsed.ts'
import { uniqueDigits } from '../unique-digits.ts'
import { recordLine } from './line.ts'
import { OpenLine, type Queued } from './open-line.ts'
import { RecordFile } from './record-file.ts'
import { Repeats } from './repeats.ts'

/** How a recorder differs from the usual. */
export interface FileRecorderOptions {
  path: string
  /** The most that the record takes on the disk, in bytes, with the parts that were put aside. 4 MiB when left out. */
  totalBytes?: number
  /** A move waits until the disk has its line, and its answer until the disk has the line of its end. */
  fsync?: boolean
  /** Nothing moves that cannot be recorded. */
  required?: boolean
  /** Takes a line for the operator; stderr when left out. */
  say?(text: string): void
  /** How long entries may wait for others to be written with, in milliseconds. */
  gatherMs?: number
  /** How long reading calls that are alike are counted before they are written as one, in milliseconds. */
  repeatsMs?: number
  /** After how long writing is tried again when it failed, in milliseconds. */
  retryMs?: number
}

/** A part is a quarter of the whole, so that at least three quarters of it hold entries once it is full. */
const parts = 4
const usualRepeatsMs = 600_000
const defaultTotalBytes = 4 * 1024 * 1024
/** What may wait in memory while the disk takes nothing, in characters. The oldest is left out first. */
const mostWaiting = 1024 * 1024
/** How much is written at once, in characters. */
const mostAtOnce = 64 * 1024
/** How long a move or an answer waits for a disk that does not answer, in milliseconds. */
const patienceMs = 5000
/** How long closing waits: a process has two seconds to end. */
const closingMs = 500

/** A disk that fails now and then is told of once a minute at most. */
const quietMs = 60_000

interface Waiter {
  /** It waits for everything up to this number. */
  until: number
  sync: boolean
  done(failure?: Error): void
}

/** A recorder that writes a file. */
export class FileRecorder implements Recorder {
  readonly #options: FileRecorderOptions
  readonly #file: RecordFile
  readonly #repeats: Repeats
  /** Names this run of the program in the lines of a move. */
  readonly #run = uniqueDigits(8)
  #begun = 0
  #queue: Queued[] = []
  #waitingText = 0
  /** Lines that are being written. */
  #writing: string[] = []
  /** How many entries there were so far. */
  #queued = 0
  #waiters: Waiter[] = []
  #pumping: Promise<void> | undefined = undefined
  #pumpingSince = 0
  #timer: NodeJS.Timeout | undefined = undefined
  #outage: Error | undefined = undefined
  #isTold = false
  #toldAt = Number.NEGATIVE_INFINITY
  #lost = 0
  #board = ''
  #closed = false

  constructor(options: FileRecorderOptions) {
    this.#options = options
    const { path, totalBytes = defaultTotalBytes, fsync = false, repeatsMs: gatherMs = usualRepeatsMs } = options
    this.#repeats = new Repeats({ gatherMs, write: entry => this.record(entry) })
    const partBytes = Math.max(1, Math.floor(totalBytes / parts))
    this.#file = new RecordFile({ path, totalBytes, partBytes, fsync })
  }

  pathOf(): string {
    return this.#options.path
  }

  record(entry: RecordEntry): void {
    if (this.#closed) return
    this.#append(entry)
    this.#pumpSoon()
  }

  begin(entry: RecordEntry): OpenEntry {
    if (entry.moves !== true || this.#closed) return this.#shortCall(entry)
    const line = new OpenLine(entry, `${this.#run}-${++this.#begun}`, {
      append: ended => this.#append(ended),
      ended: () => this.#forgiving(),
    })
    this.#board = entry.board
    this.#enqueue(line)
    line.ready = this.#options.required === true ? this.#demanding() : this.#forgiving()
    return line
  }

  /** Resolves when everything so far is written, or cannot be. Never rejects. */
  flush(): Promise<void> {
    return this.#written(false).catch(() => {})
  }

  /** Writes what is left, but does not wait for it for long. What comes afterwards is not recorded. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#repeats.end()
    this.#closed = true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>(resolve => {
      timer = setTimeout(resolve, closingMs)
    })
    await Promise.race([this.flush(), late])
    clearTimeout(timer)
    clearTimeout(this.#timer)
    // A disk that hangs would hang the closing as well.
    if (this.#pumping === undefined) await this.#file.close().catch(thrown => this.#tell(thrown as Error))
  }

  /** The last resort, for `process.on('exit')`: writes what is left without waiting for anything. Never throws. */
  flushNow(): void {
    this.#repeats.end()
    this.#closed = true
    clearTimeout(this.#timer)
    const hangs = this.#pumping !== undefined && elapsedMs() - this.#pumpingSince > closingMs
    if (hangs || (this.#queue.length === 0 && this.#writing.length === 0)) return
    const lines = this.#queue.splice(0).map(queued => queued.text())
    try {
      this.#file.appendNow(lines, this.#writing.splice(0))
    } catch (thrown) {
      this.#tell(thrown as Error)
    }
  }

  /** What a move waits for that may go on without its line. A disk that fails already is not waited for. */
  #forgiving(): Promise<void> | undefined {
    if (this.#options.fsync === true && this.#outage === undefined) return this.#written(true).catch(() => {})
    this.#pumpSoon()
    return undefined
  }

  /** What a move waits for that may not. */
  #demanding(): Promise<void> {
    const ready = this.#written(this.#options.fsync === true).catch(failure => Promise.reject(refusal(failure)))
    // Who does not wait for it does not hear of it either.
    ready.catch(() => {})
    return ready
  }

  /** A call that moves nothing: its line is written when it is over. */
  #shortCall(begun: RecordEntry): OpenEntry {
    let over = false
    return {
      ready: undefined,
      end: (how: RecordEnd) => {
        if (!over && !this.#closed) this.#repeats.take({ ...begun, ...how })
        over = true
        return undefined
      },
    }
  }

  #append(entry: RecordEntry): void {
    const line = recordLine(entry)
    this.#board = entry.board
    this.#enqueue({ weight: line.length, text: () => line })
  }

  #enqueue(queued: Queued): void {
    this.#queue.push(queued)
    this.#queued++
    this.#waitingText += queued.weight
    while (this.#waitingText > mostWaiting && this.#queue.length > 1) {
      const oldest = this.#queue.shift()!
      oldest.leftOut?.()
      this.#waitingText -= oldest.weight
      this.#lost++
      const lostUntil = this.#queued - this.#queue.length
      for (const waiter of this.#waiters) if (waiter.until <= lostUntil) waiter.done(new Error('the disk is too slow'))
    }
  }

  /** Resolves when everything so far is in the file, and on the disk where `sync` says so. */
  #written(sync: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const failure = new Error(`the disk did not take an entry in ${patienceMs / 1000} s`)
        this.#tell(failure)
        waiter.done(failure)
      }, patienceMs)
      timer.unref()
      const waiter: Waiter = {
        until: this.#queued,
        sync,
        done: failure => {
          clearTimeout(timer)
          if (failure === undefined) resolve()
          else reject(failure)
        },
      }
      this.#waiters.push(waiter)
      this.#pump()
    })
  }

  #pumpSoon(): void {
    if (this.#pumping !== undefined) return
    if (this.#waitingText > mostAtOnce && this.#outage === undefined) return this.#pump()
    if (this.#timer !== undefined) return
    const { gatherMs = 100, retryMs = 1000 } = this.#options
    this.#timer = setTimeout(() => this.#pump(), this.#outage === undefined ? gatherMs : retryMs)
    // What is left when nothing else keeps the program alive is written on its exit.
    this.#timer.unref()
  }

  #pump(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pumping !== undefined) return
    this.#pumpingSince = elapsedMs()
    this.#pumping = this.#writeAll()
      .catch(thrown => this.#failed(thrown as Error))
      .finally(() => {
        this.#pumping = undefined
        if (this.#waiters.length > 0) this.#pump()
        else if (this.#queue.length > 0 || this.#writing.length > 0) this.#pumpSoon()
      })
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      this.#take()
      if (this.#writing.length > 0) {
        const landed = await this.#file.append(this.#writing)
        this.#pumpingSince = elapsedMs()
        this.#writing.splice(0, landed)
        this.#works()
      }
      const writtenUntil = this.#queued - this.#queue.length - this.#writing.length
      const served = this.#waiters.filter(({ until }) => until <= writtenUntil)
      if (served.some(({ sync }) => sync)) await this.#file.sync()
      this.#waiters = this.#waiters.filter(waiter => !served.includes(waiter))
      for (const waiter of served) waiter.done()
      if (this.#writing.length === 0 && this.#waiters.length === 0 && this.#waitingText < mostAtOnce) return
    }
  }

  /** Takes the next lines out of the queue. */
  #take(): void {
    if (this.#writing.length > 0) return
    for (let text = 0; text < mostAtOnce && this.#queue.length > 0; ) {
      const next = this.#queue.shift()!
      this.#waitingText -= next.weight
      this.#writing.push(next.text())
      text += next.weight
    }
  }

  #works(): void {
    const outage = this.#outage
    const lost = this.#lost
    this.#outage = undefined
    this.#lost = 0
    const missing = lost === 1 ? '1 entry is missing' : `${lost} entries are missing`
    if (this.#isTold) {
      this.#say(`the record ${this.#options.path} is written again${lost > 0 ? `; ${missing}` : ''}`)
    }
    this.#isTold = false
    if (lost === 0) return
    const reason = `${missing}: ${outage?.message ?? 'the disk was too slow'}`
    // Behind what is being written, which is older, and before what waits.
    this.#writing.push(recordLine({ time: new Date().toISOString(), event: 'gap', board: this.#board, reason }))
    this.#queued++
  }

  #failed(thrown: Error): void {
    for (const waiter of this.#waiters.splice(0)) waiter.done(thrown)
    this.#tell(thrown)
  }

  #tell(thrown: Error): void {
    this.#outage = thrown
    const now = elapsedMs()
    if (this.#isTold || now - this.#toldAt < quietMs) return
    this.#isTold = true
    this.#toldAt = now
    const { path, required } = this.#options
    const then = required ? 'nothing moves until it can' : 'the server goes on without it'
    this.#say(`the record ${path} cannot be written: ${thrown.message}; ${then}`)
  }

  #say(text: string): void {
    const { say = (line: string) => void process.stderr.write(`ferrule: ${line}\n`) } = this.#options
    say(text)
  }
}

function refusal(failure: Error): Error {
  return new Error(
    `Nothing was moved: every move has to be recorded, and the record cannot be written (${failure.message})`,
  )
}
