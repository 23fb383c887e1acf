import { describe, expect, it } from 'vitest'
import { argumentsOf, exampleArguments, type Schema, signature, typedArguments, words } from '../bin/try/arguments.ts'
import { bar, forget, range, sparkline } from '../bin/try/chart.ts'
import { commandOf, complete } from '../bin/try/command.ts'
import { Editor } from '../bin/try/editor.ts'
import { keysOf } from '../bin/try/keys.ts'
import { answerOf, type SensorView } from '../bin/try/model.ts'
import { plain, readable, readingsOf } from '../bin/try/readings.ts'
import { draw, type View } from '../bin/try/screen.ts'
import { fit, paint, textOf, widthOf, wrap } from '../bin/try/text.ts'
import { abbreviated } from '../bin/try/wire.ts'

const seconds: Schema = {
  type: 'object',
  properties: { seconds: { type: 'number', minimum: 0, maximum: 60 } },
  required: ['seconds'],
}
const mixed: Schema = {
  type: 'object',
  properties: {
    gentle: { type: 'boolean' },
    mode: { enum: ['slow', 'fast'] },
    steps: { type: 'integer', minimum: 1 },
    note: { type: 'string' },
    path: { type: 'array' },
  },
  required: ['mode', 'steps'],
}
const none: Schema = { type: 'object' }

describe('the words of a line', () => {
  it.each([
    ['pump 5', ['pump', '5']],
    ['  pump   seconds=5 ', ['pump', 'seconds=5']],
    ['say text="a b" x', ['say', 'text=a b', 'x']],
    ["say 'a b'", ['say', 'a b']],
    ['say {"text": "a b"}', ['say', '{"text": "a b"}']],
    ['say "open', ['say', '"open']],
    ['', []],
  ])('%j', (line, expected) => expect(words(line)).toEqual(expected))
})

describe('typed arguments', () => {
  it.each<[string[], Schema, object]>([
    [['5'], seconds, { seconds: 5 }],
    [['seconds=5'], seconds, { seconds: 5 }],
    [['seconds=1e1'], seconds, { seconds: 10 }],
    [['seconds=lots'], seconds, { seconds: 'lots' }],
    [[], seconds, {}],
    [['{"seconds":5}'], seconds, { seconds: 5 }],
    [['fast', '3'], mixed, { mode: 'fast', steps: 3 }],
    [['steps=3', 'fast', 'on'], mixed, { steps: 3, mode: 'fast', gentle: true }],
    [['fast', '3', 'gentle=off', 'note=12'], mixed, { mode: 'fast', steps: 3, gentle: false, note: '12' }],
    [['fast', '3', 'path=[1,2]'], mixed, { mode: 'fast', steps: 3, path: [1, 2] }],
    [['fast', '3', 'gentle=maybe'], mixed, { mode: 'fast', steps: 3, gentle: 'maybe' }],
    [['extra=1'], none, { extra: 1 }],
  ])('%j', (typed, schema, expected) => expect(argumentsOf(schema, typed)).toEqual(expected))

  it.each<[string[], Schema, string]>([
    [['5', '6'], seconds, 'no argument is left for 6: it takes seconds'],
    [['5'], none, 'it takes no arguments: 5'],
    [['{"seconds":'], seconds, 'this is no JSON object'],
  ])('%j is a mistake', (typed, schema, message) => expect(() => argumentsOf(schema, typed)).toThrow(message))

  it('are shown with their ranges, the optional ones in brackets', () => {
    expect(signature(seconds)).toBe('seconds=0…60')
    expect(signature(mixed)).toBe('mode=slow|fast  steps=≥1  [gentle=on|off]  [note=text]  [path=array]')
    expect(signature(none)).toBe('')
  })

  it('are given back as they would be typed', () => {
    expect(typedArguments({ seconds: 5, gentle: true, note: 'x' })).toBe('seconds=5 gentle=on note=x')
    expect(exampleArguments(seconds)).toBe('seconds=6')
    expect(exampleArguments(mixed)).toBe('mode=slow steps=6')
  })
})

const actuators = [
  { name: 'pump', schema: seconds },
  { name: 'pump_back', schema: none },
  { name: 'mixer', schema: mixed },
  { name: 'heater', schema: { properties: { on: { type: 'boolean' } }, required: ['on'] } },
]

