// A host as a process of its own: starts a server with the words that it is given, says hello, and begins a move.
//
//   node test/safe-hands/host.mjs TOOL ARGUMENTS -- WORDS…
//
// It prints the id of the server, and then each line that it answers. HOST_CHATTY=1 has it ping every 100 ms.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [name, args, , ...words] = process.argv.slice(2)
const server = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
console.log(`server ${server.pid}`)
const send = message => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const clientInfo = { name: 'host', version: '1.0.0' }
send({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
send({ method: 'notifications/initialized' })
send({ id: 1, method: 'tools/call', params: { name, arguments: JSON.parse(args) } })
createInterface({ input: server.stdout }).on('line', line => console.log(line))
let pings = 1
if (process.env.HOST_CHATTY !== undefined) setInterval(() => send({ id: ++pings, method: 'ping' }), 100)
