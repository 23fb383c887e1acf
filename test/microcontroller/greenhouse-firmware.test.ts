import { describe, expect, it } from 'vitest'
import { LinkError, UnknownOutcomeError } from '../../boards/remote/link/index.ts'
import { noisyLine, seeded } from '../link/pair.ts'
import { ChipRig, chipOf } from './chip-rig.ts'
import { frame } from './frame.ts'
import { latencyOf } from './latency.ts'

describe('the greenhouse firmware on an emulated chip', () => {
  it('says what it is, and describes itself', async () => {
    const rig = await ChipRig.start('greenhouse')
    expect(rig.hello).toMatchObject({ name: 'greenhouse', firmware: '1.0.0', boot: 0 })
    const { sensors, actuators } = await rig.settle(rig.host.describe())
    expect(sensors.map(({ name }) => name)).toEqual([
      'air_temperature',
      'air_humidity',
      'soil_moisture',
      'light',
      'water_level',
      'vent_position',
      'pump_running',
    ])
    expect(actuators.map(({ name, safe, holdForMs, group }) => [name, safe, holdForMs, group])).toEqual([
      ['pump', [0], 62_000, 1],
      ['vent', null, undefined, undefined],
      ['heater', [false], 600_000, undefined],
      ['grow_light', [0], undefined, undefined],
      ['refill', [0], 31_000, 1],
    ])
  })

  it('measures what the greenhouse is like', async () => {
    const rig = await ChipRig.start('greenhouse')
    expect(await rig.read('air_temperature')).toBeCloseTo(24, 0)
    expect(await rig.read('soil_moisture')).toBeCloseTo(0.32, 1)
    expect(await rig.read('water_level')).toBeCloseTo(0.8, 2)
    expect(await rig.read('vent_position')).toBe(0)
    expect(await rig.read('pump_running')).toBe(false)
    expect(await rig.read('light')).toBeGreaterThan(4000)
    expect(await rig.read('air_humidity')).toBeGreaterThan(50)
  })

  it('pumps for as long as it is told to, and says how much that was', async () => {
    const rig = await ChipRig.start('greenhouse')
    const pump = rig.chip.pin('D8')
    const called = rig.call('pump', 3)
    await rig.until(() => pump.high, 500)
    const from = rig.chip.seconds
    await rig.until(() => !pump.high, 5000)
    expect(rig.chip.seconds - from).toBeCloseTo(3, 1)
    expect(await rig.settle(called)).toBeCloseTo(0.15, 2)
    await rig.pass(3000)
    expect(await rig.read('soil_moisture')).toBeGreaterThan(0.34)
  })

  it('opens the vent, and answers when it has arrived', async () => {
    const rig = await ChipRig.start('greenhouse')
    expect(await rig.settle(rig.call('vent', 60))).toBe(60)
    expect(await rig.read('vent_position')).toBeCloseTo(0.6, 2)
    const called = rig.call('vent', 0)
    called.catch(() => {})
    await rig.pass(500)
    await rig.settle(rig.host.stop())
    await expect(rig.settle(called)).rejects.toThrow(LinkError)
    await rig.pass(300)
    const stopped = await rig.read('vent_position')
    expect(stopped).toBeGreaterThan(0.3)
    await rig.pass(2000)
    expect(await rig.read('vent_position')).toBeCloseTo(Number(stopped), 2)
  })

  it('gives up a vent that does not get there, and says so', async () => {
    const rig = await ChipRig.start('greenhouse')
    rig.chip.every(0.001, () => {
      rig.chip.volts[5] = 1
    })
    await expect(rig.settle(rig.call('vent', 80))).rejects.toMatchObject({ code: 9 })
    expect(rig.chip.seconds).toBeLessThan(12)
  })

  it('dims the light, and switches the heater', async () => {
    const rig = await ChipRig.start('greenhouse')
    const lamp = rig.chip.pin('D3')
    for (const percent of [100, 50, 1, 0]) {
      await rig.settle(rig.call('grow_light', percent))
      await rig.pass(20)
      lamp.duty()
      // Not at the moment at which the greenhouse looks as well: the pin tells its duty since it was last asked.
      await rig.pass(207)
      expect(lamp.duty()).toBeCloseTo(percent / 100, 1)
    }
    expect(lamp.high).toBe(false)
    await rig.settle(rig.call('heater', true))
    expect(rig.chip.pin('D4').high).toBe(true)
    const before = Number(await rig.read('air_temperature'))
    await rig.pass(3000)
    expect(await rig.read('air_temperature')).toBeGreaterThan(before + 0.2)
  })

  it('fills the tank, and does not pump meanwhile', async () => {
    const rig = await ChipRig.start('greenhouse')
    const filled = rig.call('refill', 90)
    await rig.until(() => rig.chip.pin('D7').high, 500)
    await expect(rig.settle(rig.call('pump', 2))).rejects.toMatchObject({ code: 6 })
    expect(await rig.settle(filled)).toBe(90)
    expect(rig.chip.pin('D7').high).toBe(false)
    // The tap is closed, and so at its safe value: the pump is free.
    await rig.settle(rig.call('pump', 0.5))
    expect(rig.chip.pin('D8').rises).toBe(1)
  })

  it('says why it does not pump from an empty tank', async () => {
    const rig = await ChipRig.start('greenhouse')
    rig.chip.volts[4] = 0
    rig.chip.every(0.005, () => {
      rig.chip.volts[4] = 0
    })
    await expect(rig.settle(rig.call('pump', 2))).rejects.toThrow('the water tank is empty')
    expect(rig.chip.pin('D8').rises).toBe(0)
  })

  it.each([
    ['pump', [61], 4],
    ['pump', [-1], 4],
    ['pump', [true], 3],
    ['vent', [101], 4],
    ['vent', [1.5], 3],
    ['heater', [1], 3],
    ['grow_light', [], 3],
  ] as const)('refuses %s %j, and nothing moves', async (actuator, args, code) => {
    const rig = await ChipRig.start('greenhouse')
    await expect(rig.settle(rig.call(actuator, ...args))).rejects.toMatchObject({ code })
    expect(['D3', 'D4', 'D7', 'D8', 'D9'].map(name => rig.chip.pin(name).rises)).toEqual([0, 0, 0, 0, 0])
  })

  it('tells of changes that are watched', async () => {
    const rig = await ChipRig.start('greenhouse')
    const seen: unknown[] = []
    rig.host.watch(6, ({ value }) => seen.push(value))
    await rig.pass(200)
    await rig.settle(rig.call('pump', 1))
    await rig.pass(300)
    expect(seen).toEqual([false, true, false])
  })
})