describe('a typed line', () => {
  it.each([
    ['pump 5', { kind: 'call', name: 'pump', given: { seconds: 5 } }],
    ['heater on', { kind: 'call', name: 'heater', given: { on: true } }],
    ['pump_back', { kind: 'call', name: 'pump_back', given: {} }],
    ['', { kind: 'nothing' }],
    ['help', { kind: 'help' }],
    ['?', { kind: 'help' }],
    ['wire', { kind: 'wire' }],
    ['exit', { kind: 'quit' }],
    ['stop', { kind: 'stop', name: undefined }],
    ['stop pump', { kind: 'stop', name: 'pump' }],
    [':stop pump', { kind: 'stop', name: 'pump' }],
    ['pomp 5', { kind: 'mistake', text: 'there is no pomp here: Tab shows what there is, help tells more' }],
    ['pump 5 6', { kind: 'mistake', text: 'pump: no argument is left for 6: it takes seconds' }],
  ])('%j', (line, expected) => expect(commandOf(line, actuators)).toEqual(expected))

  it('works an actuator that is called stop', () => {
    expect(commandOf('stop', [{ name: 'stop', schema: none }])).toEqual({ kind: 'call', name: 'stop', given: {} })
    expect(commandOf(':stop', [{ name: 'stop', schema: none }])).toEqual({ kind: 'stop', name: undefined })
  })

  it.each([
    ['he', 'he', ['heater', 'help']],
    ['hea', 'heater ', []],
    ['p', 'pump', ['pump', 'pump_back']],
    ['pump ', 'pump seconds=', []],
    ['heater ', 'heater o', ['on', 'off', 'on=']],
    ['heater on=o', 'heater on=o', ['on=on', 'on=off']],
    ['mixer mode=f', 'mixer mode=fast ', []],
    ['mixer mode=fast s', 'mixer mode=fast steps=', []],
    ['stop m', 'stop mixer ', []],
    ['xyz', 'xyz', []],
    ['pump 5 ', 'pump 5 ', []],
    ['mixer fast ', 'mixer fast ', ['steps=', 'gentle=', 'note=', 'path=']],
  ])('%j after Tab', (typed, text, choices) => expect(complete(typed, actuators)).toEqual({ text, choices }))
})

describe('keys', () => {
  it.each([
    ['a', [{ name: 'text', text: 'a' }]],
    ['pump 5\r', [{ name: 'text', text: 'pump 5' }, { name: 'enter' }]],
    ['\x1b[A\x1bOB', [{ name: 'up' }, { name: 'down' }]],
    ['\x1b', [{ name: 'escape' }]],
    ['\x1b[3~\x7f', [{ name: 'delete' }, { name: 'backspace' }]],
    ['\x1b[1;5C', []],
    ['\x1bb', []],
    ['\x00', []],
    ['ä€\t', [{ name: 'text', text: 'ä€' }, { name: 'tab' }]],
    ['\x03\x04\x1a', [{ name: 'interrupt' }, { name: 'end-of-input' }, { name: 'suspend' }]],
  ])('%j', (chunk, expected) => expect(keysOf(chunk)).toEqual(expected))
})

describe('the line that is typed', () => {
  const typed = (...chunks: string[]) => {
    const editor = new Editor()
    const lines = chunks.flatMap(keysOf).map(key => editor.press(key))
    return { text: editor.text, cursor: editor.cursor, lines: lines.filter(line => line !== undefined) }
  }
  it.each([
    [['abc'], 'abc', 3],
    [['abc\x1b[D\x1b[DX'], 'aXbc', 2],
    [['abc\x7f'], 'ab', 2],
    [['abc\x01\x1b[3~'], 'bc', 0],
    [['one two\x17'], 'one ', 4],
    [['one two\x15'], '', 0],
    [['one two\x01\x0b'], '', 0],
    [['a😀\x7f'], 'a', 1],
    [['one\rtwo\r\x1b[A\x1b[A'], 'one', 3],
    [['one\rtwo\r\x1b[A\x1b[A\x1b[A\x1b[B\x1b[B'], '', 0],
    [['one\rdraft\x1b[A\x1b[B'], 'draft', 5],
    [['one\rone\r\x1b[A\x1b[A'], 'one', 3],
  ])('%j', (chunks, text, cursor) => expect(typed(...chunks)).toMatchObject({ text, cursor }))

  it('is given out without the spaces around it', () => expect(typed(' pump 5 \r').lines).toEqual(['pump 5']))
})

