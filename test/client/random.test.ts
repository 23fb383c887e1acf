import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bridged, Line } from './line.ts'

const methods = [
  'initialize',
  'ping',
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
  'notifications/progress',
  'notifications/message',
  'notifications/cancelled',
  'notifications/subscriptions/acknowledged',
  'notifications/resources/updated',
  'notifications/tools/list_changed',
  'constructor',
]

const json = fc.jsonValue({ maxDepth: 3 })

describe('whatever a device sends', () => {
  it.each(['modern', 'legacy'] as const)('the next call to one that speaks %s gets its answer', async era => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.string(),
            json.map(value => JSON.stringify(value)),
            fc
              .record(
                {
                  jsonrpc: fc.constantFrom('2.0', '1.0'),
                  id: fc.oneof(json, fc.constant('own')),
                  method: fc.oneof(fc.constantFrom(...methods), json),
                  params: fc.oneof(json, fc.dictionary(fc.constantFrom('uri', '_meta', 'level', 'requestId'), json)),
                  result: json,
                  error: json,
                },
                { requiredKeys: ['jsonrpc'] },
              )
              .map(message => JSON.stringify(message)),
          ),
          { maxLength: 20 },
        ),
        async lines => {
          const line = new Line()
          line.device = sent => {
            const { id, method, params } = JSON.parse(sent)
            if (id === undefined || method === undefined) return
            const results: Record<string, object> = {
              'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
              initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} },
              'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
              'tools/call': { content: [{ type: 'text', text: params.arguments?.text }] },
            }
            if (method === 'server/discover' && era === 'legacy') line.say({ jsonrpc: '2.0', id, error: {} })
            else line.say({ jsonrpc: '2.0', id, result: results[method] ?? {} })
          }
          for (const text of lines) line.client.receive(text)
          await line.client.connect()
          const { request, end } = await bridged(line, 'modern')
          const call = request('tools/call', { name: 'echo', arguments: { text: 'mine' } })
          for (const text of lines) line.client.receive(text)
          expect((await call).result.content).toEqual([{ type: 'text', text: 'mine' }])
          end()
        },
      ),
      { numRuns: 150 },
    )
  })
})
