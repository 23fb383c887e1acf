import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NumberRecord } from '../../runtime/history/number-record.ts'
import { SwitchRecord } from '../../runtime/history/switch-record.ts'
import { tiers } from '../../runtime/history/time-buckets.ts'

const begin = Date.UTC(2026, 0, 1)

/** Values, each some time after the one before: from at once to several days. */
function series<T>(value: fc.Arbitrary<T>): fc.Arbitrary<{ value: T; time: number }[]> {
  const wait = fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 0, max: 200_000_000 }))
  return fc.array(fc.tuple(value, wait), { minLength: 1, maxLength: 60 }).map(steps => {
    let time = begin
    return steps.map(([value, ms]) => ({ value, time: (time += ms) }))
  })
}

/** When the window of a tier began. */
function windowStart(tier: number, now: number): number {
  const { widthMs, size } = tiers[tier]!
  return (Math.floor(now / widthMs) - size + 1) * widthMs
}

it('what is told of any numbers at any times is what a list of all of them would tell', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
  fc.assert(
    fc.property(series(number), values => {
      const record = new NumberRecord(0)
      for (const { value, time } of values) record.add(value, time)
      const now = values.at(-1)!.time
      for (const tier of tiers.keys()) {
        const inside = values.filter(({ time }) => time >= windowStart(tier, now)).map(({ value }) => value)
        const window = record.window(tier, now)!
        expect(window.readings).toBe(inside.length)
        expect(window.minimum).toBe(Math.min(...inside))
        expect(window.maximum).toBe(Math.max(...inside))
        const mean = inside.reduce((sum, value) => sum + value, 0) / inside.length
        expect(Math.abs(window.mean - mean)).toBeLessThanOrEqual(1e-3)
      }
    }),
  )
})

it('however a switch goes on and off, the share of time that it was on is exact', () => {
  fc.assert(
    fc.property(series(fc.boolean()), values => {
      const record = new SwitchRecord()
      for (const { value, time } of values) record.add(value, time)
      const now = values.at(-1)!.time + 12_345
      for (const tier of tiers.keys()) {
        const start = windowStart(tier, now)
        let on = 0
        let known = 0
        for (const [index, { value, time }] of values.entries()) {
          const until = values[index + 1]?.time ?? now
          const ms = Math.max(0, until - Math.max(time, start))
          known += ms
          if (value) on += ms
        }
        expect(record.window(tier, now)?.onShare).toBeCloseTo(on / known, 9)
      }
    }),
  )
})

it('the largest and smallest numbers there are still have a mean between them', () => {
  fc.assert(
    fc.property(series(fc.double({ noNaN: true, noDefaultInfinity: true })), values => {
      const record = new NumberRecord(0)
      for (const { value, time } of values) record.add(value, time)
      const { minimum, maximum, mean } = record.window(2, values.at(-1)!.time)!
      expect(mean).toBeGreaterThanOrEqual(minimum)
      expect(mean).toBeLessThanOrEqual(maximum)
    }),
  )
})

it('a clock that is set back spoils no figure but that of the time which it skipped', () => {
  const record = new NumberRecord(0)
  record.add(1, begin + 3_600_000)
  record.add(2, begin)
  expect(record.window(0, begin)).toEqual({ readings: 1, minimum: 2, maximum: 2, mean: 2 })
  expect(record.all).toEqual({ readings: 2, minimum: 1, maximum: 2, mean: 1.5 })
})
