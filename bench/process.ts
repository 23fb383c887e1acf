import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** The two ways to speak to a server. */
export type Era = 'legacy' | 'modern'

/** What a server is started with. */
export interface StartOptions {
  /** Flags for Node, before the server's file. */
  flags?: string[]
  /** What is added to its environment. */
  env?: Record<string, string>
  /** The revision that is asked for in the handshake. */
  revision?: string
}

const meta =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",' +
  '"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},' +
  '"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{}}}'

const newline = 0x0a

/** The first line of an era: what a client sends before anything else. */
export function opening(era: Era, revision = '2025-11-25'): string {
  if (era === 'modern') return `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{${meta}}}\n`
  const params = `{"protocolVersion":"${revision}","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"bench","version":"1.0.0"}}`
  return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}\n`
}

/** A call of `set_led`; `extra` stands in its `_meta`, to make it long. */
export function call(id: number, era: Era, extra?: string): string {
  const pad = extra === undefined ? '' : `"example.com/pad":"${extra}"`
  const own = era === 'modern' ? `${pad === '' ? meta : meta.replace(/}$/, `,${pad}}`)},` : pad && `"_meta":{${pad}},`
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{${own}"name":"set_led","arguments":{"pin":17,"on":${id % 2 === 0}}}}\n`
}

/** A server as a process of its own, with pipes, as a host starts it; and what it has used so far. */
export class Measured {
  readonly #child: ChildProcess
  readonly #revision: string | undefined
  readonly #input: Writable
  readonly #startedAt = process.hrtime.bigint()
  #answers = 0
  #wanted = 0
  #onWanted: (() => void) | undefined
  #onAnswers: ((answers: number) => void) | undefined
  #last: Buffer = Buffer.alloc(0)
  #stderr = ''
  #dead: string | undefined

  constructor(file: string, options: StartOptions = {}) {
    const env: NodeJS.ProcessEnv = { ...process.env, BENCH_BIG: '1' }
    // It makes every start read a file of certificates: 80 ms that are not the server's.
    delete env.NODE_EXTRA_CA_CERTS
    delete env.NODE_OPTIONS
    Object.assign(env, options.env)
    this.#revision = options.revision
    this.#child = spawn(process.execPath, [...(options.flags ?? []), file], {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env,
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    })
    this.#input = this.#child.stdin!
    this.#input.on('error', () => {})
    this.#child.stderr!.on('data', (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk}`.slice(-2000)
    })
    this.#child.stdout!.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#child.on('exit', (code, signal) => {
      this.#dead = `${file} ended early (${code ?? signal})\n${this.#stderr}`
      this.#onWanted?.()
    })
  }

  /** Sends lines and waits until that many answers have come since. */
  async exchange(lines: string, answers: number): Promise<void> {
    this.#wanted = this.#answers + answers
    this.#input.write(lines)
    await this.#reached()
  }

  /** Sends the first line of the era and waits for the answer. */
  async greet(era: Era): Promise<void> {
    await this.exchange(opening(era, this.#revision), 1)
    if (this.#last.includes('"error"')) throw new Error(`the first line was answered with ${this.#last}`)
  }

  /** Opens the era: the answer to its first line, then what follows it. */
  async open(era: Era): Promise<void> {
    await this.greet(era)
    if (era === 'legacy') this.#input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    await this.callOnce(call(1, era))
  }

  /** Sends one call and looks at the answer. */
  async callOnce(line: string): Promise<void> {
    await this.exchange(line, 1)
    this.#expectOk()
  }

  /** Makes calls, keeping so many in flight. */
  async calls(count: number, inFlight: number, era: Era): Promise<void> {
    const lines = Array.from({ length: Math.min(count, 1024) }, (_, i) => call(i + 2, era))
    let sent = 0
    const send = (more: number) => {
      let batch = ''
      for (; more > 0 && sent < count; more--) batch += lines[sent++ % lines.length]
      if (batch !== '') this.#input.write(batch)
    }
    this.#wanted = this.#answers + count
    this.#onAnswers = send
    send(inFlight)
    await this.#reached()
    this.#onAnswers = undefined
    this.#expectOk()
  }

  /** Sends one line with a write for each byte. The kernel joins what waits, so a server that is slow reads larger pieces. */
  async bytewise(line: string): Promise<void> {
    this.#wanted = this.#answers + 1
    const { fd } = (this.#input as Socket & { _handle: { fd: number } })._handle
    const bytes = Buffer.from(line)
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(fd, bytes, at, 1)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
        // Full: the server has more small pieces waiting than the socket holds.
        Atomics.wait(sleeper, 0, 0, 0.05)
      }
    }
    await this.#reached()
    this.#expectOk()
  }

  /** Wall time since the start, in milliseconds. */
  wallMs(): number {
    return Number(process.hrtime.bigint() - this.#startedAt) / 1e6
  }

  /** CPU time of all its threads so far, in milliseconds. */
  cpuMs(): number {
    const tasks = `/proc/${this.#child.pid}/task`
    let ns = 0
    for (const task of readdirSync(tasks))
      ns += Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0])
    return ns / 1e6
  }

  /** Resident memory now and at its peak, and anonymous memory, in MiB. */
  memory(): { resident: number; peak: number; anonymous: number } {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    const kB = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1])
    return { resident: kB('VmRSS') / 1024, peak: kB('VmHWM') / 1024, anonymous: kB('RssAnon') / 1024 }
  }

  /** Asks the preloaded `heap.mjs`. */
  async heap(): Promise<{ before: number; after: number; collections: number }> {
    const report = this.#child.stdio[3] as Readable
    const line = new Promise<string>(resolve => report.once('data', (chunk: Buffer) => resolve(chunk.toString())))
    this.#child.kill('SIGUSR2')
    return JSON.parse(await line)
  }

  /** Ends it as a host does, by closing its input, so that it writes what it has to write. */
  async end(): Promise<void> {
    this.#child.removeAllListeners('exit')
    const gone = new Promise(resolve => this.#child.once('exit', resolve))
    this.#input.end()
    await gone
  }

  /** Ends it at once. */
  async stop(): Promise<void> {
    this.#child.removeAllListeners('exit')
    const gone = new Promise(resolve => this.#child.once('exit', resolve))
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) await gone
  }

  #read(chunk: Buffer): void {
    let answers = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) answers++
    this.#last = chunk
    this.#answers += answers
    this.#onAnswers?.(answers)
    if (this.#answers >= this.#wanted) this.#onWanted?.()
  }

  #expectOk(): void {
    if (!this.#last.includes('"ok"')) throw new Error(`a call was answered with ${this.#last}`)
  }

  async #reached(): Promise<void> {
    if (this.#answers < this.#wanted && this.#dead === undefined) {
      await new Promise<void>(resolve => {
        this.#onWanted = resolve
      })
      this.#onWanted = undefined
    }
    if (this.#dead !== undefined) throw new Error(this.#dead)
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))
