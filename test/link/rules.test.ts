import { expect, it } from 'vitest'
import { LinkCode, LinkDownError, LinkError } from '../../boards/remote/link/index.ts'
import { actuator } from '../../runtime/index.ts'
import { frameOf } from '../microcontroller/micropython/frames.ts'
import { OwnedClock } from '../owned-clock.ts'
import { Pair } from './pair.ts'
import { ruleBoard, ruleNumbers } from './rule-board.ts'

const { lamp, pump, motor, heater, cooler, saw } = ruleNumbers.actuators

/** The board with rules at the other end of a line that is up. */
async function shed() {
  const { board, state } = ruleBoard()
  const logs: [number, string][] = []
  const pair = await new Pair({
    board,
    host: { onLog: (severity, text) => void logs.push([severity, text]) },
  }).ready()
  const call = (number: number, value: number | boolean) => pair.during(pair.host.call(number, [value]), 1)
  const arm = (armed: boolean) => pair.during(pair.host.arm(armed), 1)
  return { pair, board, state, logs, call, arm, host: pair.host }
}

it('what the actuators declare is described, groups and sensors by their numbers', async () => {
  const { pair, host } = await shed()
  const { actuators } = await pair.during(host.describe())
  const rules = actuators.map(({ name, title, arguments: _, hints, safe, ...rest }) => [name, rest])
  expect(Object.fromEntries(rules)).toEqual({
    lamp: { holdForMs: 1000, readback: 0 },
    pump: { minIntervalMs: 2000 },
    motor: { maxRate: 20, readback: 1 },
    heater: { group: 0 },
    cooler: { group: 0 },
    saw: { confirm: 2, audience: 1, readback: 2, arming: true },
    vent: { initial: [30], maxRate: 10, readback: 3 },
  })
})

it('begins in the initial states, and in the safe ones where there are none', async () => {
  const { board, state } = ruleBoard()
  Object.assign(state, { lamp: true, motor: 70 })
  await new Pair({ board }).ready()
  expect(state).toMatchObject({ lamp: false, motor: 0, vent: 30 })
})

