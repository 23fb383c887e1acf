import { describe, expect, it } from 'vitest'
import { capable } from '../memory-client.ts'
import { ChipHands, nothing } from './chip-hands.ts'
import { failSafeMs, holdMs, type Output, restMs, roundMs } from './chip-pins.ts'

/* The rules of the chip, as they reach whoever calls: through the bridge, in its words. */

describe('what the chip refuses, in the words of the bridge', () => {
  /** What comes first, and what is then refused. */
  const refused: [string, (hands: ChipHands) => Promise<unknown>, Output, number | boolean, RegExp][] = [
    ['one of a group', hands => hands.calls('up', true), 'down', true, /another actuator of its group is on/],
    ['too soon', hands => hands.calls('fan', false), 'fan', true, /it moved a moment ago.* wait a moment/],
    ['too fast', async () => {}, 'servo', 41, /would change too fast.* smaller steps/],
    ['not armed', async () => {}, 'saw', true, /until a person arms the outputs/],
  ]
  it.each(refused)('%s', async (_, first, output, value, text) => {
    const hands = await ChipHands.start()
    await first(hands)
    const before = [hands.pins.on, hands.pins.servoPercent]
    const told = await hands.calls(output, value)
    expect(told).toEqual({ outcome: 'refused', text: expect.stringMatching(text) })
    expect(told.text).toMatch(/^(down|fan|servo|saw): refused by safety .*, and nothing was moved: /)
    await hands.pass(50)
    expect([hands.pins.on, hands.pins.servoPercent]).toEqual(before)
    // What a rule refused is no fault of the program.
    expect(hands.told.join('\n')).not.toContain('    at ')
  })

  it.each([
    ['heater', 60.6, '"level" must be at most 60.5; you sent 60.6'],
    ['heater', -1, '"level" must be at least 0'],
    ['valve', 4, '"turns" must be one of 0, 3, 7'],
  ] as const)('%s %d does not even reach the chip', async (output, value, text) => {
    const hands = await ChipHands.start()
    expect(await hands.calls(output, value)).toEqual({ outcome: 'refused', text: expect.stringContaining(text) })
    expect(await hands.read('calls_run')).toBe(0)
  })

  it('a move that takes too long is made safe, and told', async () => {
    const hands = await ChipHands.start()
    const told = await hands.calls('lift', 5000)
    expect(told).toEqual({
      outcome: 'failed',
      text: expect.stringContaining('took too long and was put into its safe state'),
    })
    expect(hands.pins.on).toEqual([])
  })
})

describe('the longest time away, behind the bridge', () => {
  it('is kept by the chip, and a call to the same place does not make it longer', async () => {
    const hands = await ChipHands.start()
    await hands.calls('pump', true)
    await hands.pass(holdMs / 2)
    await hands.calls('pump', true)
    await hands.pass(holdMs / 2 + roundMs)
    expect([hands.pins.on, hands.pins.rises('pump'), hands.pins.breaches]).toEqual([[], 1, []])
    // Nothing holds it back from the next time.
    expect(await hands.calls('pump', true)).toMatchObject({ outcome: 'ran' })
    expect(hands.pins.isOn('pump')).toBe(true)
  })

  it('is kept while the cable is gone', async () => {
    const hands = await ChipHands.start()
    await hands.calls('pump', true)
    hands.unplug()
    await hands.pass(holdMs + roundMs)
    expect(hands.pins.on).toEqual([])
    expect(hands.pins.lastMs('pump')).toBeGreaterThan(holdMs - 1)
    expect(hands.pins.breaches).toEqual([])
  })
})

describe('arming, behind the bridge', () => {
  const asks = capable({ elicitation: {} })

  /** The tool `arm_outputs`, with what the person says. */
  async function personSays(hands: ChipHands, action: string) {
    const { result } = await hands.settle(hands.client.modern('tools/call', { name: 'arm_outputs' }, asks))
    const [key] = Object.keys(result.inputRequests)
    const more = { requestState: result.requestState, inputResponses: { [key!]: { action, content: {} } } }
    return (await hands.settle(hands.client.modern('tools/call', { name: 'arm_outputs', ...more }, asks))).result
  }

  it('a person arms the chip, and nobody else does', async () => {
    const hands = await ChipHands.start()
    expect((await personSays(hands, 'decline')).isError).toBe(true)
    expect(await hands.read('is_armed')).toBe(false)
    expect(await hands.calls('saw', true)).toMatchObject({ outcome: 'refused' })
    expect((await personSays(hands, 'accept')).isError).toBeUndefined()
    expect(await hands.read('is_armed')).toBe(true)
    expect(await hands.calls('saw', true)).toMatchObject({ outcome: 'ran' })
    expect(hands.pins.on).toEqual(['saw'])
  })

  it.each([
    ['stop_all', hands => hands.settle(hands.client.modern('tools/call', { name: 'stop_all' }))],
    [
      'a reset',
      hands => {
        hands.chip.reset()
        return hands.pass(20)
      },
    ],
    [
      'a cable that was gone for longer than the fail-safe period',
      async hands => {
        hands.unplug()
        await hands.pass(failSafeMs + roundMs)
        hands.plug()
      },
    ],
    [
      'a wire that was broken for as long',
      async hands => {
        hands.toChip = nothing
        await hands.pass(failSafeMs + roundMs)
        hands.plug()
      },
    ],
  ] as [string, (hands: ChipHands) => Promise<unknown>][])('%s switches off and disarms', async (_, happens) => {
    const hands = await ChipHands.start()
    await hands.settle(hands.server.arm('the test'))
    await hands.calls('saw', true)
    expect(hands.pins.on).toEqual(['saw'])
    await happens(hands)
    expect(hands.pins.on).toEqual([])
    await hands.reunited()
    await hands.pass(500)
    expect(await hands.calls('saw', true)).toMatchObject({ outcome: 'refused', text: expect.stringContaining('arm') })
    expect(hands.pins.rises('saw')).toBe(1)
    await hands.settle(hands.server.arm('the test'))
    expect(await hands.calls('saw', true)).toMatchObject({ outcome: 'ran' })
  })

  it('arming never waits for a chip that is away', async () => {
    const hands = await ChipHands.start()
    hands.unplug()
    const armed = hands.settle(hands.server.arm('the test'))
    await expect(armed).rejects.toThrow('were not armed')
    hands.plug()
    await hands.reunited()
    await hands.pass(2000)
    expect(await hands.read('is_armed')).toBe(false)
  })

  it('stop_all goes ahead of a move that runs, and of those that wait', async () => {
    const hands = await ChipHands.start()
    const moving = [hands.call('lift', 1400), hands.call('lift', 1400), hands.call('up', true)]
    await hands.until(() => hands.pins.isOn('lift') && hands.pins.isOn('up'), 500)
    const from = hands.pins.now
    const { result } = await hands.settle(hands.client.modern('tools/call', { name: 'stop_all' }))
    expect(result.isError).toBeUndefined()
    expect(hands.pins.on).toEqual([])
    expect(hands.pins.times.lift[0]!.to! - from).toBeLessThan(50)
    await hands.settle(Promise.all(moving))
    await hands.pass(restMs)
    expect([hands.pins.rises('lift'), hands.pins.on]).toEqual([1, []])
  })
})
