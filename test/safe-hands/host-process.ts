/*
 * A host app as a process of its own: starts the bridge as its child, as host apps do, and works the tools that it is
 * told on its standard input, a line of JSON each. Its person agrees to everything. When its input ends it stays.
 *
 *   tsx test/safe-hands/host-process.ts bridge --port tcp://…
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectDir } from '../child.ts'

const words = ['--import', 'tsx', join(projectDir, 'bin/ferrule.ts'), ...process.argv.slice(2)]
const bridge = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'], cwd: projectDir })
const answers = new Map<number, (message: any) => void>()
let id = 0

function send(message: object): void {
  bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function request(method: string, params: object): Promise<any> {
  send({ id: ++id, method, params })
  return new Promise(resolve => answers.set(id, resolve))
}

createInterface({ input: bridge.stdout }).on('line', line => {
  const message = JSON.parse(line)
  if (message.method === 'elicitation/create') {
    send({ id: message.id, result: { action: 'accept', content: {} } })
  } else if (message.method === undefined) {
    answers.get(message.id)?.(message)
  }
})

await request('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'host', version: '1' },
})
send({ method: 'notifications/initialized' })
// Lists wait until the board is known.
for (let known = false; !known; ) {
  const { result } = await request('tools/list', {})
  known = result.tools.some(({ name }: { name: string }) => name === 'arm_outputs')
}
process.stdout.write(`${JSON.stringify({ bridge: bridge.pid })}\n`)

for await (const line of createInterface({ input: process.stdin })) {
  const { name, arguments: args } = JSON.parse(line)
  const { result } = await request('tools/call', { name, arguments: args })
  process.stdout.write(`${JSON.stringify({ name, isError: result.isError === true, text: result.content[0].text })}\n`)
}
setInterval(() => {}, 60_000)
