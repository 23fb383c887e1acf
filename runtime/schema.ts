import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema'
import { DefinitionError } from './errors.ts'
import type { StandardResult, StandardSchemaV1 } from './standard-schema.ts'

// The only file that knows the JSON Schema library. A schema goes through it like this:
//
//   schema ── read (mistakes throw) ──► stripped copy ──► fast path ── accepts ──► ok
//                                            │                │ does not accept, or there is none
//                                            └──► library ◄───┘
//                                                   │ refuses
//                                                   └──► explain ──► problems

/** The names that JSON Schema's `type` knows. */
export type JsonTypeName = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

// Keeps the known names in the editor's list and takes a plain `string`, which is what a schema read from a file has.
type LooseTypeName = JsonTypeName | (string & Record<never, never>)

/**
 * A JSON Schema in its object form: draft 2020-12, or 2019-09 or 07 when `$schema` says so. Every keyword is allowed;
 * those that are listed here help while writing.
 *
 * `format` is checked for the formats of the specification that can be checked in linear time (`date-time`, `email`,
 * `uri`, `uuid` and so on) and is a remark otherwise. `$dynamicRef`, `$recursiveRef` and references to other documents
 * are refused.
 */
export interface JsonSchema {
  readonly type?: LooseTypeName | readonly LooseTypeName[]
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema | object | boolean>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly [keyword: string]: unknown
}

/** How arguments are described: a JSON Schema, or a Standard Schema (zod, valibot and others). */
export type InputSchema = JsonSchema | StandardSchemaV1

/** The type of the values that a JSON Schema literal describes; `unknown` where it says more than types can. */
export type FromSchema<S> = JsonSchema extends S
  ? Record<string, unknown>
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly type: readonly (infer Name)[] }
        ? FromType<Name, S>
        : S extends { readonly type: infer Name }
          ? FromType<Name, S>
          : unknown

type FromType<Name, S> = Name extends 'string'
  ? string
  : Name extends 'number' | 'integer'
    ? number
    : Name extends 'boolean'
      ? boolean
      : Name extends 'null'
        ? null
        : Name extends 'array'
          ? FromItems<S>
          : Name extends 'object'
            ? FromProperties<S>
            : unknown

type FromItems<S> = S extends { readonly items: infer Items } ? FromSchema<Items>[] : unknown[]

type FromProperties<S> = S extends { readonly properties: infer P }
  ? Flat<
      { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromSchema<P[K]> } & {
        -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromSchema<P[K]>
      }
    >
  : Record<string, unknown>

// A `required` that is only known as string[] says nothing of any one name.
type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never

type Flat<T> = { [K in keyof T]: T[K] }

type IsAny<T> = 0 extends 1 & T ? true : false

/**
 * The arguments that a handler is given for an input schema: a Standard Schema's output, what a JSON Schema literal
 * describes, a plain record for a schema that is only known at run time, and nothing when there is no schema.
 */
export type ArgumentsOf<S> =
  IsAny<S> extends true
    ? any
    : [S] extends [undefined]
      ? Record<string, never>
      : InputSchema extends S
        ? Record<string, never>
        : S extends StandardSchemaV1<any, infer Output>
          ? Output
          : unknown extends FromSchema<S>
            ? Record<string, unknown>
            : FromSchema<S>

/** The outcome of a check. `problems` are sentences for the model that must correct its call: at most 8, each short. */
export type Checked = { ok: true; value: unknown } | { ok: false; problems: string[] }

/** A schema that is ready to check values. */
export interface CompiledSchema {
  /** The schema as JSON Schema, as clients are shown it: a copy, without anything that JSON cannot carry. */
  readonly json: Record<string, unknown>
  /**
   * Checks a value. A JSON Schema answers at once; a Standard Schema may answer with a promise, and `value` is then its
   * output. Never throws for a value; what a Standard Schema's own code throws comes through.
   */
  check(value: unknown): Checked | Promise<Checked>
}

/**
 * Compiles a schema.
 *
 * @param what names the schema in messages: `inputSchema of actuator "fan"`
 * @throws DefinitionError for a schema that can never work: an unknown `type`, a `pattern` that is no regular
 *   expression, `minimum` above `maximum`, a `$ref` to nowhere or to another document (nothing is ever fetched)
 */
export function compileSchema(schema: InputSchema, what: string): CompiledSchema {
  return isStandardSchema(schema) ? compileStandard(schema, what) : compileJson(schema, what)
}

/**
 * Adds a JSON Schema to a Standard Schema that cannot show itself as one (valibot, or zod with a transformation that
 * JSON Schema cannot say). Clients see the JSON Schema; the Standard Schema checks.
 */
export function withJsonSchema<Input, Output>(
  schema: StandardSchemaV1<Input, Output>,
  json: JsonSchema,
): StandardSchemaV1<Input, Output> {
  const { vendor } = schema['~standard']
  return {
    '~standard': {
      version: 1,
      vendor,
      validate: value => schema['~standard'].validate(value),
      jsonSchema: { input: () => ({ ...json }), output: () => ({ ...json }) },
    },
  }
}

/** Throws a DefinitionError unless the root of the schema says `"type": "object"`, as MCP requires of a tool's input. */
export function assertObjectRoot(json: unknown, what: string): void {
  if (!isObject(json) || json.type !== 'object') {
    throw new DefinitionError(`${what}: its root must have "type": "object", because MCP passes arguments by name`)
  }
}

const maxSchemaDepth = 64
const maxSubschemas = 10_000
const maxReferenceDepth = 256
const maxReferencesFollowed = 1_000_000
const maxValueDepth = 200
const maxItemsCompared = 2048
const maxValuesExplained = 1000
const maxProblems = 8
const maxProblemLength = 300
const maxShownLength = 40
const maxNamesShown = 12

