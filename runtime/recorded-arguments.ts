import { isObject } from './json.ts'

/** What stands in the record for a value that the schema calls secret. */
export const hiddenValue = '[hidden]'

/** How much of the arguments of one call is kept, in characters and members. */
const mostText = 4000
const longestText = 1000
const perValue = 8
const deepest = 8

type Schema = Record<string, unknown>

/**
 * Makes what turns the arguments of a tool into what is recorded of them: a copy, bounded in size, with
 * {@link hiddenValue} in the place of every member that the schema marks with `writeOnly` or `"format": "password"`.
 * Where a mark cannot be placed for certain, more is hidden rather than less.
 *
 * @param schema the input schema of the tool, in JSON
 */
export function argumentsRecorder(schema: Schema): (given: unknown) => unknown {
  const schemas = marksSecrets(schema) ? [schema] : []
  return given => copy(given, applied(schemas, schema), { root: schema, left: mostText, depth: 0 })
}

interface Walk {
  readonly root: Schema
  left: number
  depth: number
}

function copy(value: unknown, schemas: readonly Schema[], walk: Walk): unknown {
  if (schemas.some(isSecret)) return hiddenValue
  walk.left -= perValue
  if (typeof value === 'string') return cut(value, walk)
  if (typeof value !== 'object' || value === null) return value
  if (walk.depth === deepest) return '…'
  walk.depth++
  const copied = Array.isArray(value) ? copyItems(value, schemas, walk) : copyMembers(value, schemas, walk)
  walk.depth--
  return copied
}

function copyItems(items: readonly unknown[], schemas: readonly Schema[], walk: Walk): unknown[] {
  const copied: unknown[] = []
  const forItems = schemas.length === 0 ? schemas : applied(schemas.flatMap(itemSchemas), walk.root)
  for (const [index, item] of items.entries()) {
    if (walk.left <= 0) {
      copied.push(`… ${items.length - index} more`)
      break
    }
    copied.push(copy(item, forItems, walk))
  }
  return copied
}

function copyMembers(members: object, schemas: readonly Schema[], walk: Walk): Record<string, unknown> {
  // Without a prototype, a member called __proto__ is a member.
  const copied: Record<string, unknown> = Object.create(null)
  const names = Object.keys(members)
  for (const [index, name] of names.entries()) {
    if (walk.left <= 0) {
      copied['…'] = `${names.length - index} more`
      break
    }
    const forMember =
      schemas.length === 0
        ? schemas
        : applied(
            schemas.flatMap(schema => memberSchemas(schema, name)),
            walk.root,
          )
    copied[cut(name, walk)] = copy((members as Record<string, unknown>)[name], forMember, walk)
  }
  return copied
}

function cut(text: string, walk: Walk): string {
  const most = Math.max(0, Math.min(longestText, walk.left))
  walk.left -= Math.min(text.length, most)
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`
}

function isSecret(schema: Schema): boolean {
  return schema.writeOnly === true || schema.format === 'password'
}

function marksSecrets(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return isSecret(value as Schema) || Object.values(value).some(marksSecrets)
}

function memberSchemas(schema: Schema, name: string): unknown[] {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : []
  const found = patterns.filter(([pattern]) => matches(pattern, name)).map(([, each]) => each)
  if (isObject(properties) && Object.hasOwn(properties, name)) return [...found, properties[name]]
  return [...found, additionalProperties, unevaluatedProperties]
}

/** A pattern that is no regular expression here may fit anything, and a name too long to be tried may fit any. */
function matches(pattern: string, name: string): boolean {
  if (name.length > longestText) return true
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return true
  }
}

function itemSchemas({ items, prefixItems, additionalItems, unevaluatedItems, contains }: Schema): unknown[] {
  return [items, prefixItems, additionalItems, unevaluatedItems, contains].flat()
}

/** Every schema that may have a say about a value that these are for: what they consist of and refer to, too. */
function applied(schemas: readonly unknown[], root: Schema): Schema[] {
  const found = new Set<Schema>()
  const waiting = [...schemas]
  while (waiting.length > 0) {
    const each = waiting.pop()
    if (!isObject(each) || found.has(each)) continue
    found.add(each)
    const { allOf, anyOf, oneOf, then, dependentSchemas } = each
    waiting.push(...[allOf, anyOf, oneOf, each.if, then, each.else, each.not].flat())
    if (isObject(dependentSchemas)) waiting.push(...Object.values(dependentSchemas))
    if (typeof each.$ref === 'string') waiting.push(resolved(each.$ref, root))
  }
  return [...found]
}

/** What a reference leads to. What cannot be followed here counts as secret. */
function resolved(reference: string, root: Schema): unknown {
  const secret = { writeOnly: true }
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return secret
  let place: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const key = unescaped(step)
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return secret
    place = (place as Record<string, unknown>)[key]
  }
  return place
}

/** A step of a JSON Pointer in a URI fragment (RFC 6901, section 6). */
function unescaped(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}
