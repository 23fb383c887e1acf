import { Validator, validate } from '@cfworker/json-schema'
import fc from 'fast-check'
import * as v from 'valibot'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { DefinitionError } from '../runtime/errors.ts'
import { readDefinition } from '../runtime/schema/definition.ts'
import { isSimple } from '../runtime/schema/simple.ts'
import { withJsonSchema } from '../runtime/schema/standard.ts'
import type { Checked, InputSchema, JsonSchema } from '../runtime/schema/types.ts'
import type { Subject } from '../runtime/schema/wording.ts'
import { assertObjectRoot, compileSchema } from '../runtime/schema.ts'
import type { StandardSchemaV1 } from '../runtime/standard-schema.ts'

// The library as it is, watched: some tests ask whether it was needed.
vi.mock('@cfworker/json-schema', async original => {
  const library = await original<typeof import('@cfworker/json-schema')>()
  return { ...library, validate: vi.fn(library.validate), dereference: vi.fn(library.dereference) }
})

const what = 'inputSchema of actuator "fan"'

function check(schema: InputSchema, value: unknown): Checked {
  const checked = compileSchema(schema, what).check(value)
  if ('then' in checked) throw new Error('answered with a promise')
  return checked
}

function problemsOf(schema: InputSchema, value: unknown): string[] {
  const checked = check(schema, value)
  return checked.ok ? [] : checked.problems
}

function object(properties: object, rest: object = {}): InputSchema {
  return { type: 'object', properties: properties as Record<string, object>, ...rest }
}

const percent = { type: 'number', minimum: 0, maximum: 100 }
const fan = object({ percent }, { required: ['percent'], additionalProperties: false })
const step = object(
  { angle: { type: 'number', maximum: 180 }, ms: { type: 'integer' } },
  { required: ['angle'], additionalProperties: false },
)

