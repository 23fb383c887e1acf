import type { Sensor } from '../runtime/board.ts'
import { actuator, type Board, type Connection, createServer, type Server, tool } from '../runtime/index.ts'
import { type Era, opening } from './process.ts'

/** Work that is done over and over, on something that is so large. */
export interface Load {
  run(times: number): Promise<void> | void
  close(): Promise<void>
}

/** What must not grow with the size, or grows in a known way. */
export interface Growing {
  name: string
  /** What there is so many of. */
  of: string
  sizes: readonly number[]
  make(size: number): Promise<Load>
}

const tens = [10, 100, 1000, 10_000]
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A client that counts what it hears, and waits until it has heard so much. */
class Counter {
  readonly connection: Connection
  heard = 0
  #wanted = Number.POSITIVE_INFINITY
  #reached: () => void = () => {}

  constructor(server: Server) {
    this.connection = server.connect({
      congested: false,
      send: () => {
        if (++this.heard === this.#wanted) this.#reached()
      },
    })
  }

  request(id: number | string, method: string, params: object): void {
    this.connection.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  }

  /** Opens the handshake era. The other one needs no opening. */
  shakeHands(): void {
    this.connection.receive(opening('legacy').trim())
  }

  /** Sends lines in turn, so many at once, and waits for an answer to each. */
  async exchange(lines: readonly string[], times: number): Promise<void> {
    for (let sent = 0; sent < times; ) {
      const batch = Math.min(64, times - sent)
      this.#wanted = this.heard + batch
      const all = new Promise<void>(resolve => {
        this.#reached = resolve
      })
      for (const end = sent + batch; sent < end; sent++) this.connection.receive(lines[sent % lines.length]!)
      await all
    }
  }
}

function callLines(name: string, args: object, era: Era): string[] {
  const params = { name, arguments: args, ...(era === 'modern' ? { _meta: meta } : {}) }
  return Array.from({ length: 64 }, (_, id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }))
}

function load(server: Server, client: Counter, lines: readonly string[]): Load {
  return { run: times => client.exchange(lines, times), close: () => server.close() }
}

const setLed = () =>
  tool({
    description: 'Turns an LED on or off',
    inputSchema: {
      type: 'object',
      properties: { pin: { type: 'integer' }, on: { type: 'boolean' } },
      required: ['pin', 'on'],
    },
    call: () => 'ok',
  })

const constant = (): Sensor => ({ unit: 'Cel', read: () => 20, minIntervalMs: 0 })

function numbered<T>(count: number, name: string, make: (i: number) => T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, make(i)]))
}

async function served(board: Board): Promise<Server> {
  const server = createServer(board)
  await server.open()
  return server
}

function ofTools(era: Era): Growing['make'] {
  return async size => {
    const server = createServer({ name: 'growth' }, { tools: numbered(size, 'tool', setLed) })
    const client = new Counter(server)
    if (era === 'legacy') client.shakeHands()
    return load(server, client, callLines(`tool${size / 2}`, { pin: 17, on: true }, era))
  }
}

async function ofActuators(size: number): Promise<Load> {
  const fan = () =>
    actuator({
      inputSchema: { type: 'object', properties: { percent: { type: 'number' } }, required: ['percent'] },
      safe: { percent: 0 },
      set: () => {},
    })
  const server = await served({ name: 'growth', actuators: numbered(size, 'fan', fan) })
  const client = new Counter(server)
  client.shakeHands()
  return load(server, client, callLines(`fan${size / 2}`, { percent: 5 }, 'legacy'))
}

async function movesOfSensors(size: number): Promise<Load> {
  const fan = actuator({ inputSchema: { type: 'object', properties: {} }, safe: {}, set: () => {} })
  const server = await served({ name: 'growth', sensors: numbered(size, 'probe', constant), actuators: { fan } })
  const client = new Counter(server)
  client.shakeHands()
  return load(server, client, callLines('fan', {}, 'legacy'))
}