describe('what goes wrong between a host and the emulated chip', () => {
  it('noise on the line costs repeats, and no call twice', async () => {
    const rig = await ChipRig.start('greenhouse', { tries: 12 })
    const random = seeded(3)
    rig.toChip = noisyLine(random, 60)
    rig.toHost = noisyLine(random, 60)
    for (let turn = 1; turn <= 20; turn++) {
      await rig.settle(rig.call('heater', turn % 2 === 1))
      expect(rig.chip.pin('D4').rises).toBe(Math.ceil(turn / 2))
    }
    expect(rig.host.counters.repeats).toBeGreaterThan(3)
  })

  it('a copy of a call is answered from memory', async () => {
    const rig = await ChipRig.start('greenhouse')
    const { session } = rig.host
    for (let copy = 0; copy < 5; copy++) {
      rig.chip.send(frame([4, session, 9, 0, [0.5]]))
      await rig.pass(400)
    }
    expect(rig.chip.pin('D8').rises).toBe(1)
    expect(rig.chip.pin('D8').falls).toBe(1)
  })

  it('a frame that is cut off by a reset is not carried out', async () => {
    const rig = await ChipRig.start('greenhouse')
    const bytes = frame([4, rig.host.session, 9, 2, [true]])
    rig.chip.send(bytes.subarray(0, bytes.length - 4))
    await rig.pass(3)
    rig.chip.reset()
    rig.chip.send(bytes.subarray(bytes.length - 4))
    await rig.pass(300)
    expect(rig.chip.pin('D4').rises).toBe(0)
  })

  it('a reset in the middle of a call: its outcome is unknown, it is not repeated, and the next call works', async () => {
    const rig = await ChipRig.start('greenhouse')
    const pump = rig.chip.pin('D8')
    const called = rig.call('pump', 10)
    called.catch(() => {})
    await rig.until(() => pump.high, 500)
    await rig.pass(1000)
    rig.chip.reset()
    expect(pump.high).toBe(false)
    await expect(rig.settle(called)).rejects.toThrow(UnknownOutcomeError)
    await rig.until(() => rig.host.hello?.boot === 1, 5000)
    await rig.pass(12_000)
    expect(pump.rises).toBe(1)
    expect(rig.events).toEqual(['ready', expect.stringContaining('lost'), 'ready again'])
    await rig.settle(rig.call('pump', 0.3))
    expect(pump.rises).toBe(2)
  })

  it('a host that falls silent: everything is made safe by the clock of the chip', async () => {
    const rig = await ChipRig.start('greenhouse')
    await rig.settle(rig.call('heater', true))
    await rig.settle(rig.call('grow_light', 80))
    void rig.call('pump', 30).catch(() => {})
    await rig.until(() => rig.chip.pin('D8').high, 500)
    rig.host.keepAlive(false)
    rig.toChip = () => new Uint8Array()
    const from = rig.chip.seconds
    await rig.until(() => !rig.chip.pin('D4').high, 8000)
    expect(rig.chip.seconds - from).toBeGreaterThan(4)
    expect(rig.chip.seconds - from).toBeLessThan(5.2)
    await rig.pass(50)
    expect(['D3', 'D4', 'D7', 'D8'].map(name => rig.chip.pin(name).high)).toEqual([false, false, false, false])
  })

  it('a cable that is pulled and plugged in again: what it heard stands, and is not done twice', async () => {
    const rig = await ChipRig.start('greenhouse')
    await rig.settle(rig.call('heater', true))
    const through = rig.toChip
    rig.toChip = () => new Uint8Array()
    rig.toHost = () => new Uint8Array()
    rig.host.suspend()
    await rig.pass(2000)
    expect(rig.chip.pin('D4').high).toBe(true)
    rig.toChip = through
    rig.toHost = through
    rig.host.start()
    await rig.until(() => rig.host.hello !== undefined, 5000)
    // The same device, and it did not restart: a new session breaks off what runs, and leaves what stands.
    expect(rig.events.at(-1)).toBe('ready')
    await rig.settle(rig.call('heater', false))
    expect(rig.chip.pin('D4')).toMatchObject({ rises: 1, falls: 1, high: false })
  })

  it('stop is answered at once, whatever runs', async () => {
    const rig = await ChipRig.start('greenhouse')
    await rig.settle(rig.call('heater', true))
    const called = rig.call('pump', 20)
    called.catch(() => {})
    await rig.until(() => rig.chip.pin('D8').high, 500)
    expect(await rig.settle(rig.host.stop())).toEqual([])
    await expect(called).rejects.toMatchObject({ code: 11 })
    expect([rig.chip.pin('D8').high, rig.chip.pin('D4').high]).toEqual([false, false])
  })

  it('what was switched on and forgotten is switched off by itself', async () => {
    const rig = await ChipRig.start('minimal')
    await rig.settle(rig.host.call(0, [true]))
    const pump = rig.chip.pin('D8')
    await rig.pass(59_000)
    expect(pump.high).toBe(true)
    await rig.until(() => !pump.high, 2000)
    await rig.pass(50)
    expect(rig.logs).toEqual([expect.stringContaining('pump')])
  })

  it('bytes that come while it boots are lost, and the host asks again', async () => {
    const chip = await chipOf('greenhouse')
    const rig = new ChipRig(chip)
    rig.host.start()
    chip.reset('power')
    await rig.until(() => rig.host.hello !== undefined, 3000)
    expect(rig.events).toEqual(['ready'])
  })
})

