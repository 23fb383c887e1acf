import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SimulatedGreenhouseOptions, simulatedGreenhouse } from '../boards/simulated/index.ts'
import type { Board } from '../runtime/board.ts'
import type { Call } from '../runtime/call.ts'
import { OwnedClock, settled } from './owned-clock.ts'

const hour = 3_600_000

function setUp(options: SimulatedGreenhouseOptions = {}) {
  const clock = new OwnedClock()
  const board = simulatedGreenhouse({ clock, ...options })
  return { clock, board }
}

function read(board: Board, sensor: string): any {
  return board.sensors![sensor]!.read({ signal: new AbortController().signal })
}

function readAll(board: Board) {
  return Object.fromEntries(Object.keys(board.sensors!).map(sensor => [sensor, read(board, sensor)]))
}

/** Starts a move as the runtime does; `progress` collects what it tells on its way. */
function start(board: Board, actuator: string, args: object) {
  const abort = new AbortController()
  const progress: [number, number | undefined][] = []
  const call = {
    signal: abort.signal,
    progress: (done: number, total?: number) => progress.push([done, total]),
  } as unknown as Call
  const result = (async () => board.actuators![actuator]!.set(args, call))() as Promise<any>
  return { result, abort, progress }
}

/** Moves something and lets the time pass that it takes. */
async function move(clock: OwnedClock, board: Board, actuator: string, args: object, ms = 0): Promise<any> {
  const { result } = start(board, actuator, args)
  result.catch(() => {})
  await clock.advance(ms)
  return result
}

describe('the simulated greenhouse', () => {
  it('has seven sensors and five actuators, each with a title and a description', () => {
    const { board } = setUp()
    expect(Object.keys(board.sensors!)).toHaveLength(7)
    expect(Object.keys(board.actuators!)).toHaveLength(5)
    for (const part of [...Object.values(board.sensors!), ...Object.values(board.actuators!)]) {
      expect(part.title).toMatch(/^[A-Z]/)
      expect(part.description!.length).toBeGreaterThan(20)
    }
  })

  it('can have another name', () => {
    expect(simulatedGreenhouse().name).toBe('greenhouse')
    expect(simulatedGreenhouse({ name: 'north_house' }).name).toBe('north_house')
  })

  it('keeps no timer when nobody moves anything', async () => {
    const { clock, board } = setUp()
    readAll(board)
    await clock.advance(hour)
    expect(clock.pending).toBe(0)
  })

  it('gives the same readings for the same seed, and others for another', async () => {
    const history = async (seed: number) => {
      const { clock, board } = setUp({ seed })
      const readings: object[] = []
      for (let minute = 0; minute < 10; minute++) {
        await move(clock, board, 'pump', { seconds: 3 }, 60_000)
        readings.push(readAll(board))
      }
      return readings
    }
    expect(await history(7)).toEqual(await history(7))
    expect(await history(7)).not.toEqual(await history(8))
  })

  it('moves a little all the time, so that charts live', async () => {
    const { clock, board } = setUp()
    for (const sensor of ['air_temperature', 'air_humidity', 'soil_moisture', 'light']) {
      const seen = new Set<number>()
      for (let second = 0; second < 30; second++) {
        await clock.advance(1000)
        seen.add(read(board, sensor))
      }
      expect(seen.size, sensor).toBeGreaterThan(2)
    }
  })
})

