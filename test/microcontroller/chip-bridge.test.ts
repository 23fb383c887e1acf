import { describe, expect, it } from 'vitest'
import { startFerrule } from '../bridge/cabled-board.ts'
import type { Child } from '../child.ts'
import { LiveChip } from './live-chip.ts'

const pump = 'D8'
const heater = 'D4'

/** A bridge that serves a chip to a host that has said hello. */
async function bridgeTo(live: LiveChip): Promise<Child> {
  const bridge = startFerrule(['bridge', '--port', live.address])
  await bridge.initialize()
  // Lists wait until the board is known.
  let names: string[] = []
  while (names.length === 0) {
    const { result } = await bridge.request('tools/list')
    names = result.tools.map(({ name }: { name: string }) => name)
  }
  expect(names).toEqual(expect.arrayContaining(['pump', 'vent', 'heater', 'grow_light', 'refill']))
  return bridge
}

async function outcome(bridge: Child, name: string, args: object): Promise<{ isError: boolean; text: string }> {
  const { result } = await bridge.request('tools/call', { name, arguments: args })
  return { isError: result.isError === true, text: result.content[0].text }
}

describe('the bridge, and a chip that runs the firmware', () => {
  it('a host reads and works the greenhouse', async () => {
    const live = await LiveChip.start()
    const bridge = await bridgeTo(live)
    const { result } = await bridge.request('resources/read', { uri: 'sensor://greenhouse' })
    const pack = JSON.parse(result.contents[0].text)
    expect(pack).toHaveLength(7)
    // Floats of 4 bytes are shown as they were meant.
    expect(result.contents[0].text).not.toMatch(/"v":-?\d+\.\d{6}/)
    expect(await outcome(bridge, 'pump', { seconds: 0.5 })).toMatchObject({ isError: false })
    expect(live.chip.pin(pump)).toMatchObject({ rises: 1, falls: 1 })
    expect((await outcome(bridge, 'pump', { seconds: 61 })).text).toContain('must be at most 60')
  })

  it('noise on the line costs time, and no call twice', async () => {
    const live = await LiveChip.start()
    const bridge = await bridgeTo(live)
    live.disturb(100)
    for (let turn = 1; turn <= 6; turn++) {
      live.chip.send([0xfe, 0x12, turn, 0x80])
      expect(await outcome(bridge, 'heater', { on: turn % 2 === 1 })).toMatchObject({ isError: false })
      expect(live.chip.pin(heater).rises).toBe(Math.ceil(turn / 2))
    }
  })

  it('a reset in the middle of a call: the host is told that nobody knows, nothing is repeated, and it goes on', async () => {
    const live = await LiveChip.start()
    const bridge = await bridgeTo(live)
    const called = outcome(bridge, 'pump', { seconds: 20 })
    await live.sees(pump, true)
    live.chip.reset()
    expect(live.chip.pin(pump).high).toBe(false)
    expect(await called).toMatchObject({ isError: true, text: expect.stringMatching(/unknown|not known|restarted/) })
    expect(await outcome(bridge, 'heater', { on: true })).toMatchObject({ isError: false })
    expect(live.chip.pin(heater).high).toBe(true)
    expect(live.chip.pin(pump).rises).toBe(1)
  })

  it('a bridge that is killed: the chip makes everything safe by its own clock', async () => {
    const live = await LiveChip.start()
    const bridge = await bridgeTo(live)
    await outcome(bridge, 'heater', { on: true })
    void outcome(bridge, 'pump', { seconds: 50 }).catch(() => {})
    await live.sees(pump, true)
    bridge.process.kill('SIGKILL')
    await bridge.exited
    const from = live.chip.seconds
    await live.sees(pump, false)
    await live.sees(heater, false)
    expect(live.chip.seconds - from).toBeLessThan(5.5)
  })

  it('a bridge that is stopped and goes on, as when a laptop sleeps: safe meanwhile, and the next call works', async () => {
    const live = await LiveChip.start()
    const bridge = await bridgeTo(live)
    await outcome(bridge, 'heater', { on: true })
    bridge.process.kill('SIGSTOP')
    await live.sees(heater, false)
    bridge.process.kill('SIGCONT')
    expect(await outcome(bridge, 'heater', { on: true })).toMatchObject({ isError: false })
    expect(live.chip.pin(heater)).toMatchObject({ high: true, rises: 2 })
  })

  it('a cable that is pulled in the middle of a call: the chip makes itself safe, and works when it is plugged in', async () => {
    const live = await LiveChip.start()
    const bridge = await bridgeTo(live)
    const called = outcome(bridge, 'pump', { seconds: 50 })
    await live.sees(pump, true)
    live.unplug()
    expect((await called).isError).toBe(true)
    await live.sees(pump, false)
    await live.plug()
    expect(await outcome(bridge, 'pump', { seconds: 0.3 })).toMatchObject({ isError: false })
    expect(live.chip.pin(pump)).toMatchObject({ rises: 2, falls: 2 })
    expect(live.chip.resets).toBe(0)
  })

  it('a host that leaves: the bridge says stop before it ends', async () => {
    const live = await LiveChip.start()
    const bridge = await bridgeTo(live)
    await outcome(bridge, 'heater', { on: true })
    bridge.endInput()
    expect((await bridge.exit()).code).toBe(0)
    // It does not leave that to the chip's own clock.
    expect(live.chip.pin(heater).high).toBe(false)
  })
})
