import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boardFromJson, DeclarationError } from '../../../boards/raspberry-pi/board.ts'
import { JsonMistake, readJson } from '../../../boards/raspberry-pi/declared/json-text.ts'

function said(text: string): string {
  try {
    const [slip] = readJson(text).slips
    if (slip !== undefined) return `${slip.place.line}:${slip.place.column} ${slip.text}`
  } catch (thrown) {
    if (!(thrown instanceof JsonMistake)) throw thrown
    return `${thrown.place.line}:${thrown.place.column} ${thrown.message}`
  }
  return 'read'
}

describe('what is no JSON', () => {
  it.each([
    ['', '1:1 the file is empty'],
    ['{ "name": "b"', '1:14 the file ends, and the { of line 1 is still open: a } is missing'],
    ['{\n "sensors": {\n "a": 1\n}\n', '5:1 the file ends, and the { of line 1 is still open: a } is missing'],
    ['{ "a": ', '1:8 the file ends in the middle of something: a value, and } at the end'],
    ['{ "a": 1, }', '1:11 there is a comma too many before this }'],
    ['{ "a": [1, 2,] }', '1:14 there is a comma too many before this ]'],
    ['{ "a": 1\n  "b": 2 }', '1:9 a comma is missing here'],
    ['{ "a": [[1, 2] [3, 4]] }', '1:15 a comma is missing here'],
    ['{ "a": "x" "b": 2 }', '1:11 a comma is missing here'],
    ['{ "a" 1 }', '1:7 there must be a colon behind "a"'],
    ['{ a: 1 }', '1:3 a needs quotes: "a"'],
    ["{ 'a': 1 }", '1:3 JSON takes " and not \''],
    ['{ "pin": GPIO17 }', '1:10 GPIO17 needs quotes: "GPIO17"'],
    ['{ "address": 0x76 }', '1:14 0x76 must be a text: write "0x76"'],
    ['{ "on": True }', '1:9 True is no word of JSON: write true, false, or a text in quotes'],
    ['{ "share": .5 }', '1:12 .5 is no number as JSON writes them, such as 0.5, 30 or -1'],
    ['{ "pin": 017 }', '1:10 017 is no number as JSON writes them, such as 0.5, 30 or -1'],
    ['{ "a": }', '1:8 a value is missing before this }'],
    ['{ "title": "Greenhouse\n}', '1:12 this text has no " at its end'],
    ['{ "title": "a\\q" }', '1:12 this text has a \\ that means nothing: write \\\\ for the sign itself'],
    ['{ "title": "a\tb" }', '1:14 a text cannot have a tab or another invisible sign in it: write \\t'],
    [
      '{ // beds\n "a": 1 }',
      '1:3 there must be a name in quotes here, and there is "/". JSON has no comments: take it out, or write it as a "description"',
    ],
    [
      '{ "a": 1 } # beds',
      '1:12 the file goes on behind its last }: there is one } or ] too many above, or two files are in one',
    ],
    [
      '{ "a": 1 /* x */ }',
      '1:10 there must be a comma or } here, and there is "/". JSON has no comments: take it out, or write it as a "description"',
    ],
    ['['.repeat(200), '1:102 this is nested too deep'],
  ])('%j', (text, expected) => {
    expect(said(text)).toBe(expected)
  })
})

it('it reads what JSON.parse reads, and refuses what that refuses', () => {
  const json = fc.oneof(
    fc.json({ maxDepth: 6 }),
    fc.jsonValue({ maxDepth: 4 }).map(value => JSON.stringify(value, null, 2)),
    fc.string({ unit: fc.constantFrom(...'{}[]",:\\tfn0189.-+eE \n\u00e4'), maxLength: 30 }),
  )
  const cut = fc.tuple(json, fc.nat(), fc.constantFrom('', ',', '}', '"', '1', '\\'))
  fc.assert(
    fc.property(
      fc.oneof(
        json,
        cut.map(
          ([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1),
        ),
      ),
      text => {
        let expected: { value: unknown } | undefined
        try {
          expected = { value: JSON.parse(text) }
        } catch {}
        if (expected === undefined) expect(said(text)).not.toBe('read')
        else expect(readJson(text).value).toEqual(expected.value)
      },
    ),
    { numRuns: 1500 },
  )
})

it('a member of any name is only a member', () => {
  const { value } = readJson('{ "__proto__": { "name": "b" } }')
  expect(Object.keys(value as object)).toEqual(['__proto__'])
  expect((value as any).name).toBeUndefined()
})

describe('a file', () => {
  it('tells the line of each mistake, in the order of the lines', () => {
    const text = [
      '\uFEFF{',
      '  "name": "greenhouse",',
      '  "actuators": { "pump": { "driver": "relay", "pin": "GPIO17", "actveLow": true } },',
      '  "sensors": {',
      '    "air": { "driver": "bme280", "address": "0x76" },',
      '    "air": { "driver": "bme280",',
      '             "address": "0x99" }',
      '  }',
      '}',
    ].join('\n')
    expect(() => boardFromJson(text, { file: 'board.json' })).toThrow(
      new DeclarationError('board.json', [
        { line: 3, path: 'actuators.pump.actveLow', text: 'is not known here. Did you mean "activeLow"?' },
        { line: 6, path: 'sensors.air', text: 'stands in line 5 already: give one of them another name' },
        {
          line: 7,
          path: 'sensors.air.address',
          text: 'must be "0x76" or "0x77", as the part is made or wired; there is "0x99"',
        },
      ]),
    )
  })

  it('that is no JSON: line and column', () => {
    expect(() => boardFromJson('{\n  "name": "b",\n}', { file: '/home/pi/board.json' })).toThrow(
      '/home/pi/board.json has a mistake:\n  line 3, column 1: there is a comma too many before this }',
    )
  })

  it('with a comma too many or too few is told of all the same', () => {
    const text = '{\n "name": "b"\n "sensors": {\n  "air": { "driver": "bme820", },\n }\n}'
    expect(() => boardFromJson(text)).toThrow(
      [
        'board.json has 4 mistakes:',
        '  line 2, column 13: a comma is missing here',
        '  line 4, column 32: there is a comma too many before this }',
        '  line 4, sensors.air.driver: is "bme820", which is no driver. Did you mean "bme280"?',
        '  line 5, column 2: there is a comma too many before this }',
      ].join('\n'),
    )
  })

  it('without a mistake is a board', () => {
    expect(boardFromJson('{ "$schema": "x", "name": "b", "version": "1.2" }')).toMatchObject({
      name: 'b',
      version: '1.2',
    })
  })
})
