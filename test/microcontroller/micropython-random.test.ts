/** The device side in Python against the one in TypeScript: the same frames in, the same frames out. */
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { type CborInput, LinkDevice, readCbor } from '../../boards/remote/link/index.ts'
import type { Board } from '../../runtime/index.ts'
import { ruleBoard } from '../link/rule-board.ts'
import { vectorBoard } from '../link/vector-board.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { frameOf, messagesIn, taken } from './micropython/frames.ts'
import { cPython, microPython } from './micropython/interpreters.ts'
import { type Stepped, steppedInCPython, steppedInMicroPython } from './micropython/stepped.ts'

const seed = Number(process.env.SEED ?? Math.trunc(Math.random() * 0x7fffffff))
const micro = microPython()
const full = cPython()
const numRuns = Number(process.env.RUNS ?? 50)
const session = 0x4a21
/** Both devices go to their safe state when they hear nothing for so long, in milliseconds. */
const failSafeMs = 5000

// Mostly what a host says, in the session that stands; sometimes what none would.
const sessionOf = fc.oneof({ weight: 12, arbitrary: fc.constant(session) }, fc.constantFrom(0, 7, 0x4a22, 70_000, -1))
const ask = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: -24, max: -1 }) }, fc.integer({ min: -30, max: 300 }))
const callId = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 9 }) }, fc.integer({ min: -2, max: 260 }))
const place = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(0, 1) }, fc.constantFrom(2, 9, -1, 'x'))
const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -5, max: 105 }) },
  { weight: 3, arbitrary: fc.boolean() },
  { weight: 2, arbitrary: fc.constantFrom(0.5, 0.1, 123_456.789, 22.25, -0.75, 2 ** 53 - 1, 5e-324) },
  fc.constantFrom<CborInput>(null, 'x', Uint8Array.of(1), [], new Map([['a', 1]]), new Map([[1, 1]])),
)
const args = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.integer({ min: -2, max: 102 }), fc.boolean()) },
  fc.array(value, { maxLength: 3 }),
)
const duration = fc.constantFrom<CborInput>(null, 10, 250, 1000, -1, 'x')
const message = fc.oneof<fc.Arbitrary<CborInput>[]>(
  fc.tuple(
    fc.constant(0),
    sessionOf,
    fc.constantFrom(1, 1, 1, 2),
    fc.constantFrom(
      new Map([[1, 1024]]),
      new Map([
        [1, 64],
        [2, 700],
      ]),
      new Map(),
    ),
  ),
  fc.tuple(fc.constant(1), sessionOf, ask),
  fc.tuple(fc.constant(2), sessionOf, ask, fc.integer({ min: -1, max: 9 })),
  fc.tuple(fc.constant(3), sessionOf, ask, place),
  fc.tuple(fc.constant(4), sessionOf, callId, place, args),
  fc.tuple(fc.constant(4), sessionOf, callId, fc.constant(0), args, fc.array(callId, { maxLength: 3 })),
  fc.tuple(fc.constant(5), sessionOf, callId),
  fc.tuple(fc.constant(6), sessionOf, ask, place, duration, fc.constantFrom<CborInput>(null, 0, 10.5, -1)),
  fc.tuple(fc.constant(7), sessionOf, ask, place),
  fc.tuple(fc.constant(8), fc.constantFrom(session, 1, 0), ask),
  fc.tuple(fc.constant(9), sessionOf, ask, fc.boolean()),
  // An `arm` without its value is damaged; as a device without outputs to arm answers, it stands above.
  fc.tuple(
    fc.integer({ min: -3, max: 25 }).filter(kind => kind !== 9),
    sessionOf,
    ask,
  ),
  fc.constantFrom<CborInput>([], 5, ['x', session, 1], [1], [1, session]),
)
/** What happens next: a message arrives, once or twice, or time goes by, in milliseconds. */
interface Happening {
  message: CborInput
  times: number
  ms: number
}
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: message.map(each => ({ message: each, times: 1, ms: 0 })) },
  { weight: 1, arbitrary: message.map(each => ({ message: each, times: 2, ms: 0 })) },
  { weight: 2, arbitrary: fc.constantFrom(10, 100, 1000, 6000).map(ms => ({ message: null, times: 0, ms })) },
)
const story = fc.array(happening, { minLength: 5, maxLength: 40 })

/** What a host says to a board with rules, and time that takes them to their borders. */
const ruled = fc.oneof<fc.Arbitrary<CborInput>[]>(
  fc.tuple(fc.constant(3), fc.constant(session), fc.constant(-1), fc.nat(3)),
  fc.tuple(fc.constant(9), fc.constant(session), fc.constant(-2), fc.boolean()),
  fc.tuple(fc.constant(8), fc.constantFrom(session, 1), fc.constant(-21)),
  fc.tuple(fc.constant(1), fc.constant(session), fc.constant(-3)),
)
const ruledCall: fc.Arbitrary<CborInput[]> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 1, 3, 4, 5), fc.tuple(fc.boolean())),
  fc.tuple(fc.constantFrom(2, 6), fc.tuple(fc.constantFrom(0, 5, 10, 20, 21, 30, 40, 41))),
)
const rules: fc.Arbitrary<Happening[]> = fc
  .array(
    fc.oneof(
      // The id of a call is the place of the happening.
      {
        weight: 6,
        arbitrary: ruledCall.map((call): Happening => ({ message: [4, session, 0, ...call], times: 1, ms: 0 })),
      },
      { weight: 3, arbitrary: ruled.map((message): Happening => ({ message, times: 1, ms: 0 })) },
      {
        weight: 4,
        arbitrary: fc
          .constantFrom(10, 500, 990, 1000, 2000, 5000)
          .map((ms): Happening => ({ message: null, times: 0, ms })),
      },
    ),
    { minLength: 10, maxLength: 60 },
  )
  .map(happenings =>
    happenings.map((next, at) =>
      Array.isArray(next.message) && next.message[0] === 4
        ? { ...next, message: [4, session, at + 1, ...next.message.slice(3)] }
        : next,
    ),
  )

