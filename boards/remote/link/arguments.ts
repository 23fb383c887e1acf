import type { InputSchema, JsonSchema, StandardSchemaV1 } from '../../../runtime/index.ts'
import { LinkCode, LinkError } from './codes.ts'
import { type LinkArgument, type LinkType, linkTypes } from './description.ts'
import { type LinkValue, toValue } from './value.ts'

// An actuator's arguments travel by position. A schema that is a plain list of simple properties becomes one argument
// for each; any other becomes a single argument without a name, which is all arguments at once.

const plainRoot = new Set(['$schema', 'type', 'properties', 'required', 'additionalProperties', 'title', 'description'])
const told = new Set([
  'type',
  'title',
  'description',
  'minimum',
  'maximum',
  'multipleOf',
  'enum',
  'default',
  'maxLength',
])

/** The arguments that a schema describes, in the order of its properties. */
export function argumentsOf(schema: InputSchema | undefined): LinkArgument[] {
  if (schema === undefined) return []
  const json = jsonOf(schema)
  if (json === undefined) return [{ name: '', type: 'any', optional: false }]
  const required = new Set(Array.isArray(json.required) ? json.required : [])
  const properties = Object.entries(json.properties ?? {})
  const isPlain =
    !('~standard' in schema) &&
    Object.keys(json).every(key => plainRoot.has(key)) &&
    json.additionalProperties !== true &&
    typeof json.additionalProperties !== 'object' &&
    [...required].every(name => properties.some(([known]) => known === name)) &&
    !JSON.stringify(json).includes('"$ref"')
  if (!isPlain) return [{ name: '', type: 'any', optional: false, schema: JSON.stringify(json) }]
  return properties.map(([name, property]) =>
    argumentOf(name, typeof property === 'object' ? (property as JsonSchema) : {}, !required.has(name)),
  )
}

/** The schema of all arguments, as hosts are shown it. */
export function inputSchemaOf(args: readonly LinkArgument[]): JsonSchema {
  const [first] = args
  if (first?.name === '') return { type: 'object', ...parsed(first.schema) }
  return {
    type: 'object',
    properties: Object.fromEntries(args.map(argument => [argument.name, schemaOf(argument)])),
    required: args.filter(argument => !argument.optional).map(argument => argument.name),
    additionalProperties: false,
  }
}

/** Arguments by position, as they travel. What is left out at the end is not sent. */
export function positionsOf(args: readonly LinkArgument[], values: Readonly<Record<string, unknown>>): LinkValue[] {
  if (args[0]?.name === '') return [toValue(values)]
  const positions = args.map(({ name }) => (Object.hasOwn(values, name) ? toValue(values[name]) : null))
  while (positions.at(-1) === null) positions.pop()
  return positions
}

/**
 * Arguments by name, checked against what the device says of them.
 *
 * @throws LinkError BadArguments or OutOfRange; nothing is clamped
 */
export function namesOf(args: readonly LinkArgument[], positions: readonly LinkValue[]): Record<string, LinkValue> {
  if (positions.length > args.length) throw new LinkError(LinkCode.BadArguments, 'too many arguments')
  if (args[0]?.name === '') {
    const [all] = positions
    if (!isRecord(all)) throw new LinkError(LinkCode.BadArguments, 'the arguments are no record')
    return all
  }
  const values: Record<string, LinkValue> = {}
  for (const [at, argument] of args.entries()) {
    const value = positions[at] ?? null
    if (value !== null) {
      check(argument, value)
      values[argument.name] = value
    } else if (!argument.optional) {
      throw new LinkError(LinkCode.BadArguments, `${argument.name} is missing`)
    }
  }
  return completed(args, values)
}

/** Arguments by name, with those that were left out and have an initial value. */
export function completed<V>(args: readonly LinkArgument[], values: Record<string, V>): Record<string, V | LinkValue> {
  const complete: Record<string, V | LinkValue> = { ...values }
  for (const { name, optional, initial } of args) {
    if (optional && initial !== undefined && !Object.hasOwn(values, name)) complete[name] = initial
  }
  return complete
}

/**
 * What `set` is given for arguments that are complete: with a Standard Schema, its output.
 *
 * @throws LinkError BadArguments with what the schema says of them
 */
