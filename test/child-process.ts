import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Where the project stands. */
export const projectDir = fileURLToPath(new URL('..', import.meta.url))

/** After so long a wait counts as failed. It asserts nothing: a machine under load takes its time. */
const usualPatienceMs = 30_000

/**
 * The two seconds that a process has to end in, and as much again for a machine on which everything else runs too: what
 * is promised is counted from when the process hears of it, what is measured from when the test said it.
 */
export const promisedExitMs = 2000 + 2000

export interface ChildOptions {
  env?: Record<string, string>
  /** As for `spawn`: a pipe each when left out. */
  stdio?: ('pipe' | 'ignore' | number)[]
  cwd?: string
  /** After so many milliseconds a wait counts as failed; 30 000 when left out. */
  patienceMs?: number
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** When it ended, by `performance.now()`. */
  at: number
}

/** A server as a child process. What it writes is kept, message by message. */
export class Child {
  readonly process: ChildProcess
  /** Each line of stdout, without its newline. */
  readonly lines: string[] = []
  stderr = ''
  /** Resolves when the process is gone and its pipes are closed. */
  readonly exited: Promise<Exit>
  #tail = ''
  #nextId = 1
  readonly #patienceMs: number
  readonly #watching = new Set<() => void>()

  constructor(command: string, args: readonly string[], options: ChildOptions) {
    const { env, stdio = ['pipe', 'pipe', 'pipe'], cwd } = options
    this.#patienceMs = options.patienceMs ?? usualPatienceMs
    this.process = spawn(command, args, { cwd: cwd ?? projectDir, stdio, env: { ...process.env, ...env } })
    const { stdin, stdout, stderr } = this.process
    stdin?.on('error', () => {})
    stdout?.on('error', () => {})
    stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(text))
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
      this.#changed()
    })
    const exit = new Promise<Exit>((resolve, reject) => {
      this.process.once('error', reject)
      this.process.once('exit', (code, signal) => resolve({ code, signal, at: performance.now() }))
    })
    const closed = new Promise(resolve => this.process.once('close', resolve))
    this.exited = exit.then(async at => {
      await closed
      return at
    })
    this.exited.catch(() => {})
  }

  /** Ends the process, if it still runs, and waits until it is gone. */
  async stop(): Promise<void> {
    this.process.kill('SIGKILL')
    this.process.stdout?.destroy()
    this.process.stderr?.destroy()
    await this.exited.catch(() => {})
  }

  /** Every message so far. Throws when something on stdout is none. */
  get messages(): any[] {
    return this.lines.map(line => JSON.parse(line))
  }

  /** What stands on stdout after the last newline: nothing, unless a message was cut off. */
  get unfinished(): string {
    return this.#tail
  }

  /** Writes bytes, text, or messages with a newline behind each. */
  write(...parts: (string | Uint8Array | object)[]): void {
    for (const part of parts) {
      const isRaw = typeof part === 'string' || part instanceof Uint8Array
      this.process.stdin!.write(isRaw ? part : `${JSON.stringify(part)}\n`)
    }
  }

  /** Writes and waits until the process has taken it all from the pipe's near end. */
  written(part: string | Uint8Array): Promise<void> {
    const taken = new Promise<void>(resolve => this.process.stdin!.write(part, () => resolve()))
    return this.#bounded(taken, 'its input to be read')
  }

  /** Sends a request and waits for its answer. */
  request(method: string, params?: object): Promise<any> {
    const id = `request-${this.#nextId++}`
    this.write({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
    return this.answer(id)
  }

  /** Calls a tool and waits for the text that it answers with. */
  async call(name: string, args: object = {}): Promise<string> {
    const { result, error } = await this.request('tools/call', { name, arguments: args })
    return result === undefined ? `error ${error.code}: ${error.message}` : result.content[0].text
  }

  /** Opens in the way of the handshake revisions. */
  async initialize(protocolVersion = '2025-11-25'): Promise<any> {
    const clientInfo = { name: 'test', version: '1.0.0' }
    const answer = await this.request('initialize', { protocolVersion, capabilities: {}, clientInfo })
    this.write({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return answer
  }

  /** The answer to an id, now or when it comes. */
  async answer(id: unknown): Promise<any> {
    let answer: any
    const wanted = `"id":${JSON.stringify(id)}`
    let seen = 0
    await this.until(
      () => {
        for (; seen < this.lines.length && answer === undefined; seen++) {
          if (!this.lines[seen]!.includes(wanted)) continue
          const message = JSON.parse(this.lines[seen]!)
          if (message.id === id && message.method === undefined) answer = message
        }
        return answer !== undefined
      },
      `an answer to ${JSON.stringify(id)}`,
    )
    return answer
  }

  /** Waits for a text on stderr. */
  tells(text: string): Promise<void> {
    return this.until(() => this.stderr.includes(text), `stderr to say "${text}"`)
  }

  /** Waits until something is so. Looks again whenever the process wrote something. */
  until(isSo: () => boolean, what: string): Promise<void> {
    if (isSo()) return Promise.resolve()
    let watch = () => {}
    const so = new Promise<void>((resolve, reject) => {
      watch = () => {
        if (isSo()) resolve()
      }
      this.exited.then(
        ({ code, signal }) => reject(new Error(`the process ended (${code ?? signal}), no ${what}\n${this.stderr}`)),
        reject,
      )
    })
    this.#watching.add(watch)
    return this.#bounded(so, what).finally(() => this.#watching.delete(watch))
  }

  /** The end of input. */
  endInput(): void {
    this.process.stdin!.end()
  }

  /** How it ended, when it has. */
  exit(): Promise<Exit> {
    return this.#bounded(this.exited, 'its exit')
  }

  /** How it ended, and how long after `since` by `performance.now()`. */
  async exitAfter(since: number): Promise<{ code: number | null; ms: number }> {
    const { code, at } = await this.exit()
    return { code, ms: at - since }
  }

  /** The most memory that it has had so far, in MiB (Linux). */
  peakMemoryMiB(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024
  }

  /** Waits until the process has nothing left to do: for a while it neither runs nor wants to (Linux). */
  async rests(): Promise<void> {
    let used = ''
    for (let polls = 0, quiet = 0; quiet < 20; polls++) {
      if (polls * 20 > this.#patienceMs) throw new Error('the process does not come to rest')
      const stat = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const [state, now] = [fields[0], `${fields[11]} ${fields[12]}`]
      quiet = state === 'S' && now === used ? quiet + 1 : 0
      used = now
      await delay(20)
    }
  }

  #take(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.lines.push(this.#tail + text.slice(from, end))
      this.#tail = ''
      from = end + 1
    }
    this.#tail += text.slice(from)
    this.#changed()
  }

  #changed(): void {
    for (const watch of [...this.#watching]) watch()
  }

  #bounded<T>(promise: Promise<T>, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`waited ${this.#patienceMs / 1000} s for ${what}\n${this.stderr}`)),
        this.#patienceMs,
      )
      promise.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
}