// ── Compiling ────────────────────────────────────────────────────────────────────────────────────────────────────────

type Lookup = Record<string, Schema | boolean>

function compileJson(schema: unknown, what: string): CompiledSchema {
  const json = jsonCopy(schema, what)
  const definition = readDefinition(json, what)
  const { root } = definition
  const accepts = compileFast(root)
  let lookup = definition.lookup
  return {
    json,
    check(value) {
      if (accepts?.(value, 0)) return { ok: true, value }
      lookup ??= dereference(root)
      return checkByLibrary(definition, lookup, value)
    },
  }
}

function compileStandard(schema: StandardSchemaV1, what: string): CompiledSchema {
  const standard = schema['~standard']
  if (!isObject(standard) || typeof standard.validate !== 'function') {
    throw new DefinitionError(`${what}: "~standard" must have a function validate (Standard Schema 1)`)
  }
  const cannot = `${what}: this ${standard.vendor} schema cannot show itself as JSON Schema`
  const remedy = 'give the JSON Schema too: withJsonSchema(schema, { type: "object", properties: { … } })'
  if (typeof standard.jsonSchema?.input !== 'function') throw new DefinitionError(`${cannot}; ${remedy}`)
  let shown: unknown
  try {
    shown = standard.jsonSchema.input({ target: 'draft-2020-12' })
  } catch (cause) {
    throw new DefinitionError(`${cannot} (${messageOf(cause)}); ${remedy}`, { cause })
  }
  const json = jsonCopy(shown, what)
  readDefinition(json, what)
  return {
    json,
    check(value) {
      // A schema that calls itself would run out of stack on a value that is nested deep enough.
      const refused = isPlain(value, 0) ? undefined : survey(value, false).problem
      if (refused !== undefined) return { ok: false, problems: [refused] }
      const outcome = standard.validate(value)
      return 'then' in outcome
        ? outcome.then(settled => fromStandard(settled, value))
        : fromStandard(outcome as StandardResult<unknown>, value)
    },
  }
}

function fromStandard(result: StandardResult<unknown>, value: unknown): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value }
  const problems = result.issues.slice(0, maxProblems).map(issue => {
    const tokens = (issue.path ?? []).map(step => String(typeof step === 'object' ? step.key : step))
    const message = clean(issue.message, maxProblemLength)
    if (tokens.length === 0) return message
    const sent = valueAt(value, tokens)
    return clip(`${nameOf(tokens, value)}: ${message}${sent === undefined ? '' : `; you sent ${show(sent)}`}`)
  })
  return { ok: false, problems: problems.length > 0 ? problems : ['the arguments do not fit'] }
}

function checkByLibrary(definition: Definition, lookup: Lookup, value: unknown): Checked {
  const { root, draft } = definition
  const { problem, count } = survey(value, definition.comparesItems)
  if (problem !== undefined) return { ok: false, problems: [problem] }
  try {
    const first = validate(value, root, draft, metered(lookup, definition, count), true)
    if (first.valid) return { ok: true, value }
    // The first run stops at the first wrong member. A model is better served with all of them, but a value of a
    // hundred thousand wrong items would make as many errors.
    const errors =
      count > maxValuesExplained
        ? first.errors
        : validate(value, root, draft, metered(lookup, definition, count), false).errors
    return { ok: false, problems: explain(root, lookup, value, errors) }
  } catch {
    // The library runs out of stack where a recursive schema meets a deep value, and is stopped by `metered`.
    return { ok: false, problems: ['the arguments are too complex to be checked: send fewer levels or fewer items'] }
  }
}

/**
 * The lookup, which throws after so many references. Without references the work is schema times value at most. A
 * recursive one may double it at each level of the value (two alternatives that both go on to the same schema), and
 * the library reads the target of every reference here.
 */
function metered(lookup: Lookup, definition: Definition, values: number): Lookup {
  if (definition.lookup === undefined) return lookup
  let left = Math.min(maxReferencesFollowed, 1000 + 4 * values * definition.subschemas)
  return new Proxy(lookup, {
    get(target, uri) {
      if (--left < 0) throw new Error('too many references followed')
      return target[uri as string]
    },
  })
}

function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === 'function' || (typeof schema === 'object' && schema !== null)) && '~standard' in schema
}

/** What clients will be sent. The library also writes hidden members into the schema it is given, so it needs a copy. */
function jsonCopy(schema: unknown, what: string): Record<string, unknown> {
  if (!isObject(schema)) throw new DefinitionError(`${what}: must be an object (a JSON Schema) or a Standard Schema`)
  try {
    return JSON.parse(JSON.stringify(schema))
  } catch (cause) {
    throw new DefinitionError(`${what}: cannot be written as JSON (${messageOf(cause)})`, { cause })
  }
}

// ── Reading a definition ─────────────────────────────────────────────────────────────────────────────────────────────

type Shape =
  | 'type'
  | 'schema'
  | 'schemaOrTuple'
  | 'schemaList'
  | 'schemaMap'
  | 'dependencies'
  | 'text'
  | 'format'
  | 'regex'
  | 'number'
  | 'positive'
  | 'count'
  | 'flag'
  | 'names'
  | 'namesMap'
  | 'list'
  | 'anything'
  | 'refused'

