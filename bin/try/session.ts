import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { Client, type Era, type Message } from '../client.ts'
import { version } from '../place.ts'

/** How a {@link Session} is made. */
export interface SessionOptions {
  /** The words of the command that serves. */
  words: readonly string[]
  era: Era
  onNotification?(method: string, params: Message): void
  onWire?(direction: 'out' | 'in', message: Message): void
  /** Called with each line of stderr but those of stacks, and with what goes to stdout beside the protocol. */
  onText?(line: string): void
  /** Called once if the server ends without having been asked to. */
  onLost?(reason: Error): void
}

/** How a server ended. */
export interface Ending {
  code: number | null
  /** It ended by itself within the time that it had. */
  inTime: boolean
}

const graceMs = 3000

/** The real server as a process of its own, and a client that speaks to it. */
export class Session {
  readonly client: Client
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #ended: Promise<number | null>
  readonly #lines: string[] = []
  #leaving = false

  constructor(options: SessionOptions) {
    // The same flags too: in a checkout this runs by a loader that the server needs as well.
    const args = [...process.execArgv, process.argv[1]!, ...options.words]
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.client = new Client({
      era: options.era,
      version: version(),
      write: line => this.#child.stdin.write(line),
      onStray: text => options.onText?.(`(on stdout, where only the protocol belongs) ${text}`),
      ...(options.onNotification && { onNotification: options.onNotification }),
      ...(options.onWire && { onWire: options.onWire }),
    })
    this.#child.stdout.on('data', (chunk: Buffer) => this.client.push(chunk))
    this.#readLines(options.onText)
    // A server that is gone shows as its end; a pipe that broke by it tells nothing more.
    this.#child.stdin.on('error', () => {})
    this.#ended = new Promise(resolve => {
      this.#child.once('error', error => resolve(this.#lost(error.message, options, null)))
      // After "close" all that it wrote has been read, so the reason is complete.
      this.#child.once('close', (code, signal) =>
        resolve(this.#lost(`the server ended (${signal ?? `code ${code}`})`, options, code)),
      )
    })
  }

  /** Gives the server the end of its input, as a host does, and waits for it to make its outputs safe and end. */
  async leave(): Promise<Ending> {
    this.#leaving = true
    const began = Date.now()
    this.#child.stdin.end()
    const late = setTimeout(() => this.#child.kill('SIGTERM'), graceMs)
    const tooLate = setTimeout(() => this.#child.kill('SIGKILL'), 2 * graceMs)
    const code = await this.#ended
    clearTimeout(late)
    clearTimeout(tooLate)
    return { code, inTime: Date.now() - began < graceMs }
  }

  #lost(reason: string, options: SessionOptions, code: number | null): number | null {
    const error = new Error([reason, ...this.#lines].join('\n  '))
    this.client.close(error)
    if (!this.#leaving) options.onLost?.(error)
    return code
  }

  #readLines(onText: SessionOptions['onText']): void {
    let rest = ''
    this.#child.stderr.setEncoding('utf8')
    this.#child.stderr.on('data', (text: string) => {
      const lines = (rest + text).split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines.filter(each => each !== '' && !nodeChatter.test(each))) {
        this.#lines.push(line)
        if (this.#lines.length > 20) this.#lines.shift()
        if (!stackLine.test(line)) onText?.(line)
      }
    })
  }
}

/** Node 22 says at each start that it can run TypeScript. */
const nodeChatter = /ExperimentalWarning: Type Stripping|^\(Use `node --trace-warnings/

const stackLine = /^\s+at /
