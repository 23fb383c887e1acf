// The official server, version 2, as its documentation shows it.
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

serveStdio(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool(
    'set_led',
    { description: 'Turns an LED on or off', inputSchema: z.object({ pin: z.number().int(), on: z.boolean() }) },
    () => ({ content: [{ type: 'text', text: 'ok' }] }),
  )
  if (process.env.BENCH_BIG === '1') {
    server.registerTool(
      'big',
      {
        description: 'Answers a text of that many characters',
        inputSchema: z.object({ size: z.number().int() }),
      },
      ({ size }) => ({ content: [{ type: 'text', text: 'x'.repeat(size) }] }),
    )
  }
  server.registerResource('temperature', 'sensor://temperature', { mimeType: 'application/json' }, uri => ({
    contents: [{ uri: uri.href, mimeType: 'application/json', text: '{"t":22.5}' }],
  }))
  return server
})
