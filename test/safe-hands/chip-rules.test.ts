import { describe, expect, it } from 'vitest'
import { type CborInput, LinkCode } from '../../boards/remote/link/index.ts'
import { failSafeMs, holdMs, liftMs, type Output, restMs, roundMs } from './chip-pins.ts'
import { ChipTalk } from './chip-talk.ts'

/*
 * The rules that a device keeps by itself, on the machine code for the real chip: the host that speaks here keeps none.
 * What happened is read off the pins, by the clock of the chip.
 */

const done = 0
const runs = -1
/** A call takes so long, from its begin to the next thing that is said. */
const callMs = 10

describe('the longest time away, on the chip', () => {
  it('is kept by the chip, and not by a millisecond less', async () => {
    const talk = await ChipTalk.start()
    expect(talk.call('pump', true)).toBe(done)
    talk.wait(holdMs - callMs - roundMs)
    expect(talk.pins.isOn('pump')).toBe(true)
    talk.wait(2 * roundMs + callMs)
    expect(talk.pins.isOn('pump')).toBe(false)
    expect(talk.pins.lastMs('pump')).toBeGreaterThan(holdMs - 1)
    expect(talk.pins.lastMs('pump')).toBeLessThan(holdMs + roundMs)
  })

  it('is not made longer by calls that come meanwhile, up to the last moment', async () => {
    const talk = await ChipTalk.start()
    talk.call('pump', true)
    for (let calls = 0; calls < 60; calls++) talk.call('pump', true)
    expect(talk.pins.times.pump[0]!.to! - talk.pins.times.pump[0]!.from).toBeLessThan(holdMs + roundMs)
    expect(talk.pins.breaches).toEqual([])
  })

  it('holds when the cable is gone', async () => {
    const talk = await ChipTalk.start()
    talk.call('pump', true)
    talk.silence(2 * failSafeMs)
    // Sooner than the fail-safe period.
    expect(talk.pins.lastMs('pump')).toBeLessThan(holdMs + roundMs)
    expect(talk.pins.rises('pump')).toBe(1)
  })

  it('holds for one who says hello again and again', async () => {
    const talk = await ChipTalk.start()
    talk.call('pump', true)
    for (let hellos = 0; hellos < 60; hellos++) talk.hello()
    expect(talk.pins.lastMs('pump')).toBeLessThan(holdMs + roundMs)
  })

  it('begins anew after it was off in between', async () => {
    const talk = await ChipTalk.start()
    talk.call('pump', true)
    talk.wait(300)
    talk.call('pump', false)
    talk.call('pump', true)
    talk.wait(450)
    expect(talk.pins.isOn('pump')).toBe(true)
    talk.wait(60)
    expect(talk.pins.on).toEqual([])
  })

  it('is logged, and no call waits for it', async () => {
    const talk = await ChipTalk.start()
    talk.call('pump', true)
    talk.wait(600)
    expect(talk.heard.filter(({ kind }) => kind === 'log')).toMatchObject([
      { severity: 4, text: expect.stringMatching(/^pump/) },
    ])
  })
})

describe('the least time between moves, on the chip', () => {
  /** Moves the fan twice, so many milliseconds apart: with what was the second one answered? */
  async function apart(ms: number, first = true) {
    const talk = await ChipTalk.start()
    if (!first) {
      talk.call('fan', true)
      talk.wait(2 * restMs)
    }
    talk.call('fan', first)
    talk.wait(ms - callMs)
    return { code: talk.call('fan', true), talk }
  }

  it.each([
    ['on', true],
    ['off', false],
  ])('counts from a move to %s: a millisecond before it is refused, and at it is not', async (_, first) => {
    expect((await apart(restMs - 1, first)).code).toBe(LinkCode.TooSoon)
    expect((await apart(restMs, first)).code).toBe(done)
  })

  it('counts moves that the chip made by itself', async () => {
    const talk = await ChipTalk.start()
    talk.call('fan', true)
    talk.wait(2 * restMs)
    talk.stop()
    expect(talk.pins.isOn('fan')).toBe(false)
    talk.wait(restMs - 1 - callMs)
    expect(talk.call('fan', true)).toBe(LinkCode.TooSoon)
    expect(talk.pins.rises('fan')).toBe(1)
  })

  it('never refuses to switch off', async () => {
    const talk = await ChipTalk.start()
    talk.call('fan', true)
    expect(talk.call('fan', false)).toBe(done)
    expect(talk.pins.on).toEqual([])
  })

  it('what was refused moves nothing, and does not count as a move', async () => {
    const { talk } = await apart(restMs - 1, false)
    expect(talk.pins.rises('fan')).toBe(1)
    expect(talk.call('fan', true)).toBe(done)
    expect(talk.pins.rises('fan')).toBe(2)
  })
})

