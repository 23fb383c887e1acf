import type { ReadStream, WriteStream } from 'node:tty'
import { type Era, type Message, ServerError } from '../client.ts'
import { exampleArguments, typedArguments } from './arguments.ts'
import { type Callable, type Command, commandOf, complete } from './command.ts'
import { Editor } from './editor.ts'
import type { Key } from './keys.ts'
import { answerOf, type Event, Model, type Running } from './model.ts'
import { draw } from './screen.ts'
import { Session } from './session.ts'
import { Terminal } from './terminal.ts'
import type { Tried } from './tried.ts'
import { abbreviated } from './wire.ts'
import { within } from './within.ts'

/** How the full-screen view is made. */
export interface AppOptions {
  tried: Tried
  era: Era
  /** Shows the messages on the wire from the beginning. */
  wire: boolean
}

const startMs = 30_000
const frameMs = 250
const leastReadMs = 1000
const pollMs = 2000
const eventsKept = 200
const wireKept = 500
const usualHint = 'Tab completes   ↑ brings back   help   wire   quit'

/** Shows a server in the terminal and works it until the person leaves. Returns the exit code. */
export async function runApp(options: AppOptions): Promise<number> {
  const app = new App(options)
  return app.run()
}

class App {
  readonly #options: AppOptions
  readonly #session: Session
  readonly #editor = new Editor()
  readonly #events: Event[] = []
  readonly #wire: string[] = []
  readonly #running = new Set<Running>()
  #model: Model | undefined
  #terminal: Terminal | undefined
  #showsWire: boolean
  #hint = usualHint
  #lastRead = 0
  #reading: NodeJS.Timeout | undefined
  #leave: (lost?: Error) => void = () => {}

