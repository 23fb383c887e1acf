// The official server, version 1, as its documentation shows it.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'bench', version: '1.0.0' })
server.registerTool(
  'set_led',
  { description: 'Turns an LED on or off', inputSchema: { pin: z.number().int(), on: z.boolean() } },
  () => ({ content: [{ type: 'text', text: 'ok' }] }),
)
if (process.env.BENCH_BIG === '1') {
  server.registerTool(
    'big',
    { description: 'Answers a text of that many characters', inputSchema: { size: z.number().int() } },
    ({ size }) => ({ content: [{ type: 'text', text: 'x'.repeat(size) }] }),
  )
}
server.registerResource('temperature', 'sensor://temperature', { mimeType: 'application/json' }, uri => ({
  contents: [{ uri: uri.href, mimeType: 'application/json', text: '{"t":22.5}' }],
}))
await server.connect(new StdioServerTransport())
