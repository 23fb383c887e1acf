import { describe, expect, it } from 'vitest'
import { LinkDevice } from '../../boards/remote/link/index.ts'
import { actuator, type Board } from '../../runtime/index.ts'
import type { Child } from '../child.ts'
import { noPtys } from '../serial/pty.ts'
import { CabledBoard, type Firmware, ownFolders, startFerrule } from './cabled-board.ts'

const on = { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] } as const

/** A workshop that keeps its own rules, what its outputs are, and whether it is armed. */
function workshop() {
  const is = { heater: false, cooler: false, lamp: false, saw: false }
  const output = (name: keyof typeof is, rules: object) =>
    actuator({ inputSchema: on, safe: { on: false }, ...rules, set: args => void (is[name] = args.on) })
  const board: Board = {
    name: 'workshop',
    version: '1.0.0',
    sensors: { saw_on: { type: 'boolean', read: () => is.saw } },
    actuators: {
      heater: output('heater', { group: 'heat' }),
      cooler: output('cooler', { group: 'heat' }),
      lamp: output('lamp', { holdForMs: 50 }),
      saw: output('saw', { arming: true, readback: 'saw_on' }),
    },
  }
  const devices: LinkDevice[] = []
  const firmware: Firmware = (send, boot) => {
    const device = new LinkDevice({ board, id: 'W1', boot, outlet: { write: bytes => send(bytes) } })
    devices.push(device)
    device.start()
    return { receive: chunk => device.receive(chunk), end: () => void device.close() }
  }
  return { is, cabled: new CabledBoard(firmware), armed: () => devices.at(-1)!.armed }
}

/** A host in which a person can be asked, and is answered for as `action` says. */
async function hosted(bridge: Child): Promise<void> {
  await bridge.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'test', version: '1.0.0' },
  })
  bridge.write({ jsonrpc: '2.0', method: 'notifications/initialized' })
}

async function armOutputs(bridge: Child, action: 'accept' | 'decline'): Promise<string> {
  const asked = () => bridge.messages.filter(({ method }) => method === 'elicitation/create')
  const before = asked().length
  const armed = bridge.call('arm_outputs')
  await bridge.until(() => asked().length > before, 'a question to the person')
  const { id } = asked().at(-1)
  bridge.write({ jsonrpc: '2.0', id, result: { action, ...(action === 'accept' && { content: {} }) } })
  return armed
}

describe.skipIf(noPtys !== undefined)('a board with rules behind the bridge', () => {
  it('lets one of a group be on, and the host is told what to do', async () => {
    const { cabled, is } = workshop()
    const bridge = startFerrule(['bridge', '--port', cabled.path])
    await bridge.initialize()
    await bridge.call('heater', { on: true })
    expect(await bridge.call('cooler', { on: true })).toMatch(/nothing was moved: heater is on/)
    await bridge.call('heater', { on: false })
    await bridge.call('cooler', { on: true })
    expect(is).toMatchObject({ heater: false, cooler: true })
  })

  it('makes safe by its own clock what was on for too long, and says so', async () => {
    const { cabled, is } = workshop()
    const bridge = startFerrule(['bridge', '--port', cabled.path])
    await bridge.initialize()
    expect(await bridge.call('lamp', { on: true })).not.toMatch(/error|refused/)
    await bridge.tells('lamp was away from its safe state for too long')
    expect(is.lamp).toBe(false)
  })

  it('moves what needs arming only after a person said so, and until a stop', async () => {
    const { cabled, is, armed } = workshop()
    const folders = ownFolders()
    const bridge = startFerrule(['bridge', '--port', cabled.path], folders)
    await hosted(bridge)
    const doctor = startFerrule(['doctor', cabled.path], folders)
    expect(await bridge.call('saw', { on: true })).toMatch(/nothing was moved: it stays off until a person arms/)
    expect(await armOutputs(bridge, 'decline')).toMatch(/not carried out: the person did not agree/)
    expect(armed()).toBe(false)
    await doctor.exit()
    expect(`${doctor.lines.join('\n')}${doctor.stderr}`).toMatch(/its outputs stay off until a person arms them/)
    expect(await armOutputs(bridge, 'accept')).toMatch(/are armed/)
    expect(armed()).toBe(true)
    await bridge.call('saw', { on: true })
    expect(is.saw).toBe(true)
    await bridge.call('stop_all')
    expect([is.saw, armed()]).toEqual([false, false])
    expect(await bridge.call('saw', { on: true })).toMatch(/until a person arms/)
    expect(is.saw).toBe(false)
  })

  it('is not armed any more when its host has left, nor while its cable is out', async () => {
    const { cabled, armed } = workshop()
    const bridge = startFerrule(['bridge', '--port', cabled.path])
    await hosted(bridge)
    await armOutputs(bridge, 'accept')
    cabled.unplug()
    await bridge.tells(cabled.path)
    expect(await armOutputs(bridge, 'accept')).toMatch(/outputs were not armed/)
    cabled.plug()
    await bridge.tells('restarted: its outputs are as after a start')
    expect(armed()).toBe(false)
    expect(await armOutputs(bridge, 'accept')).toMatch(/are armed/)
    bridge.endInput()
    await bridge.exit()
    expect(armed()).toBe(false)
  })
})