describe('what a model is told about a wrong call', () => {
  const rows: [string, InputSchema, unknown, string[]][] = [
    ['a number above its limit', fan, { percent: 150 }, ['"percent" must be at most 100; you sent 150']],
    ['a number below its limit', fan, { percent: -1 }, ['"percent" must be at least 0; you sent -1']],
    ['a missing argument', fan, {}, ['"percent" is required (number from 0 to 100)']],
    [
      'a slip in a name',
      fan,
      { percnt: 5, percent: 5 },
      ['"percnt" is not an argument of this tool; it takes: percent'],
    ],
    [
      'a slip in the name of an argument that is missing',
      fan,
      { percnt: 5 },
      [
        '"percent" is required (number from 0 to 100)',
        '"percnt" is not an argument of this tool; did you mean "percent"? It takes: percent',
      ],
    ],
    [
      'a slip in a name where other names are allowed',
      object({ percent }, { required: ['percent'] }),
      { Percent: 5 },
      ['"percent" is required (number from 0 to 100); you sent "Percent" instead'],
    ],
    [
      'an argument of a tool without any',
      { type: 'object', additionalProperties: false },
      { x: 1 },
      ['"x" is not an argument of this tool; it takes none'],
    ],
    ['a text for a number', fan, { percent: '5' }, ['"percent" must be a number from 0 to 100; you sent the text "5"']],
    [
      'a text for a switch',
      object({ on: { type: 'boolean' } }),
      { on: 'yes' },
      ['"on" must be true or false; you sent the text "yes"'],
    ],
    [
      'a word that is not on the list',
      object({ mode: { enum: ['auto', 'off'] } }),
      { mode: 'on' },
      ['"mode" must be one of "auto", "off"; you sent "on"'],
    ],
    [
      'a word where a list of numbers is meant',
      object({ pin: { type: 'integer', enum: [17, 18] } }),
      { pin: '17' },
      ['"pin" must be one of 17, 18; you sent the text "17"'],
    ],
    ['a constant', object({ k: { const: 'a' } }), { k: 'b' }, ['"k" must be "a"; you sent "b"']],
    [
      'a fraction for a whole number',
      object({ pin: { type: 'integer', minimum: 0, maximum: 27 } }),
      { pin: 3.5 },
      ['"pin" must be a whole number from 0 to 27; you sent 3.5'],
    ],
    [
      'one of two types',
      object({ a: { type: ['number', 'null'] } }),
      { a: true },
      ['"a" must be a number or null; you sent true'],
    ],
    ['no object at all', fan, 'fast', ['the arguments must be an object with percent; you sent the text "fast"']],
    ['a list at the root', fan, [], ['the arguments must be an object with percent; you sent an empty list']],
    [
      'a member deep inside',
      object({ steps: { type: 'array', items: step } }),
      { steps: [{ angle: 1 }, { angle: 2 }, { angle: 999 }] },
      ['"steps[2].angle" must be at most 180; you sent 999'],
    ],
    [
      'a slip in a name deep inside',
      object({ steps: { type: 'array', items: step } }),
      { steps: [{ angel: 1, angle: 1 }, { angel: 1 }] },
      [
        '"steps[0].angel" is not a member of "steps[0]"; it takes: angle, ms',
        '"steps[1].angle" is required (number of at most 180)',
        '"steps[1].angel" is not a member of "steps[1]"; did you mean "angle"? It takes: angle, ms',
      ],
    ],
    [
      'everything that is wrong at once',
      object({ a: { type: 'number' }, b: { type: 'boolean' }, c: { type: 'string' } }, { required: ['d'] }),
      { a: '1', b: 1, c: 'c' },
      ['"d" is required', '"a" must be a number; you sent the text "1"', '"b" must be true or false; you sent 1'],
    ],
    ['exclusive limits', object({ a: { exclusiveMinimum: 0 } }), { a: 0 }, ['"a" must be more than 0; you sent 0']],
    [
      'exclusive limits above',
      object({ a: { exclusiveMaximum: 9 } }),
      { a: 9 },
      ['"a" must be less than 9; you sent 9'],
    ],
    ['steps', object({ a: { multipleOf: 0.1 } }), { a: 0.25 }, ['"a" must be a multiple of 0.1; you sent 0.25']],
    [
      'a text that is too short',
      object({ a: { minLength: 2 } }),
      { a: 'x' },
      ['"a" must have at least 2 characters; you sent "x"'],
    ],
    [
      'a text that is too long',
      object({ a: { maxLength: 1 } }),
      { a: 'xy' },
      ['"a" must have at most 1 character; you sent 2: "xy"'],
    ],
    [
      'a pattern',
      object({ a: { pattern: '^[a-z]+$' } }),
      { a: 'A1' },
      ['"a" must match the pattern ^[a-z]+$; you sent "A1"'],
    ],
    [
      'a format',
      object({ at: { type: 'string', format: 'date-time' } }),
      { at: 'tomorrow' },
      ['"at" must be text in the format date-time, such as 2026-01-31T12:30:00Z; you sent "tomorrow"'],
    ],
    [
      'a list that is too short',
      object({ l: { type: 'array', minItems: 2 } }),
      { l: [1] },
      ['"l" must have at least 2 items; you sent 1 item'],
    ],
    [
      'a list that is too long',
      object({ l: { maxItems: 1 } }),
      { l: [1, 2] },
      ['"l" must have at most 1 item; you sent 2 items'],
    ],
    [
      'an item that comes twice',
      object({ l: { uniqueItems: true } }),
      { l: [1, { a: 1 }, { a: 1 }] },
      ['"l": Duplicate items at indexes 1 and 2'],
    ],
    [
      'a list that lacks what it must contain',
      object({ l: { contains: { type: 'number' } } }),
      { l: ['a'] },
      ['"l": Array does not contain item matching schema'],
    ],
    [
      'a list that has too few of what it must contain',
      object({ l: { contains: { type: 'number' }, minContains: 2 } }),
      { l: ['a', 1] },
      ['"l": Array must contain at least 2 items matching schema. Only 1 items were found'],
    ],
    [
      'a list that has too many of what it may contain',
      object({ l: { contains: { type: 'number' }, maxContains: 1 } }),
      { l: [2, 1] },
      ['"l": Array may contain at most 1 items matching schema. 2 items were found'],
    ],
    [
      'a tuple',
      object({ l: { prefixItems: [{ type: 'number' }, { type: 'string' }], items: false } }),
      { l: ['a', 'b', 'c'] },
      ['"l[0]" must be a number; you sent the text "a"', '"l[2]" must be left out'],
    ],
    ['a refused argument', object({ a: false }), { a: 1 }, ['"a" must be left out']],
    ['what it must not be', object({ a: { not: { const: 3 } } }), { a: 3 }, ['"a" must not be 3; you sent 3']],
    [
      'alternatives',
      object({ a: { anyOf: [{ type: 'number', minimum: 0 }, { enum: ['auto'] }] } }),
      { a: true },
      ['"a" must be a number of at least 0; or "auto"; you sent true'],
    ],
    [
      'the alternative that was meant',
      object({ a: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'string' }] } }),
      { a: -5 },
      ['"a" must be at least 0; you sent -5'],
    ],
    [
      'the alternative that a label names',
      object({
        shape: {
          oneOf: [
            object({ kind: { const: 'beep' }, hz: { type: 'number' } }, { required: ['kind', 'hz'] }),
            object({ kind: { const: 'rest' }, ms: { type: 'number' } }, { required: ['kind', 'ms'] }),
          ],
        },
      }),
      { shape: { kind: 'rest', hz: 1 } },
      ['"shape.ms" is required (number)'],
    ],
    [
      'two alternatives of which only one may fit',
      object({ a: { oneOf: [{ type: 'number' }, { type: 'integer' }] } }),
      { a: 5 },
      ['"a" fits 2 of the alternatives but must fit exactly one: a number; or a whole number'],
    ],
    [
      'alternatives that need other arguments',
      { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      ['the arguments must be an object with a; or an object with b; you sent an empty object'],
    ],
    [
      'a condition',
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
      object({ mode: {}, hz: { type: 'number' } }, { if: { required: ['mode'] }, then: { required: ['hz'] } }),
      { mode: 1 },
      ['"hz" is required'],
    ],
    [
      'an argument that needs another',
      object({ a: {}, b: {} }, { dependentRequired: { a: ['b'] } }),
      { a: 1 },
      ['the arguments: Instance has "a" but does not have "b"'],
    ],
    [
      'an argument that needs another, as draft-07 says it',
      object({ a: {} }, { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { a: ['b'] } }),
      { a: 1 },
      ['the arguments: Instance has "a" but does not have "b"'],
    ],
    [
      'a name that is not evaluated',
      { ...object({ a: {} }), allOf: [object({ b: {} })], unevaluatedProperties: false },
      { a: 1, b: 1, c: 1 },
      ['"c" is not an argument of this tool; it takes: a, b'],
    ],
    [
      'a wrong value where unevaluated names are refused',
      object({ a: { type: 'number' } }, { unevaluatedProperties: false }),
      { a: 'x' },
      ['"a" must be a number; you sent the text "x"'],
    ],
    [
      'a name of the wrong form',
      { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
      { AB: 1 },
      ['"AB" is not a possible name in the arguments; names must be text that matches the pattern ^[a-z]+$'],
    ],
    [
      'too few members',
      { type: 'object', minProperties: 2 },
      { a: 1 },
      ['the arguments must have at least 2 members; you sent 1 member'],
    ],
    [
      'too many members',
      { type: 'object', maxProperties: 1 },
      { a: 1, b: 1 },
      ['the arguments must have at most 1 member; you sent 2 members'],
    ],
    [
      'members by pattern',
      { type: 'object', patternProperties: { '^pin': { type: 'integer' } } },
      { pin1: 'x' },
      ['"pin1" must be a whole number; you sent the text "x"'],
    ],
    [
      'a schema behind a reference',
      object({ a: { $ref: '#/$defs/level' } }, { $defs: { level: { type: 'number', maximum: 5 } }, required: ['a'] }),
      { a: 6 },
      ['"a" must be at most 5; you sent 6'],
    ],
    [
      'a missing argument behind a reference',
      object({ a: { $ref: '#/$defs/level' } }, { $defs: { level: { type: 'number', maximum: 5 } }, required: ['a'] }),
      {},
      ['"a" is required (number of at most 5)'],
    ],
    [
      'a name with unusual characters',
      object({ 'a/b~c d%': { type: 'number' } }),
      { 'a/b~c d%': true },
      ['"a/b~c d%" must be a number; you sent true'],
    ],
    [
      'Infinity, which JSON can spell',
      object({ a: { type: 'integer' } }),
      JSON.parse('{"a":1e999}'),
      ['"a" must be a finite number; you sent Infinity'],
    ],
    [
      'Infinity where anything may stand',
      object({ a: {} }),
      JSON.parse('{"a":1e999,"b":1e999}'),
      ['"a" must be a finite number; you sent Infinity'],
    ],
    [
      'Infinity in an argument that nobody described',
      object({}),
      JSON.parse('{"b":[-1e999]}'),
      ['"b[0]" must be a finite number; you sent -Infinity'],
    ],
    [
      'a value that JSON does not have',
      object({ a: {} }),
      { a: [1n] },
      ['"a[0]" must be plain JSON: text, a number, true, false, null, a list or an object'],
    ],
  ]
  it.each(rows)('says what would be right for %s', (_, schema, value, problems) => {
    expect(problemsOf(schema, value)).toEqual(problems)
  })
})