async function readsOfSensors(size: number): Promise<Load> {
  const server = await served({ name: 'growth', sensors: numbered(size, 'probe', constant) })
  const client = new Counter(server)
  client.shakeHands()
  const params = { uri: `sensor://growth/probe${size / 2}` }
  const lines = Array.from({ length: 64 }, (_, id) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'resources/read', params }),
  )
  return load(server, client, lines)
}

function ofSubscriptions(era: Era): Growing['make'] {
  return async size => {
    const watched = (): Sensor => ({ ...constant(), watch: () => () => {} })
    const server = createServer(
      { name: 'growth', sensors: numbered(Math.max(1, size), 'probe', watched) },
      { tools: { set_led: setLed() } },
    )
    await server.open()
    const client = new Counter(server)
    client.shakeHands()
    const uris = Array.from({ length: size }, (_, i) => `sensor://growth/probe${i}`)
    // One connection holds a thousand in the handshake era, and one request so many in the other.
    for (let at = 0; at < size; at += 1000) {
      const some = uris.slice(at, at + 1000)
      const subscriber = new Counter(server)
      if (era === 'legacy') {
        subscriber.shakeHands()
        for (const uri of some) subscriber.request(uri, 'resources/subscribe', { uri })
      } else {
        const params = { notifications: { resourceSubscriptions: some }, _meta: meta }
        client.request(`listen${at}`, 'subscriptions/listen', params)
      }
    }
    return load(server, client, callLines('set_led', { pin: 17, on: true }, 'legacy'))
  }
}

/** So many sensors and so many subscriptions, of which `size` are of the one that changes. */
export async function changeLoad(size: number, total: number): Promise<Load & { told(): number }> {
  const changed: ((value: number) => void)[] = []
  const watched = (i: number): Sensor => ({
    ...constant(),
    watch: tell => {
      changed[i] = tell as (value: number) => void
      return () => {}
    },
  })
  const server = await served({ name: 'growth', sensors: numbered(total, 'probe', watched) })
  const clients = Array.from({ length: total }, (_, i) => {
    const client = new Counter(server)
    client.shakeHands()
    client.request(1, 'resources/subscribe', { uri: `sensor://growth/probe${i < size ? 0 : i}` })
    client.heard = 0
    return client
  })
  let value = 0
  return {
    run: times => {
      for (let i = 0; i < times; i++) changed[0]!(++value)
    },
    told: () => clients.reduce((sum, { heard }) => sum + heard, 0),
    close: () => server.close(),
  }
}

/** Everything that must take the same time whatever there is of it. */
export const flat: readonly Growing[] = [
  { name: 'a call, handshake era', of: 'tools', sizes: tens, make: ofTools('legacy') },
  { name: 'a call, modern era', of: 'tools', sizes: tens, make: ofTools('modern') },
  { name: 'a move', of: 'actuators', sizes: tens, make: ofActuators },
  { name: 'a move', of: 'sensors', sizes: tens, make: movesOfSensors },
  { name: 'reading a sensor', of: 'sensors', sizes: tens, make: readsOfSensors },
  {
    name: 'a call, handshake era',
    of: 'open subscriptions',
    sizes: [0, ...tens],
    make: ofSubscriptions('legacy'),
  },
  {
    name: 'a call beside subscriptions/listen',
    of: 'URIs listened to',
    sizes: [0, ...tens],
    make: ofSubscriptions('modern'),
  },
]

/** CPU of this process for each run of each load, in microseconds: the least of so many rounds, all loads in turn. */
export async function leastCpu(loads: readonly Load[], times: number, rounds: number): Promise<number[]> {
  const least = loads.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < rounds; round++) {
    for (const [i, each] of loads.entries()) {
      const before = process.cpuUsage()
      await each.run(times)
      const { user, system } = process.cpuUsage(before)
      least[i] = Math.min(least[i]!, (user + system) / times)
    }
  }
  return least
}
