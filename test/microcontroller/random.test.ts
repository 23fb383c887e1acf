import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CborInput, type CborItem, LinkDevice } from '../../boards/remote/link/index.ts'
import { vectorBoard } from '../link/vector-board.ts'
import { OwnedClock, settled } from '../owned-clock.ts'
import { buildFolder, buildNative, isMissing } from './compile.ts'
import { NativeDevice, type NativeMove } from './native-device.ts'
import { frameOf, messagesIn } from './native-pair.ts'

const seed = Number(process.env.SEED ?? Math.trunc(Math.random() * 0x7fffffff))
const numRuns = Number(process.env.RUNS ?? 60)

describe.skipIf(isMissing('gcc'))(`any messages (SEED=${seed})`, () => {
  let folder: string
  let vector: string
  let bench: string
  const devices = new Set<NativeDevice>()

  beforeAll(() => {
    folder = buildFolder()
    vector = buildNative('vector-board', folder)
    bench = buildNative('bench-board', folder)
  })

  afterAll(() => {
    for (const device of devices) device.stop()
  })

  function start(program: string): NativeDevice {
    const device = new NativeDevice(program)
    devices.add(device)
    return device
  }

  const session = fc.constantFrom(77, 77, 77, 77, 78)
  const askId = fc.integer({ min: -24, max: -1 })
  const callId = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 255 }))
  const small = fc.integer({ min: 0, max: 4 })
  const argument = fc.oneof(
    fc.integer({ min: -3, max: 104 }),
    fc.boolean(),
    fc.constantFrom<CborInput>(
      null,
      0.5,
      1.5,
      0.25,
      1,
      0,
      0.99,
      1.001,
      -0.001,
      'x',
      70_000,
      -1,
      2 ** 40,
      [1],
      new Map(),
    ),
    fc.float({ min: 0, max: 1, noNaN: true }).map(value => value + 0),
  )
  const message: fc.Arbitrary<CborInput> = fc.oneof(
    fc.tuple(
      fc.constant(0),
      fc.constantFrom(77, 77, 78, 0),
      fc.constantFrom(1, 1, 1, 2),
      fc.constant(new Map([[1, 1024]])),
    ),
    fc.tuple(fc.constant(1), session, askId),
    fc.tuple(fc.constant(2), session, askId, fc.integer({ min: 0, max: 9 })),
    fc.tuple(fc.constant(3), session, askId, small),
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constant(4), session, callId, small, fc.array(argument, { maxLength: 3 })),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constant(4), session, callId, fc.constant(0), fc.tuple(fc.nat(104), fc.boolean())),
    },
    fc.tuple(fc.constant(5), session, callId),
    fc.tuple(fc.constant(6), session, askId, small),
    fc.tuple(fc.constant(7), session, askId, small),
    fc.tuple(fc.constant(8), session, askId),
    fc.tuple(fc.constantFrom(10, 11, 18, -1), session, askId),
    // What lacks something, or has it of the wrong type.
    fc.tuple(fc.integer({ min: 0, max: 8 }), session),
    fc.tuple(fc.integer({ min: 0, max: 8 }), session, fc.constantFrom<CborInput>('x', null, [], 1.5)),
    fc.tuple(
      fc.constantFrom(2, 3, 4, 6, 7),
      session,
      fc.constantFrom(-1, 1),
      fc.constantFrom<CborInput>('x', null, -1),
    ),
    fc.tuple(fc.constantFrom(12, 14, 17), session, askId, small),
  )

  /** What has to be the same: a hello differs in its members, an error in its text. */
  function essence(answer: CborItem[]): CborItem[] {
    if (answer[0] === 14) return answer.slice(0, 3)
    // A cancel of what never came: whether it is remembered depends on what else is.
    if (answer[0] === 13 && answer[3] === 10) return [...answer.slice(0, 3), 15]
    if (answer[0] === 13) return answer.slice(0, 4)
    return answer
  }

  it('the C device answers as the device in TypeScript does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 60 }), async messages => {
        const ours: CborItem[][] = []
        const theirs: CborItem[][] = []
        const native = start(vector)
        await native.advance(1)
        native.onBytes = bytes => ours.push(...messagesIn(bytes))
        const device = new LinkDevice({
          board: vectorBoard(),
          clock: new OwnedClock(),
          id: 'V1',
          boot: 1,
          calls: 1,
          outlet: { write: bytes => void theirs.push(...messagesIn(bytes)) },
        })
        try {
          for (const message of [[0, 77, 1, new Map([[1, 1024]])], ...messages]) {
            ours.length = 0
            theirs.length = 0
            const frame = frameOf(message)
            device.receive(frame)
            await settled()
            await native.receive(frame)
            expect(ours.map(essence), JSON.stringify(message)).toEqual(theirs.map(essence))
          }
        } finally {
          native.stop()
          devices.delete(native)
          await device.close()
        }
      }),
      { seed, numRuns },
    )
  })

  it('the rules hold as the norm says them', async () => {
    const [heater, pump, left, right, laser] = [1, 2, 3, 4, 5]
    const step = fc.oneof(
      fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 50, 200, 400, 1000, 1500) }),
      fc.record({
        kind: fc.constant('call' as const),
        actuator: fc.constantFrom(pump, left, right, laser),
        value: fc.constantFrom(0, 1),
      }),
      fc.record({
        kind: fc.constant('call' as const),
        actuator: fc.constant(heater),
        value: fc.integer({ min: 50, max: 305 }),
      }),
      fc.record({
        kind: fc.constant('call' as const),
        actuator: fc.constant(heater),
        value: fc.integer({ min: 160, max: 200 }),
      }),
      fc.record({ kind: fc.constant('arm' as const), armed: fc.boolean() }),
      fc.record({ kind: fc.constant('stop' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 50 }), async steps => {
        const native = start(bench)
        const answers: CborItem[][] = []
        await native.advance(1)
        native.onBytes = bytes => answers.push(...messagesIn(bytes))
        await native.receive(frameOf([0, 77, 1, new Map()]))
        const model = new Model()
        let id = 0
        try {
          for (const step of steps) {
            answers.length = 0
            const before = native.moves.length
            // A ping now and then, so that the host does not count as gone.
            if (step.kind === 'wait') {
              await native.receive(frameOf([1, 77, -1]))
              await native.advance(step.ms)
              model.wait(step.ms)
              expect(native.moves.slice(before).map(byHold)).toEqual(model.taken())
            } else if (step.kind === 'call') {
              id = (id + 1) & 0xff
              const args = step.actuator === heater ? [step.value / 10] : [step.value === 1]
              await native.receive(frameOf([4, 77, id, step.actuator, args]))
              const [answer] = answers
              const code = model.call(step.actuator, step.value)
              expect(answer![0] === 12 ? 0 : answer![3], JSON.stringify({ step, steps })).toBe(code)
              expect(native.moves.length - before).toBe(code === 0 ? 1 : 0)
            } else {
              await native.receive(frameOf(step.kind === 'stop' ? [8, 77, -2] : [9, 77, -2, step.armed]))
              if (step.kind === 'stop') model.stop()
              else model.arm(step.armed)
            }
          }
        } finally {
          native.stop()
          devices.delete(native)
        }
      }),
      { seed, numRuns },
    )
  })
})

