import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RepeatedMeta } from '../runtime/repeated-meta.ts'

const meta =
  '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a \\"}{ b"},"x":[1]}'
const member = `"_meta":${meta}`
const call = (params: string, id = 1) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{${params}}}`
const first = call(`${member},"name":"fan","arguments":{"on":true}`)

const latin1 = (bytes: Uint8Array, start: number, end: number) => Buffer.from(bytes).toString('latin1', start, end)

function learned(line = first): RepeatedMeta {
  const repeated = new RepeatedMeta(latin1)
  repeated.learn(line, JSON.parse(line))
  return repeated
}

/** Reads a line that lies amid other bytes. */
function read(repeated: RepeatedMeta, line: string): unknown {
  return repeated.read(Buffer.from(`"_meta":${line}\n${line}`), 8, 8 + line.length)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** What is read, if anything is, is what `JSON.parse` gives, down to the order of the members. */
function expectSame(line: string, value: unknown): void {
  if (value === undefined) return
  expect(JSON.stringify(value)).toBe(JSON.stringify(parsed(line)))
  expect(value).toEqual(parsed(line))
}

const repetitions: Record<string, string> = {
  'the same line': first,
  'another id': call(`${member},"name":"fan","arguments":{"on":true}`, 123_456),
  'another method and other arguments': first.replace('tools/call', 'ping').replace('true', '[{"a":"\\n\\\\"}]'),
  '_meta at the end of the params': call(`"name":"fan","arguments":{},${member}`),
  'params before the rest': `{"params":{"name":"fan",${member}},"method":"tools/call","jsonrpc":"2.0","id":"a"}`,
  'the second of two members of that name': call(`"_meta":{"a":1},${member},"name":"fan"`),
  'spaces around it': call(` ${member} ,"name":"fan"`),
}

test.each(Object.entries(repetitions))('a repeated _meta is not parsed again: %s', (_, line) => {
  const value = read(learned(), line)
  expect(value).toBeDefined()
  expectSame(line, value)
})

const others: Record<string, string> = {
  'another _meta': call(`${member.replace('a \\', 'b \\')},"name":"fan"`),
  'no _meta': call('"name":"fan"'),
  'a later member of the same name': call(`${member},"name":"fan","_meta":{}`),
  'a later one whose name has an escape': call(`${member},"name":"fan","_\\u006deta":{"a":1}`),
  'a later one that is the mark itself': call(`${member},"_meta":"\x7f"`),
  'a later one that is the mark as an escape': call(`${member},"_meta":"\\u007f"`),
  'later params': `{"jsonrpc":"2.0","id":1,"method":"m","params":{${member}},"params":{"_meta":{}}}`,
  'within the arguments': call(`"name":"fan","arguments":{${member}}`),
  'within the arguments, where the mark stands as _meta': call(`"arguments":{${member}},"_meta":"\x7f"`),
  'within a text': call(`"name":${JSON.stringify(member)}`),
  'as the end of a name': call(`"a\\"_meta":${meta},"name":"fan"`),
  'beside the params': `{"jsonrpc":"2.0","id":1,"method":"m","params":{},${member}}`,
  'in a batch': `[${first}]`,
  'a line that is cut': first.slice(0, -1),
  'more after the line': `${first}}`,
  'a digit after it': call(`${member}5,"name":"fan"`),
  'no comma after it': call(`${member} "name":"fan"`),
  'no name before it': call(`"a":${member}`),
  'a text that ends before it': call(`"a":"${member},"name":"fan"`),
  'params that are null': '{"jsonrpc":"2.0","id":1,"method":"m","params":null}',
}

test.each(Object.entries(others))('a line is parsed whole: %s', (_, line) => {
  expect(read(learned(), line)).toBeUndefined()
})

test('whatever a line is made of, it is read as JSON.parse reads it, or left to it', () => {
  const pieces = [
    member,
    meta,
    '"_meta":',
    '"_meta"',
    '"params":{',
    '"params":',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
  ]
  const more = [
    '\\u005f',
    '\x7f',
    '"\x7f"',
    '"a"',
    '1',
    'null',
    ' ',
    '\\"',
    '"_\\u006deta":{}',
    '"__proto__":',
    '"id":1',
  ]
  const piece = fc.constantFrom(...pieces, ...more)
  const repeated = learned()
  const line = fc.array(piece, { maxLength: 12 }).map(all => all.join(''))
  fc.assert(
    fc.property(line, line, fc.boolean(), (a, b, whole) => {
      const text = whole ? call(`${a}${member}${b}`) : `${a}${member}${b}`
      expectSame(text, read(repeated, text))
      repeated.learn(first, JSON.parse(first))
      read(repeated, first)
    }),
    { numRuns: 5000 },
  )
})

test('whatever members a message has, in whatever order and how often, it is read as JSON.parse reads it', () => {
  const name = fc.constantFrom('_meta', '_\\u006deta', 'params', 'name', '__proto__', 'a\\"_meta', 'id')
  const { value } = fc.letrec<{ value: string; object: string }>(tie => ({
    object: fc
      .array(fc.tuple(name, tie('value')), { maxLength: 4 })
      .map(members => `{${members.map(([key, text]) => `"${key}":${text}`).join(',')}}`),
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(meta, '"\x7f"', '"\\u007f"', '{}', '1', JSON.stringify(member)),
      tie('object'),
      fc.array(tie('value'), { maxLength: 2 }).map(items => `[${items.join(',')}]`),
    ),
  }))
  const repeated = learned()
  let hits = 0
  fc.assert(
    fc.property(
      fc.array(fc.tuple(name, value), { maxLength: 4 }),
      fc.array(fc.tuple(name, value), { maxLength: 4 }),
      (before, after) => {
        const members = [...before, ['_meta', meta] as const, ...after].map(([key, text]) => `"${key}":${text}`)
        const line = call(members.join(','))
        const read1 = read(repeated, line)
        if (read1 !== undefined) hits++
        expectSame(line, read1)
      },
    ),
    { numRuns: 5000 },
  )
  expect(hits).toBeGreaterThan(100)
})

test('a client that never repeats itself is soon left alone, one that does now and then is not', () => {
  const line = (i: number) => call(`${member.replace('[1]', `[${i}]`)},"name":"fan"`)
  const changing = new RepeatedMeta(latin1)
  for (let i = 0; i < 20; i++) changing.learn(line(i), JSON.parse(line(i)))
  expect(read(changing, line(19))).toBeUndefined()
  const repeating = new RepeatedMeta(latin1)
  for (let i = 0; i < 20; i++) {
    repeating.learn(line(i), JSON.parse(line(i)))
    expect(read(repeating, line(i))).toEqual(JSON.parse(line(i)))
  }
})

test('what was remembered cannot be changed for the requests to come', () => {
  const { params } = read(learned(), first) as { params: { _meta: Record<string, unknown> } }
  expect(Object.isFrozen(params._meta)).toBe(true)
  expect(Object.isFrozen(params._meta.x)).toBe(true)
})
