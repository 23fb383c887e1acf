import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FlatObject } from '../runtime/flat-object.ts'

/** Reads a text that lies amid other bytes. */
function read(like: FlatObject | undefined, text: string, after = '}'): unknown {
  const bytes = Buffer.from(`{"a":${text}${after}`)
  return like?.read(bytes, 5, 5 + Buffer.byteLength(text))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const values = ['0', '-0', '7', '-7', '17', '123456789012345', '-123456789012345', '0.1', '-0.5', '22.75', '0.00001']
const more = ['1.10', '1234567890123.5', '0.000000000001', '9.9999999999999', 'true', 'false', '4294967296', '1.0']

test.each([...values, ...more])('%s is read as JSON.parse reads it', value => {
  const object = read(FlatObject.like({ a: 1, b: true }), `{"a":${value},"b":${value}}`)
  expect(object).toEqual(JSON.parse(`{"a":${value},"b":${value}}`))
  expect(Object.keys(object as object)).toEqual(['a', 'b'])
})

const left = [
  '1e3',
  '1E3',
  '1.5e-3',
  '01',
  '-01',
  '00',
  '+1',
  '.5',
  '1.',
  '-',
  '',
  '1 ',
  ' 1',
  '1.2.3',
  '0x1',
  '1_0',
  'NaN',
]
const leftToo = [
  'tru',
  'truth',
  'TRUE',
  'falsee',
  'null',
  '"1"',
  '[]',
  '{}',
  '1234567890123456',
  '0.1234567890123456',
  '--1',
]

test.each([...left, ...leftToo])('%s is left to JSON.parse, and so is what follows it', value => {
  expect(read(FlatObject.like({ a: 1 }), `{"a":${value}}`)).toBeUndefined()
  expect(read(FlatObject.like({ a: 1, b: 2 }), `{"a":${value},"b":1}`)).toBeUndefined()
  expect(read(FlatObject.like({ a: 1, b: 2 }), `{"a":1,"b":${value}}`)).toBeUndefined()
})

const others: Record<string, string> = {
  'another name': '{"a":1,"c":true}',
  'another order': '{"b":true,"a":1}',
  'one less': '{"a":1}',
  'one more': '{"a":1,"b":true,"c":1}',
  'one twice': '{"a":1,"a":1,"b":true}',
  'no end': '{"a":1,"b":true',
  'more after the end': '{"a":1,"b":true}}',
  'a space': '{"a":1, "b":true}',
  'another end': '{"a":1,"b":true]',
  nothing: '',
  'no object': '17',
}

test.each(Object.entries(others))('an object with other members is left to JSON.parse: %s', (_, text) => {
  expect(read(FlatObject.like({ a: 1, b: true }), text)).toBeUndefined()
})

test('what stands behind the end is not read', () => {
  expect(read(FlatObject.like({ a: 1, b: true }), '{"a":1,', '"b":true}')).toBeUndefined()
  expect(read(FlatObject.like({ a: 1 }), '{"a":1', '2}')).toBeUndefined()
  expect(read(FlatObject.like({ a: 1 }), '{"a":tr', 'ue}')).toBeUndefined()
  expect(read(FlatObject.like({ a: 1 }), '{"a":1', '}')).toBeUndefined()
})

const unlike = [undefined, null, 1, 'a', [], [1], {}, { a: 'text' }, { a: null }, { a: {} }, { ä: 1 }]

test.each(unlike.map(value => [JSON.stringify(value), value]))('there is nothing like %s', (_, value) => {
  expect(FlatObject.like(value)).toBeUndefined()
})

test('there is nothing like an object with many members', () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`m${i}`, i]))
  expect(FlatObject.like(many)).toBeUndefined()
})

test('a member of the name __proto__ is one like others', () => {
  const text = '{"__proto__":5,"constructor":true}'
  const object = read(FlatObject.like(JSON.parse(text)), text) as object
  expect(object).toEqual(JSON.parse(text))
  expect(Object.keys(object)).toEqual(['__proto__', 'constructor'])
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
})

test('each object is a new one', () => {
  const like = FlatObject.like({ a: 1 })
  const first = read(like, '{"a":1}') as Record<string, unknown>
  first.a = 5
  first.b = 6
  expect(read(like, '{"a":1}')).toEqual({ a: 1 })
})

const scalar = fc.oneof(
  fc.boolean().map(String),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => JSON.stringify(value)),
  fc.tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.nat({ max: 9_999_999 })).map(([a, b]) => `${a}.${b}`),
  fc.stringMatching(/^-?[0-9]{1,4}(\.[0-9]{1,13})?$/),
  fc.constantFrom('1e5', 'nul', '"a"', ' 1', '-', ''),
)
const name = fc.oneof(fc.constantFrom('a', 'b', '1', '__proto__', 'a"b', 'ü', 'on', ''), fc.string({ maxLength: 3 }))
const members = fc.array(fc.tuple(name, scalar), { minLength: 1, maxLength: 5 })
const textOf = (all: [string, string][]) =>
  `{${all.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`

test('whatever was learned, what is read of a text is what JSON.parse gives', () => {
  let hits = 0
  fc.assert(
    fc.property(members, fc.array(scalar, { minLength: 5, maxLength: 5 }), fc.nat(), (all, instead, at) => {
      const like = FlatObject.like(parsed(textOf(all)))
      const changed = textOf(all.map(([key], i) => [key, instead[i]!]))
      const cut = changed.slice(0, at % changed.length) + changed.slice((at % changed.length) + 1)
      for (const text of [textOf(all), changed, cut]) {
        const object = read(like, text)
        if (object === undefined) continue
        hits++
        const expected = parsed(text) as object
        expect(Object.entries(object as object)).toEqual(Object.entries(expected))
      }
    }),
    { numRuns: 20_000 },
  )
  expect(hits).toBeGreaterThan(5000)
})
