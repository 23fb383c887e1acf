import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { oneWireThermometer, oneWireThermometers } from '../../boards/raspberry-pi/sysfs/one-wire.ts'
import { systemRoot } from './system-root.ts'
import thermometers from './thermometers.json' with { type: 'json' }

const devices = 'sys/bus/w1/devices'

/** A system with these thermometers on its bus: the content of each file by address, null for a folder without it. */
function busWith(files: Record<string, string | null>): string {
  return systemRoot({
    [`${devices}/w1_bus_master1/w1_master_name`]: 'w1_bus_master1\n',
    ...Object.fromEntries(
      Object.entries(files).map(([id, file]) =>
        file === null ? [`${devices}/${id}/name`, `${id}\n`] : [`${devices}/${id}/w1_slave`, file],
      ),
    ),
  })
}

const good = thermometers[0]!.file!
const powerOn = thermometers[1]!.file!

describe('what a 1-Wire thermometer gives', () => {
  const root = () => busWith(Object.fromEntries(thermometers.map(({ id, file }) => [id, file])))

  it.each(thermometers)('$id: $what', async ({ id, right, wrong }) => {
    const reading = oneWireThermometer({ id, root: root() }).read()
    if (wrong === undefined) expect(await reading).toBe(right)
    else await expect(reading).rejects.toThrow(new RegExp(`^1-Wire thermometer ${id} .*${wrong}`))
  })

  it('one that fails holds up none of the others', async () => {
    const system = root()
    const readings = thermometers.map(({ id }) => oneWireThermometer({ id, root: system }).read())
    const outcomes = await Promise.allSettled(readings)
    expect(outcomes.map(one => (one.status === 'fulfilled' ? one.value : undefined))).toEqual(
      thermometers.map(({ right }) => right),
    )
  })
})

describe('which one is meant', () => {
  it('those of its family are listed', () => {
    expect(oneWireThermometers({ root: busWith({ '28-000000000001': good, '10-00000000000a': good }) })).toEqual([
      '10-00000000000a',
      '28-000000000001',
    ])
    expect(oneWireThermometers({ root: systemRoot() })).toEqual([])
  })

  it('the only one needs no name', async () => {
    expect(await oneWireThermometer({ root: busWith({ '28-000000000001': good }) }).read()).toBe(21.562)
    const two = busWith({ '28-000000000001': good, '28-000000000002': good })
    expect(() => oneWireThermometer({ root: two })).toThrow(
      'which 1-Wire thermometer is meant cannot be told: name it as "id". On the bus: 28-000000000001, 28-000000000002',
    )
    expect(() => oneWireThermometer({ root: systemRoot() })).toThrow(
      '1-Wire is off: switch it on with sudo raspi-config nonint do_onewire 0',
    )
  })

  it('one that is not there now may come later', async () => {
    const root = busWith({ '28-000000000001': good })
    const late = oneWireThermometer({ id: '28-000000000002', root })
    await expect(late.read()).rejects.toThrow(
      '1-Wire thermometer 28-000000000002 is gone: check its wiring. On the bus: 28-000000000001',
    )
    execFileSync('cp', ['-r', join(root, devices, '28-000000000001'), join(root, devices, '28-000000000002')])
    expect(await late.read()).toBe(21.562)
  })
})

/** Thermometers whose conversions end when the test says so: reading the file of a pipe waits for who writes it. */
function slowBus(ids: readonly string[]) {
  const root = busWith(Object.fromEntries(ids.map(id => [id, null])))
  const path = (id: string) => join(root, devices, id, 'w1_slave')
  for (const id of ids) execFileSync('mkfifo', [path(id)])
  return {
    root,
    /** Ends the conversion that is waited for. `next` is what the following ones give, at once. */
    async convert(id: string, file: string, next = file) {
      const writer = await open(path(id), 'w')
      await writer.writeFile(file)
      rmSync(path(id))
      writeFileSync(path(id), next)
      await writer.close()
    },
  }
}

describe.runIf(process.platform === 'linux')('a conversion takes its time', () => {
  it('a power-on value is measured again, and what comes then is given', async () => {
    const bus = slowBus(['28-000000000001'])
    const reading = oneWireThermometer({ root: bus.root }).read()
    await bus.convert('28-000000000001', powerOn, good)
    expect(await reading).toBe(21.562)
  })

  it('eight that convert leave the thread pool to others', async () => {
    const ids = Array.from({ length: 8 }, (_, i) => `28-00000000000${i}`)
    const bus = slowBus(ids)
    const readings = ids.map(id => oneWireThermometer({ id, root: bus.root }).read())
    const other = busWith({ '28-0000000000ff': good })
    expect(await oneWireThermometer({ root: other }).read()).toBe(21.562)
    for (const id of ids) await bus.convert(id, good)
    expect(await Promise.all(readings)).toEqual(ids.map(() => 21.562))
  })
})

it('a file that cannot be read is told as it is', async () => {
  const root = busWith({ '28-000000000001': null })
  const thermometer = oneWireThermometer({ root })
  writeFileSync(join(root, devices, '28-000000000001/w1_slave'), 'nonsense\n')
  await expect(thermometer.read()).rejects.toThrow('gave no reading: check its wiring and its pull-up resistor')
})
