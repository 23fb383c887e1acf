import { type Era, type Message, ServerError } from '../client.ts'
import { exitCodes } from '../failure.ts'
import { signature, typedArguments } from './arguments.ts'
import { answerOf, Model, type SensorView } from './model.ts'
import { builtInMoves, type Move } from './moves.ts'
import { plain, readable } from './readings.ts'
import { Session } from './session.ts'
import { fit, widthOf } from './text.ts'
import type { Tried } from './tried.ts'
import { abbreviated } from './wire.ts'
import { within } from './within.ts'

/** How a server is gone through once. */
export interface OnceOptions {
  tried: Tried
  era: Era
  /** Prints the messages on the wire too. */
  wire: boolean
  colours: boolean
  /** How wide the messages on the wire may be. */
  columns: number
  print(line: string): void
}

/** A board that was never seen takes its time to say what it is, and a busy machine takes some more. */
const stepMs = 30_000
const nameWidth = 12
const indent = ' '.repeat('failed'.length + nameWidth + 4)

/**
 * Goes through a server once and prints what there is and what happened, a step at a time. Works actuators only where
 * it is known what follows. Returns the exit code.
 */
export async function runOnce(options: OnceOptions): Promise<number> {
  const once = new Once(options)
  return (await once.run()) ? exitCodes.ok : exitCodes.failed
}

class Once {
  readonly #options: OnceOptions
  readonly #session: Session
  readonly #stderr: string[] = []
  #onUpdated: (() => void) | undefined
  #steps = 0
  #failed = 0

  constructor(options: OnceOptions) {
    this.#options = options
    this.#session = new Session({
      words: options.tried.words,
      era: options.era,
      onNotification: method => method === 'notifications/resources/updated' && this.#onUpdated?.(),
      onWire: (direction, message) => options.wire && this.#printWire(direction, message),
      onText: text => this.#stderr.push(text),
    })
  }

  async run(): Promise<boolean> {
    const { tried, print } = this.#options
    const moves = tried.isDemo ? builtInMoves : []
    if (tried.note !== undefined) print(tried.note)
    print(tried.about)
    print('')
    let model: Model | undefined
    await this.#step('start', async () => {
      const began = Date.now()
      model = await Model.meet(this.#session.client, tried.isDemo)
      const { name, version, title, protocolVersion } = model.info
      const shown = title ? `${title} (${name} ${version})` : `${name} ${version}`
      return [`${plain(shown)} speaks MCP ${protocolVersion}, ready in ${Date.now() - began} ms`]
    })
    if (model) {
      await this.#goThrough(model, moves)
      await this.#step('leave', () => this.#leave())
    } else await this.#session.leave()
    print('')
    print(this.#failed === 0 ? `All ${this.#steps} steps ok.` : `${this.#failed} of ${this.#steps} steps failed.`)
    if (model && this.#failed > 0) for (const line of this.#stderr) print(`  the server said: ${plain(line)}`)
    return this.#failed === 0
  }

  async #goThrough(model: Model, moves: readonly Move[]): Promise<void> {
    await this.#step('read', () => readAll(model))
    if (model.tellsOfChanges) {
      await this.#step('subscribe', async () => {
        await this.#session.client.listen(model.uris)
        return [`${count(model.uris.length, 'sensor')} will tell of changes`]
      })
    }
    await this.#step('actuators', async () => actuatorTable(model))
    for (const actuator of model.actuators) {
      if (actuator.readOnly && !actuator.schema.required?.length)
        await this.#step(actuator.name, () => this.#readBy(actuator.name))
    }
    for (const move of moves) await this.#step(move.actuator, () => this.#work(model, move))
    if (moves[0]) await this.#step('refuse', () => this.#refuse(model, moves[0]!))
    else if (model.actuators.some(({ readOnly }) => !readOnly)) {
      const lines = [
        'Nothing was moved: only you know what is safe here.',
        'Work them yourself with "ferrule try" in a terminal.',
      ]
      for (const line of lines) this.#options.print(`${indent}${line}`)
    }
  }

  async #step(name: string, work: () => Promise<string[]>): Promise<void> {
    this.#steps++
    let lines: string[]
    let good = true
    try {
      lines = await within(work(), stepMs, 'it did not come about')
    } catch (thrown) {
      good = false
      this.#failed++
      lines = messageOf(thrown).split('\n')
    }
    const colour = (text: string) => (this.#options.colours ? `\x1b[${good ? 32 : 31}m${text}\x1b[0m` : text)
    const [first = '', ...rest] = lines
    this.#options.print(`${colour(good ? 'ok    ' : 'failed')}  ${fit(plain(name), nameWidth)}  ${first}`)
    for (const line of rest) this.#options.print(`${indent}${line}`)
  }

  async #readBy(name: string): Promise<string[]> {
    const result = await this.#session.client.request('tools/call', { name, arguments: {} })
    if (result.isError) throw new Error(answerOf(result))
    return [fit(plain(answerOf(result)), 90).trimEnd()]
  }

  /** Works an actuator and waits for a sensor to show it, as the server tells of changes. */
  async #work(model: Model, move: Move): Promise<string[]> {
    const sensor = model.sensors.find(({ name }) => name === move.sensor)
    if (!sensor) throw new Error(`there is no sensor ${move.sensor}`)
    await model.read()
    const before = Number(sensor.value)
    const call = { name: move.actuator, arguments: move.given }
    const result = await this.#session.client.request('tools/call', call, { onProgress: () => {} })
    if (result.isError) throw new Error(answerOf(result))
    await model.read()
    while ((Number(sensor.value) - before) * Math.sign(move.change) < Math.abs(move.change)) {
      await this.#updated()
      await model.read()
    }
    const after = Number(sensor.value)
    return [
      `${typedArguments(move.given)}: ${sensor.title} ${shown(before, sensor)} → ${shown(after, sensor)}`,
      `answered: ${plain(answerOf(result))}`,
    ]
  }

  #updated(): Promise<void> {
    return new Promise(resolve => {
      this.#onUpdated = resolve
    })
  }

  /** Arguments that do not fit must be refused with a sentence, and nothing may move. */
  async #refuse(model: Model, { actuator, given }: Move): Promise<string[]> {
    const wrong = Object.fromEntries(Object.keys(given).map(name => [name, 'a lot']))
    const result = await this.#session.client.request('tools/call', { name: actuator, arguments: wrong })
    if (result.isError !== true) throw new Error(`${actuator} took ${typedArguments(wrong)}`)
    await model.read()
    return [
      `${actuator} ${Object.keys(wrong)
        .map(name => `${name}="a lot"`)
        .join(' ')} is refused:`,
      plain(answerOf(result)),
    ]
  }

  async #leave(): Promise<string[]> {
    const { code, inTime } = await this.#session.leave()
    if (code !== 0 || !inTime)
      throw new Error(inTime ? `the server ended with code ${code}` : 'the server did not end by itself')
    return ['at the end of its input the server made its outputs safe and ended with code 0']
  }

  #printWire(direction: 'out' | 'in', message: Message): void {
    const text = `        ${fit(abbreviated(direction, message), this.#options.columns - 9).trimEnd()}`
    this.#options.print(this.#options.colours ? `\x1b[2m${text}\x1b[0m` : text)
  }
}