it('a refusal says what is in the way', async () => {
  const { call } = await shed()
  await call(heater, true)
  await expect(call(cooler, true)).rejects.toMatchObject({
    code: LinkCode.Interlocked,
    message: expect.stringMatching(/^heater is on/),
  })
  await call(pump, true)
  await expect(call(pump, true)).rejects.toMatchObject({
    code: LinkCode.TooSoon,
    message: expect.stringMatching(/^it moves at most once in 2 s/),
  })
  await expect(call(motor, 50)).rejects.toMatchObject({
    code: LinkCode.TooSoon,
    message: expect.stringMatching(/^speed may change by 20 a second/),
  })
  await expect(call(saw, true)).rejects.toMatchObject({
    code: LinkCode.NotArmed,
    message: expect.stringMatching(/a person arms the outputs \(with ferrule arm/),
  })
})

it('what was away for too long is made safe, and the host is told', async () => {
  const { pair, call, state, logs } = await shed()
  await call(lamp, true)
  await pair.clock.advance(1000)
  expect(state.lamp).toBe(false)
  expect(logs).toEqual([[4, expect.stringMatching(/^lamp was away from its safe state for too long/)]])
})

it('what cannot be made safe in time is tried again until it is', async () => {
  const { pair, board, call, state, logs } = await shed()
  await call(lamp, true)
  const set = board.actuators!.lamp!.set
  board.actuators!.lamp!.set = () => {
    throw new Error('the relay does not answer')
  }
  await pair.clock.advance(1500)
  expect(state.lamp).toBe(true)
  board.actuators!.lamp!.set = set
  await pair.clock.advance(2000)
  expect(state.lamp).toBe(false)
  expect(logs.map(([severity]) => severity)).toEqual([2, 4])
  expect(logs[0]![1]).toMatch('lamp could not be made safe: the relay does not answer')
})

it('while it is on its way to the safe state it is busy', async () => {
  const clock = new OwnedClock()
  const moves: boolean[] = []
  const valve = actuator({
    inputSchema: { type: 'object', properties: { open: { type: 'boolean' } }, required: ['open'] },
    safe: { open: false },
    set: ({ open }) => {
      moves.push(open)
      return open ? undefined : new Promise<void>(resolve => void clock.setTimeout(resolve, 400))
    },
  })
  const pair = await new Pair({ board: { name: 'pipe', actuators: { valve } }, clock }).ready()
  const open = () => pair.during(pair.host.call(0, [true]), 1)
  // It closes at its start.
  await expect(open()).rejects.toMatchObject({ code: LinkCode.Busy })
  await clock.advance(400)
  await open()
  const stop = pair.host.stop()
  await expect(open()).rejects.toMatchObject({ code: LinkCode.Busy })
  await pair.during(stop)
  await open()
  expect(moves).toEqual([false, true, false, true])
})

it('an argument that is left out counts as its default, also in the safe state', async () => {
  const moves: unknown[] = []
  const fan = actuator({
    inputSchema: {
      type: 'object',
      properties: { percent: { type: 'number' }, slowly: { type: 'boolean', default: true } },
      required: ['percent'],
    },
    safe: { percent: 0 },
    minIntervalMs: 10_000,
    set: args => void moves.push(args),
  })
  const pair = await new Pair({ board: { name: 'bench', actuators: { fan } }, moves }).ready()
  const call = (...args: (number | boolean)[]) => pair.during(pair.host.call(0, args), 1)
  await call(5)
  expect(moves).toEqual([{ percent: 5, slowly: true }])
  // Both are the safe state, and never refused.
  await call(0)
  await call(0, true)
  await expect(call(0, false)).rejects.toMatchObject({ code: LinkCode.TooSoon })
})

it('is armed by its host, and the host knows', async () => {
  const { pair, host, state, call, arm } = await shed()
  expect(host.armed).toBe(false)
  expect(await arm(true)).toBe(true)
  expect(host.armed).toBe(true)
  await call(saw, true)
  expect(await arm(false)).toBe(false)
  expect([host.armed, state.saw]).toEqual([false, false])
  await arm(true)
  await pair.during(host.stop(), 1)
  expect([host.armed, pair.device.armed]).toEqual([false, false])
  await arm(true)
  pair.reset()
  await pair.clock.advance(3000)
  expect([host.armed, pair.device.armed]).toEqual([false, false])
})

it('a device that was disarmed by others says so with the next refusal', async () => {
  const { pair, host, call, arm } = await shed()
  await arm(true)
  await pair.device.close()
  expect(host.armed).toBe(true)
  await pair.clock.advance(5000)
  await arm(true)
  pair.device.receive(stopOfAnother)
  await pair.clock.advance(10)
  expect(host.armed).toBe(true)
  await expect(call(saw, true)).rejects.toMatchObject({ code: LinkCode.NotArmed })
  expect(host.armed).toBe(false)
})

it('nothing is armed that is away, or later than it was meant', async () => {
  const { pair, host, arm } = await shed()
  pair.toDevice = bytes => bytes.slice(0, 3)
  const arming = host.arm(true)
  const ended = expect(arming).rejects.toThrow('a stop came first, and nothing was armed')
  await pair.clock.advance(50)
  pair.toDevice = bytes => bytes
  // Without the stop a copy of it would arrive now.
  await pair.during(host.stop(), 1)
  await ended
  await pair.clock.advance(3000)
  expect(pair.device.armed).toBe(false)
  pair.plugged = false
  await expect(pair.during(host.arm(true))).rejects.toThrow(LinkDownError)
  await expect(host.arm(true)).rejects.toThrow('the device does not answer, and nothing was armed')
  pair.plugged = true
  await pair.clock.advance(3000)
  expect(pair.device.armed).toBe(false)
  expect(await arm(true)).toBe(true)
})

it('a device without such outputs cannot be armed', async () => {
  const { heater: one } = ruleBoard().board.actuators!
  const pair = await new Pair({ board: { name: 'oven', actuators: { heater: one! } } }).ready()
  expect([pair.host.armed, pair.device.armed]).toEqual([undefined, undefined])
  await expect(pair.during(pair.host.arm(true))).rejects.toThrow(LinkError)
})

const stopOfAnother = frameOf([8, 1, -21])