describe('the pump', () => {
  it('visibly wets the soil and drains the tank within five seconds', async () => {
    const { clock, board } = setUp()
    const before = readAll(board)
    start(board, 'pump', { seconds: 60 })
    await clock.advance(5000)
    const after = readAll(board)
    expect(after.soil_moisture - before.soil_moisture).toBeGreaterThan(0.02)
    expect(before.water_level - after.water_level).toBeCloseTo(0.025, 3)
    expect(after.pump_running).toBe(true)
  })

  it('runs for its time, then stops and says what it did', async () => {
    const { clock, board } = setUp()
    const { result, progress } = start(board, 'pump', { seconds: 3.5 })
    await clock.advance(3499)
    expect(read(board, 'pump_running')).toBe(true)
    await clock.advance(1)
    expect(read(board, 'pump_running')).toBe(false)
    expect(await result).toEqual({ litres: 0.175, soilMoisture: expect.any(Number), waterLevel: 0.783, stopped: false })
    expect(progress).toEqual([
      [1, 3.5],
      [2, 3.5],
      [3, 3.5],
      [3.5, 3.5],
    ])
    expect(clock.pending).toBe(0)
  })

  it('stops at once when the call is cancelled', async () => {
    const { clock, board } = setUp()
    const { result, abort } = start(board, 'pump', { seconds: 60 })
    await clock.advance(2500)
    abort.abort()
    expect(read(board, 'pump_running')).toBe(false)
    expect(await result).toMatchObject({ litres: 0.125, stopped: true })
    const level = read(board, 'water_level')
    await clock.advance(60_000)
    expect(read(board, 'water_level')).toBe(level)
    expect(clock.pending).toBe(0)
  })

  it('does not start for a call that was cancelled before', async () => {
    const { board } = setUp()
    const abort = AbortSignal.abort()
    const result = board.actuators!.pump!.set({ seconds: 5 }, { signal: abort, progress() {} } as unknown as Call)
    expect(await result).toMatchObject({ litres: 0, stopped: true })
    expect(read(board, 'pump_running')).toBe(false)
  })

  it('stops when it is put into its safe state, and the call under way ends', async () => {
    const { clock, board } = setUp()
    const { result } = start(board, 'pump', { seconds: 60 })
    await clock.advance(2000)
    await move(clock, board, 'pump', board.actuators!.pump!.safe!)
    expect(read(board, 'pump_running')).toBe(false)
    expect(await result).toMatchObject({ litres: 0.1, stopped: true })
    expect(clock.pending).toBe(0)
  })

  it('refuses when the tank is empty, and runs again after a refill', async () => {
    const { clock, board } = setUp()
    for (let run = 0; run < 2; run++) await move(clock, board, 'pump', { seconds: 60 }, 60_000)
    expect(await move(clock, board, 'pump', { seconds: 60 }, 60_000)).toMatchObject({ waterLevel: 0, stopped: true })
    await expect(move(clock, board, 'pump', { seconds: 5 })).rejects.toThrow('tank is empty')
    expect(await move(clock, board, 'pump', { seconds: 0 })).toMatchObject({ litres: 0, stopped: false })
    await move(clock, board, 'refill', { percent: 50 }, 10_000)
    expect(await move(clock, board, 'pump', { seconds: 5 }, 5000)).toMatchObject({ litres: 0.25, stopped: false })
  })

  it('tells who watches it when it starts and when it stops', async () => {
    const { clock, board } = setUp()
    const seen: unknown[] = []
    const unwatch = board.sensors!.pump_running!.watch!(value => seen.push(value))
    await move(clock, board, 'pump', { seconds: 2 }, 3000)
    expect(seen).toEqual([true, false])
    unwatch()
    await move(clock, board, 'pump', { seconds: 2 }, 3000)
    expect(seen).toEqual([true, false])
  })

  it('takes no more water than it would by its own timer when the program is late', async () => {
    const clock = new OwnedClock()
    const late = { now: () => clock.now(), setTimeout: () => 0, clearTimeout() {} }
    const board = simulatedGreenhouse({ clock: late })
    start(board, 'pump', { seconds: 2 })
    await clock.advance(hour)
    expect(read(board, 'pump_running')).toBe(false)
    expect(read(board, 'water_level')).toBe(0.79)
  })

  it('is ten times as fast in a greenhouse of speed ten', async () => {
    const { clock, board } = setUp({ speed: 10 })
    const { result } = start(board, 'pump', { seconds: 20 })
    await clock.advance(2000)
    expect(await result).toMatchObject({ litres: 1, stopped: false })
  })
})

