import type { Client, Message, Progress, ServerInfo } from '../client.ts'
import type { Schema } from './arguments.ts'
import { forget, type Sample } from './chart.ts'
import { type Reading, readingsOf } from './readings.ts'

/** A sensor as it is shown. */
export interface SensorView {
  uri: string
  name: string
  title: string
  unit?: string
  value?: Reading['value']
  /** When the value became another one, in milliseconds. */
  changedAt?: number
  /** Why the last reading failed. */
  problem?: string
  samples: Sample[]
}

/** An actuator as it is shown: a tool of the server. */
export interface ActuatorView {
  name: string
  title: string
  description: string
  schema: Schema
  readOnly: boolean
}

/** A call that has not ended. */
export interface Running {
  name: string
  /** What was typed, or could have been. */
  typed: string
  startedAt: number
  progress?: Progress
  cancel(): void
}

/** A line of what happened. */
export interface Event {
  kind: 'typed' | 'good' | 'bad' | 'note' | 'server'
  text: string
}

/** How long a chart looks back. */
export const chartMs = 60_000

const askAgainMs = 250

const senml = 'application/senml+json'

/** What a server has, and what its sensors said last. */
export class Model {
  info: ServerInfo
  readonly #client: Client
  sensors: SensorView[] = []
  actuators: ActuatorView[] = []
  /** The resources that hold all sensors of a board at once. */
  #boards: string[] = []

  private constructor(client: Client, info: ServerInfo) {
    this.#client = client
    this.info = info
  }

  /**
   * Meets the server and asks what it has.
   *
   * @param hasSome it is known to have something: asks again until it has, as a bridge on a slow machine may not yet
   */
  static async meet(client: Client, hasSome = false): Promise<Model> {
    const model = new Model(client, await client.start())
    await model.#find()
    while (hasSome && model.sensors.length === 0 && model.actuators.length === 0) {
      await new Promise(resolve => setTimeout(resolve, askAgainMs))
      await model.#find()
    }
    // A bridge may have known its lists only now, and its name with them. The handshake has no way to ask again.
    if (client.era === 'modern') model.info = await client.start()
    return model
  }

  async #find(): Promise<void> {
    await Promise.all([this.#findSensors(), this.findActuators()])
  }

  /** All that can be subscribed to. */
  get uris(): string[] {
    return this.sensors.map(({ uri }) => uri)
  }

  /** Whether the server tells of changes by itself. */
  get tellsOfChanges(): boolean {
    return this.info.capabilities.resources?.subscribe === true && this.sensors.length > 0
  }

  /** Asks again which actuators there are. */
  async findActuators(): Promise<void> {
    if (!this.info.capabilities.tools) return
    const tools = await this.#client.list<Message>('tools/list', 'tools')
    this.actuators = tools.map(tool => ({
      name: String(tool.name),
      title: String(tool.title ?? tool.annotations?.title ?? tool.name),
      description: String(tool.description ?? ''),
      schema: tool.inputSchema ?? {},
      readOnly: tool.annotations?.readOnlyHint === true,
    }))
  }

  async #findSensors(): Promise<void> {
    if (!this.info.capabilities.resources) return
    const resources = await this.#client.list<Message>('resources/list', 'resources')
    const found = resources.filter(each => String(each.uri).startsWith('sensor://'))
    this.#boards = found.map(each => String(each.uri)).filter(uri => /^sensor:\/\/[^/]+\/?$/.test(uri))
    this.sensors = found
      .filter(each => !this.#boards.includes(String(each.uri)))
      .map(each => {
        const uri = String(each.uri)
        const name = uri.slice(uri.lastIndexOf('/') + 1)
        return { uri, name, title: String(each.title ?? each.name ?? name), samples: [] }
      })
  }

  /** Reads all sensors: one request for each board, and one more for each sensor that gave no value, to learn why. */
  async read(): Promise<void> {
    const packs = await Promise.all(this.#boards.map(uri => this.#readPack(uri)))
    const read = new Set<SensorView>()
    for (const reading of packs.flat()) {
      const sensor = this.#sensorOf(reading.name)
      if (!sensor) continue
      read.add(sensor)
      take(sensor, reading)
    }
    await Promise.all(this.sensors.filter(each => !read.has(each)).map(each => this.#readOne(each)))
  }

  async #readOne(sensor: SensorView): Promise<void> {
    try {
      const [reading] = await this.#readPack(sensor.uri)
      if (reading) take(sensor, reading)
      else sensor.problem = 'no value'
    } catch (thrown) {
      sensor.problem = (thrown as Error).message
    }
  }

  async #readPack(uri: string): Promise<Reading[]> {
    const { contents = [] } = await this.#client.request('resources/read', { uri })
    const pack = (contents as Message[]).find(each => String(each.mimeType).startsWith(senml))
    return pack ? readingsOf(JSON.parse(String(pack.text))) : []
  }

  #sensorOf(name: string): SensorView | undefined {
    return (
      this.sensors.find(({ uri }) => uri === `sensor://${name}` || uri === name) ??
      this.sensors.find(each => each.name === name.slice(name.lastIndexOf('/') + 1))
    )
  }
}

function take(sensor: SensorView, { value, unit }: Reading): void {
  const now = Date.now()
  delete sensor.problem
  if (unit !== undefined) sensor.unit = unit
  if (value !== sensor.value) sensor.changedAt = now
  sensor.value = value
  const number = typeof value === 'boolean' ? Number(value) : value
  if (typeof number === 'number') sensor.samples.push({ time: now, value: number })
  forget(sensor.samples, now, chartMs)
}

/** What a call answered, for a person: the text that the tool gave, else its structured value on one line. */
export function answerOf(result: Message): string {
  const { structuredContent: value, content = [], isError } = result
  const texts = (content as Message[]).map(block => (block.type === 'text' ? String(block.text) : `(${block.type})`))
  const text = texts.join(' ').trim().replaceAll('\n', '; ')
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // Most tools have no words of their own: their text is the value once more.
  if (isError || !isObject || !/^(\{|$)/.test(text)) return text
  const parts = Object.entries(value).map(
    ([name, each]) => `${name} ${typeof each === 'string' ? each : JSON.stringify(each)}`,
  )
  return parts.length > 0 ? parts.join(', ') : text
}