describe('readings', () => {
  it('come out of a SenML pack with its base fields resolved', () => {
    const pack = [
      { bn: 'house/', bu: 'Cel', n: 'air', v: 21.5 },
      { n: 'soil', u: '/', v: 0.4 },
      { n: 'door', vb: true },
      { n: 'label', vs: 'x' },
      { n: 'nothing' },
    ]
    expect(readingsOf(pack)).toEqual([
      { name: 'house/air', value: 21.5, unit: 'Cel' },
      { name: 'house/soil', value: 0.4, unit: '/' },
      { name: 'house/door', value: true, unit: 'Cel' },
      { name: 'house/label', value: 'x', unit: 'Cel' },
    ])
    expect(readingsOf({})).toEqual([])
  })

  it.each([
    [24.28, 'Cel', '24.3 °C'],
    [0.423, '/', '42.3 %'],
    [61.84, '%RH', '61.8 % RH'],
    [8263.4, 'lx', '8263 lx'],
    [0, 'Cel', '0 °C'],
    [-0.00001, 'm', '-1.00e-5 m'],
    [12, undefined, '12'],
    [true, undefined, 'yes'],
    ['two\nlines\x1b[2J', undefined, 'two lines [2J'],
  ])('%j %s is shown as %s', (value, unit, expected) => expect(readable(value, unit)).toBe(expected))

  it('cannot steer the terminal', () => expect(plain('a\x1b]0;x\x07\u202eb\u009bc')).toBe('a ]0;x b c'))
})

describe('charts', () => {
  const at = (...values: number[]) => values.map((value, index) => ({ time: index * 1000, value }))
  it.each([
    ['rises from left to right', at(0, 1, 2, 3, 4, 5, 6, 7), 7000, 8000, 8, '▁▂▃▄▅▆▇█'],
    ['is blank before the first value', at(1, 5), 1000, 4000, 4, '  ▁█'],
    ['holds the last value', at(0, 10), 3000, 4000, 4, '▁███'],
    ['is a low line where nothing moves', at(5, 5), 3000, 4000, 4, '▃▃▃▃'],
    ['keeps noise small', at(100, 100.1, 100), 2000, 3000, 3, '▂▃▂'],
    ['draws nothing of nothing', [], 0, 1000, 3, '   '],
  ])('a line %s', (_, samples, now, span, width, expected) => {
    const line = sparkline(samples, now, span, width)
    expect(line).toHaveLength(width)
    expect(line).toBe(expected)
  })

  it('forget what they cannot show, but for the value that still holds', () => {
    const samples = at(1, 2, 3, 4)
    forget(samples, 4500, 2000)
    expect(samples.map(({ value }) => value)).toEqual([3, 4])
    expect(range(samples, 4500, 2000)).toEqual({ min: 3, max: 4 })
    expect(range([], 0, 1000)).toBeUndefined()
  })

  it.each([
    [0, 4, '····'],
    [0.5, 4, '██··'],
    [0.6, 4, '██▍·'],
    [1, 4, '████'],
    [7, 4, '████'],
    [-1, 4, '····'],
  ])('a bar of %s', (part, width, expected) => expect(bar(part, width)).toBe(expected))
})

describe('text in columns', () => {
  it.each([
    ['abc', 5, 'abc  '],
    ['abcdef', 4, 'abc…'],
    ['温度計', 6, '温度計'],
    ['温度計', 5, '温度…'],
    ['温度計', 4, '温… '],
    ['abc', 0, ''],
  ])('%s in %i', (text, width, expected) => {
    expect(fit(text, width)).toBe(expected)
    expect(widthOf(fit(text, width))).toBe(width)
  })

  it('breaks at spaces, and words that are too long wherever it must', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrap('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k'])
  })

  it('is painted without colours when there are to be none', () => {
    const line = [{ text: 'a', style: 'bad' as const }, { text: 'bcd' }]
    expect(paint(line, 3, false)).toBe('ab…')
    expect(paint(line, 9, true)).toBe('\x1b[31ma\x1b[0mbcd')
  })
})

describe('a message on the wire', () => {
  it.each<['out' | 'in', object, string]>([
    [
      'out',
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'pump', arguments: { seconds: 5 }, _meta: {} } },
      '→ 7 tools/call {"name":"pump","arguments":{"seconds":5}}',
    ],
    ['in', { jsonrpc: '2.0', id: 7, result: { resultType: 'complete', content: [] } }, '← 7 result {"content":[]}'],
    [
      'in',
      { jsonrpc: '2.0', id: 8, error: { code: -32602, message: 'Unknown tool: x' } },
      '← 8 error -32602 Unknown tool: x',
    ],
    ['out', { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: {} } }, '→ 1 server/discover'],
    [
      'in',
      { jsonrpc: '2.0', method: 'notifications/x', params: { text: '[{"v":1}]' } },
      '← notifications/x {"text":[{"v":1}]}',
    ],
  ])('goes %s: %j', (direction, message, expected) => expect(abbreviated(direction, message)).toBe(expected))

  it('that answers a call is shown by its structured value, an error by its text', () => {
    expect(answerOf({ structuredContent: { litres: 0.4, by: 'pump' }, content: [] })).toBe('litres 0.4, by pump')
    expect(answerOf({ content: [{ type: 'text', text: 'done' }, { type: 'image' }] })).toBe('done (image)')
    expect(answerOf({ isError: true, structuredContent: { a: 1 }, content: [{ type: 'text', text: 'no' }] })).toBe('no')
  })
})

