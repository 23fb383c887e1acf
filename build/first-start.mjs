// The first start of a server, after which what V8 compiled of the core is kept (read-parts.mjs). It is made with the build,
// as Python packages are compiled where they are installed: what is started from this folder starts like any later time.
// It belongs to this Node on this machine, and is not published.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const mostMs = 5000

/** What hosts of both eras ask for at the start. */
const questions = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
  { id: 3, method: 'resources/list' },
  {
    id: 4,
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
]

/** Starts a server of the built package, and waits until its code is kept. Nothing fails where that cannot be. */
export async function startFirst(dist) {
  const program = `
    import { createServer, stdio, tool } from ${JSON.stringify(pathToFileURL(join(dist, 'transports/stdio/server.js')).href)}
    const inputSchema = { type: 'object', properties: { pin: { type: 'integer' } }, required: ['pin'] }
    const tools = { led: tool({ description: 'An LED', inputSchema, call: () => 'ok' }) }
    const resources = { 'sensor://a': { name: 'a', read: () => '1' } }
    await stdio().serve(createServer({ name: 'first' }, { tools, resources }))`
  const server = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = once(server, 'exit')
  for (const question of questions) server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...question })}\n`)
  const isKept = () => readdirSync(join(dist, 'runtime/parts')).some(file => file.endsWith('.cache'))
  for (const begun = Date.now(); !isKept() && Date.now() - begun < mostMs; ) await wait(50)
  server.stdin.end()
  await ended
}
