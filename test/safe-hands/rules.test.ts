import { describe, expect, it } from 'vitest'
import { createServer, DefinitionError } from '../../runtime/index.ts'
import { hands, off, on, speed } from './hands.ts'

describe('the longest time away from the safe state', () => {
  it('is over to the millisecond, and not before', async () => {
    const { set, at, clock } = hands({ pump: { holdForMs: 5000 } })
    await set('pump', on)
    await clock.advance(4999)
    expect(at.pump).toEqual(on)
    await clock.advance(1)
    expect(at.pump).toEqual(off)
  })

  it('counts from when it went away, however many calls come meanwhile', async () => {
    const { set, at, clock, told } = hands({ pump: { holdForMs: 5000 } })
    await set('pump', on)
    await clock.advance(3000)
    expect(await set('pump', on)).toBeUndefined()
    await clock.advance(1999)
    expect(at.pump).toEqual(on)
    await clock.advance(1)
    expect(at.pump).toEqual(off)
    expect(told.join('\n')).toContain('pump was on for 5 s, the longest that it may')
  })

  it('begins anew once it was safe', async () => {
    const { set, at, clock } = hands({ pump: { holdForMs: 5000 } })
    await set('pump', on)
    await clock.advance(4000)
    await set('pump', off)
    await set('pump', on)
    await clock.advance(4999)
    expect(at.pump).toEqual(on)
    await clock.advance(1)
    expect(at.pump).toEqual(off)
  })

  it('breaks off a move that runs', async () => {
    const { call, clock } = hands({
      lift: {
        holdForMs: 1000,
        timeoutMs: 60_000,
        set: (args, { signal }) =>
          args.on
            ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
            : undefined,
      },
    })
    const moving = call('lift', on)
    await clock.advance(1000)
    expect((await moving).text).toContain('the longest that it may')
  })

  it('is tried again until it worked', async () => {
    let stuck = true
    const tries: unknown[] = []
    const { set, clock, told } = hands({
      valve: {
        holdForMs: 1000,
        set(args) {
          tries.push(args)
          if (args.on === false && stuck && tries.length > 1) throw new Error('the valve does not answer')
        },
      },
    })
    await set('valve', on)
    await clock.advance(3500)
    expect(told.join('\n')).toContain('the valve does not answer')
    stuck = false
    const before = tries.length
    await clock.advance(10_000)
    expect(tries.length).toBe(before + 1)
  })

  it('does not count where each move ends safe by itself', async () => {
    const { set, at, clock } = hands({ dose: { holdForMs: 1000, momentary: true } })
    await set('dose', on)
    await clock.advance(10_000)
    expect(at.dose).toEqual(on)
  })
})

describe('the least time between moves', () => {
  it('refuses the one that comes a millisecond too soon', async () => {
    const { set, clock } = hands({ fan: { minIntervalMs: 1000 } })
    expect(await set('fan', on)).toBeUndefined()
    await clock.advance(999)
    expect(await set('fan', on)).toContain('fan was not moved: it moves at most once in 1 s. Call again in 1 ms')
    await clock.advance(1)
    expect(await set('fan', on)).toBeUndefined()
  })

  it('is no hindrance on the way to safety, which counts as a move', async () => {
    const { set, clock, at } = hands({ fan: { minIntervalMs: 1000 } })
    await set('fan', on)
    expect(await set('fan', off)).toBeUndefined()
    expect(at.fan).toEqual(off)
    await clock.advance(999)
    expect(await set('fan', on)).toContain('at most once')
  })

  it('a refused call is no move', async () => {
    const { set, clock } = hands({ fan: { minIntervalMs: 1000 } })
    await set('fan', on)
    await clock.advance(600)
    await set('fan', on)
    await clock.advance(400)
    expect(await set('fan', on)).toBeUndefined()
  })
})

