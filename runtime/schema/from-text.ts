import { compileSchema } from '../schema.ts'
import type { StandardSchemaV1 } from '../standard-schema.ts'
import { isObject } from './plain.ts'
import type { Checked, JsonSchema } from './types.ts'

const deepest = 32
/** A number as JSON writes it. */
const number = /^\s*-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\s*$/

/**
 * Takes texts for what they say where the schema wants no text: some hosts send `"9600"` for 9600 and `"true"` for true.
 * Clients are shown the schema as it is.
 *
 * @throws DefinitionError for a schema that can never work, as when it is declared itself
 */
export function valuesFromText(schema: JsonSchema, what: string): StandardSchemaV1 {
  const { json, check } = compileSchema(schema, what)
  const made: StandardSchemaV1 = {
    '~standard': {
      version: 1,
      vendor: 'ferrule',
      validate(sent) {
        // A JSON Schema is always checked at once.
        const checked = check(converted(json, sent, json, 0)) as Checked
        return checked.ok ? { value: checked.value } : { issues: checked.problems.map(message => ({ message })) }
      },
      jsonSchema: { input: () => json, output: () => json },
    },
  }
  // Hidden, so that a copy of the schema is no longer one of these.
  return Object.defineProperty(made, shown, { value: json })
}

/** Under this key stands what a schema that was made by {@link valuesFromText} was made of. Shared by all copies of this package. */
const shown = Symbol.for('ferrule.textSchema')

/** The JSON Schema behind a schema of {@link valuesFromText}; nothing for any other. */
export function textSchemaOf(schema: object): JsonSchema | undefined {
  return (schema as { [shown]?: JsonSchema })[shown]
}

/** A copy in which texts are values, where anything had to be changed; the value itself elsewhere. */
function converted(schema: unknown, value: unknown, root: Record<string, unknown>, depth: number): unknown {
  if (depth > deepest || !isObject(schema)) return value
  if (typeof schema.$ref === 'string') return converted(referred(schema.$ref, root), value, root, depth + 1)
  if (typeof value === 'string') return fromText(value, typesOf(schema, root, depth))
  if (Array.isArray(value) && isObject(schema.items)) {
    return value.map(item => converted(schema.items, item, root, depth + 1))
  }
  if (!isObject(value) || !isObject(schema.properties)) return value
  let copy: Record<string, unknown> | undefined
  for (const [name, member] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(value, name)) continue
    const changed = converted(member, value[name], root, depth + 1)
    if (changed === value[name]) continue
    copy ??= { ...value }
    copy[name] = changed
  }
  return copy ?? value
}

/** The types that a value may have; nothing when the schema does not say, for then it may be a text. */
function typesOf(schema: unknown, root: Record<string, unknown>, depth: number): unknown[] | undefined {
  if (depth > deepest || !isObject(schema)) return undefined
  if (typeof schema.$ref === 'string') return typesOf(referred(schema.$ref, root), root, depth + 1)
  if (typeof schema.type === 'string') return [schema.type]
  if (Array.isArray(schema.type)) return schema.type
  if (Array.isArray(schema.enum)) return schema.enum.map(each => (each === null ? 'null' : typeof each))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (!Array.isArray(alternatives)) return undefined
  const types = alternatives.map(each => typesOf(each, root, depth + 1))
  return types.includes(undefined) ? undefined : types.flat()
}

function fromText(text: string, types: unknown[] | undefined): unknown {
  if (types === undefined || types.includes('string')) return text
  if ((types.includes('number') || types.includes('integer')) && number.test(text)) {
    const value = Number(text)
    // One that a number cannot hold exactly is better refused than changed.
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
  }
  const word = text.trim().toLowerCase()
  if (types.includes('boolean') && (word === 'true' || word === 'false')) return word === 'true'
  return text
}

/** The part of the schema that a reference of the form `#/$defs/name` names. */
function referred(reference: string, root: Record<string, unknown>): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let found: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}
