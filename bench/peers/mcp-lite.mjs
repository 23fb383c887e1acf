// mcp-lite, in the first and lightest way that its README shows: with JSON Schema it checks no arguments. It serves over HTTP only: in the place of that stand the fewest lines that bring
// messages from standard input to what its own transport calls.
import { createInterface } from 'node:readline'
import { McpServer } from 'mcp-lite'

const server = new McpServer({ name: 'bench', version: '1.0.0' })
server.tool('set_led', {
  description: 'Turns an LED on or off',
  inputSchema: {
    type: 'object',
    properties: { pin: { type: 'integer' }, on: { type: 'boolean' } },
    required: ['pin', 'on'],
  },
  handler: () => ({ content: [{ type: 'text', text: 'ok' }] }),
})
if (process.env.BENCH_BIG === '1') {
  server.tool('big', {
    description: 'Answers a text of that many characters',
    inputSchema: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
    handler: ({ size }) => ({ content: [{ type: 'text', text: 'x'.repeat(size) }] }),
  })
}
server.resource('sensor://temperature', { name: 'temperature', mimeType: 'application/json' }, async uri => ({
  contents: [{ uri: uri.href, mimeType: 'application/json', text: '{"t":22.5}' }],
}))

createInterface({ input: process.stdin }).on('line', async line => {
  const answer = await server._dispatch(JSON.parse(line))
  if (answer !== null) process.stdout.write(`${JSON.stringify(answer)}\n`)
})