describe('what is checked is called by its name', () => {
  const schema = object({ percent, on: { type: 'boolean' } }, { additionalProperties: false })
  const value = { percent: 150, speed: 1 }
  const deep = Array.from({ length: 201 }).reduce<unknown>(inner => [inner], 1)

  it.each<[Subject, string[]]>([
    [
      'arguments',
      ['"speed" is not an argument of this tool; it takes: percent, on', '"percent" must be at most 100; you sent 150'],
    ],
    [
      'form',
      ['"speed" is not a field of this form; it takes: percent, on', '"percent" must be at most 100; you sent 150'],
    ],
    [
      'output',
      [
        '"speed" is not a member of its outputSchema; it takes: percent, on',
        '"percent" must be at most 100; it sent 150',
      ],
    ],
  ])('%s: a member', (subject, problems) => {
    const checked = compileSchema(schema, what, subject).check(value) as { problems: string[] }
    expect(checked.problems.toSorted()).toEqual(problems.toSorted())
  })

  it.each<[Subject, string]>([
    ['arguments', 'the arguments'],
    ['form', 'the answers'],
    ['output', 'its results'],
  ])('%s: all of it', (subject, whole) => {
    const problemOf = (schema: InputSchema, value: unknown) =>
      (compileSchema(schema, what, subject).check(value) as { problems: string[] }).problems[0]
    expect(problemOf(fan, null)).toMatch(new RegExp(`^${whole} must be an object with percent; (you|it) sent null$`))
    expect(problemOf(fan, deep)).toBe(`${whole} are nested deeper than 200 levels`)
    expect(problemOf(z.object({}), deep)).toBe(`${whole} are nested deeper than 200 levels`)
    expect(problemOf(z.object({ a: z.number('no') }), { a: 'x' })).toMatch(/^"a": no; (you|it) sent "x"$/)
  })
})

describe('what fits', () => {
  const rows: [string, InputSchema, unknown][] = [
    ['limits are included', fan, { percent: 100 }],
    ['limits are included below', fan, { percent: 0 }],
    ['1.0 is a whole number', object({ a: { type: 'integer' } }), { a: 1.0 }],
    ['0.3 is a multiple of 0.1', object({ a: { multipleOf: 0.1 } }), { a: 0.3 }],
    ['a limit for numbers says nothing of texts', object({ a: { minimum: 5 } }), { a: 'x' }],
    ['length counts characters, not halves of them', object({ a: { maxLength: 2, minLength: 2 } }), { a: '🔌🔋' }],
    ['an unknown format is a remark', object({ a: { format: 'colour' } }), { a: 'x' }],
    ['an unknown keyword is a remark', object({ a: { 'x-pin': 3, id: 5, $comment: 'led' } }), { a: 'x' }],
    ['a null constant', object({ a: { const: null } }), { a: null }],
    ['an object on the list', object({ a: { enum: [{ b: [1] }] } }), { a: { b: [1] } }],
    ['a property named like a keyword', object({ $ref: { type: 'number' }, items: { type: 'string' } }), { $ref: 1 }],
    ['draft-07 tuples', object({ l: { items: [{ type: 'number' }], additionalItems: false } }, draft07()), { l: [1] }],
    ['2019-09', object({ a: {} }, { $schema: 'https://json-schema.org/draft/2019-09/schema' }), { a: 1 }],
    ['an anchor', object({ a: { $ref: '#led' } }, { $defs: { x: { $anchor: 'led', type: 'number' } } }), { a: 1 }],
  ]
  it.each(rows)('%s', (_, schema, value) => {
    expect(check(schema, value)).toEqual({ ok: true, value })
  })

  it('in draft-07 what stands beside a reference does not count, in 2020-12 it does', () => {
    const schema = object({ a: { $ref: '#/$defs/any', type: 'number' } }, { $defs: { any: true } })
    expect(problemsOf(schema, { a: 'x' })).toHaveLength(1)
    expect(problemsOf({ ...schema, ...draft07() }, { a: 'x' })).toEqual([])
  })

  it('a recursive schema checks a recursive value', () => {
    const schema = object({ child: { $ref: '#' }, n: { type: 'number' } })
    expect(problemsOf(schema, { child: { child: { n: 1 } } })).toEqual([])
    expect(problemsOf(schema, { child: { child: { n: 'x' } } })).toEqual([
      '"child.child.n" must be a number; you sent the text "x"',
    ])
  })
})