export function outputOf(schema: InputSchema | undefined, values: Record<string, LinkValue>): unknown {
  if (schema === undefined || !('~standard' in schema)) return values
  const result = (schema as StandardSchemaV1)['~standard'].validate(values)
  if (result instanceof Promise) {
    throw new LinkError(LinkCode.BadArguments, 'a schema that checks asynchronously cannot be served over the link')
  }
  if (result.issues === undefined) return result.value
  throw new LinkError(LinkCode.BadArguments, result.issues.map(({ message }) => message).join('; '))
}

function check({ name, type, minimum = -Infinity, maximum = Infinity, ...argument }: LinkArgument, value: LinkValue) {
  const fits =
    type === 'any' ||
    (type === 'data'
      ? value instanceof Uint8Array
      : type === 'integer'
        ? Number.isInteger(value)
        : typeof value === type)
  if (!fits) throw new LinkError(LinkCode.BadArguments, `${name} is no ${type}`)
  if (typeof value === 'number' && (value < minimum || value > maximum)) {
    throw new LinkError(LinkCode.OutOfRange, `${name} must lie between ${minimum} and ${maximum}`)
  }
  // A property of any type keeps its values in its schema.
  if (argument.values !== undefined && !argument.values.includes(value)) {
    throw new LinkError(LinkCode.OutOfRange, `${name} must be one of ${argument.values.join(', ')}`.slice(0, 200))
  }
  const length = typeof value === 'string' || value instanceof Uint8Array ? value.length : 0
  if (length > (argument.maxLength ?? Infinity)) {
    throw new LinkError(LinkCode.OutOfRange, `${name} is longer than ${argument.maxLength}`)
  }
}

function argumentOf(name: string, schema: JsonSchema, optional: boolean): LinkArgument {
  const type = linkTypes.find(known => known === schema.type && known !== 'any' && known !== 'data')
  const values = schema.enum as readonly LinkValue[] | undefined
  const simple = values === undefined || values.every(value => typeof value === 'string' || typeof value === 'number')
  const isTold = type !== undefined && simple && Object.keys(schema).every(key => told.has(key))
  return {
    name,
    ...(schema.title !== undefined && { title: schema.title }),
    ...(schema.description !== undefined && { description: schema.description }),
    type: type ?? 'any',
    optional,
    ...(typeof schema.minimum === 'number' && { minimum: schema.minimum }),
    ...(typeof schema.maximum === 'number' && { maximum: schema.maximum }),
    ...(typeof schema.multipleOf === 'number' && { step: schema.multipleOf }),
    ...(values !== undefined && simple && { values }),
    ...(typeof schema.maxLength === 'number' && { maxLength: schema.maxLength }),
    ...(schema.default !== undefined && { initial: toValue(schema.default) }),
    ...(!isTold && { schema: JSON.stringify(schema) }),
  }
}

function schemaOf(argument: LinkArgument): JsonSchema {
  const { title, type, unit, minimum, maximum, step, values, maxLength, initial } = argument
  const description = [argument.description, unit && `In ${unit}.`].filter(Boolean).join(' ')
  return {
    ...parsed(argument.schema),
    ...(type !== 'any' && { type: type === 'data' ? 'string' : (type satisfies LinkType) }),
    ...(type === 'data' && { contentEncoding: 'base64' }),
    ...(title !== undefined && { title }),
    ...(description !== '' && { description }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(step !== undefined && { multipleOf: step }),
    ...(values !== undefined && { enum: values }),
    ...(maxLength !== undefined && type === 'string' && { maxLength }),
    ...(initial !== undefined && { default: initial }),
  }
}

function parsed(schema: string | undefined): JsonSchema {
  if (schema === undefined) return {}
  try {
    const json: unknown = JSON.parse(schema)
    return isRecord(json) ? (json as JsonSchema) : {}
  } catch {
    return {}
  }
}

function isRecord(value: unknown): value is Record<string, LinkValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

/** A JSON Schema as it is; what a Standard Schema shows of itself, where it shows anything. */
function jsonOf(schema: InputSchema): JsonSchema | undefined {
  if (!('~standard' in schema)) return schema as JsonSchema
  const standard = schema['~standard'] as { jsonSchema?: { input?(options: object): JsonSchema } }
  try {
    return standard.jsonSchema?.input?.({ target: 'draft-2020-12' })
  } catch {
    return undefined
  }
}
