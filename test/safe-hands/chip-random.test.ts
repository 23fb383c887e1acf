import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChipModel } from './chip-model.ts'
import type { Output } from './chip-pins.ts'
import { ChipTalk } from './chip-talk.ts'

/*
 * Random days of a chip with every rule, against a model of what the text says. The machine code runs; its pins are what
 * is believed. It runs some thousand steps; more with RUNS=1000.
 */

type Step =
  | { do: 'call'; output: Output; value: number; repeated: number }
  | { do: 'stop' | 'foreign stop' | 'arm' | 'disarm' | 'hello' | 'reset' }
  /** A call that does not get there whole: so much of its frame, or with a bit that is not as it was sent. */
  | { do: 'cut'; part: number }
  | { do: 'damage'; at: number; bit: number }
  | { do: 'old call' | 'foreign call' }
  | { do: 'wait' | 'silence'; ms: number }

const values: Record<Output, number[]> = {
  pump: [1, 1, 0],
  up: [1, 1, 0],
  down: [1, 1, 0],
  fan: [1, 1, 0],
  saw: [1, 1, 0],
  servo: [0, 10, 20, 38, 40, 42, 60, 100, 101],
  heater: [0, 0.5, 60.5, 61],
  valve: [0, 3, 4, 7],
  lift: [0, 100, 700, 5000],
}
const call = fc
  .constantFrom(...(Object.keys(values) as Output[]), 'pump' as const, 'up' as const, 'down' as const, 'fan' as const)
  .chain(output =>
    fc.record({
      do: fc.constant('call' as const),
      output: fc.constant(output),
      value: fc.constantFrom(...values[output]),
      repeated: fc.constantFrom(0, 0, 0, 1, 3),
    }),
  )
const part = fc.double({ min: 0, max: 0.99, noNaN: true })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: call },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('arm' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('stop', 'foreign stop', 'disarm', 'hello', 'reset', 'old call', 'foreign call'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('cut' as const), part }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('damage' as const), at: part, bit: fc.nat(7) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('wait', 'silence'),
      ms: fc.constantFrom(1, 20, 230, 280, 290, 480, 490, 700, 990, 1500),
    }),
  },
)

function flipped(bytes: Uint8Array, part: number, bit: number): Uint8Array {
  const at = Math.floor(part * bytes.length)
  return bytes.with(at, bytes[at]! ^ (1 << bit))
}

/** A chip, and the model of one, through the same day. */
class Day {
  readonly talk: ChipTalk
  readonly model = new ChipModel()

  constructor(talk: ChipTalk) {
    this.talk = talk
    this.model.hello()
    this.model.pass(6)
  }

  /** Something is said: it is there after 4 ms, and 6 ms later the next thing happens. */
  said<T>(say: () => T, means: (answer: T) => void): T {
    this.settle(4)
    this.model.pass(4)
    const answer = say()
    means(answer)
    this.model.pass(6)
    return answer
  }

  silence(ms: number): void {
    this.talk.silence(ms)
    this.model.pass(ms)
  }

  /** Lets come to pass what the chip has begun to do by itself, and what it begins in the time ahead. */
  settle(aheadMs: number): void {
    while (!this.model.isSettled(aheadMs)) this.silence(1)
  }

  ping(): void {
    this.said(
      () => this.talk.ping(),
      () => this.model.frame(),
    )
  }

  take(step: Step): void {
    const { talk, model } = this
    switch (step.do) {
      case 'call': {
        const { output, value, repeated } = step
        const isSwitch = values[output].length === 3
        const argument = isSwitch ? value === 1 : value
        this.said(
          () => talk.call(output, argument),
          code => {
            model.frame()
            expect(model.answers(output, value), `${output} ${value}`).toContain(code)
            if (code === 0 || code === -1) model.set(output, value)
          },
        )
        for (let copies = 0; copies < repeated; copies++) {
          this.said(
            () => talk.copy(),
            () => model.frame(),
          )
        }
        break
      }
      case 'stop':
        this.said(
          () => talk.stop(),
          () => {
            model.frame()
            model.stop()
          },
        )
        break
      case 'foreign stop':
        this.said(
          () => talk.stop(7),
          () => model.stop(),
        )
        break
      case 'arm':
      case 'disarm':
        this.said(
          () => talk.arm(step.do === 'arm'),
          () => {
            model.frame()
            model.arm(step.do === 'arm')
          },
        )
        break
      case 'hello':
        this.said(
          () => talk.hello(),
          () => model.hello(),
        )
        break
      case 'reset':
        talk.restart('pin')
        model.restart()
        model.pass(100 + 4)
        model.hello()
        model.pass(6)
        break
      case 'old call':
        this.said(
          () => talk.oldCall('up', true),
          () => model.frame(),
        )
        break
      case 'foreign call':
        this.said(
          () => talk.foreignCall('up', true),
          () => {},
        )
        break
      case 'cut':
        this.said(
          () => talk.hurtCall(bytes => bytes.subarray(0, step.part * bytes.length), 'up', true),
          () => {},
        )
        break
      case 'damage':
        this.said(
          () => talk.hurtCall(bytes => flipped(bytes, step.at, step.bit), 'up', true),
          () => {},
        )
        break
      case 'silence':
        this.silence(step.ms)
        break
      case 'wait':
        for (let left = step.ms; left > 0; left -= 300) {
          this.silence(Math.min(left, 300))
          this.ping()
        }
        break
    }
    this.settle(0)
    this.compare(step)
  }

  compare(step: Step): void {
    const { pins } = this.talk
    expect([step, [...pins.on].sort()]).toEqual([step, [...this.model.on].sort()])
    expect(pins.breaches).toEqual([])
  }

  /** At last: what the servo shows, whether it is armed, and how often anything was carried out. */
  end(): void {
    this.ping()
    this.silence(45)
    expect(this.talk.pins.servoPercent).toBe(this.model.servoPercent)
    for (const [sensor, value] of [
      [1, () => this.model.armed],
      [0, () => this.model.runs],
    ] as const) {
      this.said(
        () => this.talk.read(sensor),
        read => {
          this.model.frame()
          expect(read).toBe(value())
        },
      )
    }
  }
}

it('whatever is said to the chip, its pins do what the rules allow, and nothing else', async () => {
  let steps = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async day => {
      const chip = new Day(await ChipTalk.start())
      for (const each of day) chip.take(each)
      chip.end()
      steps += day.length
    }),
    { numRuns: Number(process.env.RUNS ?? 60) },
  )
  if (process.env.RUNS) console.log(`${steps} steps`)
}, 180_000)
