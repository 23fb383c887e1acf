import { DefinitionError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { exampleOf, type Shape, shapeOf } from './keywords.ts'
import type { Definition, Schema, SchemaDraft } from './library.ts'
import { isObject } from './plain.ts'
import { checkReferences, type Subschema, type Wrong } from './references.ts'
import { clean, messageOf, quote, show } from './text.ts'

const maxSchemaDepth = 64
const maxSubschemas = 10_000

/**
 * Reads a schema into a copy that holds known keywords only.
 *
 * @throws DefinitionError for a schema that can never work
 */
export function readDefinition(json: Record<string, unknown>, what: string): Definition {
  const wrong: Wrong = (at, text) => new DefinitionError(`${what}${at === '' ? '' : `, at ${at}`}: ${text}`)
  const draft = draftOf(json.$schema)
  const nodes: Subschema[] = []
  const root = read(json, '', 0) as Schema
  const hasReferences = nodes.some(({ schema }) => schema.$ref !== undefined || schema.$id !== undefined)
  if (hasReferences) checkReferences(root, nodes, wrong)
  const comparesItems = nodes.some(({ schema }) => schema.uniqueItems === true)
  return { root, draft, subschemas: nodes.length, comparesItems, hasReferences }

  function draftOf(uri: unknown): SchemaDraft {
    if (uri === undefined) return '2020-12'
    const found = typeof uri === 'string' ? drafts.get(uri.replace(/^https?:\/\//, '').replace(/#$/, '')) : undefined
    if (found === undefined) throw wrong('', `"$schema" must name draft 2020-12, 2019-09 or 07, not ${show(uri)}`)
    return found
  }

  function read(node: unknown, at: string, depth: number): Schema | boolean {
    if (typeof node === 'boolean') return node
    if (!isObject(node)) throw wrong(at, `must be a schema (an object, true or false), not ${show(node)}`)
    if (depth > maxSchemaDepth) throw wrong('', `is nested deeper than ${maxSchemaDepth} levels`)
    if (nodes.length >= maxSubschemas) throw wrong('', `has more than ${maxSubschemas} subschemas`)
    if (node.$schema !== undefined && draftOf(node.$schema) !== draft) {
      throw wrong(at, '"$schema" differs from the root')
    }
    const schema: Schema = {}
    nodes.push({ schema, at })
    for (const [keyword, value] of Object.entries(node)) {
      const shape = shapeOf(keyword)
      if (shape !== undefined) readKeyword(schema, keyword, shape, value, at, depth)
    }
    checkTogether(schema, at)
    return schema
  }

  function readKeyword(schema: Schema, keyword: string, shape: Shape, value: unknown, at: string, depth: number): void {
    const here = `${at}${at === '' ? '' : '.'}${keyword}`
    const must = (text: string) => wrong(at, `"${keyword}" must be ${text}, not ${show(value)}`)
    const rule = rules[shape]
    if (rule !== undefined && !rule.fits(value)) throw must(rule.text)
    schema[keyword] = value
    switch (shape) {
      case 'refused':
        throw wrong(at, `"${keyword}" is not supported; use "$ref"`)
      case 'type':
        checkType(value, at)
        return
      case 'format':
        if (exampleOf(value as string) === undefined) delete schema[keyword]
        return
      case 'regex':
        checkRegex(value as string, keyword, at)
        return
      case 'namesMap':
        schema[keyword] = entriesOf(value as object, isNames)
        return
      case 'schema':
        schema[keyword] = read(value, here, depth + 1)
        return
      case 'schemaOrTuple':
        if (Array.isArray(value) && draft === '2020-12') throw wrong(at, 'a list in "items" is now "prefixItems"')
        schema[keyword] = Array.isArray(value) ? readList(value, here, depth) : read(value, here, depth + 1)
        return
      case 'schemaList':
        schema[keyword] = readList(value as unknown[], here, depth)
        return
      case 'schemaMap':
        if (keyword === 'patternProperties') {
          for (const pattern of Object.keys(value as object)) checkRegex(pattern, keyword, at)
        }
        schema[keyword] = readMap(value as object, here, depth)
        return
      case 'dependencies':
        // Said in today's words, because the library takes this map itself for a schema.
        if ('dependentRequired' in schema || 'dependentSchemas' in schema) throw wrong(at, `"${keyword}" comes twice`)
        delete schema[keyword]
        schema.dependentRequired = entriesOf(value as object, Array.isArray)
        if (!Object.values(schema.dependentRequired).every(isNames)) {
          throw must('an object of schemas and lists of names')
        }
        schema.dependentSchemas = readMap(
          entriesOf(value as object, entry => !Array.isArray(entry)),
          here,
          depth,
        ) as Record<string, Schema>
        return
    }
  }

  function readList(list: unknown[], at: string, depth: number): any[] {
    return list.map((node, index) => read(node, `${at}[${index}]`, depth + 1))
  }

  function readMap(map: object, at: string, depth: number): Record<string, Schema | boolean> {
    const schemas = Object.create(null)
    for (const [name, node] of Object.entries(map)) schemas[name] = read(node, `${at}.${clean(name)}`, depth + 1)
    return schemas
  }

  function checkType(value: unknown, at: string): void {
    for (const name of [value].flat()) {
      if (typeNames.includes(name as string)) continue
      const near = typeof name === 'string' ? nearest(name, typeNames) : undefined
      const hint = near === undefined ? `use one of ${typeNames.join(', ')}` : `did you mean "${near}"?`
      throw wrong(at, `type ${show(name)} is unknown; ${hint}`)
    }
  }

  function checkRegex(source: string, keyword: string, at: string): void {
    try {
      new RegExp(source, 'u')
    } catch (cause) {
      throw wrong(at, `"${keyword}" has ${show(source)}, which is no regular expression (${messageOf(cause)})`)
    }
  }

  function checkTogether(schema: Schema, at: string): void {
    for (const [low, high, mayBeEqual] of limits) {
      const from = schema[low]
      const to = schema[high]
      if (from === undefined || to === undefined) continue
      if (from > to || (from === to && !mayBeEqual)) {
        throw wrong(at, `nothing fits "${low}" ${from} together with "${high}" ${to}`)
      }
    }
    if (schema.additionalProperties !== false || schema.patternProperties !== undefined) return
    for (const name of schema.required ?? []) {
      if (Object.hasOwn(schema.properties ?? {}, name)) continue
      throw wrong(at, `${quote(name)} is in "required" but not in "properties", and nothing else is allowed`)
    }
  }
}

const drafts: ReadonlyMap<string, SchemaDraft> = new Map<string, SchemaDraft>([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', '7'],
])

const typeNames = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

const limits: readonly (readonly [low: string, high: string, mayBeEqual: boolean])[] = [
  ['minimum', 'maximum', true],
  ['minimum', 'exclusiveMaximum', false],
  ['exclusiveMinimum', 'maximum', false],
  ['exclusiveMinimum', 'exclusiveMaximum', false],
  ['minLength', 'maxLength', true],
  ['minItems', 'maxItems', true],
  ['minProperties', 'maxProperties', true],
  ['minContains', 'maxContains', true],
]

const isText = (value: unknown) => typeof value === 'string'
const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const isList = (value: unknown) => Array.isArray(value) && value.length > 0

/** What may stand behind a keyword, as far as the value alone tells. */
const rules: Readonly<Partial<Record<Shape, { fits: (value: any) => boolean; text: string }>>> = {
  type: { fits: value => !Array.isArray(value) || value.length > 0, text: 'a type or a list of types' },
  schemaList: { fits: isList, text: 'a list of schemas with at least one' },
  schemaMap: { fits: isObject, text: 'an object' },
  dependencies: { fits: isObject, text: 'an object' },
  text: { fits: isText, text: 'a string' },
  format: { fits: isText, text: 'a string' },
  regex: { fits: isText, text: 'a string' },
  number: { fits: value => typeof value === 'number', text: 'a number' },
  positive: { fits: value => typeof value === 'number' && value > 0, text: 'a number above 0' },
  count: { fits: value => Number.isSafeInteger(value) && value >= 0, text: 'a whole number of at least 0' },
  flag: { fits: value => typeof value === 'boolean', text: 'true or false' },
  names: { fits: isNames, text: 'a list of strings' },
  namesMap: {
    fits: value => isObject(value) && Object.values(value).every(isNames),
    text: 'an object of lists of strings',
  },
  list: { fits: isList, text: 'a list with at least one value' },
}

/** The entries that fit, on a null prototype: `__proto__` is a name like any other. */
function entriesOf(map: object, fits: (entry: unknown) => boolean): Record<string, any> {
  const entries = Object.create(null)
  for (const [name, entry] of Object.entries(map)) if (fits(entry)) entries[name] = entry
  return entries
}
