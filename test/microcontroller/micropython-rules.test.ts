/** What the device side in Python keeps by itself, to the millisecond, and what it costs: on a clock of the test. */
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import type { CborInput } from '../../boards/remote/link/index.ts'
import { frameOf, messagesIn } from './micropython/frames.ts'
import { cPython, type MicroPython, microPython } from './micropython/interpreters.ts'
import { inMicroPython, type Stepped, steppedInCPython, steppedInMicroPython } from './micropython/stepped.ts'

const micro = microPython()
const full = cPython()
const session = 0x4a21
const result = 12
const error = 13
const progress = 16
const log = 17

const interpreters: [string, (context: TestContext) => Promise<Stepped>][] = [
  ['MicroPython', async context => steppedInMicroPython(await micro.or(context), 'bench', 1)],
  ['CPython', async context => steppedInCPython(await full.or(context), 'bench', 1)],
]

/** The actuators of the bench, by the order in which they stand there. */
const [fan, door, saw, lamp, heater, cooler, compressor, motor, stuck, valve] = [0, 1, 3, 4, 6, 7, 8, 9, 12, 13]

describe.each(interpreters)('a board in %s', (_, start) => {
  /** The bench in a session, its time and a way to ask it. */
  async function bench(context: TestContext) {
    const device = await start(context)
    onTestFinished(() => device.close())
    let now = 0
    let id = 0
    const say = async (message: CborInput): Promise<any[]> => messagesIn(await device.step(now, frameOf(message)))
    const pass = async (ms: number, stepMs = 10): Promise<any[]> => {
      const told: any[] = []
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, now + stepMs)
        // Its host lives.
        told.push(...(await say([1, session, -24])).filter(([kind, , id]) => !(kind === result && id === -24)))
      }
      return told
    }
    /** What a call is answered with: 0, or the code of its error. */
    const call = async (actuator: number, ...args: CborInput[]): Promise<number> => {
      const answers = await say([4, session, ++id, actuator, args])
      const [kind, , , code] = answers.find(each => each[0] === result || each[0] === error) ?? [progress]
      return kind === progress ? -99 : kind === result ? 0 : code
    }
    const silence = async (ms: number) => {
      now += ms
      return messagesIn(await device.step(now, new Uint8Array()))
    }
    const greet = () => say([0, session, 1, new Map()])
    await device.step(0, new Uint8Array())
    await greet()
    return { device, say, pass, call, silence, greet }
  }

  it('arms at the word of its host, and is not armed after a stop, silence or a restart', async context => {
    const { say, call, greet, silence, pass, device } = await bench(context)
    const armed = async () => (await greet())[0][3].get(15)
    expect(await armed()).toBe(false)
    expect(await call(saw, true)).toBe(8)
    expect(await say([9, session, -1, true])).toEqual([[result, session, -1, true]])
    expect(await say([9, session, -1, true])).toEqual([[result, session, -1, true]])
    expect(await call(saw, true)).toBe(0)
    expect(await say([9, session, -1, false])).toEqual([[result, session, -1, false]])
    expect(await call(saw, true)).toBe(8)
    expect(await call(saw, false)).toBe(0)
    await say([9, session, -1, true])
    // A new session changes nothing.
    expect(await armed()).toBe(true)
    await say([8, session, -2])
    expect(await armed()).toBe(false)
    await say([9, session, -1, true])
    await silence(4999)
    await pass(10)
    expect(await armed()).toBe(true)
    await silence(5000)
    expect(await armed()).toBe(false)
    await say([9, session, -1, true])
    device.restart(2)
    await silence(1)
    expect(await armed()).toBe(false)
    // Without its value it is no message, and in a session that is not there nothing is armed.
    expect(await say([9, session, -1])).toEqual([])
    expect(await say([9, 7, -1, true])).toEqual([[error, 7, -1, 14]])
  })

  it('counts how long something is away from its safe value from when it went', async context => {
    const { call, pass } = await bench(context)
    expect(await call(lamp, true)).toBe(0)
    expect(await pass(900)).toEqual([])
    expect(await call(lamp, true)).toBe(0)
    expect(await pass(90)).toEqual([])
    expect(await pass(10)).toEqual([[log, session, 4, 'lamp was away from its safe value for too long']])
    expect(await pass(2000)).toEqual([])
    expect(await call(lamp, true)).toBe(0)
    expect(await pass(990)).toEqual([])
    expect(await call(lamp, false)).toBe(0)
    expect(await pass(1000)).toEqual([])
  })

  it('rests between moves, its own moves to the safe value as well', async context => {
    const { say, call, pass } = await bench(context)
    expect(await call(compressor, true)).toBe(0)
    await pass(59_990, 1000)
    expect(await call(compressor, false)).toBe(7)
    await pass(10)
    expect(await call(compressor, false)).toBe(0)
    // There is nothing to make safe here, so a stop does not move it.
    await pass(60_000, 1000)
    await say([8, session, -2])
    expect(await call(compressor, true)).toBe(0)
  })

  it('changes no faster than it may', async context => {
    const { call, pass } = await bench(context)
    expect(await call(motor, 20)).toBe(0)
    expect(await call(motor, 21)).toBe(7)
    await pass(500)
    expect(await call(motor, 31)).toBe(7)
    expect(await call(motor, 30)).toBe(0)
    await pass(5000, 1000)
    expect(await call(motor, 51)).toBe(7)
    expect(await call(motor, 10)).toBe(0)
    // The safe value is never refused.
    expect(await call(motor, 0)).toBe(0)
  })

  it('lets one of a group be on', async context => {
    const { say, call } = await bench(context)
    expect(await call(heater, true)).toBe(0)
    expect(await call(cooler, true)).toBe(6)
    expect(await call(heater, true)).toBe(0)
    await say([8, session, -2])
    expect(await call(cooler, true)).toBe(0)
    expect(await call(heater, true)).toBe(6)
  })

  it('a stop waits for a way to the safe value that takes a moment, and says so meanwhile', async context => {
    const { say, call, pass } = await bench(context)
    // At boot it closes first.
    expect(await call(valve, 3)).toBe(5)
    await pass(1000)
    expect(await call(valve, 3)).toBe(-99)
    const first = await say([8, session, -2])
    expect(first).toContainEqual([progress, session, -2])
    // The same again asks only how far it is.
    expect(await say([8, session, -2])).toEqual([[progress, session, -2]])
    const told = await pass(1000)
    expect(told).toContainEqual([error, session, 2, 11])
    expect(told).toContainEqual([result, session, -2])
    expect(await call(valve, 3)).toBe(-99)
  })

  it('what cannot be made safe is named', async context => {
    const { say, call, pass } = await bench(context)
    await call(stuck, true)
    expect(await say([8, 99, -2])).toEqual([
      [log, session, 2, 'stuck could not be made safe'],
      // The valve takes a moment.
      [progress, 99, -2],
    ])
    expect(await pass(1000)).toEqual([[result, 99, -2, [stuck]]])
  })

  it('after 40 days it is as it was', async context => {
    const { call, silence, greet, say } = await bench(context)
    expect(await call(lamp, true)).toBe(0)
    for (let day = 0; day < 40; day++) await silence(86_400_000)
    await greet()
    expect(await call(compressor, true)).toBe(0)
    expect(await call(compressor, true)).toBe(7)
    expect(await call(fan, 10, true)).toBe(0)
    expect(await say([3, session, -1, 0])).toEqual([[result, session, -1, 10]])
  })

  it('a new session breaks off what runs, and its host hears nothing of it', async context => {
    const { say, call, pass } = await bench(context)
    expect(await call(door, 30)).toBe(-99)
    const [hello, ...more] = await say([0, 0x4a25, 1, new Map()])
    expect(hello.slice(0, 3)).toEqual([14, 0x4a25, 1])
    expect(more).toEqual([])
    expect(await say([3, 0x4a25, -1, 3])).toEqual([[result, 0x4a25, -1, 'closed']])
    expect((await pass(10)).every(([kind, , , code]) => kind === error && code === 14)).toBe(true)
  })
})

