import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decoder } from '../runtime/decoder.ts'
import { decodeUtf8 } from '../runtime/json.ts'
import { RepeatedRequest } from '../runtime/repeated-request.ts'

const meta =
  '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a \\"}{ b"},"x":[1]}'
const member = `"_meta":${meta}`
const call = (params: string, id: number | string = 1) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{${params}}}`
/** The order in which some clients write: the id comes last. */
const callIdLast = (params: string, id: number | string = 1) =>
  `{"method":"tools/call","params":{${params}},"jsonrpc":"2.0","id":${id}}`
const read = (uri: string, id = 1) => `{"jsonrpc":"2.0","id":${id},"method":"resources/read","params":{"uri":"${uri}"}}`
const fan = (given: string) => `${member},"name":"fan","arguments":${given}`

const decoder: Pick<Decoder, 'ascii' | 'utf8' | 'isAt'> = {
  utf8: decodeUtf8,
  ascii: (bytes, start, end) => Buffer.from(bytes).toString('latin1', start, end),
  isAt: (part, bytes, start) => Buffer.from(bytes.subarray(start, start + part.length)).equals(part),
}

function learned(...lines: string[]): RepeatedRequest {
  const repeated = new RepeatedRequest(decoder)
  for (const line of [lines[0]!, ...lines]) repeated.learn(line, JSON.parse(line))
  return repeated
}

/** Reads a line that lies amid other bytes. */
function readBy(repeated: RepeatedRequest, line: string): unknown {
  const bytes = Buffer.from(line)
  return repeated.read(Buffer.from(`{"id":1${line}9}`), 7, 7 + bytes.length)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The lines that are learned, and one that repeats the last of them. */
const repetitions: Record<string, [learned: string, line: string]> = {
  'the same line': [call(fan('{"on":true}')), call(fan('{"on":true}'))],
  'another id': [call(fan('{"on":true}')), call(fan('{"on":true}'), 123_456_789_012_345)],
  'the id 0': [call(fan('{"on":true}')), call(fan('{"on":true}'), 0)],
  'other arguments': [call(fan('{"on":true}')), call(fan('{"on":[{"a":"\\n\\\\\\u0041}"}],"__proto__":{"a":1}}'), 2)],
  'arguments that are none': [call(fan('{"on":true}')), call(fan('"} on"'), 2)],
  'spaces around the arguments': [call(fan('{"on":true}')), call(fan(' {"on": true} '), 2)],
  'no arguments before': [call(fan('{}')), call(fan('{"on":true}'), 2)],
  'a call without arguments': [call('"name":"fan"'), call('"name":"fan"', 2)],
  '_meta at the end': [
    call(`"arguments":{},"name":"fan",${member}`),
    call(`"arguments":{"a":1},"name":"fan",${member}`),
  ],
  'no _meta': [call('"name":"fan","arguments":{"on":true}'), call('"name":"fan","arguments":{}', 2)],
  'an id among the arguments': [call('"name":"a","arguments":{"id":1}'), call('"name":"a","arguments":{"id":"a"}', 2)],
  'an id among them, and the id last': [
    callIdLast('"name":"a","arguments":{"id":1}'),
    callIdLast('"name":"a","arguments":{"id":55}', 77),
  ],
  'the id last': [callIdLast(fan('{"on":true}')), callIdLast(fan('{"on":false,"x":1}'), 4711)],
  'the id last, no arguments': [callIdLast('"name":"fan"'), callIdLast('"name":"fan"', 4711)],
  'spaces behind the names': [
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "fan", "arguments": {"on": true}}}',
    '{"jsonrpc": "2.0", "id": 23, "method": "tools/call", "params": {"name": "fan", "arguments": {}}}',
  ],
  'arguments in a text before': [
    call('"name":"\\"arguments\\":{}","arguments":{}'),
    call('"name":"\\"arguments\\":{}","arguments":{"a":1}'),
  ],
  'a progress token': [
    call('"name":"fan","arguments":{},"_meta":{"progressToken":1}'),
    call('"name":"fan","arguments":{"a":1},"_meta":{"progressToken":4711}', 4712),
  ],
  'a progress token before everything': [
    callIdLast(`"_meta":{"progressToken":0,${meta.slice(1)},"name":"fan"`),
    callIdLast(`"_meta":{"progressToken":32,${meta.slice(1)},"name":"fan"`, 31),
  ],
  'a progress token beside more of _meta, and the id last': [
    callIdLast(`"name":"a","arguments":{"progressToken":1},"_meta":{"a":{"b":1},"progressToken":1}`),
    callIdLast(`"name":"a","arguments":{"progressToken":2},"_meta":{"a":{"b":1},"progressToken":3}`, 3),
  ],
  'a progress token of a resource': [
    read('sensor://a').replace('"uri"', '"_meta":{"progressToken":7},"uri"'),
    read('sensor://b', 2).replace('"uri"', '"_meta":{"progressToken":8},"uri"'),
  ],
  'a resource': [read('sensor://a'), read('sensor://b', 2)],
  'a resource with an escape': [read('sensor://a\\"b'), read('sensor://\\u0062', 2)],
  'letters that are not ASCII': [call(fan('{"on":"u"}')), call(fan('{"on":"ü€😀","ö":"\ufeff"}'), 2)],
  'arguments with letters that are not ASCII before': [call(fan('{"on":"ü"}')), call(fan('{"on":"u"}'), 2)],
}

test.each(Object.entries(repetitions))('what repeats is not parsed again: %s', (_, [first, line]) => {
  const message = readBy(learned(first), line)
  expect(message).toBeDefined()
  expect(message).toEqual(JSON.parse(line))
})

const first = call(fan('{"on":true}'))
const last = callIdLast(fan('{"on":true}'))
const token = (token: number | string) => call(`"name":"fan","arguments":{},"_meta":{"progressToken":${token}}`)
const others: Record<string, [learned: string, line: string]> = {
  'another tool': [first, first.replace('fan', 'led')],
  'another _meta': [first, first.replace('a \\', 'b \\')],
  'a negative id': [first, call(fan('{"on":true}'), '-1')],
  'an id with a fraction': [first, call(fan('{"on":true}'), '1.5')],
  'an id that begins with 0': [first, call(fan('{"on":true}'), '01')],
  'an id of many digits': [first, call(fan('{"on":true}'), '1234567890123456')],
  'an id that is a text': [first, call(fan('{"on":true}'), '"1"')],
  'no id': [first, call(fan('{"on":true}'), '')],
  'an id last that begins with 0': [last, callIdLast(fan('{"on":true}'), '01')],
  'an id last with a fraction': [last, callIdLast(fan('{"on":true}'), '1.5')],
  'no id last': [last, callIdLast(fan('{"on":true}'), '')],
  'the front only': [first, first.slice(0, 22)],
  'a line that is cut': [first, first.slice(0, -1)],
  'more after the line': [first, `${first}}`],
  'no arguments': [first, call(fan(''))],
  'broken arguments': [first, call(fan('{"on":tru}'))],
  'a member after the arguments': [first, call(`${fan('{"on":true}')},"task":{"ttl":1}`)],
  'a second member of that name': [first, call(`${fan('{"on":true}')},"arguments":{}`)],
  'arguments that close the params': [first, call(fan('{}},"id":{"a":{}'))],
  'a second id': [first, first.replace('"method"', '"id":2,"method"')],
  'a batch': [first, `[${first}]`],
  'a call with arguments after one without': [call('"name":"fan"'), call('"name":"fan","arguments":{}')],
  'a call without arguments after one with some': [call('"name":"fan","arguments":{}'), call('"name":"fan"')],
  'a progress token that is a text': [token(7), token('"7"')],
  'a progress token with a fraction': [token(7), token('7.5')],
  'a progress token that begins with 0': [token(7), token('07')],
  'no progress token': [token(7), token('')],
  'a progress token after none': [call('"name":"fan","arguments":{},"_meta":{}'), token(7)],
  'a long line': [first, call(fan(`{"on":"${'x'.repeat(5000)}"}`))],
}

test.each(Object.entries(others))('a line is parsed whole: %s', (_, [before, line]) => {
  const repeated = learned(before)
  expect(readBy(repeated, before)).toEqual(JSON.parse(before))
  expect(readBy(repeated, line)).toBeUndefined()
})

const unclear: Record<string, string> = {
  'another method': '{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}',
  'a method of every object': '{"jsonrpc":"2.0","id":1,"method":"constructor","params":{"arguments":{}}}',
  'no params': '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
  'an id that is a text': call(fan('{}'), '"1"'),
  'an id that is a text of digits': call('"name":"a"', '"7"'),
  'the largest id': call(fan('{}'), Number.MAX_SAFE_INTEGER),
  'no id': '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"fan","arguments":{}}}',
  'an id in _meta before the id':
    '{"method":"tools/call","params":{"_meta":{"id":1},"name":"a"},"jsonrpc":"2.0","id":1}',
  'two ids': call(fan('{}')).replace('"method"', '"id":1,"method"'),
  'two ids, one with an escape': call(fan('{}')).replace('"method"', '"\\u0069d":1,"method"'),
  'two arguments': call('"arguments":{},"name":"fan","arguments":{}'),
  'two arguments, one with an escape': call('"arguments":{},"name":"fan","\\u0061rguments":{}'),
  'two progress tokens': call('"_meta":{"progressToken":1,"progressToken":2},"name":"a"'),
  'two progress tokens, one with an escape': call('"_meta":{"progressToken":1,"progress\\u0054oken":1},"name":"a"'),
  'a progress token elsewhere before': call('"a":{"progressToken":1},"_meta":{"progressToken":1},"name":"a"'),
  'a progress token that is a mark': token(Number.MAX_SAFE_INTEGER - 1),
  'a progress token that is a text': token('"a"'),
  'two params': first.replace('"params"', '"params":{"arguments":{}},"params"'),
  'arguments elsewhere before': call('"_meta":{"arguments":{}},"name":"fan","arguments":{}'),
  'arguments that are a mark': call('"name":"fan","arguments":"\x7f"'),
  'arguments that are a list': call('"name":"fan","arguments":[]'),
  'another member beside': first.replace('"method"', '"extra":1,"method"'),
  'another JSON-RPC': first.replace('"2.0"', '"2.1"'),
  'a name that is not ASCII': call('"name":"lüfter","arguments":{}'),
  'a long line': call(`"name":"${'x'.repeat(5000)}"`),
}

test.each(Object.entries(unclear))('a line of which the frame is not sure is not remembered: %s', (_, line) => {
  expect(readBy(learned(line), line)).toBeUndefined()
})

/** Texts of JSON, with members that come twice, names with escapes and values in any place. */
const texts = fc.letrec<{ value: string; object: string }>(tie => ({
  object: fc
    .array(
      fc.tuple(
        fc.constantFrom(
          '_meta',
          'arguments',
          'argument\\u0073',
          'params',
          'name',
          '__proto__',
          'id',
          '\\u0069d',
          'uri',
        ),
        tie('value'),
      ),
      { maxLength: 4 },
    )
    .map(members => `{${members.map(([key, text]) => `"${key}":${text}`).join(',')}}`),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      '"\x7f"',
      '1',
      '7',
      String(Number.MAX_SAFE_INTEGER),
      '-1',
      '1e3',
      'null',
      '{}',
      '"\\"arguments\\":{}"',
    ),
    fc.constantFrom(JSON.stringify('"id":1'), '"ü"', ' {} ', '"tools/call"', '"a\\\\"'),
    tie('object'),
    fc.array(tie('value'), { maxLength: 2 }).map(items => `[${items.join(',')}]`),
  ),
}))

const messages = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom('id', 'extra', '\\u0069d'), texts.value), { maxLength: 1 }),
    fc.constantFrom('"tools/call"', '"resources/read"', '"tools/\\u0063all"'),
    fc.nat({ max: 120 }),
    texts.object,
    fc.boolean(),
  )
  .map(([more, method, id, params, idFirst]) => {
    const before = more.map(([name, value]) => `"${name}":${value},`).join('')
    return idFirst
      ? `{${before}"jsonrpc":"2.0","id":${id},"method":${method},"params":${params}}`
      : `{"method":${method},"params":${params},${before}"jsonrpc":"2.0","id":${id}}`
  })

test('whatever was learned, what is read of a line is what JSON.parse gives', () => {
  let hits = 0
  const pieces = fc.constantFrom(
    '{',
    '}',
    '"',
    ',',
    ':',
    '[',
    '\\',
    '7',
    '00',
    '-',
    ' ',
    '.5',
    '"id":1',
    '{}',
    'e3',
    '"a"',
  )
  fc.assert(
    fc.property(
      messages,
      texts.value,
      fc.nat(),
      fc.array(pieces, { maxLength: 3 }),
      fc.nat(),
      (line, other, id, noise, at) => {
        const repeated = learned(line)
        const values = ['{}', '{"on":true}', ...(line.match(/\{[^{}]*\}/g) ?? [])]
        const changed = [
          line,
          line.replace(/"id":\d+/, `"id":${id}`),
          line.replace(/"progressToken":\d+/, `"progressToken":${id}`),
          line.replace(/"arguments":\{\}/, `"arguments":${other}`),
          line.replace(values[at % values.length]!, other),
          line.slice(0, at % line.length) + noise.join('') + line.slice(at % line.length),
          line.slice(0, at % line.length) + noise.join('') + line.slice((at % line.length) + 1),
        ]
        for (const text of changed) {
          const message = readBy(repeated, text)
          if (message === undefined) continue
          if (text !== line) hits++
          expect(message).toEqual(parsed(text))
        }
      },
    ),
    { numRuns: 5000 },
  )
  expect(hits).toBeGreaterThan(500)
})

test('a value that is not UTF-8 is left to who refuses the line', () => {
  const bytes = Buffer.from(call(fan('{"on":"ü"}')))
  const repeated = learned(first)
  expect(repeated.read(bytes, 0, bytes.length)).toBeDefined()
  bytes[bytes.indexOf(0xc3)] = 0xff
  expect(repeated.read(bytes, 0, bytes.length)).toBeUndefined()
})

test('of two that fit, the one is taken in which the value is one', () => {
  const asTask = call(`${fan('{}')},"task":{"ttl":1}`)
  const repeated = learned(asTask, first)
  expect(readBy(repeated, asTask)).toEqual(JSON.parse(asTask))
  expect(readBy(repeated, first)).toEqual(JSON.parse(first))
})

test('a single request is not remembered', () => {
  const repeated = new RepeatedRequest(decoder)
  repeated.learn(first, JSON.parse(first))
  expect(readBy(repeated, first)).toBeUndefined()
})

test('the members of the arguments keep their order', () => {
  const line = call(fan('{"z":1,"a":2,"10":3}'))
  const { params } = readBy(learned(first), line) as { params: { arguments: object } }
  expect(JSON.stringify(params.arguments)).toBe(JSON.stringify(JSON.parse(line).params.arguments))
})

test('several tools and resources are met in turn', () => {
  const lines = Array.from({ length: 6 }, (_, i) => call(`"name":"tool${i}","arguments":{}`))
  const repeated = learned(...lines, read('sensor://a'), callIdLast('"name":"a"'))
  for (let round = 0; round < 3; round++) {
    for (const line of [...lines, read('sensor://b'), callIdLast('"name":"a"', 5)]) {
      expect(readBy(repeated, line)).toEqual(JSON.parse(line))
    }
  }
})

test('of eight, the one that was not met for longest is forgotten', () => {
  const lines = Array.from({ length: 9 }, (_, i) => call(`"name":"tool${i}"`))
  const repeated = learned(...lines.slice(0, 8))
  for (const i of [7, 1, 0]) expect(readBy(repeated, lines[i]!)).toBeDefined()
  repeated.learn(lines[8]!, JSON.parse(lines[8]!))
  const known = lines.filter(line => readBy(repeated, line) !== undefined)
  expect(known).toEqual(lines.filter((_, i) => i !== 2))
})

test('what was not met for long is forgotten', () => {
  const lines = Array.from({ length: 9 }, (_, i) => call(`"name":"tool${i}"`))
  const repeated = learned(...lines)
  expect(readBy(repeated, lines[0]!)).toBeUndefined()
  expect(readBy(repeated, lines[1]!)).toBeDefined()
})

test('a client that never repeats itself is soon left alone, one that does now and then is not', () => {
  const line = (i: number) => call(`"_meta":{"example.com/trace":"${i}"},"name":"fan"`)
  const changing = new RepeatedRequest(decoder)
  for (let i = 0; i < 40; i++) changing.learn(line(i), JSON.parse(line(i)))
  for (let i = 0; i < 40; i++) expect(readBy(changing, line(i))).toBeUndefined()
  const repeating = learned(line(0))
  for (let i = 0; i < 100; i++) {
    repeating.learn(line(i), JSON.parse(line(i)))
    expect(readBy(repeating, line(i))).toEqual(JSON.parse(line(i)))
  }
})

test('what was remembered cannot be changed for the requests to come', () => {
  const repeated = learned(first)
  const message = readBy(repeated, first) as { params: Record<string, unknown> }
  const { _meta } = message.params as { _meta: Record<string, unknown> }
  expect(Object.isFrozen(_meta)).toBe(true)
  expect(Object.isFrozen(_meta.x)).toBe(true)
  message.params.name = 'led'
  message.params.more = 1
  ;(message.params.arguments as Record<string, unknown>).on = 1
  expect(readBy(repeated, first)).toEqual(JSON.parse(first))
})