describe('the screen', () => {
  const sensor = (title: string, value: number, more: Partial<SensorView> = {}): SensorView => ({
    uri: `sensor://house/${title}`,
    name: title,
    title,
    unit: 'Cel',
    value,
    samples: [
      { time: 0, value: value - 1 },
      { time: 59_000, value },
    ],
    ...more,
  })
  const tool = (name: string) => ({ name, title: `The ${name}`, description: '', schema: seconds, readOnly: false })
  const view = (more: Partial<View> = {}): View => ({
    title: 'House',
    server: 'house 1.0.0',
    protocol: '2026-07-28',
    sensors: [sensor('air', 21.5), sensor('soil', 3, { problem: 'the probe does not answer' })],
    actuators: [tool('pump'), tool('vent')],
    running: [],
    events: [{ kind: 'note', text: 'Hello' }],
    wire: undefined,
    typed: { text: 'pump 5', cursor: 6 },
    hint: 'help',
    now: 60_000,
    ...more,
  })
  const shown = (given: View, columns: number, rows: number) => draw(given, columns, rows).lines.map(textOf)

  it('shows values with their unit and chart, arguments with their range, and what went wrong', () => {
    const lines = shown(view(), 80, 24)
    expect(lines[0]).toMatch(/^ House {2}house 1\.0\.0 +MCP 2026-07-28 $/)
    expect(lines.find(line => line.startsWith(' air'))).toMatch(/21\.5 °C .*▁+█+ {2}20\.5 … 21\.5/)
    expect(lines.find(line => line.startsWith(' soil'))).toContain('the probe does not answer')
    expect(lines.find(line => line.startsWith(' pump'))).toMatch(/pump {2}seconds=0…60 {2}The pump/)
    expect(lines.at(-2)).toMatch(/^ › pump 5 *$/)
    expect(draw(view(), 80, 24).cursor).toEqual({ row: 22, column: 9 })
  })

  it('shows how far a call is', () => {
    const running = [
      {
        name: 'pump',
        typed: 'pump seconds=5',
        startedAt: 58_000,
        cancel: () => {},
        progress: { progress: 2, total: 4, message: 'wet' },
      },
      { name: 'vent', typed: 'vent', startedAt: 57_000, cancel: () => {} },
    ]
    const lines = shown(view({ running }), 80, 24)
    expect(lines.find(line => line.startsWith(' ▸ pump'))).toMatch(/█+▌·+ {2}2 of 4 {2}wet +Esc stops it$/)
    expect(lines.find(line => line.startsWith(' ▸ vent'))).toContain('3 s')
  })

  it('shows the wire when asked', () => {
    const lines = shown(view({ wire: ['→ 1 server/discover', '← 1 result'] }), 80, 24)
    expect(lines.some(line => line.startsWith(' → 1 server/discover'))).toBe(true)
  })

  it.each([
    [80, 24],
    [120, 40],
    [40, 12],
    [20, 6],
    [300, 100],
  ])('fills %i columns and %i rows, and never more', (columns, rows) => {
    const many = Array.from({ length: 30 }, (_, index) => index)
    const crowd = view({
      sensors: many.map(index => sensor(`sensor ${index} with a rather long title`, index * 1e5)),
      actuators: many.map(index => tool(`actuator_${index}`)),
      running: many.map(index => ({ name: 'x', typed: `x ${index}`, startedAt: 0, cancel: () => {} })),
      events: many.map(index => ({ kind: 'bad' as const, text: `a line about ${index} `.repeat(12) })),
      wire: many.map(index => `→ ${index} ${'x'.repeat(400)}`),
      typed: { text: 'pump '.repeat(100), cursor: 500 },
    })
    for (const each of [view(), view({ sensors: [], actuators: [] }), crowd]) {
      const { lines, cursor } = draw(each, columns, rows)
      expect(lines).toHaveLength(rows)
      for (const line of lines) expect(widthOf(paint(line, columns, false))).toBeLessThanOrEqual(columns)
      expect(cursor.row).toBe(rows - 2)
      expect(cursor.column).toBeLessThan(columns)
    }
  })
})
