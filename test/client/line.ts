import { type PassThroughOptions, passThrough } from '../../bin/bridge/pass-through.ts'
import { McpClient, type McpClientOptions } from '../../runtime/client/index.ts'
import { Connection } from '../../runtime/connection.ts'
import { legacy } from '../../runtime/eras/legacy.ts'
import { modern } from '../../runtime/eras/modern.ts'
import { createServer, type Feature, type Server } from '../../runtime/index.ts'
import { connectInMemory } from '../../transports/memory/index.ts'
import { capable, TestClient } from '../memory-client.ts'

export type EraName = 'modern' | 'legacy'

/** What a device speaks: one era only, or both. */
export const spoken = { modern: [modern], legacy: [legacy], both: [modern, legacy] }

/** A line between a client and a device in the same process. Each message arrives a moment after it was sent. */
export class Line {
  /** What the client sent, in order. */
  readonly sent: any[] = []
  /** What the device sent. */
  readonly heard: any[] = []
  readonly client: McpClient
  readonly diagnosed: string[] = []
  /** Takes what the client sends. */
  device: (line: string) => void = () => {}
  readonly #watchers = new Set<() => void>()

  constructor(options: Partial<McpClientOptions> = {}) {
    this.client = new McpClient({
      clientInfo: { name: 'bridge', version: '1' },
      label: 'the board',
      diagnose: text => void this.diagnosed.push(text),
      ...options,
      send: line => {
        this.sent.push(JSON.parse(line))
        this.#changed()
        queueMicrotask(() => this.device(line))
      },
    })
  }

  /** The device says something. */
  say(message: object | string): void {
    const line = typeof message === 'string' ? message : JSON.stringify(message)
    queueMicrotask(() => {
      if (typeof message !== 'string') this.heard.push(message)
      this.client.receive(line)
      this.#changed()
    })
  }

  /** What the client sent of a method, once it has sent that many. */
  async called(method: string, count = 1): Promise<any> {
    for (;;) {
      const calls = this.sent.filter(message => message.method === method)
      if (calls.length >= count) return calls[count - 1]
      await new Promise<void>(resolve => this.#watchers.add(resolve))
    }
  }

  /** Puts a server at the other end. */
  serve(server: Server, eras = spoken.both): void {
    const connection = new Connection(
      server as never,
      { send: line => this.say(JSON.parse(line)), congested: false },
      eras,
    )
    this.device = line => connection.receive(line)
    // A connection that the server did not make itself is told by one that it made.
    const scout = connectInMemory(server, ({ method }) => {
      const feature = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method ?? '')?.[1]
      if (feature !== undefined) connection.listChanged(feature as Feature)
    })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'scout', version: '1' } }
    scout.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  }

  #changed(): void {
    for (const resolve of this.#watchers) resolve()
    this.#watchers.clear()
  }
}

/** A host on a server that passes a device through. */
export async function bridged(
  line: Line,
  host: EraName,
  options: Partial<PassThroughOptions> & { capabilities?: object } = {},
) {
  const { capabilities = {}, ...more } = options
  const server = createServer({ name: 'bridge' }, { diagnose: text => void line.diagnosed.push(text) })
  const end = await passThrough(server, line.client, { diagnose: text => void line.diagnosed.push(text), ...more })
  const client = new TestClient(server)
  if (host === 'legacy') await client.initialize('2025-11-25', capabilities)
  const meta = capable(capabilities)
  const request = (method: string, params: object = {}, extra: object = {}, id?: string | number) =>
    host === 'modern'
      ? client.modern(method, params, { ...meta, ...extra }, id)
      : client.request(method, Object.keys(extra).length > 0 ? { ...params, _meta: extra } : params, id)
  return { server, host: client, request, end }
}
