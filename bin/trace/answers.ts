import type { Wire } from './conversation.ts'

/** Names what is wrong with a server's result, by the method that it answers: what makes hosts refuse it, or guess. */
export function answerMistakes(method: string, result: unknown, modern: boolean): string[] {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return ['its result is not an object']
  const given = result as Wire
  const mistakes = modern && given.resultType === undefined ? ['lacks resultType, which 2026-07-28 requires'] : []
  if (given.resultType === 'input_required') return mistakes
  for (const name of required[method] ?? []) if (given[name] === undefined) mistakes.push(`lacks ${name}`)
  if (method === 'tools/list' && Array.isArray(given.tools)) mistakes.push(...toolMistakes(given.tools))
  if (method === 'tools/call' && Array.isArray(given.content)) mistakes.push(...contentMistakes(given.content))
  return mistakes
}

const required: Record<string, readonly string[]> = {
  initialize: ['protocolVersion', 'capabilities', 'serverInfo'],
  'server/discover': ['supportedVersions', 'capabilities'],
  'tools/list': ['tools'],
  'tools/call': ['content'],
  'resources/list': ['resources'],
  'resources/templates/list': ['resourceTemplates'],
  'resources/read': ['contents'],
  'prompts/list': ['prompts'],
  'prompts/get': ['messages'],
  'completion/complete': ['completion'],
}

/** What hosts take without refusing the whole list. The specification allows more. */
const safeName = /^[a-zA-Z0-9_-]{1,64}$/

function toolMistakes(tools: readonly Wire[]): string[] {
  const mistakes: string[] = []
  const names = new Set<string>()
  for (const { name, inputSchema } of tools) {
    if (typeof name !== 'string') {
      mistakes.push('a tool has no name')
      continue
    }
    if (names.has(name)) mistakes.push(`the tool ${name} is there twice`)
    names.add(name)
    if (!safeName.test(name)) mistakes.push(`the name ${name} makes some hosts refuse all tools: use a-z A-Z 0-9 _ -`)
    if (inputSchema?.type !== 'object') mistakes.push(`the tool ${name} lacks an inputSchema of type object`)
  }
  return mistakes
}

function contentMistakes(content: readonly Wire[]): string[] {
  return content
    .filter(block => typeof block?.type !== 'string' || (block.type === 'text' && typeof block.text !== 'string'))
    .map(block => `a block of content is no block: ${JSON.stringify(block)?.slice(0, 80)}`)
}
