import type { Schema } from './library.ts'
import { codePoints, isObject, isPlain } from './plain.ts'
import { isRemark } from './simple.ts'
import type { JsonTypeName } from './types.ts'

/** Whether a value fits: true for sure, false perhaps. */
export type Accepts = (value: unknown, depth: number) => boolean

const simpleKeywords: ReadonlySet<string> = new Set(
  (
    'type enum const properties required additionalProperties items minItems maxItems ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength'
  ).split(' '),
)

/**
 * A function that is true only for values that fit, or nothing for a schema that is not simple. It may be false for a
 * value that fits: the library then decides. It allocates nothing.
 */
export function acceptorOf(schema: Schema | boolean): Accepts | undefined {
  if (schema === true) return isPlain
  if (schema === false) return undefined
  if (Object.keys(schema).some(keyword => !simpleKeywords.has(keyword) && !isRemark(keyword))) return undefined
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
  const item = acceptorOf((schema.items as Schema | boolean | undefined) ?? true)
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
    const member = acceptorOf(node)
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
