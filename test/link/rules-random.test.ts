import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type CborInput, LinkDevice } from '../../boards/remote/link/index.ts'
import { type Actuator, type Board, type Call, createServer, DefinitionError } from '../../runtime/index.ts'
import { frameOf, messagesIn } from '../microcontroller/micropython/frames.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { type ModelOutput, RuleModel, safeOf } from './rule-model.ts'

const seed = Number(process.env.SEED ?? Math.trunc(Math.random() * 0x7fffffff))
const session = 0x4a21
const silenceMs = 5000
/** How long what is broken off may take to heed it, and then once more to be safe. */
const graceMs = 2000

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const output: fc.Arbitrary<ModelOutput> = fc
  .record({
    type: fc.constantFrom('number' as const, 'boolean' as const),
    initial: optional(fc.constantFrom(5, 30)),
    holdMs: optional(fc.constantFrom(500, 1000, 2500)),
    restMs: optional(fc.constantFrom(250, 1000)),
    ratePerS: optional(fc.constantFrom(4, 20)),
    group: optional(fc.constantFrom('heat', 'heat', 'light')),
    arming: optional(fc.constant(true)),
  })
  .map(({ initial, ...declared }) => {
    // What stays off until it is armed, and what shares a group, begins in its safe state here.
    const beginsSafe = initial === undefined || declared.arming || declared.group !== undefined
    const begins = beginsSafe ? {} : { initial: declared.type === 'number' ? initial : true }
    const given = Object.entries({ ...declared, ...begins }).filter(([, value]) => value !== undefined)
    return Object.fromEntries(given) as unknown as ModelOutput
  })
const outputs = fc.array(output, { minLength: 1, maxLength: 5 })

type Happening =
  | { what: 'call'; number: number; amount: number }
  | { what: 'stop' | 'hello' | 'ping' }
  | { what: 'arm'; armed: boolean }
  | { what: 'wait'; ms: number }

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('call' as const),
      number: fc.nat(4),
      amount: fc.constantFrom(0, 0, 1, 2, 4, 5, 10, 20, 21, 30, 50),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ what: 'stop' as const }, { what: 'hello' as const }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('arm' as const), armed: fc.constantFrom(true, true, false) }) },
  { weight: 1, arbitrary: fc.constant({ what: 'ping' as const }) },
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 49, 50, 249, 250, 499, 500, 999, 1000, 2499, 2500, 4999, 5000),
    }),
  },
)
const story = fc.array(happening, { minLength: 10, maxLength: 60 })

interface Bench {
  device: LinkDevice
  clock: OwnedClock
  /** What each output is. */
  is: (number | boolean)[]
  /** Since when each output is away from its safe value. */
  awaySince: (number | undefined)[]
  say(message: CborInput): Promise<any[]>
}

/** A device with these outputs. `move` is what each does after it has its value. */
async function bench(declared: readonly ModelOutput[], move: (call: Call, put: () => void) => unknown): Promise<Bench> {
  const clock = new OwnedClock(0)
  const is: (number | boolean)[] = declared.map(safeOf)
  const awaySince: (number | undefined)[] = declared.map(() => undefined)
  const actuators = declared.map((each, number): [string, Actuator<any>] => {
    const { type, initial, holdMs, restMs, ratePerS, group, arming } = each
    const put = (value: number | boolean) => {
      is[number] = value
      awaySince[number] = value === safeOf(each) ? undefined : (awaySince[number] ?? clock.now())
    }
    const actuator: Actuator<any> = {
      inputSchema: { type: 'object', properties: { value: { type } }, required: ['value'] },
      safe: { value: safeOf(each) },
      ...(initial !== undefined && { initial: { value: initial } }),
      ...(holdMs !== undefined && { holdForMs: holdMs }),
      ...(restMs !== undefined && { minIntervalMs: restMs }),
      ...(ratePerS !== undefined && { maxRate: ratePerS }),
      ...(group !== undefined && { group }),
      ...(arming && { arming }),
      set({ value }, call) {
        put(value)
        return value === safeOf(each) ? undefined : move(call, () => put(value))
      },
    }
    return [`output${number}`, actuator]
  })
  const board: Board = { name: 'bench', actuators: Object.fromEntries(actuators) }
  // The runtime takes it too: nothing is tested that a board could not be.
  expect(() => createServer(board)).not.toThrow(DefinitionError)
  let written: Uint8Array[] = []
  const device = new LinkDevice({ board, clock, id: 'x', boot: 1, calls: 1, failSafeMs: silenceMs, outlet: { write } })
  function write(line: Uint8Array): void {
    written.push(line)
  }
  device.start()
  const say = async (message: CborInput) => {
    written = []
    device.receive(frameOf(message))
    await settled()
    return messagesIn(Buffer.concat(written))
  }
  await settled()
  return { device, clock, is, awaySince, say }
}

function messageOf(
  next: Exclude<Happening, { what: 'wait' }>,
  declared: readonly ModelOutput[],
  id: number,
): CborInput {
  switch (next.what) {
    case 'hello':
      return [0, session, 1, new Map()]
    case 'ping':
      return [1, session, -1]
    case 'stop':
      return [8, 1, -21]
    case 'arm':
      return [9, session, -2, next.armed]
    case 'call': {
      const number = next.number % declared.length
      return [4, session, id & 0xff, number, [amountOf(declared[number]!, next.amount)]]
    }
  }
}

