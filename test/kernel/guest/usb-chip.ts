import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { greenhouse, linkFirmware } from '../../bridge/firmware.ts'
import { listedPorts, startFerrule } from './rig/ferrule.ts'
import { settle, startUdev } from './rig/udev.ts'
import { UsbBoard } from './rig/usb-board.ts'

describe('a board behind a USB chip without a serial number', () => {
  const moves: number[] = []
  let board: UsbBoard
  let port: string
  before(async () => {
    startUdev()
    // The generic driver stands in for that of the chip: it makes the same kind of port.
    writeFileSync('/sys/bus/usb-serial/drivers/generic/new_id', '1a86 7523')
    const chip = { vendorId: '1a86', productId: '7523', product: 'USB Serial', kind: 'gser' } as const
    board = new UsbBoard({ ...chip, power: 'own', firmware: linkFirmware(greenhouse(moves)) })
    port = await board.plug()
    settle()
  })
  after(() => board.remove())

  test('is a ttyUSB, and listed by what the chip is', async t => {
    assert.match(port, /^\/dev\/ttyUSB\d+$/)
    const stdout = await listedPorts(t)
    assert.equal(
      stdout,
      [
        port,
        '  what        board with a CH340',
        '  USB         1a86:7523',
        '  always at   /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0',
        '  answers as  Greenhouse 1.0.0 (compact link)',
      ].join('\n'),
    )
  })

  test('comes back after its cable was pulled', async t => {
    const bridge = startFerrule(t, ['bridge', '--port', '/dev/ttyUSB*'])
    await bridge.initialize()
    await bridge.until(() => bridge.lines.some(line => line.includes('tools/list_changed')), 'the board')
    await bridge.call('fan', { percent: 30 })
    board.unplug()
    await bridge.tells('is gone: ')
    assert.match(await bridge.call('fan', { percent: 100 }), /away/)
    const opened = bridge.stderr.split(' is open').length
    await board.plug()
    await bridge.until(() => bridge.stderr.split(' is open').length > opened, 'port to be opened')
    await bridge.call('fan', { percent: 40 })
    assert.deepEqual([moves.at(-1), moves.includes(100)], [40, false])
  })
})
