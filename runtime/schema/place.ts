import { shapeOf } from './keywords.ts'
import { type Lookup, type Schema, targetOf } from './library.ts'
import { isObject } from './plain.ts'
import { clean, maxNamesShown } from './text.ts'
import type { Wording } from './wording.ts'

/** A place in a value by name: `"steps[2].angle"`. */
export function nameOf(tokens: readonly string[], root: unknown, words: Wording): string {
  if (tokens.length === 0) return words.whole
  let text = ''
  let part = root
  for (const token of tokens.slice(0, maxNamesShown)) {
    if (Array.isArray(part)) text += `[${clean(token)}]`
    else text += text === '' ? clean(token) : `.${clean(token)}`
    part = memberOf(part, token)
  }
  return JSON.stringify(tokens.length > maxNamesShown ? `${text}…` : text)
}

/** What stands at a place in a value. */
export function valueAt(root: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce(memberOf, root)
}

/** The steps of one of the library's pointers, which are JSON Pointers through `encodeURI`. */
export function tokensOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(token => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The schema whose keyword a pointer leads to, and the keywords on the way to it. */
export function schemaAt(
  pointer: string,
  root: Schema,
  lookup: Lookup,
): { schema: Schema | undefined; through: string[] } {
  const tokens = tokensOf(pointer).slice(0, -1)
  const through: string[] = []
  let node: any = root
  for (let i = 0; i < tokens.length && typeof node === 'object' && node !== null; i++) {
    const keyword = tokens[i]!
    through.push(keyword)
    if (keyword === '$ref') {
      node = targetOf(node, lookup)
      continue
    }
    node = node[keyword]
    if (shapeOf(keyword) === 'schemaMap' || Array.isArray(node)) node = memberOf(node, tokens[++i] ?? '')
  }
  return { schema: isObject(node) ? (node as Schema) : undefined, through }
}

function memberOf(part: unknown, token: string): unknown {
  if (typeof part !== 'object' || part === null || !Object.hasOwn(part, token)) return undefined
  return (part as Record<string, unknown>)[token]
}
