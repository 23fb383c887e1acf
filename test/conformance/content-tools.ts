import { setTimeout as delay } from 'node:timers/promises'
import { type JsonSchema, type Tool, tool, toolError } from '../../runtime/index.ts'
import { png, wav } from './media.ts'

const pauseMs = 50

/** Every member must come through the list as it is. */
const fullSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

/** Tools of every revision. The first one of the list is also called without arguments, and must succeed. */
export const contentTools: Record<string, Tool<any>> = {
  test_simple_text: tool({
    description: 'Answers with a text.',
    call: () => 'This is a simple text response for testing.',
  }),
  test_image_content: tool({
    description: 'Answers with an image.',
    call: () => [{ type: 'image', data: png, mimeType: 'image/png' }],
  }),
  test_audio_content: tool({
    description: 'Answers with a sound.',
    call: () => [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  }),
  test_embedded_resource: tool({
    description: 'Answers with a resource.',
    call: () => [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: tool({
    description: 'Answers with a text, an image and a resource.',
    call: () => [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: png, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }),
  test_error_handling: tool({
    description: 'Fails.',
    call: () => toolError('This tool intentionally returns an error for testing'),
  }),
  test_tool_with_progress: tool({
    description: 'Reports progress.',
    async call(_args, call) {
      for (const percent of [0, 50, 100]) {
        call.progress(percent, 100)
        await delay(pauseMs)
      }
      return 'Done.'
    },
  }),
  test_tool_with_logging: tool({
    description: 'Logs while it runs.',
    async call(_args, call) {
      for (const what of ['started', 'processing data', 'completed']) {
        call.log('info', `Tool ${what === 'processing data' ? '' : 'execution '}${what}`)
        await delay(pauseMs)
      }
      return 'Done.'
    },
  }),
  test_reconnection: tool({
    description: 'Takes longer than a stream stays open.',
    async call(_args, { signal }) {
      await delay(1000, undefined, { signal })
      return 'Still there.'
    },
  }),
  test_logging_tool: tool({
    description: 'Logs one line.',
    call(_args, call) {
      call.log('info', 'This line is for those who asked for it')
      return 'Done.'
    },
  }),
  test_streaming_elicitation: tool({
    description: 'Asks nothing.',
    call: () => 'Nothing had to be asked.',
  }),
  json_schema_2020_12_tool: tool({
    description: 'Has a schema with all that 2020-12 has.',
    inputSchema: fullSchema as unknown as JsonSchema,
    call: () => 'Fits.',
  }),
  test_x_mcp_header: tool({
    description: 'Has an argument that HTTP clients repeat in a header.',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
    } as JsonSchema,
    call: () => 'Called.',
  }),
}
