import { describe, expect, it } from 'vitest'
import { LinkDownError, LinkError, UnknownOutcomeError } from '../../boards/remote/link/index.ts'
import { actuator, type Board } from '../../runtime/index.ts'
import { noisyLine, Pair, seeded } from './pair.ts'

const seed = Number(process.env.SEED ?? 20_260)

/** A board that notes how often each number was carried out. */
function tally() {
  const ran = new Map<number, number>()
  const count = (number: number) => void ran.set(number, (ran.get(number) ?? 0) + 1)
  const inputSchema = {
    type: 'object',
    properties: { number: { type: 'integer', minimum: 0 }, on: { type: 'boolean' } },
    required: ['number', 'on'],
  } as const
  const board: Board = {
    name: 'tally',
    sensors: { one: { read: () => 1.5 } },
    actuators: {
      quick: actuator({
        inputSchema,
        safe: null,
        set({ number }) {
          count(number)
          return number
        },
      }),
      slow: actuator({
        inputSchema,
        safe: null,
        async set({ number }) {
          count(number)
          await new Promise<void>(resolve => void clockOf.clock!.setTimeout(resolve, 200))
          return number
        },
      }),
    },
  }
  const clockOf = { clock: undefined as Pair['clock'] | undefined }
  return { board, ran, clockOf }
}

interface Tally {
  success: number
  unknown: number
  refused: number
  down: number
}

/** Makes calls two at a time and holds every outcome against what the device did. */
async function judge(
  pair: Pair,
  ran: Map<number, number>,
  calls: number,
  between: (number: number) => void = () => {},
) {
  const outcomes: Tally = { success: 0, unknown: 0, refused: 0, down: 0 }
  let next = 0
  const worker = async (actuatorNumber: number, share: number) => {
    for (let made = 0; made < share; made++) {
      const number = next++
      between(number)
      try {
        const value = await pair.host.call(actuatorNumber, [number, true])
        expect(value, 'the answer belongs to this call').toBe(number)
        expect(ran.get(number), 'a reported success ran once').toBe(1)
        outcomes.success++
      } catch (thrown) {
        if (thrown instanceof UnknownOutcomeError) outcomes.unknown++
        else if (thrown instanceof LinkError || thrown instanceof LinkDownError) {
          expect(ran.get(number), `a refused call did not run: ${thrown.message}`).toBe(undefined)
          if (thrown instanceof LinkError) outcomes.refused++
          else outcomes.down++
        } else throw thrown
      }
    }
  }
  const slowShare = Math.floor(calls / 10)
  await pair.during(Promise.all([worker(0, calls - slowShare), worker(1, slowShare)]), 50, 100_000_000)
  expect(Math.max(...ran.values()), 'no call ran twice').toBe(1)
  return outcomes
}

describe('a line that flips, loses or doubles one byte in a thousand', () => {
  it(`10 000 calls: each ends, each success ran exactly once, none ran twice (SEED=${seed})`, async () => {
    const { board, ran, clockOf } = tally()
    const random = seeded(seed)
    const pair = new Pair({ board, toDevice: noisyLine(random, 1000), toHost: noisyLine(random, 1000) })
    clockOf.clock = pair.clock
    await pair.ready()
    const outcomes = await judge(pair, ran, 10_000)
    expect(outcomes.success).toBeGreaterThan(9_990)
    expect(pair.host.counters.repeats).toBeGreaterThan(100)
  })

  it(`one in 50, and the device restarts at random: the same holds, and what is unknown is called unknown`, async () => {
    const { board, ran, clockOf } = tally()
    const random = seeded(seed + 1)
    const pair = new Pair({ board, toDevice: noisyLine(random, 50), toHost: noisyLine(random, 50) })
    clockOf.clock = pair.clock
    await pair.ready()
    const outcomes = await judge(pair, ran, 3_000, () => {
      if (random() < 0.02) pair.clock.setTimeout(() => pair.reset(random() * 500), random() * 30)
    })
    expect(outcomes.success).toBeGreaterThan(2_000)
    expect(outcomes.unknown).toBeGreaterThan(0)
  })

  it(`10 000 calls, and the cable is pulled at random: the same holds (SEED=${seed})`, async () => {
    const { board, ran, clockOf } = tally()
    const random = seeded(seed + 2)
    const pair = new Pair({ board, toDevice: noisyLine(random, 1000), toHost: noisyLine(random, 1000) })
    clockOf.clock = pair.clock
    await pair.ready()
    let pulled = 0
    const pull = () => {
      if (!pair.plugged) return
      pair.plugged = false
      pulled++
      pair.host.suspend()
      pair.clock.setTimeout(() => {
        pair.plugged = true
        pair.host.start()
      }, random() * 400)
    }
    const outcomes = await judge(pair, ran, 10_000, () => {
      if (random() < 0.01) pair.clock.setTimeout(pull, random() * 30)
    })
    expect(pulled).toBeGreaterThan(50)
    expect(outcomes.success).toBeGreaterThan(9_000)
    expect(outcomes.unknown).toBeGreaterThan(0)
  })
})