/** The log is each device's own. */
const isOutcome = (hex: string) => !/^8[0-9a-f]11/.test(hex)

const interpreters: [string, (context: TestContext, board: string) => Promise<Stepped>][] = [
  ['MicroPython', async (context, board) => steppedInMicroPython(await micro.or(context), board, 1)],
  ['CPython', async (context, board) => steppedInCPython(await full.or(context), board, 1)],
]

/** What a device told, without the texts of its errors: those are each device's own as well. */
function withoutTexts(hex: string): unknown {
  const message = readCbor(Uint8Array.from(Buffer.from(hex, 'hex')))
  return Array.isArray(message) && message[0] === 13 ? message.slice(0, 4) : message
}

/** The same boards in TypeScript, what happens to each, and what is compared of its answers. */
const boards: [string, () => Board, fc.Arbitrary<Happening[]>, (hex: string) => unknown][] = [
  ['pot', vectorBoard, story, hex => hex],
  ['shed', () => ruleBoard().board, rules, withoutTexts],
]

describe.each(interpreters)('in %s', (_, start) => {
  it.for(boards)(
    `whatever comes to the %s, it answers as the device in TypeScript does (SEED=${seed})`,
    { timeout: 180_000 },
    async (board, context) => {
      const [module, boardOf, stories, compared] = board
      const python = await start(context, module)
      onTestFinished(() => python.close())
      let boot = 1
      const play = async (happenings: Happening[]) => {
        boot++
        python.restart(boot)
        const clock = new OwnedClock(0)
        let written: Uint8Array[] = []
        const device = new LinkDevice({
          board: boardOf(),
          clock,
          id: 'V1',
          boot,
          calls: 1,
          outlet: { write: line => void written.push(line) },
        })
        const compare = async (bytes: Uint8Array, told: string) => {
          const answered = taken(await python.step(clock.now(), bytes))
            .frames.filter(isOutcome)
            .map(compared)
          const wanted = taken(Buffer.concat(written)).frames.filter(isOutcome).map(compared)
          written = []
          expect(answered, told).toEqual(wanted)
        }
        device.start()
        await compare(new Uint8Array(), 'at boot')
        const hello: CborInput = [0, session, 1, new Map([[1, 1024]])]
        const say = async (message: CborInput) => {
          const line = frameOf(message)
          device.receive(line)
          await settled()
          await compare(line, `to ${JSON.stringify(message)}`)
        }
        const wait = async (ms: number) => {
          for (let passed = 0; passed < ms; passed += 10) {
            await clock.advance(10)
            await compare(new Uint8Array(), `after ${passed + 10} of ${ms} ms`)
          }
        }
        for (const { message, times, ms } of [{ message: hello, times: 1, ms: 0 }, ...happenings]) {
          for (let time = 0; time < times; time++) await say(message)
          if (ms > failSafeMs) {
            // What is watched and the fail-safe must not be due in the same millisecond: either may then come first.
            await wait(10)
            await say([1, session, -2])
          }
          await wait(ms)
        }
        await device.close()
      }
      await fc.assert(fc.asyncProperty(stories, play), { seed, numRuns })
    },
  )

  it(`no bytes stop it, and the next hello is answered (SEED=${seed})`, async context => {
    const python = await start(context, 'bench')
    onTestFinished(() => python.close())
    const noise = fc.oneof(
      { weight: 2, arbitrary: fc.uint8Array({ maxLength: 80 }) },
      // The message of a good frame: random bytes, or what a host would hardly say.
      { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 60 }).map(bytes => frameOf(bytes)) },
      { weight: 3, arbitrary: message.map(each => frameOf(each)) },
      // Calls of all that the bench has, which does things that take long, fail and print.
      {
        weight: 6,
        arbitrary: fc
          .tuple(fc.constant(4), fc.constant(session), fc.nat(255), fc.nat(16), args)
          .map(each => frameOf(each)),
      },
      {
        weight: 3,
        arbitrary: fc.tuple(fc.constant(3), fc.constant(session), ask, fc.nat(11)).map(each => frameOf(each)),
      },
    )
    let now = 0
    let next = 100
    const play = async (chunks: { bytes: Uint8Array; ms: number }[]) => {
      await python.step(now, frameOf([0, session, 1, new Map()]))
      for (const { bytes, ms } of chunks) {
        now += ms
        await python.step(now, bytes)
      }
      next++
      const answer = await python.step(now, Buffer.concat([Uint8Array.of(0x0a), frameOf([0, next, 1, new Map()])]))
      const last = messagesIn(answer.subarray(answer.lastIndexOf(0xfe)))
      expect(last).toEqual([[14, next, 1, expect.any(Map)]])
    }
    const chunk = fc.record({ bytes: noise, ms: fc.constantFrom(0, 0, 1, 50, 3000) })
    await fc.assert(fc.asyncProperty(fc.array(chunk, { maxLength: 30 }), play), { seed, numRuns })
  }, 180_000)
})