describe('the resources of the chip', () => {
  it('at least 200 bytes of memory are never touched, whatever is done', async () => {
    const rig = await ChipRig.start('greenhouse')
    await rig.settle(rig.host.describe())
    for (let sensor = 0; sensor < 7; sensor++) rig.host.watch(sensor, () => {})
    await rig.pass(500)
    const calls = [rig.call('pump', 1), rig.call('vent', 30), rig.call('heater', true), rig.call('grow_light', 30)]
    await rig.settle(Promise.all(calls))
    await rig.settle(rig.host.stop())
    rig.chip.send(new Uint8Array(300).fill(0xfe))
    await rig.pass(500)
    expect(rig.chip.untouchedBytes).toBeGreaterThanOrEqual(200)
  })

  it('it loses no byte while it works: its receiver is always in time', async () => {
    const rig = await ChipRig.start('greenhouse')
    const { lost } = rig.chip.wire
    await rig.settle(rig.host.describe())
    for (let turn = 0; turn < 20; turn++) {
      await Promise.all([0, 1, 2, 3, 4, 5, 6].map(sensor => rig.settle(rig.host.read(sensor))))
    }
    expect(rig.chip.wire.lost).toBe(lost)
    expect(rig.host.counters.repeats).toBeLessThanOrEqual(2)
  })

  it.each([
    ['ping', 2],
    ['call', 3],
    ['read', 4],
    ['stop', 4],
  ] as const)('it begins to answer a %s within %i ms of its own time', async (question, ms) => {
    expect((await latencyOf(question, 50)).longest).toBeLessThanOrEqual(ms)
  })

  it('it sleeps while there is nothing to do', async () => {
    const rig = await ChipRig.start('greenhouse')
    await rig.pass(500)
    const { awakeCycles, cycles } = rig.chip
    await rig.pass(2000)
    expect((rig.chip.awakeCycles - awakeCycles) / (rig.chip.cycles - cycles)).toBeLessThan(0.1)
  })

  it('sleep that skips to the next event does what sleep count by count does', async () => {
    const trace = async (stepwise: boolean) => {
      const chip = await chipOf('greenhouse', stepwise)
      const seen: string[] = []
      for (const pin of chip.pins) pin.onChange((high, cycle) => seen.push(`${pin.name} ${high} ${cycle}`))
      chip.wire.onSent = byte => seen.push(`${byte} ${chip.cycles}`)
      chip.run(0.05)
      chip.send(frame([0, 7, 1, {}]))
      chip.run(0.05)
      for (const [id, actuator, value] of [
        [1, 3, 40],
        [2, 1, 30],
        [3, 0, 0.3],
      ]) {
        chip.send(frame([4, 7, id!, actuator!, [value!]]))
        chip.run(0.4)
      }
      return seen
    }
    const quick = await trace(false)
    expect(quick.length).toBeGreaterThan(1000)
    expect(quick).toEqual(await trace(true))
  })
})
