import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema'

// The only file that knows the JSON Schema library.

export type { OutputUnit, Schema, SchemaDraft }

/** Where the references of a schema lead, by the absolute URI that the library notes in each of them. */
export type Lookup = Record<string, Schema | boolean>

/** A schema as the library is given it. */
export interface Definition {
  /** The schema with nothing but the keywords that are known: others are remarks, and may trip the library. */
  readonly root: Schema
  readonly draft: SchemaDraft
  readonly subschemas: number
  /** Whether `uniqueItems` is used: the library compares each item with each other. */
  readonly comparesItems: boolean
  readonly hasReferences: boolean
}

const maxReferencesFollowed = 1_000_000
const maxValuesExplained = 1000

/**
 * Where the references of a schema lead. Notes their URIs in the schema, as hidden members.
 *
 * @throws the library's Error for an `$id` or a `$ref` that is no URI, and for one `$id` twice
 */
export function lookupOf(root: Schema): Lookup {
  return dereference(root)
}

/** Where one reference leads. */
export function targetOf(schema: Schema, lookup: Lookup): Schema | boolean | undefined {
  return schema.__absolute_ref__ === undefined ? undefined : lookup[schema.__absolute_ref__]
}

/**
 * What is wrong with a value: nothing when it fits.
 *
 * @param members how many values there are in it
 * @throws for a value that is too complex: the library runs out of stack where a recursive schema meets a deep value,
 *   and is stopped when it follows references without end
 */
export function errorsOf(definition: Definition, lookup: Lookup, value: unknown, members: number): OutputUnit[] {
  const run = (onlyFirst: boolean) =>
    validate(value, definition.root, definition.draft, metered(definition, lookup, members), onlyFirst)
  const first = run(true)
  if (first.valid) return []
  // The first run stops at the first wrong member. A model is better served with all of them, but a value of a hundred
  // thousand wrong items would make as many errors.
  return members > maxValuesExplained ? first.errors : run(false).errors
}

/**
 * The lookup, which throws after so many references. Without references the work is schema times value at most. A
 * recursive one may double it at each level of the value (two alternatives that both go on to the same schema), and
 * the library reads the target of every reference here.
 */
function metered(definition: Definition, lookup: Lookup, members: number): Lookup {
  if (!definition.hasReferences) return lookup
  let left = Math.min(maxReferencesFollowed, 1000 + 4 * members * definition.subschemas)
  return new Proxy(lookup, {
    get(target, uri) {
      if (--left < 0) throw new Error('too many references followed')
      return target[uri as string]
    },
  })
}
