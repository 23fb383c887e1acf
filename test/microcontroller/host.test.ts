import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type LinkError, UnknownOutcomeError } from '../../boards/remote/link/index.ts'
import { noisyLine, seeded } from '../link/pair.ts'
import { buildFolder, buildNative, isMissing } from './compile.ts'
import { NativePair } from './native-pair.ts'

const [temperature, count, button, label, picture] = [0, 1, 2, 3, 4]
const [fan, heater, pump, left, right, laser, blind, schedule, bell] = [0, 1, 2, 3, 4, 5, 6, 7, 8]

describe.skipIf(isMissing('gcc'))('the C device and the host of this project', () => {
  let program: string
  let pair: NativePair

  beforeAll(() => {
    program = buildNative('bench-board', buildFolder())
  })

  afterEach(() => pair.close())

  /** A pair that is ready, its moves at boot forgotten. */
  async function ready(): Promise<NativePair> {
    pair = await new NativePair(program).ready()
    expect(pair.events).toEqual(['ready'])
    pair.device.moves.length = 0
    return pair
  }

  const call = (actuator: number, ...args: (number | boolean | string | null | Uint8Array)[]) =>
    pair.during(pair.host.call(actuator, args))
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 0,
      (thrown: LinkError) => thrown.code,
    )

  it('says what it is', async () => {
    await ready()
    expect(pair.host.hello).toMatchObject({
      name: 'bench',
      id: 'B-0001',
      firmware: '2.1',
      boot: 17,
      maxFrame: 128,
      calls: 4,
    })
    const description = await pair.during(pair.host.describe())
    expect(description).toMatchObject({ title: 'Bench', description: 'All there is.' })
    expect(description.sensors).toEqual([
      expect.objectContaining({ name: 'temperature', unit: 'Cel', minimum: -40, maximum: 125, deadBand: 0.5 }),
      { name: 'count', type: 'integer' },
      { name: 'button', title: 'Button', type: 'boolean', minIntervalMs: 20 },
      { name: 'label', type: 'string', minIntervalMs: 20 },
      { name: 'picture', type: 'data' },
    ])
    expect(description.actuators.map(({ name }) => name)).toEqual([
      'fan',
      'heater',
      'pump',
      'left',
      'right',
      'laser',
      'blind',
      'schedule',
      'bell',
    ])
    expect(description.actuators[fan]).toEqual({
      name: 'fan',
      title: 'Fan',
      description: 'Blows air over the plants.',
      hints: 7,
      safe: [0, false],
      readback: 1,
      arguments: [
        { name: 'percent', type: 'integer', unit: '%', minimum: 0, maximum: 100, optional: false },
        { name: 'on', type: 'boolean', optional: false },
      ],
    })
    expect(description.actuators[heater]).toMatchObject({
      safe: [5],
      initial: [18],
      maxRate: 2,
      arguments: [{ type: 'number', minimum: 5, maximum: 30.5 }],
    })
    expect(description.actuators[pump]).toMatchObject({ minIntervalMs: 1000, holdForMs: 3000 })
    expect(description.actuators[laser]).toMatchObject({ arming: true, confirm: 1 })
    expect(description.actuators[blind]!.arguments[1]).toMatchObject({ values: [1, 2, 5], initial: 2, optional: true })
    expect(description.actuators[schedule]).toMatchObject({
      safe: null,
      arguments: [{ values: ['day', 'nächtens'] }, { maxLength: 5, optional: true }, { type: 'data', maxLength: 4 }],
    })
    expect(description.actuators[bell]).toMatchObject({ arguments: [], audience: 1 })
  })

  it('reads every kind of value', async () => {
    await ready()
    const read = async (sensor: number) => (await pair.during(pair.host.read(sensor))).value
    for (const [given, value] of [
      [225, 22.5],
      [-1, Math.fround(-0.1)],
      [223, Math.fround(22.3)],
      [220, 22],
      [0, 0],
      [-400, -40],
      [2147483647, Math.fround(214748364.7)],
    ] as const) {
      await pair.device.sensor(temperature, given)
      expect(await read(temperature), String(given)).toBe(value)
    }
    await pair.device.sensor(count, -2147483648)
    expect(await read(count)).toBe(-2147483648)
    await pair.device.sensor(button, 1)
    expect(await read(button)).toBe(true)
    await pair.device.sensor(label, 4)
    expect(await read(label)).toBe('label 4')
    await pair.device.sensor(picture, 1000)
    expect(await read(picture)).toEqual(Uint8Array.from({ length: 1000 }, (_, at) => at & 0xff))
    await pair.device.sensor(picture, 1200)
    expect(await codeOf(read(picture))).toBe(13)
  })

  it('a reading may fail, come later, or never', async () => {
    await ready()
    await pair.device.sensor(temperature, 'fail')
    await expect(pair.during(pair.host.read(temperature))).rejects.toThrow('it does not answer: check the wiring')
    await pair.device.sensor(temperature, 'later')
    const late = pair.host.read(temperature)
    const second = pair.host.read(temperature)
    await pair.advance(300)
    await pair.device.sensor(temperature, 191)
    expect((await pair.during(late)).value).toBe(Math.fround(19.1))
    expect((await pair.during(second)).value).toBe(Math.fround(19.1))
    await pair.device.sensor(temperature, 'later')
    expect(await codeOf(pair.during(pair.host.read(temperature)))).toBe(9)
  })

  it('tells changes that are larger than the dead band, and no more often than asked', async () => {
    await ready()
    await pair.device.sensor(temperature, 200)
    const values: unknown[] = []
    const unwatch = pair.host.watch(temperature, ({ value }) => void values.push(value))
    await pair.advance(200)
    await pair.device.sensor(temperature, 205)
    await pair.advance(300)
    expect(values).toEqual([20])
    await pair.device.sensor(temperature, 206)
    await pair.advance(50)
    expect(values).toEqual([20, Math.fround(20.6)])
    await pair.device.sensor(temperature, 300)
    await pair.advance(30)
    expect(values).toHaveLength(2)
    await pair.advance(100)
    expect(values.at(-1)).toBe(30)
    await pair.device.sensor(temperature, 'fail')
    await pair.advance(200)
    expect(values.at(-1)).toBe(null)
    await pair.device.sensor(temperature, 300)
    await pair.advance(200)
    expect(values.at(-1)).toBe(30)
    unwatch()
    await pair.advance(50)
    await pair.device.sensor(temperature, 100)
    await pair.advance(300)
    expect(values.at(-1)).toBe(30)
  })

  it('a watch is as the host asks for it; texts and truth values are watched as well', async () => {
    await ready()
    const values: unknown[] = []
    const note = ({ value }: { value: unknown }) => void values.push(value)
    pair.host.watch(temperature, note, { deadBand: 0.05, minIntervalMs: 40 })
    pair.host.watch(label, note)
    pair.host.watch(button, note)
    await pair.advance(100)
    await pair.device.sensor(temperature, 1)
    await pair.device.sensor(label, 1)
    await pair.device.sensor(button, 1)
    await pair.advance(60)
    expect(values).toEqual([0, 'label 0', false, Math.fround(0.1), true, 'label 1'])
    await pair.during(pair.host.ping())
  })

  it('moves, and gives back what the sketch gives back', async () => {
    await ready()
    expect(await call(fan, 40, true)).toBe(80)
    expect(await call(heater, 19.5)).toBe(19.5)
    await pair.advance(1000)
    // Finer than the device is: to the nearest.
    expect(await call(heater, 19.54)).toBe(19.5)
    expect(await call(schedule, 'nächtens', 'abcde')).toBe(null)
    expect(await call(schedule, 'day', null, Uint8Array.of(1, 2, 3, 4))).toBe(null)
    expect(await call(bell)).toBe(null)
    expect(pair.device.moves).toEqual([
      { actuator: fan, reason: 0, values: [40, 1] },
      { actuator: heater, reason: 0, values: [195] },
      { actuator: heater, reason: 0, values: [195] },
      { actuator: schedule, reason: 0, values: [9, 5, 0] },
      { actuator: schedule, reason: 0, values: [3, 0, 4] },
      { actuator: bell, reason: 0, values: [] },
    ])
  })

  it.each([
    ['too few', fan, [40], 3],
    ['too many', fan, [40, true, 1], 3],
    ['null where it must be', fan, [null, true], 3],
    ['a number for a truth value', fan, [40, 1], 3],
    ['a text for a number', fan, ['40', true], 3],
    ['a fraction for an integer', fan, [40.5, true], 3],
    ['an array', fan, [[40], true], 3],
    ['one above the range', fan, [101, true], 4],
    ['one below the range', fan, [-1, true], 4],
    ['an integer of 33 bits', fan, [4294967296, true], 4],
    ['a fraction above the range', heater, [30.54], 4],
    ['a fraction just above the range', heater, [30.501], 4],
    ['a fraction just below the range', heater, [4.999], 4],
    ['a huge fraction', heater, [1e20], 4],
    ['a negative fraction', heater, [-18.5], 4],
    ['none of the values', blind, [10, 3], 4],
    ['none of the texts', schedule, ['noon'], 4],
    ['the beginning of a text', schedule, ['da'], 4],
    ['more than a text', schedule, ['days'], 4],
    ['a text that is too long', schedule, ['day', 'abcdef'], 4],
    ['bytes that are too long', schedule, ['day', null, Uint8Array.of(1, 2, 3, 4, 5)], 4],
    ['an argument where there is none', bell, [1], 3],
    ['an actuator that there is not', 9, [], 2],
    ['an actuator far beyond', 300, [], 2],
  ])('refuses %s', async (_, actuator, args, code) => {
    await ready()
    expect(await codeOf(pair.during(pair.host.call(actuator, args as never[])))).toBe(code)
    expect(pair.device.moves).toEqual([])
  })

  it('counts characters, not bytes', async () => {
    await ready()
    expect(await call(schedule, 'day', 'äöüßé')).toBe(null)
    expect(await codeOf(call(schedule, 'day', 'äöüßéx'))).toBe(4)
  })

  it('a long move tells how far it is, and others move meanwhile', async () => {
    await ready()
    const progress: number[] = []
    const moving = pair.host.call(blind, [70], { onProgress: done => void progress.push(done) })
    await pair.advance(100)
    expect(await call(fan, 10, false)).toBe(20)
    expect(await codeOf(call(blind, 20))).toBe(5)
    expect(await pair.during(moving)).toBe(null)
    expect(progress.length).toBeGreaterThanOrEqual(2)
    expect(progress.length).toBeLessThanOrEqual(3)
    expect(pair.device.moves.map(({ actuator }) => actuator)).toEqual([blind, fan])
    await expect(call(blind, 98)).rejects.toThrow('the blind is stuck')
  })

  it('a cancel breaks a move off, and it is safe', async () => {
    await ready()
    const abort = new AbortController()
    const moving = pair.host.call(blind, [70, 5], { signal: abort.signal })
    await pair.advance(100)
    abort.abort()
    expect(await codeOf(pair.during(moving))).toBe(10)
    expect(pair.device.moves).toEqual([
      { actuator: blind, reason: 0, values: [70, 5] },
      { actuator: blind, reason: 10, values: [0, 2] },
    ])
  })

  it('a move that takes too long is made safe', async () => {
    await ready()
    expect(await codeOf(call(blind, 99))).toBe(9)
    expect(pair.device.moves.at(-1)).toEqual({ actuator: blind, reason: 9, values: [0, 2] })
  })

  it('a stop makes everything safe, in any session', async () => {
    await ready()
    await call(fan, 40, true)
    const moving = pair.host.call(blind, [70])
    await pair.advance(50)
    pair.device.moves.length = 0
    const stopped = pair.host.stop()
    expect(await codeOf(pair.during(moving))).toBe(11)
    expect(await pair.during(stopped)).toEqual([])
    expect(pair.device.moves).toEqual(
      expect.arrayContaining([
        { actuator: fan, reason: 11, values: [0, 0] },
        { actuator: heater, reason: 11, values: [50] },
        { actuator: blind, reason: 11, values: [0, 2] },
      ]),
    )
    await call(fan, 50, true)
    expect(await pair.say([8, 1, -21])).toEqual([[12, 1, -21]])
    expect(pair.device.moves.filter(({ actuator }) => actuator === fan).at(-1)!.values).toEqual([0, 0])
  })

  it('without its host it makes itself safe, and goes on when the host comes back', async () => {
    await ready()
    await call(fan, 40, true)
    pair.device.moves.length = 0
    pair.plugged = false
    pair.host.keepAlive(false)
    await pair.advance(4900)
    expect(pair.device.moves).toEqual([])
    await pair.advance(200)
    expect(pair.device.moves.find(({ actuator }) => actuator === fan)).toEqual({
      actuator: fan,
      reason: 11,
      values: [0, 0],
    })
    const moves = pair.device.moves.length
    await pair.advance(10_000)
    expect(pair.device.moves).toHaveLength(moves)
    pair.plugged = true
    pair.host.keepAlive(true)
    expect(await call(fan, 50, true)).toBe(100)
  })

  it('a host may ask for a shorter fail-safe period, never for a longer one', async () => {
    for (const [asked, granted] of [
      [1000, 1000],
      [60_000, 5000],
      [10, 300],
    ] as const) {
      pair = await new NativePair(program, { failSafeMs: asked }).ready()
      expect(pair.host.hello!.failSafeMs).toBe(granted)
      pair.close()
    }
  })

  it('after a restart nothing of before is carried out, and all is as at boot', async () => {
    await ready()
    const moving = expect(pair.host.call(blind, [70])).rejects.toThrow(UnknownOutcomeError)
    await pair.advance(50)
    await pair.restart()
    await pair.during(moving)
    await pair.advance(1000)
    expect(pair.events.at(-1)).toBe('ready again')
    expect(pair.device.moves).toEqual(
      expect.arrayContaining([
        { actuator: heater, reason: 127, values: [180] },
        { actuator: blind, reason: 127, values: [0, 2] },
      ]),
    )
    expect(pair.device.moves.some(({ reason }) => reason === 0)).toBe(false)
  })

  it('rests between moves, also those that it made itself; the safe value is never refused', async () => {
    await ready()
    await call(pump, true)
    expect(await codeOf(call(pump, true))).toBe(7)
    expect(await codeOf(call(pump, false))).toBe(0)
    expect(await codeOf(call(pump, true))).toBe(7)
    await pair.advance(1000)
    expect(await codeOf(call(pump, true))).toBe(0)
  })

  it('is away no longer than declared, however many calls came', async () => {
    await ready()
    await call(pump, true)
    await pair.advance(1500)
    await call(pump, true)
    await pair.advance(1400)
    expect(pair.device.moves).toHaveLength(2)
    await pair.advance(200)
    expect(pair.device.moves.at(-1)).toEqual({ actuator: pump, reason: 9, values: [0] })
    expect(pair.logs.join()).toMatch(/^pump: held/)
    expect(await codeOf(call(pump, true))).toBe(7)
  })

  it('changes no faster than declared', async () => {
    await ready()
    expect(await codeOf(call(heater, 20.1))).toBe(7)
    expect(await call(heater, 20)).toBe(20)
    await pair.advance(400)
    expect(await codeOf(call(heater, 21.2))).toBe(7)
    expect(await call(heater, 20.5)).toBe(20.5)
    await pair.advance(60_000)
    expect(await codeOf(call(heater, 22.6))).toBe(7)
    // The safe value is never refused, however far.
    expect(await call(heater, 5)).toBe(5)
  })

  it('of a group only one is away', async () => {
    await ready()
    await call(left, true)
    expect(await codeOf(call(right, true))).toBe(6)
    expect(await codeOf(call(right, false))).toBe(0)
    expect(await codeOf(call(left, true))).toBe(0)
    await call(left, false)
    expect(await codeOf(call(right, true))).toBe(0)
    expect(await codeOf(call(left, true))).toBe(6)
  })

  it('what needs arming moves once a person armed it, until a stop or the silence of the host', async () => {
    await ready()
    const arm = (armed: boolean) => pair.say([9, pair.host.session, -24, armed])
    expect(await codeOf(call(laser, true))).toBe(8)
    expect(await codeOf(call(laser, false))).toBe(0)
    expect(await arm(true)).toEqual([[12, pair.host.session, -24, true]])
    expect(await codeOf(call(laser, true))).toBe(0)
    pair.device.moves.length = 0
    expect(await arm(false)).toEqual([[12, pair.host.session, -24, false]])
    expect(pair.device.moves).toEqual([{ actuator: laser, reason: 11, values: [0] }])
    expect(await codeOf(call(laser, true))).toBe(8)
    await arm(true)
    await pair.during(pair.host.stop())
    expect(await codeOf(call(laser, true))).toBe(8)
    await arm(true)
    pair.plugged = false
    await pair.advance(6000)
    pair.plugged = true
    expect(await codeOf(call(laser, true))).toBe(8)
    expect(await pair.say([9, pair.host.session, -24, 1])).toEqual([])
    expect(await pair.say([9, pair.host.session ^ 1, -24, true])).toEqual([[13, pair.host.session ^ 1, -24, 14]])
  })

  it('a copy is answered from memory, and an old one never runs', async () => {
    await ready()
    const { session } = pair.host
    const say = (id: number, level: number, open?: number[]) =>
      pair.say([4, session, id, fan, [level, true], ...(open ? [open] : [])])
    expect(await say(200, 1)).toEqual([[12, session, 200, 2]])
    expect(await say(200, 9)).toEqual([[12, session, 200, 2]])
    expect(await say(201, 2, [200])).toEqual([[12, session, 201, 4]])
    expect(await say(200, 9)).toEqual([[12, session, 200, 2]])
    expect(await say(205, 3)).toEqual([[12, session, 205, 6]])
    expect(await say(200, 9)).toEqual([[13, session, 200, 15]])
    // 127 ahead, over the end of the circle.
    expect(await say((205 + 127) & 0xff, 4)).toEqual([[12, session, 76, 8]])
    expect(await say((76 + 128) & 0xff, 5)).toEqual([[13, session, 204, 15]])
    // A cancel of a call that never came makes its id used.
    expect(await pair.say([5, session, 80])).toEqual([[13, session, 80, 10]])
    expect(await say(80, 6)).toEqual([[13, session, 80, 10]])
    expect(pair.device.moves.map(({ values }) => values[0])).toEqual([1, 2, 3, 4])
  })

  it('a hello that comes twice changes nothing; any other begins a new session', async () => {
    await ready()
    const hello = [0, 4000, 1, new Map([[1, 1024]])]
    expect((await pair.say(hello))[0]!.slice(0, 3)).toEqual([14, 4000, 1])
    await pair.say(hello)
    expect(await pair.say([4, 4000, 250, fan, [7, true]])).toEqual([[12, 4000, 250, 14]])
    expect(await pair.say([4, 4000, 1, blind, [50]])).toEqual([])
    pair.device.moves.length = 0
    // The same number, but something came in it: what runs is broken off, and its answer goes to nobody.
    expect((await pair.say(hello)).map(([kind]) => kind)).toEqual([14])
    expect(pair.device.moves).toEqual([{ actuator: blind, reason: 11, values: [0, 2] }])
    expect(await pair.say([4, 4000, 250, fan, [8, true]])).toEqual([[12, 4000, 250, 16]])
    // A version that is not spoken: answered with its own, and nothing begins.
    expect((await pair.say([0, 5000, 2, new Map()]))[0]!.slice(0, 3)).toEqual([14, 5000, 1])
    expect(await pair.say([1, 4000, -1])).toEqual([[12, 4000, -1, 0]])
    expect(await pair.say([1, 5000, -1])).toEqual([[13, 5000, -1, 14]])
  })

  it('runs no call twice, and loses none that it reports, on a bad line', async () => {
    const seed = Number(process.env.SEED ?? Math.trunc(Math.random() * 0x7fffffff))
    const random = seeded(seed)
    await ready()
    pair.toDevice = noisyLine(random, 150)
    pair.toHost = noisyLine(random, 150)
    let done = 0
    for (let level = 0; level <= 100; level++) {
      const before = pair.device.moves.filter(({ actuator, reason }) => actuator === fan && reason === 0).length
      const outcome = await call(fan, level, true).then(
        value => value,
        (thrown: Error) => thrown,
      )
      const ran = pair.device.moves.filter(({ actuator, reason }) => actuator === fan && reason === 0).length - before
      expect(ran, `SEED=${seed} level ${level}`).toBeLessThanOrEqual(1)
      if (outcome instanceof Error) continue
      expect(outcome).toBe(level * 2)
      expect(ran).toBe(1)
      done++
    }
    expect(done).toBeGreaterThan(50)
  })
})
