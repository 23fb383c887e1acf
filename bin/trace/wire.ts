import {
  codeText,
  type DeviceMessage,
  FramePort,
  type HostMessage,
  type LinkDescription,
  readDeviceMessage,
  readHostMessage,
} from '../../boards/remote/link/index.ts'
import { HelloKey } from '../../boards/remote/link/messages.ts'
import { Framer } from '../../runtime/index.ts'
import { Conversation } from './conversation.ts'
import { messageText, type Speaker, type Traffic } from './lines.ts'

/** How a {@link WireTrace} is made. */
export interface WireTraceOptions {
  show(traffic: Traffic): void
  /** What the device said of itself: numbers become names by it. */
  description?(): LinkDescription | undefined
}

/** Decodes what goes over a cable, in both directions: frames of the compact link, messages in JSON, and text. */
export class WireTrace {
  readonly #options: WireTraceOptions
  readonly #conversation = new Conversation()
  readonly #framers: Record<Speaker, Framer>
  readonly #asked = new Map<string, number>()

  constructor(options: WireTraceOptions) {
    this.#options = options
    const framer = (from: Speaker) => {
      const port = new FramePort({
        outlet: { write: () => {} },
        onFrame: (bytes, length) => this.#frame(from, bytes.subarray(0, length)),
        onJson: (bytes, start, end) => this.#json(from, decoded(bytes, start, end)),
        onText: (bytes, start, end) => this.#show(from, 'text', decoded(bytes, start, end)),
        onDamaged: () => this.#show(from, 'mistake', 'a frame came damaged, and is dropped: it is asked for again'),
      })
      return new Framer({
        onLine: (bytes, start, end) => void port.line(bytes, start, end),
        onOverlong: () => this.#show(from, 'mistake', 'a line without an end, and longer than 4 MiB'),
      })
    }
    this.#framers = { host: framer('host'), server: framer('server') }
  }

  /** Takes the next bytes: `out` is what the host sends. */
  push(direction: 'out' | 'in', bytes: Uint8Array): void {
    this.#framers[direction === 'out' ? 'host' : 'server'].push(bytes)
  }

  #json(from: Speaker, line: string): void {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      return this.#show(from, 'text', line)
    }
    const rpc = typeof message === 'object' && message !== null && 'jsonrpc' in message
    // Many boards print JSON that is meant for people.
    if (!rpc) return this.#show(from, 'text', line)
    const { mistakes, tookMs } = this.#conversation.take(from, message, performance.now())
    this.#show(from, 'message', messageText(message as Record<string, unknown>), message, tookMs)
    // A bridge asks before it knows what is there.
    for (const mistake of mistakes) if (from === 'server') this.#show(from, 'mistake', mistake)
  }

  #frame(from: Speaker, bytes: Uint8Array): void {
    const message =
      from === 'host' ? readHostMessage(bytes, 0, bytes.length) : readDeviceMessage(bytes, 0, bytes.length)
    if (message.kind === 'broken') return this.#show(from, 'mistake', 'a frame whose content is no message of the link')
    if (message.kind === 'unknown') return this.#show(from, 'frame', 'a message of a kind that is not known here')
    const text = from === 'host' ? this.#hostText(message as HostMessage) : this.#deviceText(message as DeviceMessage)
    this.#show(from, 'frame', text, message, this.#took(from, message as HostMessage | DeviceMessage))
  }

  #took(from: Speaker, message: HostMessage | DeviceMessage): number | undefined {
    const key = 'id' in message ? `${message.session}/${message.id}` : `${message.session}/hello`
    if (from === 'host') {
      // A repeat does not begin the time anew.
      if (!this.#asked.has(key)) this.#asked.set(key, performance.now())
      return undefined
    }
    const at = this.#asked.get(key)
    if (at === undefined || message.kind === 'progress') return undefined
    this.#asked.delete(key)
    return performance.now() - at
  }

  #hostText(message: HostMessage): string {
    const { sensors, actuators } = this.#options.description?.() ?? { sensors: [], actuators: [] }
    switch (message.kind) {
      case 'hello':
        return `hello, session ${message.session}`
      case 'call': {
        const name = actuators[message.actuator]?.name ?? `actuator ${message.actuator}`
        return `${message.id} call ${name} ${valueText(message.args)}`
      }
      case 'read':
      case 'watch':
      case 'unwatch':
        return `${message.id} ${message.kind} ${sensors[message.sensor]?.name ?? `sensor ${message.sensor}`}`
      case 'describe':
        return `${message.id} describe, record ${message.record}`
      default:
        return `${message.id} ${message.kind}`
    }
  }

  #deviceText(message: DeviceMessage): string {
    switch (message.kind) {
      case 'hello':
        return `hello, session ${message.session} ${valueText(namedMembers(message.members))}`
      case 'result':
        return `${message.id} result ${valueText(message.item)}`
      case 'error':
        return `${message.id} error ${codeText(message.code)}${message.text === undefined ? '' : `: ${message.text}`}`
      case 'update': {
        const name = this.#options.description?.()?.sensors[message.sensor]?.name ?? `sensor ${message.sensor}`
        return `update ${name} ${valueText(message.value)}`
      }
      case 'progress':
        return `${message.id} works on${message.progress === undefined ? '' : `, ${message.progress}`}${message.total === undefined ? '' : ` of ${message.total}`} ${message.text ?? ''}`
      case 'log':
        return `log ${message.severity} ${message.text}`
    }
  }

  #show(from: Speaker, kind: Traffic['kind'], text: string, raw?: unknown, tookMs?: number): void {
    this.#options.show({
      at: Date.now(),
      from,
      kind,
      text,
      ...(raw !== undefined && { raw: plainValue(raw) }),
      ...(tookMs !== undefined && { tookMs }),
    })
  }
}

const helloNames = new Map<unknown, string>(Object.entries(HelloKey.device).map(([name, number]) => [number, name]))

function namedMembers(members: ReadonlyMap<number | string, unknown>): Record<string, unknown> {
  return Object.fromEntries([...members].map(([key, value]) => [helloNames.get(key) ?? key, value]))
}

function decoded(bytes: Uint8Array, start: number, end: number): string {
  return new TextDecoder().decode(bytes.subarray(start, end))
}

function valueText(value: unknown): string {
  return JSON.stringify(plainValue(value)) ?? ''
}

/** What JSON can hold of what CBOR can: maps as objects, bytes in hexadecimal. */
function plainValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return `h'${Buffer.from(value).toString('hex')}'`
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [key, plainValue(each)]))
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainValue(each)]))
}
