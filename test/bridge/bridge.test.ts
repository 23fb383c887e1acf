import { describe, expect, it } from 'vitest'
import { actuator } from '../../runtime/index.ts'
import type { Child } from '../child.ts'
import { noPtys } from '../serial/pty.ts'
import { CabledBoard, greenhouse, linkFirmware, ownFolders, startFerrule } from './cabled-board.ts'

const everyServerHas = ['stop_all', 'arm_outputs']
const toolNames = ({ result }: any) =>
  result.tools.map((tool: any) => tool.name).filter((name: string) => !everyServerHas.includes(name))
const changesTold = (bridge: Child) => bridge.lines.filter(line => line.includes('tools/list_changed')).length

describe.skipIf(noPtys !== undefined)('a board on the compact link', () => {
  it('is read and worked by a host that knows nothing of it', async () => {
    const moves: number[] = []
    const board = new CabledBoard(linkFirmware(greenhouse(moves)))
    const bridge = startFerrule(['bridge', '--port', board.path, '--read-sensors'])
    await bridge.initialize()
    const list = await bridge.request('tools/list')
    expect(toolNames(list).sort()).toEqual(['fan', 'read_sensors'])
    expect(list.result.tools).toHaveLength(2 + everyServerHas.length)
    const { result } = await bridge.request('resources/read', { uri: 'sensor://greenhouse/soil' })
    expect(JSON.stringify(result.contents)).toContain('0.42')
    await bridge.call('fan', { percent: 30 })
    expect(moves).toContain(30)
    expect(await bridge.call('fan', { percent: '45' })).toMatch(/45/)
    expect(await bridge.call('fan', { percent: 200 })).toMatch(/at most 100/)
    expect(moves.filter(each => each > 0)).toEqual([30, 45])
  })

  it('is made safe when its host leaves, and the bridge ends with code 0', async () => {
    const moves: number[] = []
    const board = new CabledBoard(linkFirmware(greenhouse(moves)))
    const bridge = startFerrule(['bridge', '--port', board.path])
    await bridge.initialize()
    await bridge.call('fan', { percent: 30 })
    bridge.endInput()
    expect(await bridge.exit()).toMatchObject({ code: 0 })
    expect(moves.at(-1)).toBe(0)
  })

  it('whose cable is pulled in a call gets a true answer for it, and works again when it is back', async () => {
    const moves: number[] = []
    let moved: () => void = () => {}
    const moving = new Promise<void>(resolve => {
      moved = resolve
    })
    const door = actuator({
      safe: null,
      set: () => {
        moves.push(1)
        moved()
        return new Promise<void>(() => {})
      },
    })
    const board = new CabledBoard(linkFirmware(greenhouse(moves, { actuators: { door } })))
    const bridge = startFerrule(['bridge', '--port', board.path])
    await bridge.initialize()
    await bridge.request('tools/list')
    const lost = bridge.call('door')
    await moving
    board.unplug()
    expect(await lost).toMatch(/unknown|nobody knows|may have/i)
    await bridge.tells(board.path)
    expect(await bridge.call('door')).toMatch(/away/)
    expect(moves).toEqual([1])
    const changes = changesTold(bridge)
    board.flash(linkFirmware(greenhouse(moves)))
    board.plug()
    await bridge.until(() => changesTold(bridge) > changes, 'other tools')
    await bridge.call('fan', { percent: 20 })
    expect(moves.at(-1)).toBe(20)
  })

  it('is listed at once from what it said the last time, while it is away', async () => {
    const folders = ownFolders()
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const first = startFerrule(['bridge', '--port', board.path], folders)
    await first.initialize()
    expect(toolNames(await first.request('tools/list'))).toEqual(['fan'])
    first.endInput()
    await first.exit()
    board.unplug()
    const second = startFerrule(['bridge', '--port', board.path], folders)
    const { result } = await second.initialize()
    expect(result.serverInfo.name).toBe('greenhouse')
    expect(toolNames(await second.request('tools/list'))).toEqual(['fan'])
    expect(await second.call('fan', { percent: 1 })).toMatch(/away|not there/)
  })

  it('with new firmware brings other tools, and the host is told', async () => {
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const bridge = startFerrule(['bridge', '--port', board.path])
    await bridge.initialize()
    expect(toolNames(await bridge.request('tools/list'))).toEqual(['fan'])
    const { fan } = greenhouse().actuators!
    const changes = changesTold(bridge)
    board.flash(linkFirmware(greenhouse([], { version: '2.0.0', actuators: { fan: fan!, lamp: fan! } })))
    await bridge.until(() => changesTold(bridge) > changes, 'other tools')
    expect(toolNames(await bridge.request('tools/list')).sort()).toEqual(['fan', 'lamp'])
  })

  it('prints for people on stderr, with its name, and nothing of it reaches the host', async () => {
    const board = new CabledBoard(linkFirmware(greenhouse()))
    const bridge = startFerrule(['bridge', '--port', board.path])
    await bridge.initialize()
    await bridge.request('tools/list')
    board.print('soil is dry\r\n')
    await bridge.tells('soil is dry')
    expect(bridge.stderr).toMatch(/^\d\d:\d\d:\d\d\.\d{3} greenhouse \(.*\): soil is dry$/m)
    expect(bridge.lines.filter(line => line.includes('soil is dry'))).toEqual([])
    await bridge.request('logging/setLevel', { level: 'debug' })
    board.print('soil is wet\r\n')
    await bridge.until(() => bridge.lines.some(line => line.includes('soil is wet')), 'a log message')
    const message = JSON.parse(bridge.lines.find(line => line.includes('soil is wet'))!)
    expect(message).toMatchObject({
      method: 'notifications/message',
      params: { level: 'debug', logger: expect.stringContaining('greenhouse'), data: 'soil is wet' },
    })
  })

  it('may be one of several: each has its names behind its own prefix', async () => {
    const [lab, attic]: [number[], number[]] = [[], []]
    const one = new CabledBoard(linkFirmware(greenhouse(lab), 'L1'))
    const other = new CabledBoard(linkFirmware(greenhouse(attic), 'A1'))
    const bridge = startFerrule(['bridge', '--port', `lab=${one.path}`, '--port', `attic=${other.path}`])
    await bridge.initialize()
    expect(toolNames(await bridge.request('tools/list')).sort()).toEqual(['attic_fan', 'lab_fan'])
    await bridge.call('attic_fan', { percent: 7 })
    expect([lab.includes(7), attic.includes(7)]).toEqual([false, true])
  })
})
