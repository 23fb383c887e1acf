import { describe, expect, it } from 'vitest'
import { mergeBoards } from '../../boards/remote/index.ts'
import { actuator, type Board, createServer } from '../../runtime/index.ts'
import { ruleBoard } from '../link/rule-board.ts'
import { TestClient } from '../memory-client.ts'
import { RemoteRig } from './remote-rig.ts'

/** The board with rules, with a saw that the model may ask for. */
function shed() {
  const { board, state } = ruleBoard()
  const { audience: _, confirm: __, ...saw } = board.actuators!.saw!
  return { board: { ...board, actuators: { ...board.actuators, saw } } as Board, state }
}

/** That board on a cable, and a server of what the cable brings. */
async function served(board: Board) {
  const rig: RemoteRig = new RemoteRig({ onBoard: each => server.replaceBoard(each) })
  const server = createServer(rig.device.board, { clock: rig.clock, diagnose: () => {} })
  const client = new TestClient(server)
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  const device = rig.link(board)
  device.start()
  rig.plug()
  await rig.clock.advance(3000)
  const call = async (name: string, args: object = {}): Promise<string> => {
    const { result } = await rig.during(client.request('tools/call', { name, arguments: args }))
    return `${result.isError ? 'error: ' : ''}${result.content[0].text}`
  }
  return { rig, server, device, call }
}

describe('a device that keeps rules', () => {
  it('refuses in words that say what to do', async () => {
    const { call } = await served(shed().board)
    expect(await call('heater', { on: true })).not.toMatch('error')
    expect(await call('cooler', { on: true })).toMatch(
      /refused by shed .*, and nothing was moved: heater is on, .*\. Put heater into its safe state first \(\{"on":false\}\)$/,
    )
    await call('pump', { on: true })
    expect(await call('pump', { on: true })).toMatch(/^error: .*nothing was moved: it moves at most once in 2 s/)
    expect(await call('motor', { speed: 60 })).toMatch(/^error: .*may change by 20 a second/)
    expect(await call('saw', { on: true })).toMatch(
      /^error: .*nothing was moved: it stays off until a person arms the outputs \(with ferrule arm, or by the tool arm_outputs/,
    )
  })

  it('is armed by a person through the server, and disarmed by a stop', async () => {
    const { board, state } = shed()
    const { rig, server, device, call } = await served(board)
    expect(rig.device.armed).toBe(false)
    await rig.during(server.arm('a person'))
    expect([rig.device.armed, device.armed]).toEqual([true, true])
    expect(await call('saw', { on: true })).not.toMatch('error')
    expect(state.saw).toBe(true)
    await rig.during(server.stop('a person'))
    expect([rig.device.armed, device.armed, state.saw]).toEqual([false, false, false])
    expect(await call('saw', { on: true })).toMatch(/^error: .*until a person arms/)
    await rig.during(server.arm('a person'))
    expect(await call('saw', { on: true })).not.toMatch('error')
  })

  it('is not armed after it restarted, and says so', async () => {
    const { board } = shed()
    const { rig, server, call } = await served(board)
    await rig.during(server.arm('a person'))
    rig.link(board, { boot: 2 }).start()
    await rig.clock.advance(3000)
    expect(rig.device.armed).toBe(false)
    expect(await call('saw', { on: true })).toMatch(/^error: .*refused by .*until a person arms/)
  })

  it('cannot be armed while it is away, and is not when it comes back', async () => {
    const { rig, server, device } = await served(shed().board)
    rig.unplug()
    expect(rig.device.armed).toBeUndefined()
    await expect(rig.during(server.arm('a person'))).rejects.toThrow(
      /^shed \(.*unplugged.*; its outputs were not armed$/,
    )
    rig.plug()
    await rig.clock.advance(5000)
    expect(device.armed).toBe(false)
  })
})

describe('arming', () => {
  it('is for boards that have something to arm', async () => {
    const lamp = actuator({ safe: null, set: () => {} })
    const { rig } = await served({ name: 'desk', actuators: { lamp } })
    expect(rig.device.board.arm).toBeUndefined()
    const { rig: other } = await served(shed().board)
    expect(other.device.board.arm).toBeTypeOf('function')
  })

  it('of a board of several reaches each of them', async () => {
    const [lab, attic] = [await served(shed().board), await served(shed().board)]
    const both = mergeBoards({ lab: lab.rig.device.board, attic: attic.rig.device.board })
    const armed = both.arm!(true)
    await Promise.all([lab, attic].map(({ rig }) => rig.clock.advance(100)))
    await armed
    expect([lab.device.armed, attic.device.armed]).toEqual([true, true])
  })

  it('that the device refuses is told with its name', async () => {
    const { rig } = await served(shed().board)
    const { board } = rig.device
    // Other firmware under the same description.
    const { heater } = ruleBoard().board.actuators!
    rig.peer = undefined
    const arming = Promise.resolve(board.arm!(true)).catch(thrown => thrown)
    const failed = (await rig.during(arming)) as Error
    expect(failed.message).toMatch(/^shed \(\/dev\/ttyACM0\): its outputs were not armed: the device does not answer/)
    rig.link({ name: 'oven', actuators: { heater: heater! } }, { id: 'C3', boot: 3 }).start()
    await rig.clock.advance(6000)
    await expect(rig.during(Promise.resolve(board.arm!(true)))).rejects.toThrow(/has other firmware now/)
  })
})
