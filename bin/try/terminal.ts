import type { ReadStream, WriteStream } from 'node:tty'
import { type Key, keysOf } from './keys.ts'
import type { Picture } from './screen.ts'
import { paint } from './text.ts'

const enter = '\x1b[?1049h\x1b[?7l\x1b[2J'
const leave = '\x1b[0m\x1b[?25h\x1b[?7h\x1b[?1049l'

/** How a {@link Terminal} is made. */
export interface TerminalOptions {
  input: ReadStream
  output: WriteStream
  colours: boolean
  onKey(key: Key): void
  /** The size is another one, or the screen was somebody else's in between. */
  onRedraw(): void
}

/**
 * The whole terminal for as long as it is open: its alternate screen, and each key as it is pressed. What was there
 * before comes back on every way out, also when the process ends by an error.
 */
export class Terminal {
  readonly #options: TerminalOptions
  #shown: string[] = []
  #cursor = ''
  #open = false
  readonly #onData = (chunk: string) => {
    for (const key of keysOf(chunk)) this.#options.onKey(key)
  }
  readonly #onResize = () => this.redraw()
  readonly #onExit = () => this.close()
  readonly #onContinue = () => {
    this.#start()
    this.redraw()
  }

  constructor(options: TerminalOptions) {
    this.#options = options
    const { input, output } = options
    input.setEncoding('utf8')
    input.on('data', this.#onData)
    output.on('resize', this.#onResize)
    process.on('exit', this.#onExit)
    process.on('SIGCONT', this.#onContinue)
    this.#start()
  }

  get columns(): number {
    return Math.max(20, this.#options.output.columns || 80)
  }

  get rows(): number {
    return Math.max(6, this.#options.output.rows || 24)
  }

  /** Brings a picture onto the screen: only the lines that are other than before are written. */
  show({ lines, cursor }: Picture): void {
    if (!this.#open) return
    const painted = lines.map(line => paint(line, this.columns, this.#options.colours))
    let text = ''
    for (let row = 0; row < this.rows; row++) {
      const line = painted[row] ?? ''
      if (line !== this.#shown[row]) text += `\x1b[${row + 1};1H${line}\x1b[0m\x1b[K`
    }
    const at = `\x1b[${cursor.row + 1};${cursor.column + 1}H`
    if (text === '' && at === this.#cursor) return
    this.#shown = painted
    this.#cursor = at
    this.#options.output.write(`\x1b[?25l${text}${at}\x1b[?25h`)
  }

  /** Draws everything anew. */
  redraw(): void {
    if (!this.#open) return
    this.#shown = []
    this.#cursor = ''
    this.#options.output.write('\x1b[2J')
    this.#options.onRedraw()
  }

  /** Stops the process as Ctrl-Z does, with the terminal as it was; going on brings the view back. */
  suspend(): void {
    if (process.platform === 'win32') return
    this.#stop()
    process.kill(process.pid, 'SIGTSTP')
  }

  /** Gives the terminal back. May be called twice. */
  close(): void {
    const { input, output } = this.#options
    input.off('data', this.#onData)
    output.off('resize', this.#onResize)
    process.off('exit', this.#onExit)
    process.off('SIGCONT', this.#onContinue)
    this.#stop()
    input.pause()
  }

  #start(): void {
    if (this.#open) return
    this.#open = true
    this.#options.input.setRawMode(true)
    this.#options.input.resume()
    this.#options.output.write(enter)
  }

  #stop(): void {
    if (!this.#open) return
    this.#open = false
    this.#options.output.write(leave)
    this.#options.input.setRawMode(false)
  }
}
