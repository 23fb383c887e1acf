import type { Completer, Prompt } from './definitions.ts'
import { ErrorCode, RpcError } from './errors.ts'
import { isObject } from './json.ts'
import type { PromptFeature } from './prompts.ts'
import type { ResourceFeature } from './resources.ts'
import type { Handler } from './table.ts'

const mostValues = 100

/** Whether any prompt suggests values. */
export function completes(prompts: PromptFeature): boolean {
  for (const { definition } of prompts.registry.entries()) {
    if (Object.keys(promptCompleters(definition)).length > 0) return true
  }
  return false
}

/** The handler of `completion/complete`. */
export function completionHandler(prompts: PromptFeature, resources: ResourceFeature): Handler {
  return ({ ref, argument, context }) => {
    if (!isObject(ref)) throw invalid('ref must be an object')
    if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string') {
      throw invalid('argument must have a name and a value, both strings')
    }
    const completer = completersOf(ref, prompts, resources)[argument.name]
    if (completer === undefined) return completionOf([])
    const others = isObject(context) && isObject(context.arguments) ? context.arguments : {}
    const values = completer(argument.value, others as Record<string, string>)
    return values instanceof Promise ? values.then(completionOf) : completionOf(values as readonly string[])
  }
}

function completersOf(
  ref: Record<string, unknown>,
  prompts: PromptFeature,
  resources: ResourceFeature,
): Record<string, Completer> {
  if (ref.type === 'ref/prompt' && typeof ref.name === 'string') {
    const prompt = prompts.registry.get(ref.name)
    if (prompt === undefined) throw invalid(`Unknown prompt: ${ref.name.slice(0, 128)}`)
    return promptCompleters(prompt)
  }
  if (ref.type === 'ref/resource' && typeof ref.uri === 'string') {
    const template = resources.templates.get(ref.uri)
    if (template !== undefined) return Object.assign(Object.create(null), template.complete)
    if (resources.resources.has(ref.uri)) return Object.create(null)
    throw invalid(`Unknown resource template: ${ref.uri.slice(0, 256)}`)
  }
  throw invalid('ref must be of type ref/prompt with a name, or ref/resource with a uri')
}

/** The completers of a prompt's arguments, by the argument's name. */
function promptCompleters(prompt: Prompt<any>): Record<string, Completer> {
  const completers: Record<string, Completer> = Object.create(null)
  for (const [name, argument] of Object.entries(prompt.arguments ?? {})) {
    const { complete } = argument as { complete?: Completer }
    if (complete !== undefined) completers[name] = complete
  }
  return completers
}

function completionOf(values: readonly string[]): object {
  const completion = { values: values.slice(0, mostValues), total: values.length, hasMore: values.length > mostValues }
  return { completion }
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message)
}
