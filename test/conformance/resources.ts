import type { Prompt, Resource, ResourceTemplate } from '../../runtime/index.ts'
import { prompt } from '../../runtime/index.ts'
import { png } from './media.ts'

export const resources: Record<string, Resource> = {
  'test://static-text': {
    name: 'static-text',
    mimeType: 'text/plain',
    read: () => 'This is the content of the static text resource.',
  },
  'test://static-binary': {
    name: 'static-binary',
    mimeType: 'image/png',
    read: uri => ({ uri, mimeType: 'image/png', blob: png }),
  },
  'test://watched-resource': { name: 'watched-resource', mimeType: 'text/plain', read: () => 'It may change.' },
}

export const resourceTemplates: Record<string, ResourceTemplate> = {
  'test://template/{id}/data': {
    name: 'template',
    mimeType: 'application/json',
    read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  },
}

const user = (content: any) => ({ role: 'user' as const, content })

export const prompts: Record<string, Prompt<any>> = {
  test_simple_prompt: prompt({
    description: 'A prompt without arguments.',
    get: () => 'This is a simple prompt for testing.',
  }),
  test_prompt_with_arguments: prompt({
    description: 'A prompt with arguments.',
    arguments: {
      arg1: { required: true, complete: typed => ['testValue1'].filter(value => value.startsWith(typed)) },
      arg2: { required: true },
    },
    get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  }),
  test_prompt_with_embedded_resource: prompt({
    description: 'A prompt with a resource.',
    arguments: { resourceUri: { required: true } },
    get: ({ resourceUri }) => [
      user({
        type: 'resource',
        resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
      user({ type: 'text', text: 'Please process the embedded resource above.' }),
    ],
  }),
  test_prompt_with_image: prompt({
    description: 'A prompt with an image.',
    get: () => [
      user({ type: 'image', data: png, mimeType: 'image/png' }),
      user({ type: 'text', text: 'Please analyze the image above.' }),
    ],
  }),
  test_input_required_result_prompt: prompt({
    description: 'A prompt that asks for its context.',
    async get(_args, call) {
      const answer = await call.elicit({
        key: 'user_context',
        message: 'What is it about?',
        requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
      })
      return answer.action === 'accept' ? `It is about ${answer.content.context}.` : 'It is about anything.'
    },
  }),
}