describe('the rate, on the chip', () => {
  it.each([
    [250, 10, done],
    [250, 11, LinkCode.TooSoon],
    [249, 10, LinkCode.TooSoon],
    [1000, 40, done],
    [1000, 41, LinkCode.TooSoon],
    // Time since the last move counts up to a second.
    [5000, 40, done],
    [5000, 41, LinkCode.TooSoon],
  ])('after %i ms a step of %i is answered with %i', async (ms, step, code) => {
    const talk = await ChipTalk.start()
    expect(talk.call('servo', 20)).toBe(done)
    talk.wait(ms - callMs)
    expect(talk.call('servo', 20 + step)).toBe(code)
    // The pulse that runs is one of before.
    talk.wait(45)
    expect(talk.pins.servoPercent).toBe(code === done ? 20 + step : 20)
  })

  it('holds downwards, and not for the way to safety', async () => {
    const talk = await ChipTalk.start()
    talk.call('servo', 40)
    talk.wait(240)
    expect(talk.call('servo', 29)).toBe(LinkCode.TooSoon)
    expect(talk.call('servo', 0)).toBe(done)
    talk.wait(45)
    expect(talk.pins.servoPercent).toBe(0)
  })
})

describe('one of a group, on the chip', () => {
  it('the other one is refused while one is on, in both directions', async () => {
    for (const [one, other] of [
      ['up', 'down'],
      ['down', 'up'],
    ] as const) {
      const talk = await ChipTalk.start()
      expect(talk.call(one, true)).toBe(done)
      expect(talk.call(other, true)).toBe(LinkCode.Interlocked)
      expect(talk.call(other, false)).toBe(done)
      expect(talk.pins.on).toEqual([one])
      expect(talk.call(one, false)).toBe(done)
      expect(talk.call(other, true)).toBe(done)
      expect(talk.pins.on).toEqual([other])
      expect(talk.pins.breaches).toEqual([])
    }
  })

  it('is free after a stop, and after the fail-safe period', async () => {
    const talk = await ChipTalk.start()
    talk.call('up', true)
    talk.stop()
    expect(talk.call('down', true)).toBe(done)
    talk.silence(failSafeMs + roundMs)
    expect(talk.call('up', true)).toBe(done)
    expect(talk.pins.breaches).toEqual([])
  })
})

describe('what fits, on the chip', () => {
  it.each([
    ['heater', [0], done],
    ['heater', [60.5], done],
    ['heater', [60.515625], LinkCode.OutOfRange],
    ['heater', [61], LinkCode.OutOfRange],
    ['heater', [-0.125], LinkCode.OutOfRange],
    ['heater', [4_294_967_296], LinkCode.OutOfRange],
    ['heater', [2 ** 100], LinkCode.OutOfRange],
    ['heater', [true], LinkCode.BadArguments],
    ['heater', ['60'], LinkCode.BadArguments],
    ['heater', [[60]], LinkCode.BadArguments],
    ['heater', [null], LinkCode.BadArguments],
    ['heater', [], LinkCode.BadArguments],
    ['heater', [1, 1], LinkCode.BadArguments],
    ['valve', [3], done],
    ['valve', [7], done],
    ['valve', [4], LinkCode.OutOfRange],
    ['valve', [-3], LinkCode.OutOfRange],
    ['valve', [3.5], LinkCode.BadArguments],
    ['pump', [1], LinkCode.BadArguments],
    ['servo', [101], LinkCode.OutOfRange],
  ] as [Output, CborInput[], number][])(
    '%s %j is answered with %i, and what is refused moves nothing',
    async (output, args, code) => {
      const talk = await ChipTalk.start()
      expect(talk.call(output, ...args)).toBe(code)
      talk.wait(20)
      const { heater, valve } = { heater: talk.chip.pin('D3').rises > 0, valve: talk.pins.isOn('valve') }
      const isOn = code === done && args[0] !== 0
      expect([heater, valve]).toEqual([isOn && output === 'heater', isOn && output === 'valve'])
      expect(talk.pins.servoPercent).toBe(0)
      expect(talk.read(0)).toBe(code === done ? 1 : 0)
    },
  )
})

