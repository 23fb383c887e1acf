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

const keywordsOf: Readonly<Record<Shape, string>> = {
  type: 'type',
  schema:
    'additionalProperties unevaluatedProperties propertyNames additionalItems unevaluatedItems contains not if then else',
  schemaOrTuple: 'items',
  schemaList: 'prefixItems allOf anyOf oneOf',
  schemaMap: 'properties patternProperties dependentSchemas $defs definitions',
  dependencies: 'dependencies',
  text: '$ref $id $anchor',
  format: 'format',
  regex: 'pattern',
  number: 'minimum maximum exclusiveMinimum exclusiveMaximum',
  positive: 'multipleOf',
  count: 'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties',
  flag: 'uniqueItems',
  names: 'required',
  namesMap: 'dependentRequired',
  list: 'enum',
  anything: 'const',
  // The library ignores the first, which would let everything through, and runs out of stack on the second.
  refused: '$dynamicRef $recursiveRef',
}

/** The keywords that mean something to a check; all others are remarks. */
export const shapes: ReadonlyMap<string, Shape> = new Map(
  Object.entries(keywordsOf).flatMap(([shape, keywords]) =>
    keywords.split(' ').map((keyword): [string, Shape] => [keyword, shape as Shape]),
  ),
)

/**
 * The formats that are checked, each with an example for problem texts. 2020-12 lets an implementation choose. The
 * library would also check `url`, with an expression that takes minutes for thirty characters.
 */
export const formats: ReadonlyMap<string, string> = new Map([
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
