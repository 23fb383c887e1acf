// The server that is measured, on the built package (`npm run build` first). It takes that by its path, as floor takes
// nothing: to find a package by its name costs Node 4 % of a start, which is measured apart (by-name.ts).
import { createServer, stdio, tool } from '../dist/transports/stdio/server.js'

const tools = {
  set_led: tool({
    description: 'Turns an LED on or off',
    inputSchema: {
      type: 'object',
      properties: { pin: { type: 'integer' }, on: { type: 'boolean' } },
      required: ['pin', 'on'],
    },
    call: () => 'ok',
  }),
}
if (process.env.BENCH_BIG === '1') {
  tools.big = tool({
    description: 'Answers a text of that many characters',
    inputSchema: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
    call: ({ size }) => 'x'.repeat(size),
  })
}
const resources = {
  'sensor://temperature': { name: 'temperature', mimeType: 'application/json', read: () => '{"t":22.5}' },
}

// The benchmark sends a line of 10 MB.
const options = { tools, resources, maxLineBytes: 16 * 1024 * 1024 }
await stdio().serve(createServer({ name: 'bench', version: '1.0.0' }, options))
