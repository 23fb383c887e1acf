import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chart } from '../bench/chart.ts'
import { atMost, Figures, ofFloor, overFloor } from '../bench/figures.ts'
import { replaceSection } from '../bench/report.ts'
import { quantile, slope, table } from '../bench/table.ts'
import { projectDir } from './child.ts'

describe('the page on performance', () => {
  const page = readFileSync(join(projectDir, 'docs/performance.md'), 'utf8')

  it.each(['compared', 'framer', 'growth', 'memory'])('has a place for what is measured of %s', name => {
    const written = replaceSection(page, name, 'new figures')
    const [before, after] = [page.split(`<!-- measured: ${name} -->`)[0]!, page.split(`<!-- end of ${name} -->`)[1]!]
    expect(written).toBe(`${before}<!-- measured: ${name} -->\n\nnew figures\n\n<!-- end of ${name} -->${after}`)
  })

  it('is not written over without its markers', () => {
    expect(() => replaceSection('# A page', 'framer', 'x')).toThrow('lacks the markers <!-- measured: framer -->')
  })
})

describe('the comparison', () => {
  const measures = {
    cpu: { name: 'CPU', unit: 'µs', digits: 1, target: ofFloor(0.5) },
    heap: { name: 'heap', unit: 'B', digits: 0, target: atMost(1200, 'B') },
    resident: { name: 'resident', unit: 'MiB', digits: 1, target: overFloor(5, 'MiB') },
    modules: { name: 'modules', unit: '', digits: 0, isCount: true },
  } as const
  type Name = keyof typeof measures
  const rowsOf = (...noted: [Name, string, number[]][]) => {
    const figures = new Figures<Name>(measures)
    for (const [name, server, list] of noted) {
      for (const [round, figure] of list.entries()) figures.note(name, server, round, figure)
    }
    return figures.rows(['floor', 'ferrule', 'other']).slice(1)
  }

  it('is the median of the ratios within a round, whatever the machine did in another', () => {
    expect(rowsOf(['cpu', 'floor', [10, 100, 20]], ['cpu', 'ferrule', [4, 40, 10]])).toEqual([
      ['CPU', '20.0 µs', '**0.40** (0.40-0.50) 10.0 µs', '≤ 0.50 of floor: met', '-'],
    ])
  })

  it('says which target is not met', () => {
    const verdicts = rowsOf(
      ['cpu', 'floor', [10]],
      ['cpu', 'ferrule', [5.1]],
      ['heap', 'floor', [1000]],
      ['heap', 'ferrule', [1200]],
      ['resident', 'floor', [40]],
      ['resident', 'ferrule', [45.1]],
    ).map(row => row[3])
    expect(verdicts).toEqual(['≤ 0.50 of floor: **not met**', '≤ 1,200 B: met', '≤ floor + 5 MiB: **not met**'])
  })

  it('leaves out what was not measured, and shows a count as it is', () => {
    expect(rowsOf(['modules', 'floor', [0]], ['modules', 'ferrule', [3]], ['modules', 'other', [240]])).toEqual([
      ['modules', '0', '3', '', '240'],
    ])
  })
})

it('a slope is what a straight line through the points gains', () => {
  expect(
    slope([
      [0, 5],
      [10, 25],
      [20, 45],
    ]),
  ).toBe(2)
  expect(
    slope([
      [0, 1],
      [1, 3],
      [2, 1],
    ]),
  ).toBe(0)
})

it('the middle of a list does not depend on its order', () => {
  expect(quantile([9, 1, 5])).toBe(5)
  expect(quantile([9, 1, 5], 0.25)).toBe(5)
  expect(quantile([])).toBeNaN()
})

it('a table has straight columns', () => {
  expect(
    table([
      ['', 'floor'],
      ['CPU of a call', '1'],
    ]),
  ).toBe('|               | floor |\n| ------------- | ----- |\n| CPU of a call | 1     |')
})

describe('the chart', () => {
  const svg = chart(
    'Figures',
    ['floor', 'ferrule', 'a & b'],
    [
      { title: 'start', unit: 'ms', digits: 0, figures: [50, 100, 200] },
      { title: 'call', unit: 'µs', digits: 1, figures: [10, 2.5, undefined] },
    ],
    'ferrule',
  )
  const bars = [...svg.matchAll(/<rect( class="marked")? x="(\d+)" y="(\d+)" width="([\d.]+)"/g)].map(
    ([, marked, x, y, width]) => ({ isMarked: marked !== undefined, x: Number(x), y: Number(y), width: Number(width) }),
  )

  it('has a bar for each figure, as long as the figure is large in its column', () => {
    const [longest] = bars.map(({ width }) => width).sort((a, b) => b - a)
    expect(bars.map(({ width }) => Math.round((width / longest!) * 100))).toEqual([25, 50, 100, 100, 25])
  })

  it('has a row for each server and a column for each measure', () => {
    const [a, b, c] = [...new Set(bars.map(({ y }) => y))] as [number, number, number]
    const [left, right] = [...new Set(bars.map(({ x }) => x))] as [number, number]
    expect(bars.map(({ x, y }) => [x, y])).toEqual([
      [left, a],
      [left, b],
      [left, c],
      [right, a],
      [right, b],
    ])
    expect(bars.map(({ isMarked }) => isMarked)).toEqual([false, true, false, false, true])
  })

  it('says the figures with their units', () => {
    expect(svg.match(/(?<=">)[^<]+(?=<\/text>)/g)).toEqual([
      ...['floor', 'ferrule', 'a &amp; b'],
      ...['start', '50 ms', '100 ms', '200 ms'],
      ...['call', '10.0 µs', '2.5 µs'],
    ])
  })
})
