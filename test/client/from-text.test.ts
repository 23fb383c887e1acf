import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../runtime/index.ts'
import { valuesFromText } from '../../runtime/schema/from-text.ts'

const schema = {
  type: 'object',
  properties: {
    number: { type: 'number' },
    integer: { type: 'integer', minimum: 0 },
    boolean: { type: 'boolean' },
    text: { type: 'string' },
    either: { type: ['number', 'string'] },
    optional: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    choice: { enum: [1, 2, 3] },
    named: { enum: ['1', '2'] },
    list: { type: 'array', items: { type: 'number' } },
    inner: { type: 'object', properties: { deep: { $ref: '#/$defs/level' } } },
    free: {},
  },
  $defs: { level: { type: 'integer' } },
} satisfies JsonSchema

function take(value: object, by: JsonSchema = schema): any {
  const outcome = valuesFromText(by, 'a schema')['~standard'].validate(value)
  if (outcome instanceof Promise) throw new Error('a JSON Schema is checked at once')
  return outcome.issues === undefined ? outcome.value : outcome.issues.map(({ message }) => message).join('; ')
}

describe('values that come as texts', () => {
  it.each([
    [{ number: '21.5' }, { number: 21.5 }],
    [{ number: ' -1e3 ' }, { number: -1000 }],
    [{ integer: '9600' }, { integer: 9600 }],
    [{ boolean: 'true' }, { boolean: true }],
    [{ boolean: 'False' }, { boolean: false }],
    [{ optional: '5' }, { optional: 5 }],
    [{ choice: '2' }, { choice: 2 }],
    [{ list: ['1', 2, '3'] }, { list: [1, 2, 3] }],
    [{ inner: { deep: '7', more: '8' } }, { inner: { deep: 7, more: '8' } }],
  ])('%j is taken for %j', (sent, taken) => {
    expect(take(sent)).toEqual(taken)
  })

  it.each([{ text: '9600' }, { either: '9600' }, { named: '1' }, { free: '9600' }, { unknown: '1' }])(
    '%j stays as it is',
    sent => {
      expect(take(sent)).toEqual(sent)
    },
  )

  it.each([
    [{ number: '' }],
    [{ number: 'much' }],
    [{ number: '0x10' }],
    [{ number: 'Infinity' }],
    [{ number: '12345678901234567890' }],
    [{ integer: '1.5' }],
    [{ integer: '-1' }],
    [{ boolean: 'yes' }],
    [{ boolean: '1' }],
    [{ list: '1' }],
  ])('%j is refused', sent => {
    expect(take(sent)).toMatch(/must be/)
  })

  it('what was sent is not changed', () => {
    const sent = { inner: { deep: '7' }, list: ['1'] }
    take(sent)
    expect(sent).toEqual({ inner: { deep: '7' }, list: ['1'] })
  })

  it('a schema that calls itself does not run away', () => {
    const endless: JsonSchema = { type: 'object', properties: { next: { $ref: '#' }, n: { type: 'number' } } }
    let value: object = { n: '1' }
    for (let depth = 0; depth < 200; depth++) value = { next: value }
    expect(() => take(value, endless)).not.toThrow()
  })
})
