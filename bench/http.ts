/**
 * Many clients on one server over HTTP: each has a session with its stream open and watches a sensor, and together they
 * make so many calls a second, half of them in their sessions and half as requests of 2026-07-28 that stand for themselves.
 * Calls go out by the clock, whether or not the last ones were answered, so a server that falls behind shows it.
 *
 *   npx tsx bench/http.ts [--clients 200] [--rate 2000] [--seconds 60]
 */
import { fork } from 'node:child_process'
import { Agent, request } from 'node:http'
import { cpus, loadavg } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    rate: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '60' },
  },
})
const [clients, rate, seconds] = [Number(options.clients), Number(options.rate), Number(options.seconds)]
const changesPerSecond = 2

interface State {
  rss: number
  heapUsed: number
  cpu: { user: number; system: number }
  sessions: number
}

const server = fork(fileURLToPath(new URL('http-server.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
const told = <T>() => new Promise<T>(resolve => server.once('message', message => resolve(message as T)))
const { url } = await told<{ url: string }>()
const { port } = new URL(url)
const state = () => {
  const answer = told<State>()
  server.send('state')
  return answer
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = { ...json, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'valve' }

/** Posts a message, and resolves with the headers once the answer was read. Throws for what is no answer. */
function post(headers: Record<string, string>, message: object): Promise<NodeJS.Dict<string | string[]>> {
  const body = JSON.stringify(message)
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path: '/mcp',
        method: 'POST',
        agent,
        headers: { ...headers, 'Content-Length': body.length },
      },
      response => {
        let text = ''
        response.setEncoding('utf8').on('data', piece => {
          text += piece
        })
        response.on('end', () => {
          const { statusCode = 0 } = response
          if (statusCode < 300 && !text.includes('"error"') && !text.includes('isError')) resolve(response.headers)
          else reject(new Error(`${statusCode} ${text.slice(0, 200)}`))
        })
        response.on('error', reject)
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

let events = 0
let cut = 0
async function enter(): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  const headers = await post(json, { jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const session = { ...json, 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': String(headers['mcp-session-id']) }
  await post(session, { jsonrpc: '2.0', method: 'notifications/initialized' })
  const uri = 'sensor://bench/level'
  await post(session, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } })
  const stream = request({ host: '127.0.0.1', port, path: '/mcp', headers: session, agent: false }, response => {
    response.on('data', (piece: Buffer) => {
      if (piece.includes('resources/updated')) events++
    })
    response.on('close', () => cut++)
  })
  stream.on('error', () => {})
  stream.end()
  return session
}

const sessions: Record<string, string>[] = []
for (let client = 0; client < clients; client++) sessions.push(await enter())

const latencies: number[] = []
const failures = new Map<string, number>()
let sent = 0
let open = 0
function call(): void {
  const id = ++sent
  const began = performance.now()
  open++
  const args = { name: 'valve', arguments: { percent: id % 100 } }
  const asked =
    id % 2 === 0
      ? post(modern, { jsonrpc: '2.0', id, method: 'tools/call', params: { ...args, _meta: meta } })
      : post(sessions[id % clients]!, { jsonrpc: '2.0', id, method: 'tools/call', params: args })
  asked
    .then(
      () => latencies.push(performance.now() - began),
      (error: Error) => failures.set(error.message, (failures.get(error.message) ?? 0) + 1),
    )
    .finally(() => open--)
}

const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MiB`
const at = (sorted: readonly number[], part: number) =>
  `${(sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1)} ms`
console.log(
  `${clients} clients, ${rate} calls a second for ${seconds} s, on ${cpus().length} × ${cpus()[0]?.model} (load ${loadavg()[0]?.toFixed(1)})`,
)
console.log('second  calls/s  answered  open  median   99 %     events/s  server: memory  heap     processor')
let before = await state()
const first = before
const began = performance.now()
let [lastSent, lastAnswered, lastEvents, lastAt] = [0, 0, 0, began]
const changes = setInterval(() => server.send('change'), 1000 / changesPerSecond)
const beat = setInterval(() => {
  const due = Math.min(rate * seconds, ((performance.now() - began) / 1000) * rate)
  while (sent < due) call()
}, 2)
const every = Math.max(1, Math.min(10, Math.floor(seconds / 6)))
for (let second = every; second <= seconds; second += every) {
  await new Promise(resolve => setTimeout(resolve, began + second * 1000 - performance.now()))
  const now = await state()
  const took = (performance.now() - lastAt) / 1000
  const recent = latencies.slice(lastAnswered).sort((a, b) => a - b)
  const busy = (now.cpu.user + now.cpu.system - before.cpu.user - before.cpu.system) / 1e6 / took
  console.log(
    [
      String(second).padStart(6),
      ((sent - lastSent) / took).toFixed(0).padStart(7),
      (recent.length / took).toFixed(0).padStart(8),
      String(open).padStart(4),
      at(recent, 0.5).padEnd(7),
      at(recent, 0.99).padEnd(7),
      ((events - lastEvents) / took).toFixed(0).padStart(8),
      mib(now.rss).padStart(14),
      mib(now.heapUsed).padEnd(7),
      `${(busy * 100).toFixed(0)} %`,
    ].join('  '),
  )
  ;[lastSent, lastAnswered, lastEvents, lastAt, before] = [sent, latencies.length, events, performance.now(), now]
}
clearInterval(beat)
clearInterval(changes)
while (open > 0) await new Promise(resolve => setTimeout(resolve, 20))
const sorted = latencies.toSorted((a, b) => a - b)
console.log(
  `${sent} calls, ${latencies.length} answered, ${sent - latencies.length} failed; median ${at(sorted, 0.5)}, 99 % ${at(sorted, 0.99)}, ` +
    `longest ${at(sorted, 1)}; ${events} events, ${cut} streams cut; memory ${mib(first.rss)} before, ${mib(before.rss)} at the end`,
)
for (const [message, times] of failures) console.log(`${times} × ${message}`)
server.disconnect()
process.exit(failures.size > 0 || cut > 0 ? 1 : 0)
