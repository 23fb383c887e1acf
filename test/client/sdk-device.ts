/**
 * A device of the handshake revisions on the official SDK, for the client to drive over real pipes. It asks whoever calls
 * it things, and counts what it really did:
 *
 *   npx tsx test/client/sdk-device.ts
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const device = new McpServer(
  { name: 'sdk-device', version: '1.0.0' },
  { capabilities: { logging: {} }, instructions: 'Ask before you move.' },
)
let moves = 0

device.registerTool(
  'move',
  { description: 'Moves, if the person agrees.', inputSchema: { by: z.number() } },
  async ({ by }) => {
    const answer = await device.server.elicitInput({
      message: `Move by ${by}?`,
      requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
    })
    if (answer.action !== 'accept' || answer.content?.sure !== true) return text(`not moved: ${answer.action}`)
    moves++
    return text(`moved by ${by}, ${moves} in all`)
  },
)

device.registerTool('two_questions', { description: 'Asks twice.', inputSchema: {} }, async () => {
  const ask = async (message: string) => {
    const { content } = await device.server.elicitInput({
      message,
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    })
    return content?.name
  }
  return text(`${await ask('First name?')} ${await ask('Last name?')}`)
})

device.registerTool('ask_model', { description: 'Asks the model.', inputSchema: {} }, async () => {
  const answer = await device.server.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Is it warm?' } }],
    maxTokens: 10,
  })
  return text(`${answer.model}: ${(answer.content as { text: string }).text}`)
})

device.registerTool('ask_roots', { description: 'Asks for folders.', inputSchema: {} }, async () => {
  const { roots } = await device.server.listRoots()
  return text(roots.map(({ uri }) => uri).join(' '))
})

device.registerTool('quick', { description: 'Answers at once.', inputSchema: {} }, async () => text('quick'))

device.registerTool('die', { description: 'The cable is pulled.', inputSchema: {} }, async () => process.exit(0))

function text(text: string) {
  return { content: [{ type: 'text' as const, text }] }
}

await device.connect(new StdioServerTransport())
