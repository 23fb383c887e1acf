import { isObject, type Server } from '../../runtime/index.ts'

/** An argument of a tool that HTTP requests repeat in a header `Mcp-Param-<header>`. */
export interface MirroredArgument {
  header: string
  /** The keys that lead to it, from the arguments down. */
  path: readonly string[]
  type: 'string' | 'integer' | 'boolean'
}

const none: readonly MirroredArgument[] = []
const known = new WeakMap<object, readonly MirroredArgument[]>()

/** What the tool of this name wants to see repeated, by `x-mcp-header` in its schema. Nothing of a tool that is unknown. */
export function mirroredArguments(server: Server, tool: unknown): readonly MirroredArgument[] {
  const listed = typeof tool === 'string' ? server.tools.entry(tool)?.listed : undefined
  if (listed === undefined) return none
  let found = known.get(listed)
  if (found === undefined) {
    found = annotatedIn(listed.inputSchema)
    known.set(listed, found)
  }
  return found
}

/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * The annotations of a schema. They stand on strings, whole numbers and truth values that `properties` alone lead to. One
 * that is wrong makes clients drop the tool, so then there is nothing to check either.
 */
function annotatedIn(schema: unknown): readonly MirroredArgument[] {
  const found: MirroredArgument[] = []
  const walk = (at: unknown, path: readonly string[]): boolean => {
    if (!isObject(at)) return true
    const header = at['x-mcp-header']
    if (header !== undefined) {
      const { type } = at
      const fits = type === 'string' || type === 'integer' || type === 'boolean'
      if (typeof header !== 'string' || !token.test(header) || !fits || path.length === 0) return false
      if (found.some(each => each.header.toLowerCase() === header.toLowerCase())) return false
      found.push({ header, path, type })
    }
    return !isObject(at.properties) || Object.entries(at.properties).every(([key, each]) => walk(each, [...path, key]))
  }
  return walk(schema, []) ? found : none
}
