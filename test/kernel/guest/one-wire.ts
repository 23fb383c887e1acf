import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { oneWireThermometer, oneWireThermometers } from '../../../boards/raspberry-pi/index.ts'
import { steer } from './rig/files.ts'

describe('1-Wire, through the kernel', () => {
  const ids = ['28-00000a0b0c0d', '28-00000a0b0c0e']
  const [warm, cold] = ids.map(id => oneWireThermometer({ id }))

  test('thermometers are found, and read beside each other while the program goes on', async () => {
    assert.deepEqual(oneWireThermometers(), ids)
    const readings = Promise.all([warm!.read(), cold!.read()])
    const first = await Promise.race([readings.then(() => 'readings'), delay(50).then(() => 'timer')])
    assert.equal(first, 'timer')
    assert.deepEqual(await readings, [21.5, -10.125])
  })

  test('below zero, to the thousandth', async () => {
    steer('w1_temp', '-63,-10125')
    assert.equal(await warm!.read(), -0.062)
    steer('w1_temp', '21500,-10125')
  })

  test('a wrong checksum is no reading', async () => {
    // The kernel reads a few times by itself before it gives up.
    steer('w1_badcrc', 100)
    await assert.rejects(warm!.read(), /1-Wire thermometer 28-00000a0b0c0d gave no reading/)
    steer('w1_badcrc', 0)
    assert.equal(await warm!.read(), 21.5)
  })

  test('a thermometer that keeps its power-on value is none', async () => {
    steer('w1_temp', '85000,-10125')
    await assert.rejects(warm!.read(), /gives its power-on value, 85 degrees, in the place of a reading/)
    steer('w1_temp', '21500,-10125')
  })

  test('a dip of the power is measured again', async () => {
    steer('w1_dip', 1)
    assert.equal(await warm!.read(), 21.5)
  })

  test('one that is unplugged gives no number, and the other goes on', async () => {
    steer('w1_present', 2)
    await assert.rejects(warm!.read(), { name: 'HardwareError', message: /1-Wire thermometer 28-00000a0b0c0d/ })
    assert.equal(await cold!.read(), -10.125)
    steer('w1_present', 3)
  })
})
