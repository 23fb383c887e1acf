import { createWriteStream, openSync, type WriteStream } from 'node:fs'
import { Framer } from '../../runtime/index.ts'
import { Failure } from '../failure.ts'
import { Conversation } from './conversation.ts'
import { messageText, type Speaker, type Traffic, trafficJson, trafficLine } from './lines.ts'

/** Where traced lines go, and in which form. */
export interface RecorderOptions {
  /** Takes one line, without its newline. */
  print(line: string): void
  json: boolean
  /** A file that takes the same lines, whole. */
  record?: string | undefined
}

/** Shows what goes over the wire, and keeps it in a file. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #file: WriteStream | undefined
  #mistakes = 0

  /** @throws Failure when the file cannot be written */
  constructor(options: RecorderOptions) {
    this.#options = options
    if (options.record === undefined) return
    this.#file = emptied(options.record)
    this.#file.on('error', error => options.print(`ferrule: ${options.record} is not written: ${error.message}`))
  }

  /** How many mistakes were named. */
  get mistakes(): number {
    return this.#mistakes
  }

  show(traffic: Traffic): void {
    if (traffic.kind === 'mistake') this.#mistakes++
    const { json, print } = this.#options
    print(json ? trafficJson(traffic) : trafficLine(traffic))
    this.#file?.write(`${json ? trafficJson(traffic) : trafficLine(traffic, Number.POSITIVE_INFINITY)}\n`)
  }

  note(text: string): void {
    this.show({ at: Date.now(), from: 'trace', kind: 'note', text })
  }

  /** Resolves when the file has all of it. */
  close(): Promise<void> {
    return new Promise(resolve => (this.#file === undefined ? resolve() : this.#file.end(resolve)))
  }
}

/** Reads the lines of both sides of a conversation in JSON, and shows them with what is wrong about them. */
export class MessageTrace {
  readonly #recorder: Recorder
  readonly #conversation = new Conversation()
  readonly #framers: Record<Speaker, Framer>

  constructor(recorder: Recorder) {
    this.#recorder = recorder
    const decoder = new TextDecoder('utf-8')
    const framer = (from: Speaker) =>
      new Framer({
        maxLineBytes: 64 * 1024 * 1024,
        onLine: (bytes, start, end) => this.line(from, decoder.decode(bytes.subarray(start, end))),
        onOverlong: () => this.#recorder.note(`a line of the ${from} is longer than 64 MiB, and not shown`),
      })
    this.#framers = { host: framer('host'), server: framer('server') }
  }

  /** Takes the next bytes of one side. */
  push(from: Speaker, chunk: Uint8Array): void {
    this.#framers[from].push(chunk)
  }

  /** Takes one line of one side, without its newline. */
  line(from: Speaker, line: string): void {
    if (line.trim() === '') return
    const at = Date.now()
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      this.#recorder.show({ at, from, kind: 'text', text: line, raw: line })
      this.#mistake(from, at, `this line is not JSON${from === 'server' ? ': only the protocol may go to stdout' : ''}`)
      return
    }
    for (const message of Array.isArray(value) ? value : [value]) {
      const { mistakes, tookMs } = this.#conversation.take(from, message, performance.now())
      const text = typeof message === 'object' && message !== null ? messageText(message) : line
      this.#recorder.show({ at, from, kind: 'message', text, ...(tookMs !== undefined && { tookMs }), raw: message })
      for (const mistake of mistakes) this.#mistake(from, at, mistake)
    }
  }

  /** Both sides are done: what was never answered is told. */
  end(): void {
    for (const { from, id, method } of this.#conversation.unanswered()) {
      this.#mistake(from === 'host' ? 'server' : 'host', Date.now(), `${method} ${id} was never answered`)
    }
  }

  #mistake(from: Speaker, at: number, text: string): void {
    this.#recorder.show({ at, from, kind: 'mistake', text })
  }
}

/** Throws a {@link Failure} when a file cannot be written: before anything is started. */
function emptied(file: string): WriteStream {
  try {
    return createWriteStream(file, { fd: openSync(file, 'w') })
  } catch (thrown) {
    throw new Failure(`${file} cannot be written: ${(thrown as Error).message}`)
  }
}
