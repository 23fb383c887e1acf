import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listedPorts, startFerrule } from './rig/ferrule.ts'
import { Gadget } from './rig/gadget.ts'
import { settle, startUdev } from './rig/udev.ts'
import { until } from './rig/wait.ts'

describe('a Raspberry Pi as the board: ferrule serve on its USB socket', () => {
  let gadget: Gadget
  before(() => {
    startUdev()
    gadget = new Gadget({ vendorId: '1d6b', productId: '0104', serialNumber: 'PI4', product: 'greenhouse' })
    gadget.plug()
  })
  after(() => gadget.remove())

  test('it serves whoever is at the other end, also after the cable was pulled', async t => {
    const pi = startFerrule(t, ['serve', '@greenhouse', '--serial', gadget.deviceEnd])
    await pi.tells(`serves greenhouse at ${gadget.deviceEnd}`)
    const port = await until(() => gadget.hostEnd, 'the port of the Pi')
    settle()
    const stdout = await listedPorts(t)
    assert.match(stdout, new RegExp(`${port}\n +what +greenhouse\n[^]*answers as +.*\\(MCP 20`))
    const bridge = startFerrule(t, ['bridge', '--port', 'PI4'])
    await bridge.initialize()
    const listed = () => bridge.lines.filter(line => line.includes('tools/list_changed')).length
    await bridge.until(() => listed() > 0, 'the board')
    const { result } = await bridge.request('tools/list')
    assert.ok(result.tools.some(({ name }: { name: string }) => name === 'grow_light'))
    assert.match(await bridge.call('grow_light', { percent: 30 }), /30/)
    gadget.unplug()
    await bridge.tells('is gone: ')
    await pi.tells('is gone: ')
    const opened = bridge.stderr.split(' is open').length
    gadget.plug()
    await bridge.until(() => bridge.stderr.split(' is open').length > opened, 'port to be opened')
    assert.match(await bridge.call('grow_light', { percent: 40 }), /40/)
    // Its device's end has to be closed before the gadget can go.
    await pi.stop()
  })
})