describe('the most change a second', () => {
  it('refuses a step that is larger, and takes one that is as large', async () => {
    const { set } = hands({ spindle: { ...speed, maxRate: 100 } })
    expect(await set('spindle', { rpm: 101 })).toContain('rpm may change by 100 a second, and goes from 0 to 101')
    expect(await set('spindle', { rpm: 100 })).toBeUndefined()
  })

  it('time since the last move counts up to a second', async () => {
    const { set, clock } = hands({ spindle: { ...speed, maxRate: 100 } })
    await set('spindle', { rpm: 100 })
    await clock.advance(500)
    expect(await set('spindle', { rpm: 151 })).toContain('in steps')
    expect(await set('spindle', { rpm: 150 })).toBeUndefined()
    await clock.advance(3_600_000)
    expect(await set('spindle', { rpm: 251 })).toContain('in steps')
    expect(await set('spindle', { rpm: 250 })).toBeUndefined()
  })

  it('is no hindrance on the way to safety', async () => {
    const { set, clock, at } = hands({ spindle: { ...speed, maxRate: 100 } })
    await set('spindle', { rpm: 100 })
    await clock.advance(1000)
    await set('spindle', { rpm: 200 })
    expect(await set('spindle', { rpm: 0 })).toBeUndefined()
    expect(at.spindle).toEqual({ rpm: 0 })
  })
})

describe('a group', () => {
  const both = { up: { group: 'motor' }, down: { group: 'motor' }, lamp: {} }

  it('has one that is on: off before on', async () => {
    const { set } = hands(both)
    await set('up', on)
    expect(await set('down', on)).toContain('down was not moved: up is on, and of the group "motor" only one may be')
    expect(await set('lamp', on)).toBeUndefined()
    await set('up', off)
    expect(await set('down', on)).toBeUndefined()
  })

  it('is free again after a stop, once armed', async () => {
    const { set, server } = hands(both)
    await set('up', on)
    await server.stop('the test')
    await server.arm('the test')
    expect(await set('down', on)).toBeUndefined()
  })

  it('one that failed on its way may be anywhere: it stands in the way until it is safe', async () => {
    const { set } = hands({
      ...both,
      up: {
        group: 'motor',
        set({ on }) {
          if (on) throw new Error('the motor stalled')
        },
      },
    })
    expect(await set('up', on)).toContain('stalled')
    expect(await set('down', on)).toContain('up is on')
    await set('up', off)
    expect(await set('down', on)).toBeUndefined()
  })

  it('momentary ones stand in the way only while they move', async () => {
    const { set, call } = hands({
      up: { group: 'motor', momentary: true },
      down: { group: 'motor', momentary: true, set: ({ on }) => (on ? new Promise(() => {}) : undefined) },
    })
    expect(await set('up', on)).toBeUndefined()
    void call('down', on)
    expect(await set('up', on)).toContain('down is on')
  })
})

describe('arming', () => {
  const three = { lamp: { arming: false }, fan: {}, saw: { arming: true } }

  it('what wants to be armed stays off from the start; the others do not', async () => {
    const { set, server } = hands(three)
    expect(await set('lamp', on)).toBeUndefined()
    expect(await set('fan', on)).toBeUndefined()
    expect(await set('saw', on)).toContain('saw was not moved: it stays off until a person arms the outputs')
    await server.arm('the test')
    expect(await set('saw', on)).toBeUndefined()
  })

  it('after a stop all stay off but those that say otherwise', async () => {
    const { set, server, at } = hands(three)
    await server.arm('the test')
    for (const name of ['lamp', 'fan', 'saw']) await set(name, on)
    await server.stop('the test')
    expect(at).toEqual({ lamp: off, fan: off, saw: off })
    expect(await set('lamp', on)).toBeUndefined()
    expect(await set('fan', on)).toContain('the outputs were stopped and stay off until a person arms')
    expect(await set('saw', on)).toContain('stay off')
    expect(await set('fan', off)).toBeUndefined()
    await server.arm('the test')
    expect(await set('fan', on)).toBeUndefined()
  })

  it('a host that was gone leaves those off that want to be armed', async () => {
    const { set, server } = hands(three)
    await server.arm('the test')
    await server.makeSafe()
    expect(await set('fan', on)).toBeUndefined()
    expect(await set('saw', on)).toContain('until a person arms')
  })

  it('new firmware does not arm what was stopped', async () => {
    const { set, server } = hands({ fan: {} })
    await server.stop('the test')
    server.replaceBoard({ ...server.board, version: '2.0.0' })
    expect(await set('fan', on)).toContain('stay off')
  })
})

