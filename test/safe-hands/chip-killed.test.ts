import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ownFolders } from '../bridge/cabled-board.ts'
import { Child, projectDir } from '../child.ts'
import { LiveChip } from '../microcontroller/live-chip.ts'
import { failSafeMs, PinWitness, roundMs, type Switch, safetyChip } from './chip-pins.ts'

/*
 * Real processes: a host app, the bridge that it started, and a chip on a line of bytes. They are killed and stopped as
 * an operating system does it. What the pins do is seen by the clock of the chip, which is emulated in this process.
 */

// Three processes start in each, one after the other.
vi.setConfig({ testTimeout: 180_000 })

const program = join(projectDir, 'test/safe-hands/host-process.ts')

/** A chip in real time, and what it hears and does. */
async function livingChip() {
  const chip = await safetyChip()
  const pins = new PinWitness(chip)
  // Its period of a second is four of the bridge's, so that a busy machine is no silent one.
  const live = await LiveChip.start(chip, 4)
  let heardMs = 0
  chip.wire.onArrived = byte => {
    if (byte === 0x0a) heardMs = pins.now
  }
  return {
    live,
    pins,
    /** When the last frame was whole, in milliseconds of the chip. */
    heardMs: () => heardMs,
    /** Waits until all is off. */
    async safe() {
      await vi.waitUntil(() => pins.on.length === 0, { timeout: 30_000, interval: 5 })
    },
    /** How long after the last frame an output went off. */
    offAfterMs: (name: Switch) => pins.times[name].at(-1)!.to! - heardMs,
  }
}

/** A host app, whose bridge serves the chip. */
async function hostOf(live: LiveChip, ...options: string[]) {
  const words = ['--import', 'tsx', program, 'bridge', '--port', live.address, ...options]
  const host = new Child(process.execPath, words, { env: ownFolders() })
  onTestFinished(() => host.stop())
  await host.until(() => host.lines.length > 0, 'the host to know the tools')
  const { bridge } = JSON.parse(host.lines[0]!) as { bridge: number }
  onTestFinished(() => void kill(bridge, 'SIGKILL'))
  return {
    host,
    bridge,
    async call(name: string, args: object): Promise<{ isError: boolean; text: string }> {
      const before = host.lines.length
      host.write({ name, arguments: args })
      await host.until(() => host.lines.length > before, `an answer of ${name}`)
      return JSON.parse(host.lines.at(-1)!)
    },
  }
}

/** Everything that can be on for long. */
async function switchOn({ call }: Awaited<ReturnType<typeof hostOf>>): Promise<void> {
  for (const [name, args] of [
    ['arm_outputs', {}],
    ['up', { on: true }],
    ['fan', { on: true }],
    ['saw', { on: true }],
    ['valve', { turns: 3 }],
  ] as const) {
    expect(await call(name, args)).toMatchObject({ isError: false })
  }
}

const allOn: Switch[] = ['up', 'fan', 'saw', 'valve']

function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

const gone = (pid: number) => vi.waitUntil(() => !kill(pid, 0 as never), { timeout: 30_000, interval: 20 })

it('the host is killed: its bridge notices, makes everything safe, and ends', async () => {
  const { live, pins, safe, offAfterMs } = await livingChip()
  const host = await hostOf(live)
  await switchOn(host)
  expect(pins.on).toEqual(allOn)
  host.host.process.kill('SIGKILL')
  await safe()
  // By its stop, and not by the clock of the chip.
  for (const name of allOn) expect(offAfterMs(name)).toBeLessThan(roundMs)
  await gone(host.bridge)
  expect(allOn.map(name => pins.rises(name))).toEqual([1, 1, 1, 1])
})

it('the bridge is killed: the chip makes everything safe within its own period', async () => {
  const { live, pins, safe, offAfterMs } = await livingChip()
  const host = await hostOf(live)
  await switchOn(host)
  kill(host.bridge, 'SIGKILL')
  await gone(host.bridge)
  await safe()
  for (const name of allOn) {
    expect(offAfterMs(name)).toBeGreaterThan(failSafeMs - 1)
    expect(offAfterMs(name)).toBeLessThan(failSafeMs + roundMs)
  }
  // A bridge that comes after it finds a chip that did not restart, and is not armed.
  const next = await hostOf(live)
  expect(live.chip.resets).toBe(0)
  expect(await next.call('saw', { on: true })).toMatchObject({ isError: true, text: expect.stringContaining('arm') })
  expect(await next.call('up', { on: true })).toMatchObject({ isError: false })
  expect([pins.rises('saw'), pins.rises('up')]).toEqual([1, 2])
})

it('host and bridge are killed in the middle of a move: the same', async () => {
  const { live, pins, safe, offAfterMs } = await livingChip()
  const host = await hostOf(live)
  await switchOn(host)
  host.host.write({ name: 'lift', arguments: { ms: 20_000 } })
  await live.sees('D6', true)
  kill(host.bridge, 'SIGKILL')
  host.host.process.kill('SIGKILL')
  await safe()
  for (const name of allOn) expect(offAfterMs(name)).toBeLessThan(failSafeMs + roundMs)
  // The chip itself had an end to the move, too: whatever came first.
  expect(offAfterMs('lift')).toBeLessThan(failSafeMs + roundMs)
  expect(pins.rises('lift')).toBe(1)
})

it('the bridge is stopped, as a laptop that sleeps: safe by the period of the chip; then it goes on, disarmed', async () => {
  const { live, pins, safe, offAfterMs } = await livingChip()
  const host = await hostOf(live)
  await switchOn(host)
  kill(host.bridge, 'SIGSTOP')
  await safe()
  for (const name of allOn) expect(offAfterMs(name)).toBeLessThan(failSafeMs + roundMs)
  kill(host.bridge, 'SIGCONT')
  expect(await host.call('up', { on: true })).toMatchObject({ isError: false })
  expect(await host.call('saw', { on: true })).toMatchObject({ isError: true, text: expect.stringContaining('arm') })
  expect([pins.rises('up'), pins.rises('saw')]).toEqual([2, 1])
})

it('the host hangs while its pipe is open: with --silence everything is made safe, and stays usable', async () => {
  const { live, pins, safe } = await livingChip()
  const host = await hostOf(live, '--silence', '2')
  await switchOn(host)
  host.host.process.kill('SIGSTOP')
  await safe()
  // By the bridge, which still feeds the chip.
  expect(host.host.stderr).toContain('said nothing for 2 s')
  host.host.process.kill('SIGCONT')
  expect(await host.call('up', { on: true })).toMatchObject({ isError: false })
  expect(await host.call('saw', { on: true })).toMatchObject({ isError: true, text: expect.stringContaining('arm') })
  expect([pins.rises('up'), pins.rises('saw')]).toEqual([2, 1])
})

it('the chip is reset under a host: nothing is on, nothing is repeated, and it is told', async () => {
  const { live, pins } = await livingChip()
  const host = await hostOf(live)
  await switchOn(host)
  live.chip.reset('watchdog')
  expect(pins.on).toEqual([])
  await host.host.tells('restarted')
  expect(await host.call('saw', { on: true })).toMatchObject({ isError: true, text: expect.stringContaining('arm') })
  expect(await host.call('up', { on: true })).toMatchObject({ isError: false })
  expect([pins.rises('up'), pins.rises('saw')]).toEqual([2, 1])
})