const byHold = ({ actuator, reason }: NativeMove) => `${actuator} ${reason}`

interface State {
  value: number
  safe: number
  movedAt: number
  awayAt: number
}

/** Section 8 of the norm, as far as the bench needs it: written from the text, not from the C code. */
class Model {
  #now = 0
  #armed = false
  #holds: string[] = []
  readonly #states = new Map<number, State>(
    [1, 2, 3, 4, 5].map(actuator => {
      const safe = actuator === 1 ? 50 : 0
      return [actuator, { value: actuator === 1 ? 180 : 0, safe, movedAt: -Infinity, awayAt: 0 }]
    }),
  )

  wait(ms: number): void {
    for (let left = ms; left > 0; left--) {
      this.#now++
      const pump = this.#states.get(2)!
      if (pump.value !== pump.safe && this.#now - pump.awayAt >= 3000) {
        this.#holds.push('2 9')
        this.#make(2, pump.safe)
      }
    }
  }

  /** The moves that the device made itself since this was last asked. */
  taken(): string[] {
    return this.#holds.splice(0)
  }

  call(actuator: number, value: number): number {
    const state = this.#states.get(actuator)!
    if (value !== state.safe) {
      const since = this.#now - state.movedAt
      if (actuator === 1 && Math.abs(value - state.value) > (20 * Math.min(since, 1000)) / 1000) return 7
      if (actuator === 2 && since < 1000) return 7
      const other = actuator === 3 ? 4 : actuator === 4 ? 3 : undefined
      if (other !== undefined && this.#isAway(other)) return 6
      if (actuator === 5 && !this.#armed) return 8
    }
    this.#make(actuator, value)
    return 0
  }

  arm(armed: boolean): void {
    this.#armed = armed
    if (!armed && this.#isAway(5)) this.#make(5, 0)
  }

  stop(): void {
    this.#armed = false
    for (const [actuator, { safe }] of this.#states) if (this.#isAway(actuator)) this.#make(actuator, safe)
  }

  #isAway(actuator: number): boolean {
    const { value, safe } = this.#states.get(actuator)!
    return value !== safe
  }

  #make(actuator: number, value: number): void {
    const state = this.#states.get(actuator)!
    if (!this.#isAway(actuator) && value !== state.safe) state.awayAt = this.#now
    state.value = value
    state.movedAt = this.#now
  }
}
