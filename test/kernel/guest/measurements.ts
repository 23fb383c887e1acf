import assert from 'node:assert/strict'
import { openSync, readFileSync, writeSync } from 'node:fs'
import { describe, test } from 'node:test'
import { analog, iio, led, thermalZone } from '../../../boards/raspberry-pi/index.ts'
import { configure, steer } from './rig/files.ts'

describe('what the kernel measures by itself', () => {
  test('a thermal zone', async () => {
    steer('cpu_temp', 61_234)
    assert.equal(await thermalZone().read(), 61.234)
    steer('cpu_temp', -1500)
    assert.equal(await thermalZone().read(), -1.5)
  })

  test('a converter of industrial IO: offset and scale are applied', async () => {
    configure('/sys/kernel/config/iio/devices/dummy/converter')
    const input = analog({ device: 'converter', channel: 'voltage0' })
    // Of iio_simple_dummy: 73 counts, an offset of 7 counts, 0.001333 mV a count.
    assert.ok(Math.abs((await input.read()) - 80 * 0.001333e-3) < 1e-12)
    assert.throws(
      () => iio({ device: 'converter', channel: 'pressure' }),
      /converter has no channel pressure; there is /,
    )
  })

  test('an LED of the board', () => {
    // struct uleds_user_dev: a name of 64 bytes, and the most that its brightness can be.
    const device = Buffer.alloc(68)
    device.write('ACT')
    device.writeInt32LE(255, 64)
    const fd = openSync('/dev/uleds', 'r+')
    writeSync(fd, device)
    const file = (name: string) => readFileSync(`/sys/class/leds/ACT/${name}`, 'utf8').trim()
    const act = led({ name: 'ACT' })
    act.write(true)
    assert.equal(file('brightness'), '255')
    assert.equal(act.read(), true)
    act.write(false)
    act.close()
    assert.equal(file('brightness'), '0')
  })
})