describe('arming, on the chip', () => {
  it('is off after the start, and on when a person armed it', async () => {
    const talk = await ChipTalk.start()
    expect(talk.call('saw', true)).toBe(LinkCode.NotArmed)
    expect(talk.read(1)).toBe(false)
    talk.arm(true)
    expect(talk.read(1)).toBe(true)
    expect(talk.call('saw', true)).toBe(done)
    expect(talk.pins.isOn('saw')).toBe(true)
  })

  it.each([
    ['a stop', talk => talk.stop()],
    ['a stop of somebody who has no session', talk => talk.ask([8, 7, -4])],
    ['the fail-safe period', talk => talk.silence(failSafeMs + roundMs)],
    ['disarming', talk => talk.arm(false)],
    ['a reset', talk => talk.restart('pin')],
    ['the watchdog', talk => talk.restart('watchdog')],
  ] as [string, (talk: ChipTalk) => void][])('is off after %s, and so is what was on', async (_, happens) => {
    const talk = await ChipTalk.start()
    talk.arm(true)
    talk.call('saw', true)
    happens(talk)
    expect(talk.pins.isOn('saw')).toBe(false)
    expect(talk.call('saw', true)).toBe(LinkCode.NotArmed)
    expect(talk.pins.rises('saw')).toBe(1)
    talk.arm(true)
    expect(talk.call('saw', true)).toBe(done)
  })

  it('stays on over a new session: who takes over takes the device as it is', async () => {
    const talk = await ChipTalk.start()
    talk.arm(true)
    talk.call('saw', true)
    talk.hello()
    expect(talk.pins.isOn('saw')).toBe(true)
    expect(talk.read(1)).toBe(true)
  })

  it('disarming leaves alone what needs no arming', async () => {
    const talk = await ChipTalk.start()
    talk.call('up', true)
    talk.arm(false)
    expect(talk.pins.on).toEqual(['up'])
  })
})

describe('the fail-safe period, on the chip', () => {
  it('ends everything that is on, by the clock of the chip, and not before', async () => {
    const talk = await ChipTalk.start()
    talk.arm(true)
    for (const output of ['up', 'fan', 'saw'] as const) expect(talk.call(output, true)).toBe(done)
    talk.call('heater', 50)
    expect(talk.call('lift', 1200)).toBe(runs)
    const heardAt = talk.pins.now - callMs + 4
    talk.silence(failSafeMs - callMs)
    expect(talk.pins.on).toEqual(['up', 'fan', 'saw', 'lift'])
    talk.silence(2 * roundMs)
    expect(talk.pins.on).toEqual([])
    for (const output of ['up', 'fan', 'saw', 'lift'] as const) {
      const after = talk.pins.times[output][0]!.to! - heardAt
      expect([output, after >= failSafeMs - 1 && after <= failSafeMs + roundMs, after]).toEqual([output, true, after])
    }
    const { rises } = talk.chip.pin('D3')
    talk.silence(50)
    expect(talk.chip.pin('D3').rises).toBe(rises)
  })

  it('is fed by good frames of the session, and by nothing else', async () => {
    const talk = await ChipTalk.start()
    talk.call('up', true)
    const heardAt = talk.pins.now
    for (let rounds = 0; rounds < 30; rounds++) {
      // Another session, a damaged frame, text, noise, a frame that never ends.
      talk.ask([1, 7, -6])
      talk.chip.send([0xfe, 0x45, 0xc4, 0xd9, 0x0a])
      talk.chip.send(Buffer.from('hello?\n'))
      talk.chip.send([0x80, 0xff, 0x00, 0xfe, 0x45])
      talk.silence(30)
    }
    expect(talk.pins.on).toEqual([])
    expect(talk.pins.times.up[0]!.to! - heardAt).toBeLessThan(failSafeMs + roundMs)
  })

  it('ends a move that takes too long, too, and says so', async () => {
    const talk = await ChipTalk.start()
    expect(talk.call('lift', 5000)).toBe(runs)
    talk.wait(liftMs)
    expect(talk.pins.lastMs('lift')).toBeGreaterThan(liftMs - 1)
    expect(talk.pins.lastMs('lift')).toBeLessThan(liftMs + roundMs)
    expect(talk.heard.filter(({ kind }) => kind === 'error')).toMatchObject([{ code: LinkCode.TimedOut }])
  })
})