function amountOf({ type }: ModelOutput, amount: number): number | boolean {
  return type === 'number' ? amount : amount > 0
}

it(`refuses and makes safe what the rules say, to the millisecond (SEED=${seed})`, async () => {
  const counted = new Map<number, number>()
  const play = async (declared: ModelOutput[], happenings: Happening[]) => {
    const { device, clock, is, say } = await bench(declared, () => undefined)
    const model = new RuleModel(declared, silenceMs)
    const needsArming = declared.some(({ arming }) => arming)
    const agree = (when: string) => {
      expect(is, when).toEqual(model.standing.map(({ value }) => value))
      expect(device.armed, when).toBe(needsArming ? model.armed : undefined)
    }
    agree('at boot')
    let id = 0
    for (const next of [{ what: 'hello' as const }, ...happenings]) {
      if (next.what === 'wait') {
        model.pass(next.ms)
        await clock.advance(next.ms)
        agree(`after ${next.ms} ms`)
        continue
      }
      const [answer] = await say(messageOf(next, declared, ++id))
      if (next.what !== 'stop') model.heard()
      if (next.what === 'hello') expect(answer[3].get(15)).toBe(needsArming ? model.armed : undefined)
      if (next.what === 'stop') model.stop()
      if (next.what === 'arm') {
        if (needsArming) model.arm(next.armed)
        expect(answer.slice(0, 4)).toEqual(needsArming ? [12, session, -2, next.armed] : [13, session, -2, 1])
      }
      if (next.what === 'call') {
        const number = next.number % declared.length
        const code = model.call(number, amountOf(declared[number]!, next.amount))
        counted.set(code, (counted.get(code) ?? 0) + 1)
        expect(answer[0] === 12 ? 0 : answer[3], JSON.stringify(next)).toBe(code)
      }
      agree(JSON.stringify(next))
    }
    await device.close()
    expect(is).toEqual(declared.map(safeOf))
    expect(clock.pending, 'timers that are left').toBe(0)
  }
  await fc.assert(fc.asyncProperty(outputs, story, play), { seed, numRuns: Number(process.env.RUNS ?? 400) })
  // Each rule had its say.
  for (const code of [0, 6, 7, 8]) expect(counted.get(code), `calls that ended with ${code}`).toBeGreaterThan(0)
}, 120_000)

it(`keeps outputs safe whose moves take a while, heed nothing, and undo it at their end (SEED=${seed})`, async () => {
  const play = async (declared: ModelOutput[], lengths: number[], happenings: Happening[]) => {
    let moves = 0
    const { device, clock, is, awaySince, say } = await bench(declared, (call, put) => {
      const lengthMs = lengths[moves++ % lengths.length]!
      if (lengthMs === 0) return undefined
      // The odd ones stop at once when they are told to; all others go on, and put their value again.
      return new Promise<void>((resolve, reject) => {
        if (lengthMs % 2 === 1) call.signal.addEventListener('abort', () => reject(call.signal.reason))
        clock.setTimeout(() => {
          if (lengthMs % 2 === 0 || !call.signal.aborted) put()
          resolve()
        }, lengthMs)
      })
    })
    let armed = false
    let heardAt = 0
    let disarmedAt = 0
    let id = 0
    const check = (when: string) => {
      for (const [number, { holdMs = Infinity, arming, group }] of declared.entries()) {
        const since = awaySince[number]
        if (since === undefined) continue
        expect(clock.now() - since, `${when}: output${number} is away for`).toBeLessThanOrEqual(holdMs + graceMs)
        if (arming && !armed) expect(clock.now() - disarmedAt, `${when}: disarmed`).toBeLessThanOrEqual(graceMs)
        if (group === undefined) continue
        const others = declared.filter((each, at) => each.group === group && awaySince[at] !== undefined)
        expect(others.length, `${when}: of group ${group} at once`).toBe(1)
      }
    }
    for (const next of [{ what: 'hello' as const }, ...happenings]) {
      if (next.what === 'wait') {
        for (let left = next.ms; left > 0; left -= 50) {
          await clock.advance(Math.min(left, 50))
          if (armed && clock.now() - heardAt >= silenceMs) {
            armed = false
            disarmedAt = clock.now()
          }
          check(`at ${clock.now()}`)
        }
        continue
      }
      await say(messageOf(next, declared, ++id))
      if (next.what !== 'stop') heardAt = clock.now()
      const before = armed
      if (next.what === 'arm') armed = next.armed
      if (next.what === 'stop') armed = false
      if (before && !armed) disarmedAt = clock.now()
      check(JSON.stringify(next))
    }
    // Whatever went on goes to its safe value, and stays there.
    await say([8, 1, -21])
    await clock.advance(10_000)
    expect(is).toEqual(declared.map(safeOf))
    await device.close()
  }
  const lengths = fc.array(fc.constantFrom(0, 0, 301, 1501, 300, 900, 1600, 3000), { minLength: 1, maxLength: 6 })
  await fc.assert(fc.asyncProperty(outputs, lengths, story, play), {
    seed,
    numRuns: Number(process.env.RUNS ?? 300),
  })
}, 120_000)