function draft07(): object {
  return { $schema: 'http://json-schema.org/draft-07/schema#' }
}

describe('a mistake in a schema is reported when the board is defined', () => {
  const rows: [string, unknown, string][] = [
    ['no object', 5, 'must be an object (a JSON Schema) or a Standard Schema'],
    ['null', null, 'must be an object (a JSON Schema) or a Standard Schema'],
    ['a list', [], 'must be an object (a JSON Schema) or a Standard Schema'],
    [
      'an unknown type',
      object({ a: { type: 'nmber' } }),
      ', at properties.a: type "nmber" is unknown; did you mean "number"?',
    ],
    ['no type at all', { type: [] }, '"type" must be a type or a list of types, not an empty list'],
    ['properties as a list', { properties: ['a'] }, '"properties" must be an object, not a list of 1 item'],
    [
      'a number for a property',
      object({ a: 5 }),
      ', at properties.a: must be a schema (an object, true or false), not 5',
    ],
    ['a broken pattern', object({ a: { pattern: '(' } }), '"pattern" has "(", which is no regular expression'],
    ['a broken pattern for names', { patternProperties: { '[': {} } }, '"patternProperties" has "["'],
    ['required as a text', object({}, { required: 'a' }), '"required" must be a list of strings, not "a"'],
    ['required with a number', object({}, { required: [1] }), '"required" must be a list of strings'],
    [
      'a required name that cannot be given',
      object({ percent }, { required: ['percnt'], additionalProperties: false }),
      '"percnt" is in "required" but not in "properties", and nothing else is allowed',
    ],
    [
      'limits that cross',
      object({ a: { minimum: 5, maximum: 1 } }),
      ', at properties.a: nothing fits "minimum" 5 together with "maximum" 1',
    ],
    ['exclusive limits that meet', { minimum: 5, exclusiveMaximum: 5 }, 'nothing fits "minimum" 5 together with'],
    ['lengths that cross', { minLength: 5, maxLength: 1 }, 'nothing fits "minLength" 5'],
    ['a text as a limit', { minimum: '5' }, '"minimum" must be a number, not "5"'],
    ['a draft-04 limit', { exclusiveMinimum: true }, '"exclusiveMinimum" must be a number, not true'],
    ['a step of 0', { multipleOf: 0 }, '"multipleOf" must be a number above 0, not 0'],
    ['a length of -1', { maxLength: -1 }, '"maxLength" must be a whole number of at least 0, not -1'],
    ['an empty list of values', { enum: [] }, '"enum" must be a list with at least one value, not an empty list'],
    ['no alternatives', { anyOf: [] }, '"anyOf" must be a list of schemas with at least one, not an empty list'],
    ['a text for a flag', { uniqueItems: 'yes' }, '"uniqueItems" must be true or false, not "yes"'],
    [
      'names that are no list',
      { dependentRequired: { a: 'b' } },
      '"dependentRequired" must be an object of lists of strings',
    ],
    [
      'a reference into the network',
      object({ a: { $ref: 'https://example.com/a.json' } }),
      '"$ref" "https://example.com/a.json" leads out of this schema, and nothing is ever fetched',
    ],
    ['a reference to a file', object({ a: { $ref: 'a.json' } }), '"a.json" leads out of this schema'],
    ['a reference to nothing', object({ a: { $ref: '#/$defs/b' } }), '"#/$defs/b" leads to no schema here'],
    ['a reference to what is no schema', object({ a: { $ref: '#/properties' } }), 'leads to no schema here'],
    ['a reference to itself', object({ a: { $ref: '#/properties/a' } }), 'leads back to itself'],
    [
      'a reference to itself through alternatives',
      object({ a: { anyOf: [{ $ref: '#/properties/a' }, true] } }),
      'leads back to itself',
    ],
    ['a broken $id', { $id: 'http://[' }, 'do not fit together'],
    ['a dynamic reference', { $dynamicRef: '#a' }, '"$dynamicRef" is not supported; use "$ref"'],
    ['a recursive reference', { $recursiveRef: '#' }, '"$recursiveRef" is not supported; use "$ref"'],
    [
      'draft-04',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      '"$schema" must name draft 2020-12, 2019-09 or 07',
    ],
    ['another draft inside', object({ a: draft07() }), ', at properties.a: "$schema" differs from the root'],
    ['a draft-07 tuple in 2020-12', { items: [{}] }, 'a list in "items" is now "prefixItems"'],
    ['a bigint', { default: 1n }, 'cannot be written as JSON'],
    ['a broken Standard Schema', { '~standard': { version: 1 } }, '"~standard" must have a function validate'],
  ]
  it.each(rows)('%s', (_, schema, message) => {
    const compile = () => compileSchema(schema as InputSchema, what)
    expect(compile).toThrow(DefinitionError)
    expect(compile).toThrow(message)
    expect(compile).toThrow(what)
  })

  const positions: [string, (inner: object) => JsonSchema][] = [
    ...[
      'additionalProperties',
      'unevaluatedProperties',
      'propertyNames',
      'items',
      'unevaluatedItems',
      'contains',
      'not',
      'if',
      'then',
      'else',
    ].map((keyword): [string, (inner: object) => JsonSchema] => [keyword, inner => ({ [keyword]: inner })]),
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword): [string, (inner: object) => JsonSchema] => [
      keyword,
      inner => ({ [keyword]: [{}, inner] }),
    ]),
    ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'].map(
      (keyword): [string, (inner: object) => JsonSchema] => [keyword, inner => ({ [keyword]: { a: inner } })],
    ),
  ]
  it.each(positions)('also inside of %s', (keyword, around) => {
    expect(() => compileSchema(around({ type: 'number' }), what)).not.toThrow()
    expect(() => compileSchema(around({ type: 'nmber' }), what)).toThrow(keyword)
  })

  it('a schema may be 64 levels deep and no deeper', () => {
    const deep = (levels: number) => {
      let schema: JsonSchema = {}
      for (let i = 0; i < levels; i++) schema = { not: schema }
      return schema
    }
    expect(() => compileSchema(deep(64), what)).not.toThrow()
    expect(() => compileSchema(deep(65), what)).toThrow('is nested deeper than 64 levels')
    expect(() => compileSchema(deep(100_000), what)).toThrow(DefinitionError)
  })

  it('a schema may have 10 000 subschemas and no more', () => {
    const wide = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}])),
    })
    expect(() => compileSchema(wide(9_999), what)).not.toThrow()
    expect(() => compileSchema(wide(10_000), what)).toThrow('has more than 10000 subschemas')
  })

  it('references that double at each step are refused', () => {
    const $defs: Record<string, object> = { d0: {} }
    for (let i = 1; i < 40; i++)
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] }
    expect(() => compileSchema({ $defs, properties: { a: { $ref: '#/$defs/d39' } } }, what)).toThrow(
      'refers to too many',
    )
  })

  it('a tool needs an object at the root', () => {
    expect(() => assertObjectRoot({ type: 'object' }, what)).not.toThrow()
    for (const json of [{}, { type: 'array' }, { type: ['object'] }, null, 'object']) {
      expect(() => assertObjectRoot(json, what)).toThrow(`${what}: its root must have "type": "object"`)
    }
  })
})