const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['type', 'type'],
  ['enum', 'list'],
  ['const', 'anything'],
  ['properties', 'schemaMap'],
  ['required', 'names'],
  ['additionalProperties', 'schema'],
  ['patternProperties', 'schemaMap'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['minProperties', 'count'],
  ['maxProperties', 'count'],
  ['dependentRequired', 'namesMap'],
  ['dependentSchemas', 'schemaMap'],
  ['dependencies', 'dependencies'],
  ['items', 'schemaOrTuple'],
  ['prefixItems', 'schemaList'],
  ['additionalItems', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['contains', 'schema'],
  ['minContains', 'count'],
  ['maxContains', 'count'],
  ['minItems', 'count'],
  ['maxItems', 'count'],
  ['uniqueItems', 'flag'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['multipleOf', 'positive'],
  ['minLength', 'count'],
  ['maxLength', 'count'],
  ['pattern', 'regex'],
  ['format', 'format'],
  ['allOf', 'schemaList'],
  ['anyOf', 'schemaList'],
  ['oneOf', 'schemaList'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['$ref', 'text'],
  ['$id', 'text'],
  ['$anchor', 'text'],
  ['$defs', 'schemaMap'],
  ['definitions', 'schemaMap'],
  // The library ignores the first, which would let everything through, and runs out of stack on the second.
  ['$dynamicRef', 'refused'],
  ['$recursiveRef', 'refused'],
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

/**
 * The formats that are checked, each with an example for problem texts. 2020-12 lets an implementation choose. The
 * library would also check `url`, with an expression that takes minutes for thirty characters.
 */
const formats: ReadonlyMap<string, string> = new Map([
  ['date', '2026-01-31'],
  ['time', '12:30:00Z'],
  ['date-time', '2026-01-31T12:30:00Z'],
  ['duration', 'PT30S'],
  ['email', 'name@example.com'],
  ['hostname', 'device.example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/a'],
  ['uri-reference', '../a'],
  ['uri-template', '/a/{id}'],
  ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
  ['json-pointer', '/a/0'],
  ['relative-json-pointer', '1/a'],
  ['regex', '^[a-z]+$'],
])

const drafts: ReadonlyMap<string, SchemaDraft> = new Map<string, SchemaDraft>([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', '7'],
])

interface Definition {
  /** The schema with nothing but the keywords of {@link shapes}: others are remarks, and may trip the library. */
  readonly root: Schema
  readonly draft: SchemaDraft
  readonly subschemas: number
  /** Where references lead, when there are any. Without references it is made at the first need. */
  readonly lookup: Lookup | undefined
  /** Whether `uniqueItems` is used: the library compares each item with each other. */
  readonly comparesItems: boolean
}

function readDefinition(json: Record<string, unknown>, what: string): Definition {
  const draft = draftOf(json.$schema)
  const nodes: { schema: Schema; at: string }[] = []
  let comparesItems = false

  function wrong(at: string, text: string): DefinitionError {
    return new DefinitionError(`${what}${at === '' ? '' : `, at ${at}`}: ${text}`)
  }

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
    if (node.$schema !== undefined && draftOf(node.$schema) !== draft)
      throw wrong(at, '"$schema" differs from the root')
    const schema: Schema = {}
    nodes.push({ schema, at })
    for (const [keyword, value] of Object.entries(node)) {
      const shape = shapes.get(keyword)
      if (shape !== undefined) readKeyword(schema, keyword, shape, value, at, depth)
    }
    checkTogether(schema, at)
    return schema
  }

  function readKeyword(schema: Schema, keyword: string, shape: Shape, value: unknown, at: string, depth: number): void {
    const here = `${at}${at === '' ? '' : '.'}${keyword}`
    const must = (text: string) => wrong(at, `"${keyword}" must be ${text}, not ${show(value)}`)
    schema[keyword] = value
    switch (shape) {
      case 'refused':
        throw wrong(at, `"${keyword}" is not supported; use "$ref"`)
      case 'type': {
        const names = Array.isArray(value) ? value : [value]
        if (names.length === 0) throw must('a type or a list of types')
        for (const name of names) {
          if (typeNames.includes(name)) continue
          const near = typeof name === 'string' ? nearest(name, typeNames) : undefined
          const hint = near === undefined ? `use one of ${typeNames.join(', ')}` : `did you mean "${near}"?`
          throw wrong(at, `type ${show(name)} is unknown; ${hint}`)
        }
        return
      }
      case 'schemaOrTuple':
        if (Array.isArray(value) && draft === '2020-12') throw wrong(at, 'a list in "items" is now "prefixItems"')
        schema[keyword] = Array.isArray(value) ? readList(value, here, depth) : read(value, here, depth + 1)
        return
      case 'schema':
        schema[keyword] = read(value, here, depth + 1)
        return
      case 'schemaList':
        if (!Array.isArray(value) || value.length === 0) throw must('a list of schemas with at least one')
        schema[keyword] = readList(value, here, depth)
        return
      case 'schemaMap':
        if (!isObject(value)) throw must('an object')
        if (keyword === 'patternProperties') {
          for (const pattern of Object.keys(value)) checkRegex(pattern, keyword, at)
        }
        schema[keyword] = readMap(value, here, depth)
        return
      case 'dependencies':
        // Said in today's words, because the library takes this map itself for a schema.
        if (!isObject(value)) throw must('an object')
        if ('dependentRequired' in schema || 'dependentSchemas' in schema) throw wrong(at, `"${keyword}" comes twice`)
        delete schema[keyword]
        schema.dependentRequired = entriesOf(value, Array.isArray)
        for (const names of Object.values(schema.dependentRequired)) {
          if (!isNames(names)) throw must('an object of schemas and lists of names')
        }
        schema.dependentSchemas = readMap(
          entriesOf(value, entry => !Array.isArray(entry)),
          here,
          depth,
        ) as Record<string, Schema>
        return
      case 'text':
        if (typeof value !== 'string') throw must('a string')
        return
      case 'format':
        if (typeof value !== 'string') throw must('a string')
        if (!formats.has(value)) delete schema[keyword]
        return
      case 'regex':
        if (typeof value !== 'string') throw must('a string')
        checkRegex(value, keyword, at)
        return
      case 'number':
        if (typeof value !== 'number') throw must('a number')
        return
      case 'positive':
        if (typeof value !== 'number' || value <= 0) throw must('a number above 0')
        return
      case 'count':
        if (!Number.isSafeInteger(value) || (value as number) < 0) throw must('a whole number of at least 0')
        return
      case 'flag':
        if (typeof value !== 'boolean') throw must('true or false')
        comparesItems ||= value
        return
      case 'names':
        if (!isNames(value)) throw must('a list of strings')
        return
      case 'namesMap':
        if (!isObject(value) || !Object.values(value).every(isNames)) throw must('an object of lists of strings')
        schema[keyword] = entriesOf(value, isNames)
        return
      case 'list':
        if (!Array.isArray(value) || value.length === 0) throw must('a list with at least one value')
        return
    }
  }

  function readList(list: unknown[], at: string, depth: number): any[] {
    return list.map((node, index) => read(node, `${at}[${index}]`, depth + 1))
  }

  function readMap(map: Record<string, unknown>, at: string, depth: number): Record<string, Schema | boolean> {
    const schemas = Object.create(null)
    for (const [name, node] of Object.entries(map)) schemas[name] = read(node, `${at}.${clean(name)}`, depth + 1)
    return schemas
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

  const root = read(json, '', 0) as Schema
  const named = nodes.some(({ schema }) => schema.$ref !== undefined || schema.$id !== undefined)
  const lookup = named ? resolveReferences(root, nodes, wrong) : undefined
  return { root, draft, subschemas: nodes.length, lookup, comparesItems }
}

function resolveReferences(
  root: Schema,
  nodes: readonly { schema: Schema; at: string }[],
  wrong: (at: string, text: string) => DefinitionError,
): Lookup {
  let lookup: Lookup
  try {
    lookup = dereference(root)
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
    if (sum.weight > maxSubschemas || sum.height > maxReferenceDepth) throw wrong(at, 'refers to too many schemas')
    weights.set(node, sum)
    return sum
  }
  for (const { schema, at } of nodes) weigh(schema, at, 0)
  return lookup
}

/** The schemas that look at the same value as this one. */
function inPlace(node: Schema | boolean, lookup: Lookup): (Schema | boolean)[] {
  if (typeof node === 'boolean') return []
  const lists = [node.allOf, node.anyOf, node.oneOf, Object.values(node.dependentSchemas ?? {})]
  const single = [node.not, node.if, node.then, node.else, targetOf(node, lookup)]
  return [...lists.flatMap(list => list ?? []), ...single.filter(schema => schema !== undefined)]
}

function targetOf(schema: Schema, lookup: Lookup): Schema | boolean | undefined {
  return schema.__absolute_ref__ === undefined ? undefined : lookup[schema.__absolute_ref__]
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(name => typeof name === 'string')
}

/** The entries that fit, on a null prototype: `__proto__` is a name like any other. */
function entriesOf(map: Record<string, unknown>, fits: (entry: unknown) => boolean): Record<string, any> {
  const entries = Object.create(null)
  for (const [name, entry] of Object.entries(map)) if (fits(entry)) entries[name] = entry
  return entries
}

// ── The fast path ────────────────────────────────────────────────────────────────────────────────────────────────────

type Accepts = (value: unknown, depth: number) => boolean

const simpleKeywords: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
])

/**
 * A function that is true only for values that fit, or nothing for a schema that is not simple. It may be false for a
 * value that fits: the library then decides. It allocates nothing.
 */
function compileFast(schema: Schema | boolean): Accepts | undefined {
  if (schema === true) return isPlain
  if (schema === false || Object.keys(schema).some(keyword => !simpleKeywords.has(keyword))) return undefined
  const types = schema.type === undefined ? undefined : [schema.type].flat()
  const parts: (Accepts | undefined)[] = []
  if (schema.const !== undefined || schema.enum !== undefined) parts.push(...fastValues(schema))
  else parts.push(types === undefined ? isPlain : fastType(types))
  const may = (...names: string[]) => types === undefined || names.some(name => types.includes(name as any))
  if (may('number', 'integer')) parts.push(...fastNumber(schema))
  if (may('string')) parts.push(...fastText(schema))
  if (may('array')) parts.push(fastArray(schema))
  if (may('object')) parts.push(fastObject(schema))
  if (parts.includes(undefined)) return undefined
  return both(parts as Accepts[])
}

function both(parts: readonly Accepts[]): Accepts {
  const [first, second, ...rest] = parts
  if (first === undefined) return () => true
  if (second === undefined) return first
  const next = rest.length === 0 ? second : both([second, ...rest])
  return (value, depth) => first(value, depth) && next(value, depth)
}

function fastType(types: readonly string[]): Accepts {
  const [type, ...others] = types
  const check = typeChecks[type as JsonTypeName]
  if (others.length === 0) return check
  const other = fastType(others)
  return (value, depth) => check(value, depth) || other(value, depth)
}

const typeChecks: Readonly<Record<JsonTypeName, Accepts>> = {
  string: value => typeof value === 'string',
  number: value => Number.isFinite(value),
  integer: value => Number.isInteger(value),
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
  array: value => Array.isArray(value),
  object: value => isObject(value),
}

function fastValues(schema: Schema): Accepts[] {
  const parts: Accepts[] = []
  for (const values of [schema.enum, schema.const === undefined ? undefined : [schema.const]]) {
    // An object is never found here, and so is left to the library, which compares what is in it.
    if (values !== undefined) parts.push(value => values.includes(value))
  }
  if (schema.type !== undefined) parts.push(fastType([schema.type].flat()))
  return parts
}

function fastNumber(schema: Schema): Accepts[] {
  const parts: Accepts[] = []
  const { multipleOf } = schema
  const low = schema.minimum ?? Number.NEGATIVE_INFINITY
  const high = schema.maximum ?? Number.POSITIVE_INFINITY
  if (schema.minimum !== undefined || schema.maximum !== undefined) {
    parts.push(value => typeof value !== 'number' || (value >= low && value <= high))
  }
  const above = (schema.exclusiveMinimum as number | undefined) ?? Number.NEGATIVE_INFINITY
  const below = (schema.exclusiveMaximum as number | undefined) ?? Number.POSITIVE_INFINITY
  if (schema.exclusiveMinimum !== undefined || schema.exclusiveMaximum !== undefined) {
    parts.push(value => typeof value !== 'number' || (value > above && value < below))
  }
  if (multipleOf !== undefined) {
    // Decimal fractions need the library's exact arithmetic: 0.3 % 0.1 is not 0.
    const whole = Number.isSafeInteger(multipleOf)
    parts.push(value => typeof value !== 'number' || (whole && Number.isSafeInteger(value) && value % multipleOf === 0))
  }
  return parts
}

function fastText(schema: Schema): Accepts[] {
  const { minLength, maxLength } = schema
  if (minLength === undefined && maxLength === undefined) return []
  const low = minLength ?? 0
  const high = maxLength ?? Number.POSITIVE_INFINITY
  // JSON Schema counts code points; a text has between half as many and as many of them as its `length` says.
  return [value => typeof value !== 'string' || (value.length <= high && value.length >= low * 2) || fits(value)]

  function fits(text: string): boolean {
    if (text.length < low) return false
    const length = codePoints(text)
    return length >= low && length <= high
  }
}

function fastArray(schema: Schema): Accepts | undefined {
  const item = compileFast((schema.items as Schema | boolean | undefined) ?? true)
  if (item === undefined) return undefined
  const low = schema.minItems ?? 0
  const high = schema.maxItems ?? Number.POSITIVE_INFINITY
  return (value, depth) => {
    if (!Array.isArray(value)) return true
    if (value.length < low || value.length > high) return false
    for (let i = 0; i < value.length; i++) if (!item(value[i], depth + 1)) return false
    return true
  }
}

function fastObject(schema: Schema): Accepts | undefined {
  const { additionalProperties = true, required = [], properties = {} } = schema
  if (typeof additionalProperties !== 'boolean') return undefined
  const members = new Map<string, Accepts>()
  for (const [name, node] of Object.entries(properties)) {
    const member = compileFast(node)
    if (member === undefined) return undefined
    members.set(name, member)
  }
  const others = additionalProperties ? isPlain : undefined
  return (value, depth) => {
    if (!isObject(value)) return true
    for (const name in value) {
      const member = members.get(name) ?? others
      if (member === undefined || !member(value[name], depth + 1)) return false
    }
    for (let i = 0; i < required.length; i++) if (!Object.hasOwn(value, required[i]!)) return false
    return true
  }
}

/** Whether a value is what JSON can carry, not nested too deep. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (depth >= maxValueDepth) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth + 1)) return false
    return true
  }
  if (!isObject(value)) return false
  for (const name in value) if (!isPlain(value[name], depth + 1)) return false
  return true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

// ── What the library must not be given ───────────────────────────────────────────────────────────────────────────────

const halfCharacter = /\p{Cs}/u

/**
 * Counts a value's members and says what is wrong with it beyond its schema: the library takes Infinity for an integer,
 * throws for `undefined`, and with `uniqueItems` needs minutes for a long list.
 */
function survey(value: unknown, comparesItems: boolean): { problem: string | undefined; count: number } {
  const tokens: string[] = []
  let count = 0

  function visit(part: unknown): string | undefined {
    count++
    if (typeof part === 'string' || typeof part === 'boolean' || part === null) return undefined
    if (typeof part === 'number') {
      return Number.isFinite(part) ? undefined : `${nameOf(tokens, value)} must be a finite number; you sent ${part}`
    }
    if (!Array.isArray(part) && !isObject(part)) {
      return `${nameOf(tokens, value)} must be plain JSON: text, a number, true, false, null, a list or an object`
    }
    if (tokens.length >= maxValueDepth) return `the arguments are nested deeper than ${maxValueDepth} levels`
    if (comparesItems && Array.isArray(part) && part.length > maxItemsCompared) {
      return `${nameOf(tokens, value)} must have at most ${maxItemsCompared} items; you sent ${part.length}`
    }
    // Not Object.entries: a list may be sparse, and the library would then throw.
    const length = Array.isArray(part) ? part.length : 0
    for (let i = 0; i < length; i++) {
      const problem = step(String(i), (part as unknown[])[i])
      if (problem !== undefined) return problem
    }
    if (!Array.isArray(part)) {
      for (const name in part) {
        // The library cannot write such a name into its pointers.
        if (halfCharacter.test(name))
          return `${quote(name)} in ${nameOf(tokens, value)} is no name: it holds half a character`
        const problem = step(name, part[name])
        if (problem !== undefined) return problem
      }
    }
    return undefined
  }

  function step(token: string, part: unknown): string | undefined {
    tokens.push(token)
    const problem = visit(part)
    tokens.pop()
    return problem
  }

  const problem = visit(value)
  return { problem: problem === undefined ? undefined : clip(problem), count }
}

// ── Problem texts ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The library's errors as sentences. An error of a schema that holds others comes right before those of the others. */
function explain(root: Schema, lookup: Lookup, value: unknown, errors: readonly OutputUnit[]): string[] {
  const problems = new Set<string>()
  // For `false` the library gives the place in the value where the place in the schema belongs.
  const places = errors.map((error, i) =>
    error.keyword === 'false' ? `${errors[i - 1]?.keywordLocation ?? '#'}/false` : error.keywordLocation,
  )
  explainRange(0, errors.length)
  return problems.size > 0 ? [...problems] : [clip(`the arguments do not fit: ${errors.at(-1)?.error ?? ''}`)]

  function add(text: string): void {
    if (problems.size < maxProblems) problems.add(clip(text))
  }

  function explainRange(from: number, to: number): void {
    for (let i = from; i < to && problems.size < maxProblems; i++) {
      const error = errors[i]!
      const place = places[i]!
      const { schema, through } = schemaAt(place, root, lookup)
      // What is wrong with each item that `contains` does not want is no problem of the call.
      if (through.includes('contains')) continue
      const tokens = tokensOf(error.instanceLocation)
      let end = i + 1
      while (end < to && places[end]!.startsWith(`${place}/`)) end++
      switch (error.keyword) {
        case 'anyOf':
        case 'oneOf':
          explainAlternatives(error, schema, tokens, i + 1, end)
          i = end - 1
          break
        case 'propertyNames': {
          const key = tokensOf(errors[i + 1]?.instanceLocation ?? '').at(-1) ?? ''
          const right = describe(schema?.propertyNames, lookup) || 'something else'
          add(`${quote(key)} is not a possible name in ${nameOf(tokens, value)}; names must be ${a(right)}`)
          i = end - 1
          break
        }
        case 'additionalProperties':
        case 'unevaluatedProperties':
          if (errors[i + 1]?.keyword === 'false' && end > i + 1) {
            const member = tokensOf(errors[i + 1]!.instanceLocation)
            // A known member that does not fit counts as unevaluated; what is wrong with it is said elsewhere.
            const known = error.keyword === 'unevaluatedProperties' ? memberNames(schema, lookup, 0) : new Set()
            if (!known.has(member.at(-1))) add(unknownMember(schema, member))
            i = end - 1
          }
          break
        case 'false':
          add(`${nameOf(tokens, value)} must be left out`)
          break
        default:
          if (!wrappers.has(error.keyword)) explainOne(error, schema, tokens)
      }
    }
  }

  function explainOne(error: OutputUnit, schema: Schema | undefined, tokens: string[]): void {
    const name = nameOf(tokens, value)
    const sent = valueAt(value, tokens)
    if (schema === undefined) {
      add(`${name}: ${clean(error.error, maxProblemLength)}`)
    } else if (error.keyword === 'required' && isObject(sent)) {
      for (const member of schema.required ?? []) {
        if (!Object.hasOwn(sent, member)) add(missingMember(schema, [...tokens, member], sent))
      }
    } else if (error.keyword === 'dependentRequired' && isObject(sent)) {
      for (const [given, members] of Object.entries(schema.dependentRequired ?? {})) {
        if (!Object.hasOwn(sent, given)) continue
        for (const member of members) {
          if (Object.hasOwn(sent, member)) continue
          add(`${nameOf([...tokens, member], value)} is required when ${nameOf([...tokens, given], value)} is given`)
        }
      }
    } else {
      const right = rightFor(error, schema, sent)
      if (right === undefined) add(`${name}: ${clean(error.error, maxProblemLength)}`)
      else add(`${name} must ${right}`)
    }
  }

  /** What follows `must`: what would be right, and what was sent. */
  function rightFor(error: OutputUnit, schema: Schema, sent: unknown): string | undefined {
    const items = Array.isArray(sent) ? counted(sent.length, 'item') : ''
    const members = isObject(sent) ? counted(Object.keys(sent).length, 'member') : ''
    const shown = show(sent)
    switch (error.keyword) {
      case 'type':
      case 'enum':
      case 'const': {
        const texts = [schema.const, ...(schema.enum ?? [])].some(one => typeof one === 'string')
        const right = a(describe(schema, lookup) || 'of another kind')
        return `be ${right}; you sent ${typeof sent === 'string' && !texts ? `the text ${shown}` : shown}`
      }
      case 'minimum':
        return `be at least ${schema.minimum}; you sent ${shown}`
      case 'maximum':
        return `be at most ${schema.maximum}; you sent ${shown}`
      case 'exclusiveMinimum':
        return `be more than ${schema.exclusiveMinimum}; you sent ${shown}`
      case 'exclusiveMaximum':
        return `be less than ${schema.exclusiveMaximum}; you sent ${shown}`
      case 'multipleOf':
        return `be a multiple of ${schema.multipleOf}; you sent ${shown}`
      case 'minLength':
        return `have at least ${counted(schema.minLength!, 'character')}; you sent ${shown}`
      case 'maxLength':
        return `have at most ${counted(schema.maxLength!, 'character')}; you sent ${codePoints(String(sent))}: ${shown}`
      case 'pattern':
        return `match the pattern ${clean(schema.pattern!, 80)}; you sent ${shown}`
      case 'format':
        return `be ${a(describe(schema, lookup))}; you sent ${shown}`
      case 'minItems':
        return `have at least ${counted(schema.minItems!, 'item')}; you sent ${items}`
      case 'maxItems':
        return `have at most ${counted(schema.maxItems!, 'item')}; you sent ${items}`
      case 'uniqueItems': {
        const [, first, second] = /(\d+) and (\d+)/.exec(error.error) ?? []
        return `not have the same item twice; items ${first} and ${second} are the same`
      }
      case 'contains':
      case 'minContains':
      case 'maxContains': {
        const atLeast = error.keyword === 'maxContains' ? undefined : (schema.minContains ?? 1)
        const bound = atLeast === undefined ? `at most ${schema.maxContains}` : `at least ${atLeast}`
        return `have ${bound} of this kind: ${describe(schema.contains, lookup) || 'as its schema says'}; you sent ${items}`
      }
      case 'minProperties':
        return `have at least ${counted(schema.minProperties!, 'member')}; you sent ${members}`
      case 'maxProperties':
        return `have at most ${counted(schema.maxProperties!, 'member')}; you sent ${members}`
      case 'not': {
        const refused = describe(schema.not, lookup)
        return refused === '' ? undefined : `not be ${a(refused)}; you sent ${shown}`
      }
      default:
        return undefined
    }
  }

  /** Explains the one alternative that was meant, where that is clear, and says the alternatives otherwise. */
  function explainAlternatives(
    error: OutputUnit,
    schema: Schema | undefined,
    tokens: string[],
    from: number,
    to: number,
  ): void {
    const name = nameOf(tokens, value)
    const keyword = error.keyword as 'anyOf' | 'oneOf'
    const alternatives: readonly (Schema | boolean)[] = schema?.[keyword] ?? []
    const said = [...new Set(alternatives.map(one => a(describe(one, lookup))).filter(text => text !== ''))]
    const list = said.slice(0, maxNamesShown).join('; or ')
    const matches = Number(/\((\d+) matches\)/.exec(error.error)?.[1] ?? 0)
    if (matches > 1) {
      add(`${name} fits ${matches} of the alternatives but must fit exactly one${list === '' ? '' : `: ${list}`}`)
      return
    }
    const place = places[from - 1]!
    const meant = alternatives.flatMap((_, index) => {
      const mine: number[] = []
      for (let i = from; i < to; i++) if (places[i]!.startsWith(`${place}/${index}/`)) mine.push(i)
      return mine.length === 0 || mine.some(i => isOfAnotherKind(errors[i]!, tokens.length)) ? [] : [mine]
    })
    const [only, ...others] = meant
    if (only !== undefined && others.length === 0) {
      explainRange(only[0]!, only.at(-1)! + 1)
    } else if (list !== '') {
      add(`${name} must be ${list}; you sent ${show(valueAt(value, tokens))}`)
    } else {
      add(`${name} fits none of the alternatives of its schema; you sent ${show(valueAt(value, tokens))}`)
    }
  }

  function unknownMember(schema: Schema | undefined, tokens: string[]): string {
    const parent = tokens.slice(0, -1)
    const names = [...memberNames(schema, lookup, 0)]
    const given = valueAt(value, parent)
    const free = names.filter(name => !isObject(given) || !Object.hasOwn(given, name))
    const near = nearest(tokens.at(-1) ?? '', free)
    const of = parent.length === 0 ? 'an argument of this tool' : `a member of ${nameOf(parent, value)}`
    const hint = near === undefined ? '' : ` did you mean ${quote(near)}?`
    if (names.length === 0) return `${nameOf(tokens, value)} is not ${of}; it takes none`
    const takes = names.slice(0, maxNamesShown).map(name => clean(name))
    if (names.length > maxNamesShown) takes.push('…')
    return `${nameOf(tokens, value)} is not ${of};${hint}${hint === '' ? ' it' : ' It'} takes: ${takes.join(', ')}`
  }

  function missingMember(schema: Schema, tokens: string[], given: Record<string, unknown>): string {
    const member = tokens.at(-1)!
    const properties = schema.properties ?? {}
    const right = Object.hasOwn(properties, member) ? describe(properties[member], lookup) : ''
    // Where other names are allowed, nothing else would tell of a slip in this one.
    const strangers =
      schema.additionalProperties === false || schema.properties === undefined
        ? []
        : Object.keys(given)
            .slice(0, 100)
            .filter(name => !Object.hasOwn(properties, name))
    const near = nearest(member, strangers)
    const hint = near === undefined ? '' : `; you sent ${quote(near)} instead`
    return `${nameOf(tokens, value)} is required${right === '' ? '' : ` (${right})`}${hint}`
  }
}

/** Errors that only say that one of the errors after them is there. */
const wrappers: ReadonlySet<string> = new Set([
  '$ref',
  'allOf',
  'if',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
])

/** Whether an error inside an alternative shows that another one was meant: the wrong type, or the wrong label. */
function isOfAnotherKind(error: OutputUnit, depth: number): boolean {
  const below = tokensOf(error.instanceLocation).length - depth
  if (error.keyword === 'type') return below === 0
  return (error.keyword === 'const' || error.keyword === 'enum') && below <= 1
}

function memberNames(schema: Schema | boolean | undefined, lookup: Lookup, depth: number): Set<string> {
  const names = new Set<string>()
  if (typeof schema !== 'object' || depth > 4) return names
  for (const name of Object.keys(schema.properties ?? {})) names.add(name)
  // `additionalProperties` sees only its own schema's properties; the names of the others help only a model that must
  // guess, and are right for `unevaluatedProperties`.
  if (schema.additionalProperties !== undefined) return names
  for (const other of inPlace(schema, lookup)) for (const name of memberNames(other, lookup, depth + 1)) names.add(name)
  return names
}

/** A short phrase for what fits a schema: `whole number from 0 to 27`. Empty when it cannot be said shortly. */
function describe(schema: unknown, lookup: Lookup, depth = 0): string {
  if (!isObject(schema) || depth > 3) return ''
  const one = schema as Schema
  if (one.const !== undefined) return show(one.const)
  if (one.enum !== undefined) {
    const shown = one.enum.slice(0, maxNamesShown).map(value => show(value))
    if (one.enum.length > maxNamesShown) shown.push('…')
    return shown.length === 1 ? shown[0]! : `one of ${shown.join(', ')}`
  }
  if (one.type !== undefined) {
    return [one.type]
      .flat()
      .map(type => describeType(type, one, lookup, depth))
      .join(' or ')
  }
  const alternatives = one.anyOf ?? one.oneOf
  if (alternatives !== undefined) {
    const said = alternatives.map(other => describe(other, lookup, depth + 1))
    return said.includes('') ? '' : [...new Set(said)].slice(0, maxNamesShown).join(' or ')
  }
  const target = targetOf(one, lookup)
  if (target !== undefined) return describe(target, lookup, depth + 1)
  if (one.not !== undefined) return ''
  if (one.pattern !== undefined || one.format !== undefined) return describeType('string', one, lookup, depth)
  if (one.minimum !== undefined || one.maximum !== undefined) return describeType('number', one, lookup, depth)
  if (one.properties !== undefined || one.required !== undefined) return describeType('object', one, lookup, depth)
  return ''
}

function describeType(type: string, schema: Schema, lookup: Lookup, depth: number): string {
  switch (type) {
    case 'number':
    case 'integer': {
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
      const bounds: string[] = []
      if (minimum !== undefined && maximum !== undefined) bounds.push(`from ${minimum} to ${maximum}`)
      else if (minimum !== undefined) bounds.push(`of at least ${minimum}`)
      else if (maximum !== undefined) bounds.push(`of at most ${maximum}`)
      if (exclusiveMinimum !== undefined) bounds.push(`above ${exclusiveMinimum}`)
      if (exclusiveMaximum !== undefined) bounds.push(`below ${exclusiveMaximum}`)
      if (multipleOf !== undefined) bounds.push(`in steps of ${multipleOf}`)
      return [type === 'integer' ? 'whole number' : 'number', ...bounds].join(' ')
    }
    case 'string': {
      const { minLength, maxLength, pattern, format } = schema
      if (format !== undefined) return `text in the format ${format}, such as ${formats.get(format)}`
      if (pattern !== undefined) return `text that matches the pattern ${clean(pattern, 80)}`
      if (minLength !== undefined && maxLength !== undefined) return `text of ${minLength} to ${maxLength} characters`
      if (minLength !== undefined) return `text of at least ${counted(minLength, 'character')}`
      return maxLength === undefined ? 'text' : `text of at most ${counted(maxLength, 'character')}`
    }
    case 'boolean':
      return 'true or false'
    case 'array': {
      const item = describe(schema.items, lookup, depth + 1)
      return item === '' ? 'list' : `list, each item ${a(item)}`
    }
    case 'object': {
      const required = schema.required ?? []
      const names = (required.length > 0 ? required : Object.keys(schema.properties ?? {})).slice(0, maxNamesShown)
      const label = names.flatMap(name => {
        const fixed = (schema.properties?.[name] as Schema | undefined)?.const
        return fixed === undefined ? [] : [`${clean(name)} ${show(fixed)}`]
      })
      if (label.length > 0) return `object with ${label.join(', ')}`
      return names.length === 0 ? 'object' : `object with ${names.map(name => clean(name)).join(', ')}`
    }
    default:
      return type
  }
}

/** With its article, where the phrase takes one. */
function a(phrase: string): string {
  if (phrase.startsWith('object')) return `an ${phrase}`
  return /^(number|whole|list)/.test(phrase) ? `a ${phrase}` : phrase
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** What was sent, in short. */
function show(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${counted(value.length, 'item')}`
  if (isObject(value)) {
    const names = Object.keys(value).slice(0, 5)
    if (names.length === 0) return 'an empty object'
    return clip(`an object with ${names.map(name => clean(name)).join(', ')}`, 120)
  }
  return clean(String(value))
}

function quote(text: string): string {
  return JSON.stringify(clean(text))
}

/** Without control characters, direction marks and halves of characters, so that an echo is one line of plain text. */
function clean(text: string, max = maxShownLength): string {
  return clip(text.slice(0, max + 1).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' '), max)
}

function clip(text: string, max = maxProblemLength): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/\p{Cs}$/u, '')}…`
}

/** A place in the value: `"steps[2].angle"`. */
function nameOf(tokens: readonly string[], root: unknown): string {
  if (tokens.length === 0) return 'the arguments'
  let text = ''
  let part = root
  for (const token of tokens.slice(0, maxNamesShown)) {
    if (Array.isArray(part)) text += `[${clean(token)}]`
    else text += text === '' ? clean(token) : `.${clean(token)}`
    part = memberOf(part, token)
  }
  return JSON.stringify(tokens.length > maxNamesShown ? `${text}…` : text)
}

function valueAt(root: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce(memberOf, root)
}

function memberOf(part: unknown, token: string): unknown {
  if (typeof part !== 'object' || part === null || !Object.hasOwn(part, token)) return undefined
  return (part as Record<string, unknown>)[token]
}

/** The library's pointers are JSON Pointers through `encodeURI`. */
function tokensOf(location: string): string[] {
  return location
    .split('/')
    .slice(1)
    .map(token => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The schema whose keyword an error is of, and the keywords on the way to it. */
function schemaAt(place: string, root: Schema, lookup: Lookup): { schema: Schema | undefined; through: string[] } {
  const tokens = tokensOf(place).slice(0, -1)
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
    const shape = shapes.get(keyword)
    if (shape === 'schemaMap' || Array.isArray(node)) node = memberOf(node, tokens[++i] ?? '')
  }
  return { schema: isObject(node) ? (node as Schema) : undefined, through }
}

/** The name that was probably meant: the one that differs least, in a third of its letters at most. */
function nearest(word: string, names: readonly string[]): string | undefined {
  if (word.length > 64) return undefined
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of names.slice(0, 200)) {
    if (name.length > 64) continue
    const apart = distance(word.toLowerCase(), name.toLowerCase())
    if (apart < least && apart <= Math.floor(name.length / 3)) {
      best = name
      least = apart
    }
  }
  return best
}

/** Levenshtein's distance, where two letters in the wrong order count as one. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let above = Array.from({ length: to.length + 1 }, (_, j) => j)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = above[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      row[j] = Math.min(above[j]! + 1, row[j - 1]! + 1, changed)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      if (swapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    before = above
    above = row
  }
  return above[to.length]!
}

function messageOf(cause: unknown): string {
  return clean(cause instanceof Error ? cause.message : String(cause), 200)
}
