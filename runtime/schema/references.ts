import type { DefinitionError } from '../errors.ts'
import { type Lookup, lookupOf, type Schema, targetOf } from './library.ts'
import { messageOf, quote } from './text.ts'

/** A schema inside of another and where it stands there: `properties.fan.items`. */
export interface Subschema {
  readonly schema: Schema
  readonly at: string
}

/** What is thrown for a mistake in a subschema. */
export type Wrong = (at: string, text: string) => DefinitionError

const maxReferenceDepth = 256
const maxSchemasForOneValue = 10_000

/** Throws for references that lead nowhere, out of the schema, in a circle, or to more than can be checked. */
export function checkReferences(root: Schema, nodes: readonly Subschema[], wrong: Wrong): void {
  let lookup: Lookup
  try {
    lookup = lookupOf(root)
  } catch (cause) {
    throw wrong('', `its "$id" and "$ref" do not fit together (${messageOf(cause)})`)
  }
  for (const { schema, at } of nodes) {
    if (schema.$ref === undefined || targetOf(schema, lookup) !== undefined) continue
    const reason = schema.$ref.startsWith('#')
      ? 'leads to no schema here'
      : 'leads out of this schema, and nothing is ever fetched; copy what it means into "$defs"'
    throw wrong(at, `"$ref" ${quote(schema.$ref)} ${reason}`)
  }

  // How much the library does for one value without going down into its members: endless for a loop, and doubled by
  // each of a chain of schemas that refer twice to the next.
  const weights = new Map<Schema | boolean, { weight: number; height: number } | 'open'>()
  for (const { schema, at } of nodes) weigh(schema, at, 0)

  function weigh(node: Schema | boolean, at: string, depth: number): { weight: number; height: number } {
    const known = weights.get(node)
    if (known === 'open') throw wrong(at, '"$ref" leads back to itself without going into a member')
    if (known !== undefined) return known
    weights.set(node, 'open')
    const sum = { weight: 1, height: 1 }
    for (const next of inPlace(node, lookup)) {
      if (depth > maxReferenceDepth) throw wrong(at, `follows more than ${maxReferenceDepth} references in a row`)
      const part = weigh(next, at, depth + 1)
      sum.weight += part.weight
      sum.height = Math.max(sum.height, part.height + 1)
    }
    if (sum.weight > maxSchemasForOneValue || sum.height > maxReferenceDepth) {
      throw wrong(at, 'refers to too many schemas')
    }
    weights.set(node, sum)
    return sum
  }
}

/** The schemas that look at the same value as this one. */
export function inPlace(node: Schema | boolean, lookup: Lookup): (Schema | boolean)[] {
  if (typeof node === 'boolean') return []
  const lists = [node.allOf, node.anyOf, node.oneOf, Object.values(node.dependentSchemas ?? {})]
  const single = [node.not, node.if, node.then, node.else, targetOf(node, lookup)]
  return [...lists.flatMap(list => list ?? []), ...single.filter(schema => schema !== undefined)]
}
