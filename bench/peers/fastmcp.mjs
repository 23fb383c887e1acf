// fastmcp, as its README shows it.
import { FastMCP } from 'fastmcp'
import { z } from 'zod'

const server = new FastMCP({ name: 'bench', version: '1.0.0' })
server.addTool({
  name: 'set_led',
  description: 'Turns an LED on or off',
  parameters: z.object({ pin: z.number().int(), on: z.boolean() }),
  execute: async () => 'ok',
})
if (process.env.BENCH_BIG === '1') {
  server.addTool({
    name: 'big',
    description: 'Answers a text of that many characters',
    parameters: z.object({ size: z.number().int() }),
    execute: async ({ size }) => 'x'.repeat(size),
  })
}
server.addResource({
  uri: 'sensor://temperature',
  name: 'temperature',
  mimeType: 'application/json',
  load: async () => ({ text: '{"t":22.5}' }),
})
server.start({ transportType: 'stdio' })
