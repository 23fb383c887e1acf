/** What stands behind a keyword. */
export type Shape =
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

/** What stands behind a keyword; nothing for one that means nothing to a check and is a remark. */
export function shapeOf(keyword: string): Shape | undefined {
  return Object.hasOwn(shapes, keyword) ? shapes[keyword] : undefined
}

/**
 * An example of a format that is checked; nothing for one that is not. 2020-12 lets an implementation choose. The
 * library would also check `url`, with an expression that takes minutes for thirty characters.
 */
export function exampleOf(format: string): string | undefined {
  return Object.hasOwn(formats, format) ? formats[format] : undefined
}

// Literals: built from lists by a call, they took 0.25 ms of a cold start.
const shapes: Readonly<Record<string, Shape>> = {
  type: 'type',
  enum: 'list',
  const: 'anything',
  properties: 'schemaMap',
  required: 'names',
  additionalProperties: 'schema',
  patternProperties: 'schemaMap',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  minProperties: 'count',
  maxProperties: 'count',
  dependentRequired: 'namesMap',
  dependentSchemas: 'schemaMap',
  dependencies: 'dependencies',
  items: 'schemaOrTuple',
  prefixItems: 'schemaList',
  additionalItems: 'schema',
  unevaluatedItems: 'schema',
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'regex',
  format: 'format',
  allOf: 'schemaList',
  anyOf: 'schemaList',
  oneOf: 'schemaList',
  not: 'schema',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  then: 'schema',
  else: 'schema',
  $ref: 'text',
  $id: 'text',
  $anchor: 'text',
  $defs: 'schemaMap',
  definitions: 'schemaMap',
  // The library ignores the first, which would let everything through, and runs out of stack on the second.
  $dynamicRef: 'refused',
  $recursiveRef: 'refused',
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '12:30:00Z',
  'date-time': '2026-01-31T12:30:00Z',
  duration: 'PT30S',
  email: 'name@example.com',
  hostname: 'device.example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/a',
  'uri-reference': '../a',
  'uri-template': '/a/{id}',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  'json-pointer': '/a/0',
  'relative-json-pointer': '1/a',
  regex: '^[a-z]+$',
}