describe('the initial state', () => {
  it('comes after the safe one, when the hardware is taken', async () => {
    const { server, moves } = hands({ lamp: { initial: on }, fan: { initial: off } })
    await server.open()
    expect(moves.map(({ name, args }) => [name, args.on])).toEqual([
      ['lamp', false],
      ['fan', false],
      ['lamp', true],
    ])
  })

  it('is no move: the first call need not wait', async () => {
    const { server, set } = hands({ lamp: { initial: on, minIntervalMs: 1000 } })
    await server.open()
    expect(await set('lamp', on)).toBeUndefined()
  })

  it('is away from the safe one, and counts as such', async () => {
    const { server, at, clock } = hands({ lamp: { initial: on, holdForMs: 1000 } })
    await server.open()
    await clock.advance(1000)
    expect(at.lamp).toEqual(off)
  })
})

describe('a call that waited', () => {
  it('is not made after a stop, whatever it waited for', async () => {
    const { call, server, moves } = hands({
      lift: {
        arming: false,
        set: ({ on }, { signal }) =>
          on
            ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
            : void moves.push({ name: 'lift', args: off, time: 0 }),
      },
    })
    await server.open()
    const running = call('lift', on)
    const waiting = call('lift', on)
    await server.stop('the test')
    expect((await running).isError).toBe(true)
    expect((await waiting).isError).toBe(true)
    expect(moves.every(({ args }) => args.on === false)).toBe(true)
  })
})

describe('a move that does not heed its signal', () => {
  it('is made safe once more when it ends at last, however late', async () => {
    let finish = () => {}
    const { call, at, clock, server, told } = hands({
      lift: {
        async set(args) {
          if (args.on !== true) return void (at.lift = args)
          await new Promise<void>(resolve => {
            finish = resolve
          })
          at.lift = args
        },
      },
    })
    await server.open()
    const moving = call('lift', on)
    const stopped = server.stop('the test')
    await clock.advance(5000)
    await stopped
    expect((await moving).isError).toBe(true)
    expect(at.lift).toEqual(off)
    finish()
    await clock.advance(1000)
    expect(at.lift).toEqual(off)
    expect(told.join('\n')).toContain('An earlier move of lift ended late')
  })
})

describe('mistakes in a declaration', () => {
  const board = (rules: object) => () =>
    createServer({ name: 'rig', actuators: { fan: { safe: {}, set: () => {}, ...rules } } })

  it.each([
    [{ holdForMs: 0 }, 'holdForMs must be a number above 0'],
    [{ minIntervalMs: -1 }, 'minIntervalMs must be a number above 0'],
    [{ maxRate: Number.NaN }, 'maxRate must be a number above 0'],
    [{ safe: null, holdForMs: 1 }, 'need a safe state'],
    [{ safe: null, group: 'a' }, 'need a safe state'],
    [{ confirm: 'always' }, 'confirm is never, first or each'],
    [{ audience: 'user' }, 'audience is model or person'],
    [{ readback: 'rpm' }, 'there is no sensor "rpm"'],
    [{ safeReading: 0 }, 'there is no readback'],
    [{ annotations: { destructiveHint: false } }, 'Say reversible, absolute or reachesBeyond instead'],
    [{ initial: { nonsense: 1 } }, 'its initial state does not fit'],
  ])('%j', (rules, message) => {
    expect(board(rules)).toThrow(DefinitionError)
    expect(board(rules)).toThrow(message)
  })
})
