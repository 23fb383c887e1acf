import type { CallState } from './call-state.ts'
import type { ContentBlock, PromptMessage } from './content.ts'
import type { Prompt } from './definitions.ts'
import { DefinitionError, ErrorCode, RpcError } from './errors.ts'
import { isObject } from './json.ts'
import { type Entry, Registry, said } from './registry.ts'
import type { HandlerTable } from './table.ts'

export { completes, completionHandler } from './completion.ts'

/** The prompts of a server and the methods that serve them. */
export interface PromptFeature {
  readonly registry: Registry<Prompt<any>>
  readonly methods: HandlerTable
}

/** Makes the prompt feature; `changed` is called whenever the list is another one. */
export function promptFeature(changed: () => void, maxMessageBytes: number): PromptFeature {
  const registry = new Registry<Prompt<any>>('prompts', compilePrompt, changed, maxMessageBytes)
  return {
    registry,
    methods: {
      'prompts/list': ({ cursor }) => registry.page(cursor),
      'prompts/get': (params, call) => getPrompt(registry, params, call),
    },
  }
}

function compilePrompt(name: string, definition: Prompt<any>): Entry<Prompt<any>> {
  if (name === '') throw new DefinitionError('a prompt must have a name')
  if (typeof definition?.get !== 'function') throw new DefinitionError(`prompt "${name}" lacks its function get(args)`)
  const { title, description, icons, _meta } = definition
  const listedArguments = Object.entries(definition.arguments ?? {}).map(([argument, declared]) => {
    const { title, description, required } = declared as Record<string, unknown>
    return said({ name: argument, title, description, required })
  })
  const listed = said({ name, title, description, arguments: listedArguments, icons, _meta })
  return { definition, listed }
}

function getPrompt(registry: PromptFeature['registry'], params: Record<string, unknown>, call: CallState): unknown {
  const { name, arguments: given = {} } = params
  if (typeof name !== 'string')
    throw new RpcError(ErrorCode.InvalidParams, 'name must be a string: the name of a prompt')
  const prompt = registry.get(name)
  if (prompt === undefined) throw new RpcError(ErrorCode.InvalidParams, `Unknown prompt: ${name.slice(0, 128)}`)
  if (!isObject(given)) throw new RpcError(ErrorCode.InvalidParams, 'arguments must be an object')
  const args: Record<string, string> = Object.create(null)
  for (const [argument, value] of Object.entries(given)) {
    if (typeof value !== 'string')
      throw new RpcError(ErrorCode.InvalidParams, `Argument "${argument}" must be a string`)
    args[argument] = value
  }
  for (const [argument, declared] of Object.entries(prompt.arguments ?? {})) {
    if ((declared as { required?: boolean }).required === true && args[argument] === undefined) {
      throw new RpcError(ErrorCode.InvalidParams, `Prompt "${name}" needs the argument "${argument}"`)
    }
  }
  const value = prompt.get(args, call)
  return value instanceof Promise ? value.then(settled => asMessages(settled)) : asMessages(value)
}

function asMessages(value: unknown): object {
  if (typeof value === 'string') return { messages: [userMessage({ type: 'text', text: value })] }
  if (Array.isArray(value)) return { messages: value as PromptMessage[] }
  if (!isObject(value)) throw new RpcError(ErrorCode.InternalError, 'The prompt gave no messages')
  return Array.isArray(value.messages) ? value : { messages: [userMessage(value as unknown as ContentBlock)] }
}

function userMessage(content: ContentBlock): PromptMessage {
  return { role: 'user', content }
}
