/**
 * A device of 2026-07-28 on the official SDK, for the client to drive over real pipes:
 *
 *   npx tsx test/client/sdk-modern-device.ts
 */
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const sure = z.object({ sure: z.boolean() })

serveStdio(
  () => {
    const device = new McpServer(
      { name: 'sdk-modern', version: '2.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    )
    device.registerTool(
      'move',
      { description: 'Moves, if the person agrees.', inputSchema: z.object({ by: z.number() }) },
      async ({ by }, ctx) => {
        const answer = acceptedContent(ctx.mcpReq.inputResponses, 'confirm', sure)
        if (answer?.sure === true) return { content: [{ type: 'text', text: `moved by ${by}` }] }
        const confirm = inputRequired.elicit({ message: `Move by ${by}?`, requestedSchema: sure })
        return inputRequired({ inputRequests: { confirm } })
      },
    )
    device.registerTool('grow', { description: 'Gets another tool.', inputSchema: z.object({}) }, async () => {
      device.registerTool('grown', { inputSchema: z.object({}) }, async () => ({ content: [] }))
      return { content: [{ type: 'text', text: 'grown' }] }
    })
    return device
  },
  { legacy: 'reject' },
)
