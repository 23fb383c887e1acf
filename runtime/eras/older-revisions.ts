import type { ContentBlock } from '../content.ts'
import { isObject } from '../json.ts'

// What an older revision has no word for is said in the words that it has. Revisions are dates, so they compare as texts.

/** The one handshake revision that has tasks. */
export const revisionWithTasks = '2025-11-25'

/** A block as a revision knows it: the content unions of the older ones are closed. */
export function blockFor(revision: string, block: ContentBlock): ContentBlock {
  if (block.type === 'audio' && revision < '2025-03-26') {
    return { type: 'text', text: `[audio, ${block.mimeType}: this client's protocol revision has no audio]` }
  }
  if (block.type === 'resource_link' && revision < '2025-06-18') {
    const name = block.title ?? block.name
    return { type: 'text', text: `${name}: ${block.uri}${block.description ? ` (${block.description})` : ''}` }
  }
  return block
}

/** A listed tool as the handshake revisions know it: structured content and properties are objects only. */
export function handshakeTool(tool: Record<string, unknown>): Record<string, unknown> {
  const { inputSchema, outputSchema } = tool as { inputSchema: any; outputSchema?: any }
  const result = { ...tool, inputSchema: plainProperties(inputSchema) }
  if (outputSchema === undefined) return result
  if (outputSchema.type === 'object') return { ...result, outputSchema: plainProperties(outputSchema) }
  // References inside point at the root, so a schema that has any cannot be moved into a property.
  if (JSON.stringify(outputSchema).includes('"$ref"')) {
    const { outputSchema: _outputSchema, ...without } = result as Record<string, unknown>
    return without
  }
  return { ...result, outputSchema: { type: 'object', properties: { result: outputSchema }, required: ['result'] } }
}

function plainProperties(schema: Record<string, unknown>): Record<string, unknown> {
  if (!isObject(schema.properties)) return schema
  const entries = Object.entries(schema.properties)
  if (entries.every(([, property]) => isObject(property))) return schema
  const plain = entries.map(([name, property]) => [name, isObject(property) ? property : property ? {} : { not: {} }])
  return { ...schema, properties: Object.fromEntries(plain) }
}
