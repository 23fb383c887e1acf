import { describe, expect, it } from 'vitest'
import { messagesOf } from '../../bin/page/event-stream.js'
import { headerValue } from '../../bin/page/mcp.js'
import { historyPoints, packOf } from '../../bin/page/senml.js'
import { Series } from '../../bin/page/series.js'
import { argumentUnit, numberText, rangeTexts, shownText, wordsOf } from '../../bin/page/words.js'
import { runKeyAuthorizer } from '../../transports/http/authorization/index.ts'

describe('a series', () => {
  it('weighs its mean by how long each value held, and knows nothing of a gap', () => {
    const series = new Series()
    series.add(0, 10)
    series.add(3000, 20)
    series.gap(4000)
    series.add(8000, 100)
    expect(series.figures(0, 4000)).toMatchObject({ lo: 10, hi: 20, mean: 12.5 })
    expect(series.figures(4500, 7000)).toBeUndefined()
    expect(series.figures(0, 9000)?.mean).toBe((3 * 10 + 20 + 100) / 5)
  })

  it('what was before a window holds into it', () => {
    const series = new Series()
    series.add(1000, 5)
    expect(series.figures(60_000, 120_000)).toMatchObject({ lo: 5, hi: 5, mean: 5 })
  })

  it('drops what is not newer', () => {
    const series = new Series()
    for (const time of [2000, 2000, 1000]) series.add(time, time)
    expect(series.times).toEqual([2000])
  })

  it('stays small for a day of readings, and forgets no extreme', () => {
    const series = new Series()
    for (let second = 0; second < 86_400; second++) series.add(second * 1000, second === 7000 ? 99 : second % 10)
    expect(series.times.length).toBeLessThanOrEqual(2000)
    expect(series.figures(0, 86_400_000)).toMatchObject({ lo: 0, hi: 99 })
    expect(series.figures(0, 86_400_000)?.mean).toBeCloseTo(4.5, 1)
    // The last minutes are as fine as they came.
    expect(series.times.filter(time => time > 86_400_000 - 300_000).length).toBeGreaterThanOrEqual(299)
  })

  it('stays small however often it is broken', () => {
    const series = new Series(100)
    for (let at = 0; at < 10_000; at++) {
      series.add(at * 20, 1)
      series.gap(at * 20 + 10)
    }
    expect(series.times.length).toBeLessThanOrEqual(100)
  })
})

describe('a history', () => {
  const uri = 'sensor://bench/t'
  const at = (n: string, v: number, t: number) => ({ n, v, t })
  const pack = [
    { bn: uri, bt: 0, ...at('/1h/mean', 1, 0) },
    at('/1h/min', 0, 0),
    at('/1h/max', 2, 0),
    at('/1h/mean', 9, 3600),
    at('/10min/mean', 3, 3600),
    at('/10min/mean', 8, 4200),
    at('/1min/mean', 4, 4200),
    at('', 5, 4300),
    at('', 6, 4310),
  ]

  it('is the changes, and before them what is coarser, without any time twice', () => {
    const contents = [{ mimeType: 'application/senml+json', text: JSON.stringify(pack) }]
    const points = historyPoints(uri, packOf({ contents }))
    expect(points.map(({ time, mean }) => [time / 1000, mean])).toEqual([
      [0, 1],
      [3600, 3],
      [4200, 4],
      [4300, 5],
      [4310, 6],
    ])
    expect(points[0]).toMatchObject({ lo: 0, hi: 2 })
  })
})

describe('words', () => {
  it.each([
    [0.425, '/', '42.5 %'],
    [22.499999999, 'Cel', '22.5 °C'],
    [-0.00001, 'Cel', '−0.00001 °C'],
    [101_325, 'Pa', '101325 Pa'],
    [true, undefined, 'On'],
    ['<b>', undefined, '<b>'],
  ])('%j in %j is %s', (value, unit, text) => expect(shownText(value, unit)).toBe(text))

  it('figures have as many digits as tell them apart', () => {
    expect(rangeTexts(20.123, 21.456, 22.789, 'Cel')).toEqual(['20.1', '21.5', '22.8', '°C'])
    expect(rangeTexts(0.31, 0.32, 0.33, '/')).toEqual(['31', '32', '33', '%'])
    expect(rangeTexts(5, 5, 5, undefined)).toEqual(['5', '5', '5', ''])
    expect(numberText(-0)).toBe('0')
  })

  it('names of a program are read as words, and tell units', () => {
    expect(wordsOf('soilMoisture')).toBe('Soil moisture')
    expect(wordsOf('grow_light')).toBe('Grow light')
    expect(argumentUnit('maxSeconds', {})).toBe('s')
    expect(argumentUnit('level', { unit: 'Cel' })).toBe('°C')
    expect(argumentUnit('constructor', {})).toBe('')
  })
})

describe('an event stream', () => {
  const text = ': still here\n\nevent: message\ndata: {"a":"é\u{1f321}"}\n\ndata:{"b":\r\ndata: 2}\r\n\r\n'
  const bytes = new TextEncoder().encode(text)

  it('gives the same messages wherever it is cut', async () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)])
            if (part.length > 0) controller.enqueue(part)
          controller.close()
        },
      })
      const messages: unknown[] = []
      for await (const message of messagesOf(body, () => {})) messages.push(message)
      expect(messages, `cut at ${cut}`).toEqual([{ a: 'é\u{1f321}' }, { b: 2 }])
    }
  })
})

describe('a name in a header', () => {
  it.each([
    ['pump', 'pump'],
    ['sensor://bench/t', 'sensor://bench/t'],
    ['пумпа', '=?base64?0L/Rg9C80L/QsA==?='],
    [' led', '=?base64?IGxlZA==?='],
    ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
  ])('%j goes as %s', (name, header) => expect(headerValue(name)).toBe(header))
})

describe('the key of a run', () => {
  const others = { authorize: () => ({ status: 401 as const, headers: {}, message: 'no' }) }
  const ask = (authorization?: string, query = '') => ({
    headers: { ...(authorization && { authorization }) },
    url: new URL(`http://localhost/mcp${query}`),
  })
  const anyone = { access: 'act', client: 'anyone' } as const

  it('lets a person in, and leaves everybody else to the others', () => {
    const authorizer = runKeyAuthorizer('ferrule_key', others, anyone)
    expect(authorizer.authorize(ask('Bearer ferrule_key'))).toEqual({ access: 'person', client: 'page' })
    expect(authorizer.authorize(ask('Bearer ferrule_kez'))).toMatchObject({ status: 401 })
    expect(authorizer.authorize(ask())).toEqual(anyone)
    expect(runKeyAuthorizer('ferrule_key', others).authorize(ask())).toMatchObject({ status: 401 })
  })

  it('is not taken out of an address', () => {
    const authorizer = runKeyAuthorizer('ferrule_key', others, anyone)
    expect(authorizer.authorize(ask(undefined, '?key=ferrule_key'))).toMatchObject({ status: 401 })
  })
})
