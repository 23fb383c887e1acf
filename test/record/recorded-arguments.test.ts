import { describe, expect, it } from 'vitest'
import { argumentsRecorder, hiddenValue } from '../../runtime/recorded-arguments.ts'
import { recordedClient } from '../../runtime/recorder.ts'

const secret = { type: 'string', writeOnly: true }
const password = { type: 'string', format: 'password' }
const member = (schema: object) => ({ type: 'object', properties: { a: schema, b: {} } })

describe('arguments that are recorded', () => {
  it('are a copy', () => {
    const given = { list: [1, { b: true }], text: 'x', none: null }
    const recorded = argumentsRecorder({ type: 'object' })(given)
    expect(JSON.stringify(recorded)).toBe(JSON.stringify(given))
    given.list.push(2)
    expect(recorded).not.toEqual(given)
  })

  it.each<[string, object, unknown, unknown]>([
    ['writeOnly', member(secret), { a: 'x', b: 1 }, { a: hiddenValue, b: 1 }],
    ['a password', member(password), { a: 'x' }, { a: hiddenValue }],
    ['of any type', member({ writeOnly: true }), { a: { c: ['x'] } }, { a: hiddenValue }],
    ['deeper', member(member(secret)), { a: { a: 'x', b: 1 } }, { a: { a: hiddenValue, b: 1 } }],
    ['in a list', member({ type: 'array', items: secret }), { a: ['x', 'y'] }, { a: [hiddenValue, hiddenValue] }],
    ['in a tuple', member({ prefixItems: [{}, secret] }), { a: ['x', 'y'] }, { a: [hiddenValue, hiddenValue] }],
    ['in one of several', member({ oneOf: [{ type: 'number' }, secret] }), { a: 5 }, { a: hiddenValue }],
    ['in all of several', { allOf: [member({}), { allOf: [member(secret)] }] }, { a: 'x' }, { a: hiddenValue }],
    ['where a condition says so', Object.fromEntries([['then', member(secret)]]), { a: 'x' }, { a: hiddenValue }],
    ['otherwise', { if: {}, else: member(secret) }, { a: 'x' }, { a: hiddenValue }],
    ['depending', { dependentSchemas: { b: member(secret) } }, { a: 'x' }, { a: hiddenValue }],
    ['by pattern', { patternProperties: { '^a': secret } }, { ab: 'x', b: 'y' }, { ab: hiddenValue, b: 'y' }],
    ['by a broken pattern', { patternProperties: { '(': secret } }, { ab: 'x' }, { ab: hiddenValue }],
    [
      'whatever else',
      { properties: { b: {} }, additionalProperties: secret },
      { a: 'x', b: 'y' },
      { a: hiddenValue, b: 'y' },
    ],
    ['by reference', { ...member({ $ref: '#/$defs/s~1t' }), $defs: { 's/t': secret } }, { a: 'x' }, { a: hiddenValue }],
    ['by a reference that leads nowhere', member({ allOf: [{ $ref: '#x' }, secret] }), { a: 'x' }, { a: hiddenValue }],
    [
      'in a tree',
      { properties: { key: secret, next: { $ref: '#' } } },
      { key: 'x', next: { key: 'y', next: { key: 'z' } } },
      { key: hiddenValue, next: { key: hiddenValue, next: { key: hiddenValue } } },
    ],
    ['all of it', { writeOnly: true, type: 'object' }, { a: 'x' }, hiddenValue],
  ])('hide what is secret: %s', (_, schema, given, expected) => {
    const recorded = argumentsRecorder(schema as Record<string, unknown>)(given)
    expect(JSON.parse(JSON.stringify(recorded))).toEqual(expected)
  })

  it('hide what may be secret behind a reference that cannot be followed', () => {
    const schema = { properties: { a: { $ref: '#anchor' } }, $defs: { x: { $anchor: 'anchor', ...secret } } }
    expect(argumentsRecorder(schema)({ a: 'x' })).toMatchObject({ a: hiddenValue })
  })

  it('show what is public: a property may be called writeOnly', () => {
    const schema = { properties: { writeOnly: { type: 'boolean' }, format: { const: 'password' } } }
    expect(argumentsRecorder(schema)({ writeOnly: true, format: 'x' })).toMatchObject({ writeOnly: true, format: 'x' })
  })

  it.each<[string, unknown]>([
    ['a long text', { a: 'x'.repeat(1e6) }],
    ['many texts', Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 'text']))],
    ['a long name', { ['n'.repeat(1e6)]: 1 }],
    ['a long list', { a: Array.from({ length: 100_000 }, (_, index) => index) }],
    ['many lists', { a: Array.from({ length: 100_000 }, () => [[[]]]) }],
    ['a deep one', JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)],
  ])('are bounded: %s', (_, given) => {
    for (const schema of [{}, member(secret)]) {
      expect(JSON.stringify(argumentsRecorder(schema as Record<string, unknown>)(given)).length).toBeLessThan(12_000)
    }
  })

  it('take a member called __proto__ for a member', () => {
    const recorded = argumentsRecorder({})(JSON.parse('{"__proto__":{"x":1}}'))
    expect(JSON.stringify(recorded)).toBe('{"__proto__":{"x":1}}')
  })
})

describe('a client that is recorded', () => {
  it.each([
    [{ name: 'claude', version: '1.2' }, undefined, 'claude 1.2'],
    [{ name: 'claude', version: '1.2' }, 'phone', 'claude 1.2 (phone)'],
    [undefined, 'phone', 'phone'],
    [undefined, undefined, undefined],
  ])('%j with token %j is %j', (info, token, expected) => expect(recordedClient(info, token)).toBe(expected))

  it('is bounded', () => expect(recordedClient({ name: 'x'.repeat(1e5), version: '1' })!.length).toBe(100))
})
