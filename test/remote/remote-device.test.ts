import { describe, expect, it } from 'vitest'
import { simulatedGreenhouse } from '../../boards/simulated/index.ts'
import { createServer } from '../../runtime/index.ts'
import { TestClient } from '../memory-client.ts'
import { RemoteRig } from './remote-rig.ts'

const greenhouse = (rig: RemoteRig) => simulatedGreenhouse({ clock: rig.clock })

describe('a device on the link', () => {
  it('becomes the board that it describes', async () => {
    const rig = new RemoteRig()
    const own = greenhouse(rig)
    rig.link(own, { firmware: '1.4.0' }).start()
    rig.plug()
    await rig.clock.advance(3000)
    expect(rig.device.kind).toBe('link')
    expect(rig.boards).toHaveLength(1)
    const [board] = rig.boards
    expect(board).toBe(rig.device.board)
    expect(board).toMatchObject({ name: 'greenhouse', version: '1.4.0' })
    expect(Object.keys(board!.sensors!)).toEqual(Object.keys(own.sensors!))
    expect(Object.keys(board!.actuators!)).toEqual(Object.keys(own.actuators!))
    for (const [name, { safe, reversible, absolute }] of Object.entries(own.actuators!)) {
      expect(board!.actuators![name]!.safe).toEqual(safe)
      expect(board!.actuators![name]).toMatchObject({
        ...(reversible && { reversible }),
        ...(absolute && { absolute }),
      })
    }
    expect(() => createServer(board!)).not.toThrow()
    expect(rig.told).toEqual([])
  })

  it('is served like any other board, and hosts hear of new firmware', async () => {
    const rig: RemoteRig = new RemoteRig({ onBoard: board => server.replaceBoard(board) })
    const told: string[] = []
    const server = createServer(rig.device.board, {
      clock: rig.clock,
      readSensorsTool: true,
      diagnose: text => void told.push(text),
    })
    const client = new TestClient(server)
    await client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    client.notify('notifications/initialized')
    rig.link(greenhouse(rig), { firmware: '1.4.0' }).start()
    rig.plug()
    await rig.clock.advance(3000)
    const { tools } = (await client.request('tools/list')).result
    expect(tools.map(({ name }: { name: string }) => name)).toContain('vent')
    const moved = await rig.during(client.request('tools/call', { name: 'vent', arguments: { percent: 60 } }))
    expect(moved.result.isError).toBeUndefined()
    expect(moved.result.structuredContent).toMatchObject({ percent: 60 })
    const refused = await rig.during(client.request('tools/call', { name: 'vent', arguments: { percent: 600 } }))
    expect(refused.result.isError).toBe(true)
    const readings = await rig.during(client.request('tools/call', { name: 'read_sensors', arguments: {} }))
    expect(readings.result.structuredContent.readings).toHaveLength(Object.keys(rig.device.board.sensors!).length)
    rig.unplug()
    const away = await rig.during(client.request('tools/call', { name: 'vent', arguments: { percent: 10 } }))
    expect(away.result).toMatchObject({ isError: true })
    expect(away.result.content[0].text).toContain('greenhouse (/dev/ttyACM0) is away (/dev/ttyACM0 was unplugged)')
    rig.link({ name: 'lamp', sensors: { light: { read: () => 1 } } }, { boot: 2 })
    rig.plug()
    await rig.clock.advance(3000)
    const sensors = (await client.request('resources/list')).result.resources.map(({ uri }: { uri: string }) => uri)
    expect(sensors).toEqual(['sensor://lamp', 'sensor://lamp/light'])
    await rig.during(server.close())
  })

  it('tells its log, and what it prints, as text', async () => {
    const rig = new RemoteRig()
    const device = rig.link(greenhouse(rig))
    rig.plug()
    await rig.clock.advance(3000)
    device.log('warning', 'tank\u001b[31m low\u0007')
    rig.say('\u001b[0;32mI (320) wifi: \u202eup\u001b[0m\r\n{"jsonrpc":"2.0","id":1,"result":{}}\n')
    await rig.clock.advance(10)
    expect(rig.logs).toEqual([[4, 'tank low']])
    expect(rig.texts).toEqual(['I (320) wifi: up', '{"jsonrpc":"2.0","id":1,"result":{}}'])
    expect(rig.device.kind).toBe('link')
    expect(rig.device.counters.bytesIn).toBeGreaterThan(100)
    expect(rig.device.hello).toMatchObject({ name: 'greenhouse', id: 'A1B2' })
    await rig.during(rig.device.ping())
  })

  it('another device on the same port is told, though it describes the same', async () => {
    const rig = new RemoteRig()
    rig.link(greenhouse(rig))
    rig.plug()
    await rig.clock.advance(3000)
    rig.unplug()
    rig.link(greenhouse(rig), { id: 'FFFF' })
    rig.plug()
    await rig.clock.advance(3000)
    expect(rig.told.some(text => text.includes('another device answers than the last time (FFFF)'))).toBe(true)
    expect(rig.device.kind).toBe('link')
  })
})
