import {
  type DescriptionStore,
  RemoteDevice,
  type RemoteDeviceOptions,
  type StoredDevice,
} from '../../boards/remote/index.ts'
import { LinkDevice, type LinkDeviceOptions } from '../../boards/remote/link/index.ts'
import type { Board } from '../../runtime/index.ts'
import { seeded } from '../link/pair.ts'
import { OwnedClock } from '../owned-clock.ts'

/** Something at the other end of the line. */
export interface Peer {
  receive(chunk: Uint8Array): void
}

/** A remote device and, at the other end of a line in memory, whatever the test puts there. Bytes take a millisecond. */
export class RemoteRig {
  readonly clock = new OwnedClock()
  readonly device: RemoteDevice
  readonly boards: Board[] = []
  readonly texts: string[] = []
  readonly told: string[] = []
  readonly mcpLines: string[] = []
  readonly events: string[] = []
  readonly logs: [number, string][] = []
  /** What reached the other end, by line. */
  readonly heard: string[] = []
  peer: Peer | undefined = undefined
  #open = false

  constructor(options: Partial<RemoteDeviceOptions> = {}) {
    this.device = new RemoteDevice({
      line: { write: data => this.#write(data) },
      label: '/dev/ttyACM0',
      clock: this.clock,
      random: seeded(3),
      onBoard: board => void this.boards.push(board),
      onMcp: ({ era }) => void this.events.push(`mcp ${era ?? 'of some era'}`),
      onMcpLine: text => void this.mcpLines.push(text),
      onMcpLost: why => void this.events.push(`mcp lost: ${why}`),
      onText: line => void this.texts.push(line),
      onLog: (severity, text) => void this.logs.push([severity, text]),
      diagnose: text => void this.told.push(text),
      ...options,
    })
  }

  /** The cable is plugged in. */
  plug(): this {
    this.#open = true
    this.device.opened()
    return this
  }

  unplug(why = '/dev/ttyACM0 was unplugged'): this {
    this.#open = false
    this.device.lost(new Error(why))
    return this
  }

  /** The other end sends. */
  say(data: string | Uint8Array): void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    this.clock.setTimeout(() => {
      if (this.#open) this.device.receive(bytes)
    }, 1)
  }

  /** Puts a device on the link at the other end. */
  link(board: Board, options: Partial<LinkDeviceOptions> = {}): LinkDevice {
    const device: LinkDevice = new LinkDevice({
      board,
      clock: this.clock,
      id: 'A1B2',
      boot: 1,
      outlet: {
        write: bytes => {
          if (this.peer === device) this.say(bytes)
        },
      },
      ...options,
    })
    this.peer = device
    return device
  }

  /** Puts a device at the other end that answers each JSON-RPC request by what `answer` returns, if anything. */
  mcp(answer: (request: any) => object | undefined = speaksMcp): void {
    let text = ''
    this.peer = {
      receive: chunk => {
        text += Buffer.from(chunk).toString('latin1')
        const lines = text.split('\n')
        text = lines.pop()!
        for (const line of lines.filter(each => each.startsWith('{'))) {
          const reply = answer(JSON.parse(line))
          if (reply !== undefined) this.say(`${JSON.stringify(reply)}\n`)
        }
      },
    }
  }

  /** Waits for a promise while the clock runs; a failure comes back as its error. */
  async during<T>(promise: Promise<T>, mostMs = 60_000): Promise<T> {
    let over = false
    const end = () => {
      over = true
    }
    promise.then(end, end)
    for (let passed = 0; !over; passed += 10) {
      if (passed > mostMs) throw new Error('it never ends')
      await this.clock.advance(10)
    }
    return promise
  }

  #write(data: Uint8Array | string): Promise<void> {
    if (!this.#open) return Promise.reject(new Error('the line is gone'))
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    this.heard.push(Buffer.from(bytes).toString('latin1'))
    this.clock.setTimeout(() => this.peer?.receive(bytes), 1)
    return Promise.resolve()
  }
}

/** Answers as a server of the handshake revisions does. */
export function speaksMcp({ id, method }: any): object | undefined {
  if (id === undefined) return undefined
  if (method === 'ping') return { jsonrpc: '2.0', id, result: {} }
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }
}

/** A store in memory. */
export function memoryStore(): DescriptionStore & { kept: Map<string, StoredDevice> } {
  const kept = new Map<string, StoredDevice>()
  return { kept, load: key => kept.get(key), save: (key, stored) => void kept.set(key, stored) }
}