describe('the schema that clients see', () => {
  it('is a copy of what was written, with its remarks, and is not changed by a check', () => {
    const schema = { ...object({ a: { type: 'number', title: 'A', 'x-pin': 3, not: { const: 1 } } }), $comment: 'c' }
    const compiled = compileSchema(schema, what)
    compiled.check({ a: 1 })
    expect(compiled.json).toEqual(schema)
    expect(compiled.json).not.toBe(schema)
    expect(Reflect.ownKeys(compiled.json)).toEqual(Object.keys(schema))
  })

  it('may be written as a frozen constant', () => {
    const schema = Object.freeze({ type: 'object', not: Object.freeze({ required: Object.freeze(['a']) }) } as const)
    expect(check(schema, {}).ok).toBe(true)
    expect(check(schema, { a: 1 }).ok).toBe(false)
  })
})

describe('a Standard Schema', () => {
  it('of zod shows itself as JSON Schema and hands on its output', () => {
    const compiled = compileSchema(z.object({ percent: z.number().max(100), on: z.boolean().default(true) }), what)
    expect(compiled.json).toMatchObject({
      type: 'object',
      properties: { percent: { type: 'number', maximum: 100 } },
      required: ['percent'],
    })
    expect(compiled.check({ percent: 5 })).toEqual({ ok: true, value: { percent: 5, on: true } })
  })

  it('tells which argument is wrong and what was sent', () => {
    const schema = z.object({ steps: z.array(z.object({ angle: z.number().max(180, 'too far for this arm') })) })
    expect(problemsOf(schema, { steps: [{ angle: 1 }, { angle: 999 }] })).toEqual([
      '"steps[1].angle": too far for this arm; you sent 999',
    ])
    expect(problemsOf(z.strictObject({}), { x: 1 })).toEqual(['Unrecognized key: "x"'])
  })

  it('with work that takes time answers with a promise', async () => {
    const schema = z.object({ pin: z.number().refine(async pin => pin !== 4, 'is taken') })
    const compiled = compileSchema(schema, what)
    expect(await compiled.check({ pin: 3 })).toEqual({ ok: true, value: { pin: 3 } })
    expect(await compiled.check({ pin: 4 })).toEqual({ ok: false, problems: ['"pin": is taken; you sent 4'] })
  })

  it('of valibot is refused with the way out, and works with a JSON Schema beside it', () => {
    const schema = v.object({ percent: v.pipe(v.number(), v.maxValue(100)) })
    expect(() => compileSchema(schema, what)).toThrow(DefinitionError)
    expect(() => compileSchema(schema, what)).toThrow(
      /this valibot schema cannot show itself .* withJsonSchema\(schema/,
    )
    const json = { type: 'object', properties: { percent: { type: 'number' } } }
    const compiled = compileSchema(withJsonSchema(schema, json), what)
    expect(compiled.json).toEqual(json)
    expect(compiled.check({ percent: 5, x: 1 })).toEqual({ ok: true, value: { percent: 5 } })
    expect(compiled.check({ percent: 500 })).toMatchObject({ ok: false, problems: [expect.stringContaining('500')] })
  })

  it('that JSON Schema cannot say is refused with the way out', () => {
    expect(() => compileSchema(z.object({ at: z.date() }), what)).toThrow(/Date cannot be represented.*withJsonSchema/)
  })

  it('whose JSON Schema is wrong is refused like one written by hand', () => {
    const schema = withJsonSchema(z.object({}), { type: 'objekt' })
    expect(() => compileSchema(schema, what)).toThrow('type "objekt" is unknown; did you mean "object"?')
  })

  it('may be a function, as with arktype', () => {
    const schema = Object.assign(() => {}, withJsonSchema(z.object({ a: z.number() }), { type: 'object' }))
    expect(check(schema, { a: 1 })).toEqual({ ok: true, value: { a: 1 } })
  })

  it('of which the code fails does not count as a wrong call', () => {
    const failing: StandardSchemaV1 = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: () => {
          throw new Error('lost the bus')
        },
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({}) },
      },
    }
    expect(() => check(failing, {})).toThrow('lost the bus')
  })
})

