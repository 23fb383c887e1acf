import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

/** A move that the device made: `reason` 0 is a call, anything else the device itself. */
export interface NativeMove {
  actuator: number
  reason: number
  values: number[]
}

/** The C device as a child process, driven by commands: see driver.h. Each waits until the device has done it. */
export class NativeDevice {
  /** Takes what the device writes. */
  onBytes: (bytes: Uint8Array) => void = () => {}
  /** Every move so far. */
  readonly moves: NativeMove[] = []
  readonly #process: ChildProcessWithoutNullStreams
  #tail = ''
  #stderr = ''
  #ended: Error | undefined = undefined
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = []

  /** @param args how often it was started before */
  constructor(program: string, args: readonly string[] = []) {
    this.#process = spawn(program, args)
    this.#process.stdout.setEncoding('latin1').on('data', (text: string) => this.#take(text))
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    this.#process.stdin.on('error', () => {})
    this.#process.on('close', code => {
      this.#ended = new Error(`the device ended (${code})\n${this.#stderr}`)
      for (const { reject } of this.#waiting.splice(0)) reject(this.#ended)
    })
  }

  /** Bytes of the line. */
  receive(bytes: Uint8Array): Promise<void> {
    return this.#command(`b ${Buffer.from(bytes).toString('hex')}`)
  }

  /** Time passes. */
  advance(ms: number): Promise<void> {
    return this.#command(`t ${ms}`)
  }

  /** What a sensor gives from now on. */
  sensor(number: number, value: number | 'later' | 'fail'): Promise<void> {
    return this.#command(`s ${number} ${value}`)
  }

  /** Ends it. */
  stop(): void {
    this.#process.kill('SIGKILL')
  }

  #command(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended)
      this.#waiting.push({ resolve, reject })
      this.#process.stdin.write(`${line}\n`)
    })
  }

  #take(text: string): void {
    const lines = (this.#tail + text).split('\n')
    this.#tail = lines.pop()!
    for (const line of lines) {
      const [what, ...rest] = line.split(' ')
      if (what === 'o') this.onBytes(Uint8Array.from(Buffer.from(rest[0]!, 'hex')))
      else if (what === 'm') {
        const [actuator, reason, ...values] = rest.map(Number)
        this.moves.push({ actuator: actuator!, reason: reason!, values })
      } else if (what === '.') this.#waiting.shift()!.resolve()
    }
  }
}