describe('the other actuators', () => {
  it('the open vent visibly cools the air', async () => {
    const { clock, board } = setUp()
    const before = read(board, 'air_temperature')
    await move(clock, board, 'vent', { percent: 100 }, 15_000)
    expect(before - read(board, 'air_temperature')).toBeGreaterThan(1)
  })

  it('the vent moves at a finite speed and the call ends when it has arrived', async () => {
    const { clock, board } = setUp()
    const { result, progress } = start(board, 'vent', { percent: 50 })
    await clock.advance(1000)
    expect(read(board, 'vent_position')).toBe(0.2)
    await clock.advance(1500)
    expect(await result).toMatchObject({ percent: 50 })
    expect(progress.at(-1)).toEqual([2.5, 2.5])
    expect(await move(clock, board, 'vent', { percent: 50 })).toMatchObject({ percent: 50 })
    expect(await move(clock, board, 'vent', { percent: 0 }, 2500)).toMatchObject({ percent: 0 })
  })

  it('the vent stays where it is when the call is cancelled', async () => {
    const { clock, board } = setUp()
    const { result, abort } = start(board, 'vent', { percent: 100 })
    await clock.advance(1500)
    abort.abort()
    expect(await result).toMatchObject({ percent: 30 })
    await clock.advance(10_000)
    expect(read(board, 'vent_position')).toBe(0.3)
  })

  it('the heater warms the air and stops at its thermostat', async () => {
    const { clock, board } = setUp()
    const before = read(board, 'air_temperature')
    await move(clock, board, 'heater', { on: true }, 10_000)
    expect(read(board, 'air_temperature') - before).toBeGreaterThan(1)
    await clock.advance(hour)
    expect(read(board, 'air_temperature')).toBeGreaterThan(33)
    expect(read(board, 'air_temperature')).toBeLessThan(37)
  })

  it('the grow light lights at once and warms a little', async () => {
    const plain = setUp()
    const lit = setUp()
    expect(await move(lit.clock, lit.board, 'grow_light', { percent: 100 })).toMatchObject({ percent: 100 })
    expect(read(lit.board, 'light') - read(plain.board, 'light')).toBe(9000)
    await plain.clock.advance(60_000)
    await lit.clock.advance(60_000)
    const warmer = read(lit.board, 'air_temperature') - read(plain.board, 'air_temperature')
    expect(warmer).toBeGreaterThan(0.5)
    expect(warmer).toBeLessThan(2)
  })

  it('the tap closes when the call is cancelled, and never empties a tank that is fuller', async () => {
    const { clock, board } = setUp()
    await move(clock, board, 'refill', { percent: 10 })
    expect(read(board, 'water_level')).toBe(0.8)
    const { result, abort } = start(board, 'refill', { percent: 100 })
    await clock.advance(1000)
    abort.abort()
    expect(await result).toEqual({ waterLevel: 0.85 })
    await clock.advance(10_000)
    expect(read(board, 'water_level')).toBe(0.85)
  })
})

describe('after close', () => {
  it('everything is off, and moving something says why it does not', async () => {
    const { clock, board } = setUp()
    await board.open!()
    await move(clock, board, 'heater', { on: true })
    await move(clock, board, 'grow_light', { percent: 100 })
    const pump = start(board, 'pump', { seconds: 60 })
    const vent = start(board, 'vent', { percent: 100 })
    await clock.advance(1000)
    await board.close!()
    expect(await pump.result).toMatchObject({ stopped: true })
    expect(await vent.result).toMatchObject({ percent: 20 })
    await settled()
    expect(clock.pending).toBe(0)
    expect(read(board, 'pump_running')).toBe(false)
    expect(read(board, 'light')).toBeLessThan(9000)
    const warm = read(board, 'air_temperature')
    await clock.advance(60_000)
    expect(read(board, 'air_temperature')).toBeLessThan(warm)
    await expect(move(clock, board, 'pump', { seconds: 1 })).rejects.toThrow('greenhouse is closed')
  })
})

describe('whatever is moved for a day', () => {
  const percent = fc.integer({ min: 0, max: 100 }).map(value => ({ percent: value }))
  const someMove = fc.oneof(
    fc.tuple(
      fc.constant('pump'),
      fc.double({ min: 0, max: 60, noNaN: true }).map(seconds => ({ seconds })),
    ),
    fc.tuple(fc.constantFrom('vent', 'grow_light', 'refill'), percent),
    fc.tuple(
      fc.constant('heater'),
      fc.boolean().map(on => ({ on })),
    ),
  )
  const days = fc.array(fc.tuple(someMove, fc.integer({ min: 0, max: hour }), fc.boolean()), {
    minLength: 48,
    maxLength: 60,
  })

  it('readings stay in their declared range, and nothing is left running', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), days, async (seed, day) => {
        const { clock, board } = setUp({ seed })
        const moves = []
        for (const [[actuator, args], waitMs, cancel] of day) {
          const { result, abort } = start(board, actuator, args)
          moves.push(result.catch(error => expect(error.message).toContain('tank is empty')))
          await clock.advance(waitMs)
          if (cancel) abort.abort()
          for (const [name, { minimum = 0, maximum = 1 }] of Object.entries(board.sensors!)) {
            const value = Number(read(board, name))
            expect(value, name).toBeGreaterThanOrEqual(minimum)
            expect(value, name).toBeLessThanOrEqual(maximum)
          }
        }
        await clock.advance(hour)
        await Promise.all(moves)
        expect(clock.pending).toBe(0)
        expect(read(board, 'pump_running')).toBe(false)
      }),
      { numRuns: 10 },
    )
  })
})