describe('hostile calls', () => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty']

  it.each(names)('%s is never taken as given', name => {
    expect(problemsOf({ type: 'object', required: [name] }, {})).toEqual([`"${name}" is required`])
    const schema = JSON.parse(`{"type":"object","properties":{"${name}":{"type":"number"}},"required":["${name}"]}`)
    expect(problemsOf(schema, {})).toEqual([`"${name}" is required (number)`])
    expect(problemsOf(schema, JSON.parse(`{"${name}":"x"}`))).toEqual([
      `"${name}" must be a number; you sent the text "x"`,
    ])
    expect(problemsOf(schema, JSON.parse(`{"${name}":1}`))).toEqual([])
  })

  it.each(names)('%s is an unknown argument like any other', name => {
    expect(problemsOf(fan, JSON.parse(`{"percent":1,"${name}":1}`))).toEqual([
      `"${name}" is not an argument of this tool; it takes: percent`,
    ])
  })

  it('a name that every object inherits does not stand in for an argument', () => {
    const value = Object.create({ percent: 5 })
    expect(problemsOf(fan, value)).toContain('"percent" is required (number from 0 to 100)')
  })

  const recursive = object({ a: { $ref: '#/$defs/n' } }, { $defs: { n: object({ a: { $ref: '#/$defs/n' } }) } })
  it.each<[string, InputSchema]>([
    ['a simple schema', { type: 'object' }],
    ['a recursive schema', recursive],
    ['a Standard Schema', z.object({ a: z.any() })],
  ])('200 levels are checked by %s and 201 are not', (_, schema) => {
    const nested = (levels: number) => {
      let value: unknown = {}
      for (let i = 1; i < levels; i++) value = { a: value }
      return value
    }
    expect(problemsOf(schema, nested(200))).toEqual([])
    expect(problemsOf(schema, nested(201))).toEqual(['the arguments are nested deeper than 200 levels'])
    expect(problemsOf(schema, nested(100_000))).toEqual(['the arguments are nested deeper than 200 levels'])
  })

  it('a value that holds itself is refused', () => {
    const value: Record<string, unknown> = {}
    value.a = value
    expect(problemsOf({ type: 'object' }, value)).toEqual(['the arguments are nested deeper than 200 levels'])
  })

  it('a call whose check would double at each level is refused soon', () => {
    const link = { $ref: '#/$defs/n' }
    const n = {
      anyOf: [object({ k: link }, { required: ['k'] }), object({ k: link, z: {} }, { required: ['k'] }), { const: 1 }],
    }
    const compiled = compileSchema(object({ t: link }, { $defs: { n } }), what)
    // It fits: of one that does not, the errors alone would end the check.
    let tree: unknown = 1
    for (let i = 0; i < 100; i++) tree = { k: tree }
    expect(compiled.check({ t: tree })).toEqual({
      ok: false,
      problems: ['the arguments are too complex to be checked: send fewer levels or fewer items'],
    })
    expect(compiled.check({ t: { k: { k: 1 } } })).toMatchObject({ ok: true })
  })

  it('a long list of items that must differ is refused, because comparing takes its length squared', () => {
    const schema = object({ l: { type: 'array', uniqueItems: true } })
    const list = (length: number) => ({ l: Array.from({ length }, (_, i) => i) })
    expect(problemsOf(schema, list(2048))).toEqual([])
    expect(problemsOf(schema, list(2049))).toEqual(['"l" must have at most 2048 items; you sent 2049'])
  })

  it('a hundred thousand wrong items make one problem', () => {
    const schema = object({ l: { type: 'array', items: { type: 'string' } } })
    expect(problemsOf(schema, { l: Array(100_000).fill(1) })).toEqual(['"l[0]" must be text; you sent 1'])
  })

  it('a hundred thousand items that fit are accepted', () => {
    const schema = object({ l: { type: 'array', items: { $ref: '#/$defs/n' } } }, { $defs: { n: { type: 'number' } } })
    expect(problemsOf(schema, { l: Array(100_000).fill(1) })).toEqual([])
  })

  it('at most 8 problems are told, each of at most 300 characters on one plain line', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`${i}${'n'.repeat(60)}`, { type: 'number' }]),
    )
    const value = Object.fromEntries(
      Object.keys(properties).map(name => [name, `\u001b[31m\r\n\u202e${'x'.repeat(10_000)}`]),
    )
    const problems = problemsOf(
      object(properties, { required: ['a'], additionalProperties: false, patternProperties: { '^z': {} } }),
      {
        ...value,
        [`\u0000${'y'.repeat(10_000)}`]: 1,
      },
    )
    expect(problems).toHaveLength(8)
    for (const problem of problems) {
      expect(problem.length).toBeLessThanOrEqual(300)
      expect(problem).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
    }
  })

  it('half a character in a name is refused and not echoed', () => {
    expect(problemsOf(fan, { percent: 1, '\ud800': 1 })).toEqual([
      '" " in the arguments is no name: it holds half a character',
    ])
  })

  it('a format that cannot be checked in linear time is not checked', () => {
    const schema = object({ a: { type: 'string', format: 'url' } })
    expect(problemsOf(schema, { a: `http://${'a'.repeat(60)}!` })).toEqual([])
  })

  it('whatever is sent to whatever schema, the answer is a value or a few short problems', () => {
    const keywords = fc.dictionary(
      fc.constantFrom('type', 'enum', 'const', 'required', 'minimum', 'maxLength', 'pattern', 'format', 'uniqueItems'),
      fc.oneof(
        fc.constantFrom('string', 'object', 'array', 'email', 'a+', true, 3),
        fc.array(fc.constantFrom('a', 'null')),
      ),
      { maxKeys: 2 },
    )
    const { schema } = fc.letrec<{ schema: any }>(tie => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        keywords,
        fc.boolean(),
        ...[
          'not',
          'items',
          'contains',
          'additionalProperties',
          'propertyNames',
          'if',
          'then',
          'unevaluatedProperties',
        ].map(keyword => fc.tuple(keywords, tie('schema')).map(([more, inner]) => ({ ...more, [keyword]: inner }))),
        ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].map(keyword =>
          fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map(list => ({ [keyword]: list })),
        ),
        ...['properties', 'patternProperties', 'dependentSchemas'].map(keyword =>
          fc
            .dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema'), { maxKeys: 2 })
            .map(map => ({ [keyword]: map })),
        ),
      ),
    }))
    fc.assert(
      fc.property(schema, fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.object(), fc.anything()), (random, value) => {
        const compiled = compiledOrNone(typeof random === 'boolean' ? { not: random } : random)
        if (compiled === undefined) return
        const checked = compiled.check(value) as Checked
        if (checked.ok) return
        expect(checked.problems.length).toBeGreaterThan(0)
        expect(checked.problems.length).toBeLessThanOrEqual(8)
        for (const problem of checked.problems) expect(problem).toMatch(/^[^\n]{1,300}$/)
      }),
      { numRuns: 2000 },
    )
  })
})