  constructor(options: AppOptions) {
    this.#options = options
    this.#showsWire = options.wire
    this.#session = new Session({
      words: options.tried.words,
      era: options.era,
      onNotification: method => this.#notified(method),
      onWire: (direction, message) => this.#passed(direction, message),
      onText: text => this.#say('server', text),
      onLost: reason => this.#leave(reason),
    })
  }

  async run(): Promise<number> {
    const left = new Promise<Error | undefined>(resolve => {
      this.#leave = resolve
    })
    const { tried } = this.#options
    // The server is met before the screen is taken, so that a file that does not load is told in the plain terminal.
    this.#model = await within(Model.meet(this.#session.client, tried.isDemo), startMs, 'the server did not answer')
    await this.#model.read().catch((error: Error) => this.#say('bad', error.message))
    this.#terminal = new Terminal({
      input: process.stdin as ReadStream,
      output: process.stdout as WriteStream,
      colours: !process.env.NO_COLOR,
      onKey: key => this.#press(key),
      onRedraw: () => this.#draw(),
    })
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
    const onSignal = () => this.#leave()
    for (const signal of signals) process.on(signal, onSignal)
    const frame = setInterval(() => this.#draw(), frameMs)
    const poll = await this.#listen()
    this.#welcome()
    const lost = await left

    clearInterval(frame)
    clearInterval(poll)
    clearTimeout(this.#reading)
    this.#terminal.close()
    for (const signal of signals) process.off(signal, onSignal)
    if (lost) {
      process.stderr.write(`ferrule: ${lost.message}\n`)
      return 1
    }
    const { code, inTime } = await this.#session.leave()
    const well = code === 0 && inTime
    process.stdout.write(
      well
        ? 'The server got the end of its input: it made its outputs safe and ended.\n'
        : `The server got the end of its input and ended ${inTime ? `with code ${code}` : 'only when killed'}.\n`,
    )
    return well ? 0 : 1
  }

  /** Hears of changes where the server tells of them; else looks from time to time. */
  async #listen(): Promise<NodeJS.Timeout | undefined> {
    const model = this.#model!
    if (model.tellsOfChanges) {
      try {
        await this.#session.client.listen(model.uris)
        return undefined
      } catch (thrown) {
        this.#say('bad', `no subscription: ${(thrown as Error).message}`)
      }
    }
    return model.sensors.length > 0 ? setInterval(() => this.#readSoon(), pollMs) : undefined
  }

  #welcome(): void {
    const model = this.#model!
    const first = model.actuators[0]
    const { tried } = this.#options
    if (tried.note !== undefined) this.#say('note', tried.note)
    if (tried.isDemo) this.#say('note', `${tried.about} Nothing can be damaged, so try everything.`)
    if (first) this.#say('note', `Type for example: ${first.name} ${exampleArguments(first.schema)}`.trim())
    this.#draw()
  }

  #notified(method: string): void {
    if (method === 'notifications/resources/updated') this.#readSoon()
    if (method === 'notifications/tools/list_changed') this.#model?.findActuators().catch(() => {})
  }

  #readSoon(): void {
    if (this.#reading) return
    const wait = Math.max(0, this.#lastRead + leastReadMs - Date.now())
    this.#reading = setTimeout(async () => {
      this.#lastRead = Date.now()
      await this.#model?.read().catch((error: Error) => this.#say('bad', error.message))
      this.#reading = undefined
      this.#draw()
    }, wait)
  }

  #passed(direction: 'out' | 'in', message: Message): void {
    this.#wire.push(abbreviated(direction, message))
    if (this.#wire.length > wireKept) this.#wire.shift()
  }

  #say(kind: Event['kind'], text: string): void {
    // What fails at each reading is told each time, and would push out all else.
    if (kind === 'server' && this.#events.slice(-4).some(each => each.text === text)) return
    this.#events.push({ kind, text })
    if (this.#events.length > eventsKept) this.#events.shift()
    this.#draw()
  }

  #press(key: Key): void {
    const idle = this.#editor.text === ''
    this.#hint = usualHint
    switch (key.name) {
      case 'interrupt':
        this.#leave()
        break
      case 'end-of-input':
        if (idle) this.#leave()
        break
      case 'suspend':
        this.#terminal?.suspend()
        break
      case 'redraw':
        this.#terminal?.redraw()
        break
      case 'escape':
        this.#stop(undefined)
        break
      case 'tab':
        this.#complete()
        break
      default: {
        const line = this.#editor.press(key)
        if (line !== undefined) this.#do(line)
      }
    }
    this.#draw()
  }

  #complete(): void {
    const { text, cursor } = this.#editor
    const { text: completed, choices } = complete(text.slice(0, cursor), this.#callables())
    this.#editor.set(completed + text.slice(cursor), completed.length)
    if (choices.length > 0) this.#hint = choices.join('   ')
  }

  #callables(): Callable[] {
    return this.#model?.actuators ?? []
  }

  #do(line: string): void {
    const command: Command = commandOf(line, this.#callables())
    if (command.kind !== 'nothing') this.#say('typed', line)
    switch (command.kind) {
      case 'call':
        void this.#call(command.name, command.given)
        break
      case 'stop':
        this.#stop(command.name)
        break
      case 'wire':
        this.#showsWire = !this.#showsWire
        break
      case 'help':
        this.#help()
        break
      case 'quit':
        this.#leave()
        break
      case 'mistake':
        this.#say('bad', command.text)
        break
    }
  }

  async #call(name: string, given: Message): Promise<void> {
    const stopping = new AbortController()
    const typed = `${name} ${typedArguments(given)}`.trim()
    const running: Running = { name, typed, startedAt: Date.now(), cancel: () => stopping.abort() }
    this.#running.add(running)
    try {
      const result = await this.#session.client.request(
        'tools/call',
        { name, arguments: given },
        {
          signal: stopping.signal,
          onProgress: progress => {
            running.progress = progress
            this.#draw()
          },
        },
      )
      const answer = answerOf(result)
      this.#say(result.isError ? 'bad' : 'good', result.isError ? answer : `${name}  ${answer || 'done'}`)
    } catch (thrown) {
      if (stopping.signal.aborted) this.#say('note', `${name} was stopped`)
      else
        this.#say(
          'bad',
          thrown instanceof ServerError ? `${thrown.message} (${thrown.code})` : (thrown as Error).message,
        )
    } finally {
      this.#running.delete(running)
      if (this.#model?.sensors.length) this.#readSoon()
    }
  }

  #stop(name: string | undefined): void {
    const stopped = [...this.#running].filter(each => name === undefined || each.name === name)
    for (const each of stopped) each.cancel()
    if (stopped.length === 0 && name !== undefined) this.#say('bad', `${name} is not running`)
  }

  #help(): void {
    const first = this.#model?.actuators[0]
    const example = first ? `, for example: ${first.name} ${exampleArguments(first.schema)}`.trimEnd() : ''
    this.#say('note', `An actuator is worked by its name and its arguments${example}`)
    this.#say(
      'note',
      `Esc${first ? ` or stop ${first.name}` : ''} cancels. wire shows the messages. Ctrl-L draws anew.`,
    )
    this.#say('note', 'quit, Ctrl-C and Ctrl-D leave; the server then makes its outputs safe.')
  }

  #draw(): void {
    const model = this.#model
    if (!this.#terminal || !model) return
    const { name, version, title, protocolVersion } = model.info
    this.#terminal.show(
      draw(
        {
          title: title ?? name,
          server: `${title ? `${name} ` : ''}${version}`,
          protocol: protocolVersion,
          sensors: model.sensors,
          actuators: model.actuators,
          running: [...this.#running],
          events: this.#events,
          wire: this.#showsWire ? this.#wire : undefined,
          typed: this.#editor,
          hint: this.#hint,
          now: Date.now(),
        },
        this.#terminal.columns,
        this.#terminal.rows,
      ),
    )
  }
}
