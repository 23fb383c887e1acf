import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { digital, gpioChips, type HardwareError } from '../../../boards/raspberry-pi/index.ts'
import { GpioSim } from './rig/gpio-sim.ts'

/** Edges, and a way to wait for as many of them. */
function edgesOf(input: ReturnType<typeof digital>) {
  const seen: { value: boolean; timeMs: number }[] = []
  let changed = () => {}
  const stop = input.watch!((value, timeMs) => {
    seen.push({ value, timeMs })
    changed()
  })
  const reached = (count: number) =>
    new Promise<void>(resolve => {
      changed = () => {
        if (seen.length >= count) resolve()
      }
      changed()
    })
  return { seen, stop, reached }
}

describe('GPIO, through the kernel', () => {
  let other: GpioSim
  let header: GpioSim
  before(() => {
    other = new GpioSim({ label: 'gpio-brcmstb@107d508500', lines: 32 })
    header = new GpioSim({
      label: 'pinctrl-rp1',
      lines: 54,
      names: { 17: 'GPIO17', 44: 'ETH_RST_N' },
      hogs: { 4: 'onewire@0' },
    })
  })
  after(() => {
    header.remove()
    other.remove()
  })

  test('the header is found by its label, whatever its number', () => {
    assert.deepEqual(
      gpioChips().map(({ name, label, lines }) => ({ name, label, lines })),
      [
        { name: other.name, label: 'gpio-brcmstb@107d508500', lines: 32 },
        { name: header.name, label: 'pinctrl-rp1', lines: 54 },
      ],
    )
    const led = digital({ pin: 'pin 11', mode: 'output', initial: true })
    assert.equal(header.level(17), true)
    led.write(false)
    assert.equal(header.level(17), false)
    led.close()
  })

  test('a line is found by its name', () => {
    const reset = digital({ pin: 'ETH_RST_N', mode: 'output', initial: true })
    assert.equal(header.level(44), true)
    reset.close()
    assert.throws(() => digital({ pin: 'NOWHERE' }), /no line is named NOWHERE/)
  })

  test('an active-low output is off from its first moment on', () => {
    const relay = digital({ pin: 'GPIO20', mode: 'output', activeLow: true })
    assert.equal(header.level(20), true)
    relay.write(true)
    assert.equal(header.level(20), false)
    assert.equal(relay.read(), true)
    relay.close()
  })

  test('a line that the device tree gives away is refused, with the name of who has it', () => {
    assert.throws(
      () => digital({ pin: 'GPIO4' }),
      (thrown: HardwareError) =>
        thrown.code === 'EBUSY' && /^GPIO4 \(pin 7\) is taken by "onewire@0"/.test(thrown.message),
    )
  })

  test('a line that a program has is refused, and free once it is closed', () => {
    const first = digital({ pin: 'GPIO21', mode: 'output' })
    assert.throws(() => digital({ pin: 'GPIO21' }), new RegExp(`is taken by "ferrule ${process.pid}"`))
    first.close()
    digital({ pin: 'GPIO21' }).close()
  })

  test('a pull makes the level of an open input', () => {
    const up = digital({ pin: 'GPIO5', pull: 'up' })
    const down = digital({ pin: 'GPIO6', pull: 'down' })
    assert.deepEqual([up.read(), down.read()], [true, false])
    up.close()
    down.close()
  })

  test('each edge is told, in order, with the level after it', async () => {
    const input = digital({ pin: 'GPIO22', activeLow: true })
    const edges = edgesOf(input)
    for (let i = 0; i < 40; i++) {
      header.pull(22, i % 2 === 0)
      // The simulated interrupt joins what comes faster than it is served.
      await edges.reached(i + 1)
    }
    assert.deepEqual(
      edges.seen.map(({ value }) => value),
      Array.from({ length: 40 }, (_, i) => i % 2 === 1),
    )
    const times = edges.seen.map(({ timeMs }) => timeMs)
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    const nowMs = Number(process.hrtime.bigint()) / 1e6
    assert.ok(times.at(-1)! <= nowMs && times[0]! > nowMs - 60_000, 'the clock is the monotonic one')
    input.close()
  })

  test('a bouncing contact is one edge', async () => {
    const input = digital({ pin: 'GPIO23', debounceMs: 20 })
    const edges = edgesOf(input)
    for (let i = 0; i < 5; i++) header.pull(23, i % 2 === 0)
    await edges.reached(1)
    await delay(100)
    assert.deepEqual(
      edges.seen.map(({ value }) => value),
      [true],
    )
    input.close()
  })

  test('eight inputs are watched by one thread, and one that is closed is free at once', async () => {
    const offsets = [8, 9, 10, 11, 12, 13, 14, 15]
    const inputs = offsets.map(offset => digital({ pin: `GPIO${offset}` }))
    const edges = inputs.map(edgesOf)
    for (const offset of offsets) header.pull(offset, true)
    await Promise.all(edges.map(({ reached }) => reached(1)))
    for (let i = 0; i < 20; i++) {
      inputs[0]!.close()
      inputs[0] = digital({ pin: 'GPIO8' })
      const again = edgesOf(inputs[0])
      header.pull(8, i % 2 === 1)
      await again.reached(1)
    }
    assert.deepEqual(
      edges.slice(1).map(({ seen }) => seen.length),
      offsets.slice(1).map(() => 1),
    )
    for (const input of inputs) input.close()
  })

  test('a controller that is removed while lines of it are held', () => {
    const expander = new GpioSim({ label: 'pca9536', lines: 4 })
    const output = digital({ chip: 'pca9536', pin: 1, mode: 'output' })
    const input = digital({ chip: 'pca9536', pin: 2 })
    input.watch!(() => {})
    expander.unplug()
    const gone = (what: string) =>
      new RegExp(`^HardwareError: line ${what} of pca9536 is gone: its controller was removed`)
    assert.throws(() => output.write(true), gone('1'))
    assert.throws(() => input.read(), gone('2'))
    output.close()
    input.close()
    expander.remove()
    assert.throws(() => digital({ chip: 'pca9536', pin: 1 }), /there is no controller pca9536/)
  })
})