function compiledOrNone(schema: InputSchema) {
  try {
    return compileSchema(schema, what)
  } catch (error) {
    expect(error).toBeInstanceOf(DefinitionError)
    return undefined
  }
}

describe('the fast path', () => {
  beforeEach(() => void vi.mocked(validate).mockClear())

  const everything = object(
    {
      pin: { type: 'integer', minimum: 0, exclusiveMaximum: 28, multipleOf: 1, title: 'Pin', examples: [3] },
      on: { type: 'boolean', default: false, 'x-led': true },
      mode: { enum: ['auto', 1, null], description: 'How' },
      name: { type: 'string', minLength: 1, maxLength: 8, $comment: 'short' },
      steps: { type: 'array', items: { type: ['number', 'null'] }, minItems: 1, maxItems: 3 },
    },
    { $schema: 'https://json-schema.org/draft/2020-12/schema', required: ['pin', 'on'], additionalProperties: false },
  )
  const good = { pin: 3, on: true, mode: null, name: 'lamp', steps: [1, null] }

  it('answers a call that fits a simple schema without the library', () => {
    expect(check(everything, good)).toEqual({ ok: true, value: good })
    expect(validate).not.toHaveBeenCalled()
  })

  it('leaves a call that does not fit to the library', () => {
    expect(check(everything, { ...good, pin: 28 }).ok).toBe(false)
    expect(validate).toHaveBeenCalled()
  })

  it('is not taken for a schema that says more', () => {
    expect(check(object({ a: { type: 'string', pattern: 'a' } }), { a: 'a' }).ok).toBe(true)
    expect(validate).toHaveBeenCalled()
  })

  it('agrees with the library, whatever the schema and the value', () => {
    const name = fc.constantFrom('a', 'b', 'constructor', '__proto__')
    const text = fc.constantFrom('', 'a', 'ab', '🔌', 'a🔌b', '\ud83d')
    const number = fc.constantFrom(-2, -1, 0, 0.5, 1, 1.5, 2, 3, 4, 1e21)
    const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null))
    const small = fc.nat({ max: 3 })
    const optional = { requiredKeys: [] }
    const typed = (type: string, keywords: Record<string, fc.Arbitrary<any>>) =>
      fc
        .tuple(fc.record(keywords, optional), fc.constantFrom({ type }, { type }, { type: [type, 'null'] }, {}))
        .map(([some, own]) => ({ ...some, ...own }))
    const { schema, value } = fc.letrec<{ schema: any; value: any }>(tie => ({
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constantFrom(true, {}, { type: 'boolean' }, { type: 'null' }, { type: ['string', 'integer'] }),
        fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 4 }) }),
        fc.record({ const: scalar }),
        typed('number', {
          minimum: number,
          maximum: number,
          exclusiveMinimum: number,
          exclusiveMaximum: number,
          multipleOf: fc.constantFrom(1, 2, 0.5),
        }),
        typed('integer', { minimum: number, maximum: number, multipleOf: fc.constantFrom(1, 2, 3) }),
        typed('string', { minLength: small, maxLength: small }),
        typed('array', { items: tie('schema'), minItems: small, maxItems: small }),
        typed('object', {
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: fc.boolean(),
        }),
      ),
      value: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(entries => Object.fromEntries(entries)),
      ),
    }))
    const seen = { fits: 0, fails: 0, fast: 0 }
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 12 }), (random, values) => {
        const compiled = compiledOrNone(typeof random === 'boolean' ? { items: random } : random)
        if (compiled === undefined) return
        const library = new Validator(structuredClone(compiled.json), '2020-12')
        for (const one of values) {
          vi.mocked(validate).mockClear()
          const { ok } = compiled.check(one) as Checked
          if (vi.mocked(validate).mock.calls.length === 0) seen.fast++
          expect(ok).toBe(library.validate(one).valid)
          seen[ok ? 'fits' : 'fails']++
        }
      }),
      { numRuns: 3000 },
    )
    // The comparison is worth something only where both answers come often, and the fast path gives most of the good.
    expect(seen.fits).toBeGreaterThan(2500)
    expect(seen.fails).toBeGreaterThan(3000)
    expect(seen.fast).toBeGreaterThan(seen.fits * 0.9)
  })
})