async function readAll(model: Model): Promise<string[]> {
  await model.read()
  const { sensors } = model
  if (sensors.length === 0) return ['there are no sensors']
  const width = Math.max(...sensors.map(({ title }) => widthOf(plain(title))))
  const rows = sensors.map(sensor => {
    const value =
      sensor.problem === undefined ? readable(sensor.value ?? '', sensor.unit) : `failed: ${plain(sensor.problem)}`
    return `${fit(plain(sensor.title), width)}  ${value}`
  })
  const problems = sensors.filter(({ problem }) => problem !== undefined).length
  if (problems > 0) throw new Error([`${problems} of ${count(sensors.length, 'sensor')} failed`, ...rows].join('\n'))
  return [count(sensors.length, 'sensor'), ...rows]
}

function actuatorTable(model: Model): string[] {
  const actuators = model.actuators.filter(({ readOnly }) => !readOnly)
  if (actuators.length === 0) return ['there are none']
  const width = Math.max(...actuators.map(({ name }) => widthOf(plain(name))))
  const signatures = actuators.map(({ schema }) => signature(schema))
  const middle = Math.max(...signatures.map(widthOf))
  const rows = actuators.map(({ name, title }, index) =>
    `${fit(plain(name), width)}  ${fit(signatures[index]!, middle)}  ${plain(title)}`.trimEnd(),
  )
  return [count(actuators.length, 'actuator'), ...rows]
}

function shown(value: number, { unit }: SensorView): string {
  return readable(value, unit)
}

function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? '' : 's'}`
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof ServerError) return `${thrown.message} (${thrown.code})`
  return thrown instanceof Error ? thrown.message : String(thrown)
}