describe('what it costs in MicroPython', () => {
  /** What is in use, in bytes. In JavaScript it collects its garbage between two programs, not within one. */
  function inUse(python: MicroPython): number {
    python.runPython('import gc\ngc.collect()')
    python.runPython('used = gc.mem_alloc()')
    return python.globals.get('used')
  }

  it('a poll with nothing to do takes no memory, and a call leaves none behind', async context => {
    const { python, step } = await inMicroPython(await micro.or(context), 'pot', 1)
    step(0, new Uint8Array())
    step(0, frameOf([0, session, 1, new Map()]))
    python.runPython(`import gc
poll = player.board.poll
def idle(times):
    before = gc.mem_alloc()
    for _ in range(times): poll()
    return gc.mem_alloc() - before`)
    const idle = python.globals.get('idle')
    expect(idle(1000)).toBe(idle(10))
    const calls = (count: number) => {
      for (let id = 0; id < count; id++) step(1, frameOf([4, session, id & 0xff, 0, [id % 101, true]]))
      return inUse(python)
    }
    const before = calls(256)
    // A few names and numbers of the test's own.
    expect(calls(1024) - before).toBeLessThan(300)
  })

  it('fits into the memory of a Pico and of an ESP32', async context => {
    const python = await (await micro.or(context))(() => {})
    const before = inUse(python)
    python.runPython('import ferrule')
    const module = inUse(python) - before
    python.runPython('import pot')
    const program = inUse(python)
    python.runPython('board = pot.make()')
    // Some 190 KB are free on a Pico, and 110 KB on an ESP32 without further RAM. More is a decision.
    expect(module).toBeLessThan(36_000)
    expect(inUse(python) - program).toBeLessThan(4000)
  })
})