describe('a simple schema', () => {
  it.each([
    ['nothing at all', {}],
    ['what tools of hardware have', fan],
    ['what a generator writes', { $schema: 'https://json-schema.org/draft/2020-12/schema', ...step }],
    ['types and values', object({ a: { type: ['string', 'null'] }, b: { enum: [1] }, c: { const: {} } })],
    ['lists', object({ list: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 1 } })],
    ['remarks', object({ a: { title: 'A', description: 'a', default: 1, readOnly: true, $comment: 'x' } })],
  ])('%s', (_, schema) => {
    expect(isSimple(schema)).toBe(true)
    expect(() => readDefinition(schema as Record<string, unknown>, what)).not.toThrow()
  })

  it.each([
    ['an unknown type', { type: 'strnig' }],
    ['no type in a list', { type: [] }],
    ['a limit that is no number', object({ a: { minimum: '1' } })],
    ['limits that cross', object({ a: { minimum: 2, maximum: 1 } })],
    ['limits that meet where one is open', object({ a: { minimum: 1, exclusiveMaximum: 1 } })],
    ['lengths that cross', object({ a: { minLength: 2, maxLength: 1 } })],
    ['numbers of items that cross', object({ a: { minItems: 2, maxItems: 1 } })],
    ['a length below 0', object({ a: { minLength: -1 } })],
    ['a required member that cannot be', object({}, { required: ['a'], additionalProperties: false })],
    ['a schema that is a text', object({ a: 'string' })],
    ['another dialect', { $schema: 'http://json-schema.org/draft-03/schema#' }],
    ['a dialect inside', object({ a: { $schema: 'https://json-schema.org/draft/2019-09/schema' } })],
    ['a tuple of a former draft', object({ a: { items: [{}] } })],
    ['a multiple of 0', object({ a: { multipleOf: 0 } })],
  ])('is not one with a mistake: %s', (_, schema) => {
    expect(isSimple(schema)).toBe(false)
    expect(() => readDefinition(schema as Record<string, unknown>, what)).toThrow(DefinitionError)
  })

  it.each([
    ['a reference', object({ a: { $ref: '#' } })],
    ['a pattern', object({ a: { pattern: '^a' } })],
    ['a format', object({ a: { format: 'date' } })],
    ['alternatives', { anyOf: [{}] }],
    ['a keyword that nobody knows', object({ a: { 'x-led': 1 } })],
  ])('is not one that has to be read: %s', (_, schema) => expect(isSimple(schema)).toBe(false))

  it('has no mistake, whatever it is', () => {
    const text = fc.constantFrom('string', 'integer', 'a', 'https://json-schema.org/draft/2020-12/schema')
    const anything = fc.oneof(text, fc.array(text, { maxLength: 2 }), fc.jsonValue())
    const limit = fc.constantFrom('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')
    const length = fc.constantFrom('minLength', 'maxLength', 'minItems', 'maxItems')
    const other = fc.constantFrom('type', 'enum', 'const', 'required', 'additionalProperties', '$schema', 'default')
    const member = fc.oneof(
      fc.tuple(fc.oneof(limit, length), fc.oneof({ weight: 9, arbitrary: fc.integer({ min: -1, max: 3 }) }, anything)),
      fc.tuple(fc.constant('type'), text),
      fc.tuple(other, anything),
    )
    const { schema } = fc.letrec<{ schema: Record<string, unknown> }>(tie => ({
      schema: fc
        .tuple(
          fc.array(member, { maxLength: 4 }),
          fc.option(fc.dictionary(text, tie('schema'), { maxKeys: 2 }), { nil: undefined }),
          fc.option(tie('schema'), { nil: undefined, depthSize: 'small' }),
        )
        .map(([members, properties, items]) => ({
          ...Object.fromEntries(members),
          ...(properties && { properties }),
          ...(items && { items }),
        })),
    }))
    let simple = 0
    fc.assert(
      fc.property(schema, random => {
        if (!isSimple(random)) return
        simple++
        readDefinition(random, what)
      }),
      { numRuns: 5000 },
    )
    expect(simple).toBeGreaterThan(100)
  })
})
