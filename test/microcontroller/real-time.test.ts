import { expect, it, vi } from 'vitest'
import { RealTime } from '../../boards/microcontroller/emulator/index.ts'
import { chipWith, halt } from './program.ts'

it('a chip never runs ahead of the clock', async () => {
  const chip = await chipWith(halt)
  let now = 1000
  const time = new RealTime(chip, { now: () => now })
  time.start()
  for (const ms of [0, 3, 0, 7, 19]) {
    now += ms
    time.catchUp()
    expect(chip.seconds * 1000 - (now - 1000)).toBeLessThan(0.001)
    expect(chip.seconds * 1000 - (now - 1000)).toBeGreaterThan(-0.001)
  }
  time.stop()
})

it('a chip on a machine that is too slow loses time, and does not run after it for ever', async () => {
  const chip = await chipWith(halt)
  let now = 0
  const time = new RealTime(chip, { now: () => now })
  time.start()
  now = 10_000
  time.catchUp()
  expect(time.lostMs).toBeGreaterThan(9900)
  const { seconds } = chip
  now += 5
  time.catchUp()
  expect(chip.seconds - seconds).toBeCloseTo(0.005, 4)
  time.stop()
})

it('a chip runs by itself once it is started, until it is stopped', async () => {
  const chip = await chipWith(halt)
  const time = new RealTime(chip)
  time.start()
  await vi.waitUntil(() => chip.seconds > 0.02, { timeout: 30_000 })
  time.stop()
  const { cycles } = chip
  await new Promise(resolve => setTimeout(resolve, 15))
  expect(chip.cycles).toBe(cycles)
})
