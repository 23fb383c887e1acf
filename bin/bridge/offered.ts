import { cleanText, ownWords } from '../../boards/remote/index.ts'
import type { Listed, McpClient } from '../../runtime/client/index.ts'
import type {
  Completer,
  ContentBlock,
  JsonSchema,
  Prompt,
  PromptArgument,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
  ToolResult,
} from '../../runtime/index.ts'
import { DefinitionError } from '../../runtime/index.ts'
import { isObject } from '../../runtime/json.ts'
import { valuesFromText } from '../../runtime/schema/from-text.ts'
import type { OfferedUris } from './names.ts'

/** What the definitions of a device's tools, resources and prompts need. */
export interface OfferedOptions {
  client: McpClient
  uris: OfferedUris
  diagnose(text: string): void
}

const longestTitle = 200
const longestDescription = 4096

/** A tool of the device as one of the server. */
export function offeredTool(listed: Listed, options: OfferedOptions): Tool<any> {
  const { client, uris } = options
  const name = String(listed.name)
  return {
    ...named(listed),
    ...whereObject('annotations', listed.annotations),
    inputSchema: inputSchemaOf(listed, options),
    ...outputSchemaOf(listed, options),
    call: async (args, call) => {
      const result = await client.callTool(name, args as Record<string, unknown>, call)
      return { ...result, content: result.content.map(block => blockToHost(block, uris)) } satisfies ToolResult
    },
  }
}

/** A resource of the device as one of the server. */
export function offeredResource(listed: Listed, options: OfferedOptions): Resource {
  const { client, uris } = options
  const uri = String(listed.uri)
  return {
    ...described(listed),
    ...(Number.isSafeInteger(listed.size) ? { size: listed.size as number } : {}),
    read: async (_uri, call) => contentsToHost(await client.readResource(uri, call), uris),
    watch: changed => watched(uri, changed, options),
  }
}

/** A resource template of the device as one of the server. */
export function offeredTemplate(
  listed: Listed,
  variables: readonly string[],
  completes: boolean,
  options: OfferedOptions,
): ResourceTemplate {
  const { client, uris } = options
  const ref = { type: 'ref/resource', uri: String(listed.uriTemplate) } as const
  const completers = variables.map(name => [name, completerOf(ref, name, options)] as const)
  return {
    ...described(listed),
    ...(completes ? { complete: Object.fromEntries(completers) } : {}),
    read: async (_variables, uri, call) => contentsToHost(await client.readResource(uris.toDevice(uri), call), uris),
    watch: (uri, changed) => watched(uris.toDevice(uri), changed, options),
  }
}

/** A prompt of the device as one of the server. */
export function offeredPrompt(listed: Listed, completes: boolean, options: OfferedOptions): Prompt<any> {
  const { client, uris } = options
  const name = String(listed.name)
  const ref = { type: 'ref/prompt', name } as const
  const declared = Array.isArray(listed.arguments) ? listed.arguments.filter(isObject) : []
  const promptArguments = declared.flatMap(argument => {
    if (typeof argument.name !== 'string') return []
    const { title, description } = named(argument)
    const offered: PromptArgument = {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(argument.required === true ? { required: true } : {}),
      ...(completes ? { complete: completerOf(ref, argument.name, options) } : {}),
    }
    return [[argument.name, offered] as const]
  })
  return {
    ...named(listed),
    arguments: Object.fromEntries(promptArguments),
    get: async (args, call) => {
      const result = await client.getPrompt(name, { ...args } as Record<string, string>, call)
      const messages = (result.messages as PromptMessage[]).filter(isObject).map(message => ({
        ...message,
        content: blockToHost(message.content, uris),
      }))
      return { ...result, messages }
    },
  }
}

/** Changes are told by the client to whoever observes it, but for those before the device knew that they are wanted. */
function watched(uri: string, changed: () => void, { client, diagnose }: OfferedOptions): () => void {
  let stop: (() => void) | undefined
  let isOver = false
  client.subscribe(uri).then(
    end => {
      stop = end
      if (isOver) end()
      else changed()
    },
    thrown => diagnose(`${uri} is not watched: ${thrown instanceof Error ? thrown.message : thrown}`),
  )
  return () => {
    isOver = true
    stop?.()
  }
}

function completerOf(
  ref: Parameters<McpClient['complete']>[0],
  name: string,
  { client, diagnose }: OfferedOptions,
): Completer {
  return async (value, others) => {
    try {
      return await client.complete(ref, { name, value }, others)
    } catch (thrown) {
      diagnose(
        `${client.deviceName} suggests nothing for ${name}: ${thrown instanceof Error ? thrown.message : thrown}`,
      )
      return []
    }
  }
}

function inputSchemaOf({ name, inputSchema }: Listed, { diagnose }: OfferedOptions): Tool['inputSchema'] & {} {
  const schema: JsonSchema = isObject(inputSchema) ? { ...inputSchema, type: 'object' } : { type: 'object' }
  try {
    return valuesFromText(schema, `inputSchema of tool "${name}"`)
  } catch (thrown) {
    if (!(thrown instanceof DefinitionError)) throw thrown
    diagnose(`${thrown.message}. Its arguments are handed on as they are`)
    return { type: 'object' }
  }
}

function outputSchemaOf({ name, outputSchema }: Listed, { diagnose }: OfferedOptions): Pick<Tool, 'outputSchema'> {
  if (!isObject(outputSchema)) return {}
  try {
    valuesFromText(outputSchema, `outputSchema of tool "${name}"`)
    return { outputSchema }
  } catch (thrown) {
    if (!(thrown instanceof DefinitionError)) throw thrown
    diagnose(`${thrown.message}. Its answers are handed on as they are`)
    return {}
  }
}

/** What a device says of a thing for people and the model. It is data: bounded, clean, and marked as the device's. */
function named({ title, description, icons, _meta }: Listed): {
  title?: string
  description?: string
  icons?: any[]
  _meta?: Record<string, unknown>
} {
  return {
    ...(typeof title === 'string' ? { title: cleanText(title, longestTitle) } : {}),
    ...(typeof description === 'string' ? { description: ownWords(description, longestDescription) } : {}),
    ...(Array.isArray(icons) ? { icons } : {}),
    ...(isObject(_meta) ? { _meta } : {}),
  }
}

function described(listed: Listed): ReturnType<typeof named> & Pick<Resource, 'name' | 'mimeType' | 'annotations'> {
  return {
    ...named(listed),
    ...(typeof listed.name === 'string' ? { name: cleanText(listed.name, longestTitle) } : {}),
    ...(typeof listed.mimeType === 'string' ? { mimeType: cleanText(listed.mimeType, longestTitle) } : {}),
    ...whereObject('annotations', listed.annotations),
  }
}

function whereObject<Name extends string>(name: Name, value: unknown): { [N in Name]?: object } {
  return (isObject(value) ? { [name]: value } : {}) as { [N in Name]?: object }
}

function contentsToHost({ contents }: Record<string, unknown>, uris: OfferedUris): ResourceContents[] {
  return (contents as ResourceContents[])
    .filter(isObject)
    .map(each => ({ ...each, uri: uris.toHost(String(each.uri)) }))
}

/** A block whose URIs a host can read through us. */
function blockToHost(block: ContentBlock, uris: OfferedUris): ContentBlock {
  if (block?.type === 'resource_link') return { ...block, uri: uris.toHost(block.uri) }
  if (block?.type !== 'resource' || !isObject(block.resource)) return block
  return { ...block, resource: { ...block.resource, uri: uris.toHost(block.resource.uri) } }
}
