import assert from 'node:assert/strict'
import { closeSync, constants, openSync, readdirSync, readlinkSync } from 'node:fs'
import { after, afterEach, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { actuator, type Board } from '../../../runtime/index.ts'
import { type Firmware, greenhouse, linkFirmware } from '../../bridge/firmware.ts'
import type { Child } from '../../child-process.ts'
import { ferrule, listedPorts, ownFolders, startFerrule } from './rig/ferrule.ts'
import { settle, startUdev } from './rig/udev.ts'
import { UsbBoard } from './rig/usb-board.ts'
import { until } from './rig/wait.ts'

const pico = { vendorId: '2e8a', productId: '000a', maker: 'Raspberry Pi', product: 'Pico' }
const serialNumber = 'E660D4A0A7'

/** A greenhouse that makes itself safe a second after nobody talks to it any more. */
function firmware(moves: number[], more: Partial<Board> = {}): Firmware {
  return linkFirmware(greenhouse(moves, more), 'A1B2C3', { failSafeMs: 1000 })
}

/** Opens a bridge as a host does, and waits until the board has said what it has. */
async function hosted(test: TestContext, words: readonly string[], env = ownFolders()): Promise<Child> {
  const bridge = startFerrule(test, ['bridge', ...words], env)
  await bridge.initialize()
  const changes = () => count(bridge.lines.join('\n'), 'tools/list_changed')
  for (;;) {
    const before = changes()
    const { result } = await bridge.request('tools/list')
    if (result.tools.some(({ name }: { name: string }) => /fan$/.test(name))) return bridge
    await bridge.until(() => changes() > before, 'word of other tools')
  }
}

/** How often something stands in a text. */
function count(text: string, part: string): number {
  return text.split(part).length - 1
}

/** The ports that a process has open. */
function portsOf({ process: { pid } }: Child): string[] {
  const fds = `/proc/${pid}/fd`
  const paths = readdirSync(fds).map(fd => {
    try {
      return readlinkSync(`${fds}/${fd}`)
    } catch {
      return ''
    }
  })
  return paths.filter(path => path.startsWith('/dev/ttyACM'))
}

/** Does something, and waits until the bridge has opened a port after it. */
async function opensAfter(bridge: Child, act: () => unknown): Promise<void> {
  const before = count(bridge.stderr, ' is open')
  await act()
  await bridge.until(() => count(bridge.stderr, ' is open') > before, 'port to be opened')
}

/** Pulls the cable, and waits until the bridge knows. */
async function pulled(bridge: Child, board: UsbBoard): Promise<void> {
  const before = count(bridge.stderr, ' is gone: ')
  board.unplug()
  await bridge.until(() => count(bridge.stderr, ' is gone: ') > before, 'word of the pulled cable')
}

before(startUdev)

describe('a board on USB', () => {
  let moves: number[]
  let board: UsbBoard
  let port: string
  beforeEach(async () => {
    moves = []
    board = new UsbBoard({ ...pico, serialNumber, power: 'own', firmware: firmware(moves) })
    port = await board.plug()
    settle()
  })
  afterEach(() => board.remove())

  const byId = `/dev/serial/by-id/usb-Raspberry_Pi_Pico_${serialNumber}-if00`

  test('is listed with its ids, its serial number, the path that stays and what answers', async t => {
    const stdout = await listedPorts(t)
    const listed = [
      port,
      '  what        Raspberry Pi Pico',
      '  maker       Raspberry Pi',
      '  USB         2e8a:000a',
      `  serial no.  ${serialNumber}`,
      `  always at   ${byId}`,
      '  answers as  Greenhouse 1.0.0 (compact link)',
    ]
    assert.equal(stdout, listed.join('\n'))
  })

  test('is well, says the doctor', async t => {
    const { code, stdout } = await ferrule(t, ['doctor'])
    assert.ok(
      stdout.startsWith(`ok    port          ${port} (Raspberry Pi Pico, 2e8a:000a, serial number ${serialNumber})\n`),
      stdout,
    )
    assert.match(stdout, /^ok +line +115200 baud; DTR up, since the board sends nothing without it$/m)
    assert.match(stdout, /^ok +answer +Greenhouse 1\.0\.0 \(compact link\)$/m)
    assert.deepEqual([code, moves.filter(move => move > 0)], [0, []])
  })

  const specs = {
    path: () => port,
    'path that stays': () => byId,
    'USB ids': () => 'usb:2e8a:000a',
    'USB ids and serial number': () => `usb:2e8a:000a:${serialNumber}`,
    'serial number': () => serialNumber,
    'own name': () => 'greenhouse',
    'being the only one': () => 'auto',
  }
  for (const [how, spec] of Object.entries(specs)) {
    test(`is found by its ${how}`, async t => {
      const bridge = await hosted(t, ['--port', spec()])
      assert.match(await bridge.call('fan', { percent: 30 }), /30/)
      assert.ok(moves.includes(30))
      bridge.endInput()
      assert.equal((await bridge.exit()).code, 0)
      assert.equal(moves.at(-1), 0, 'it is made safe when its host leaves')
    })
  }

  test('whose cable is pulled in a call: nobody knows what became of it, it is not sent again, and the next is refused', async t => {
    let moved: () => void = () => {}
    const moving = new Promise<void>(resolve => {
      moved = resolve
    })
    let opened = 0
    const door = actuator({
      safe: null,
      set(_args, call) {
        // Being made safe is a call without a signal that anybody could abort.
        opened++
        moved()
        return new Promise<void>(resolve => call.signal.addEventListener('abort', () => resolve()))
      },
    })
    const { fan } = greenhouse(moves).actuators!
    await board.become({ firmware: firmware(moves, { actuators: { fan: fan!, door } }) })
    const bridge = await hosted(t, ['--port', serialNumber])
    opened = 0
    const lost = bridge.call('door')
    await moving
    await pulled(bridge, board)
    assert.match(await lost, /unknown|nobody knows|may have/i)
    assert.match(await bridge.call('door'), /away/)
    await opensAfter(bridge, () => board.plug())
    assert.equal(opened, 1)
  })

  test('that comes back under another number is found by its serial number, and had made itself safe', async t => {
    const bridge = await hosted(t, ['--port', serialNumber])
    await bridge.call('fan', { percent: 30 })
    await pulled(bridge, board)
    await until(() => moves.at(-1) === 0, 'the board to make itself safe')
    const other = new UsbBoard({ ...pico, serialNumber: 'OTHER', firmware: firmware([]) })
    t.after(() => other.remove())
    assert.equal(await other.plug(), port)
    await opensAfter(bridge, () => board.plug())
    assert.notEqual(board.port, port)
    await bridge.tells(`${board.port} is open`)
    assert.match(await bridge.call('fan', { percent: 40 }), /40/)
    assert.equal(moves.at(-1), 40)
  })

  test('that was named by a path comes back under another number, since a program still holds the old one', async t => {
    const bridge = await hosted(t, ['--port', port])
    await bridge.call('fan', { percent: 30 })
    const held = openSync(port, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK)
    t.after(() => closeSync(held))
    await pulled(bridge, board)
    await opensAfter(bridge, () => board.plug())
    assert.notEqual(board.port, port)
    assert.match(await bridge.call('fan', { percent: 40 }), /40/)
    assert.equal(moves.at(-1), 40)
  })

  test('may be pulled and plugged in ten times: each call has a true answer, and nothing is left open', async t => {
    const bridge = await hosted(t, ['--port', 'auto'])
    await bridge.call('fan', { percent: 1 })
    for (let round = 1; round <= 10; round++) {
      await pulled(bridge, board)
      assert.match(await bridge.call('fan', { percent: 100 }), /away/)
      await opensAfter(bridge, () => board.plug())
      const percent = round + 1
      assert.match(await bridge.call('fan', { percent }), new RegExp(`${percent}`))
      assert.equal(moves.at(-1), percent)
    }
    assert.ok(!moves.includes(100))
    assert.deepEqual(portsOf(bridge), [board.port])
  })

  test('gets new firmware by way of a boot loader, which the bridge keeps away from', async t => {
    const folders = ownFolders()
    const bridge = await hosted(t, ['--port', port], folders)
    await bridge.call('fan', { percent: 30 })
    const release = startFerrule(t, ['release', port], folders)
    await release.tells('press Enter')
    let heard = ''
    const bootLoader: Firmware = () => ({
      receive: chunk => {
        heard += Buffer.from(chunk).toString('latin1')
      },
      end: () => {},
    })
    await board.become({ productId: '0003', product: 'RP2 Boot', firmware: bootLoader })
    settle()
    assert.match(await bridge.call('fan', { percent: 31 }), /given back/)
    const { fan } = greenhouse(moves).actuators!
    await board.become({
      ...pico,
      firmware: firmware(moves, { version: '2.0.0', actuators: { fan: fan!, lamp: fan! } }),
    })
    assert.equal(heard, '')
    const changes = () => count(bridge.lines.join('\n'), 'tools/list_changed')
    const before = changes()
    await opensAfter(bridge, () => release.write('\n'))
    await bridge.until(() => changes() > before, 'word of other tools')
    assert.match(await bridge.call('lamp', { percent: 7 }), /7/)
    assert.equal(moves.at(-1), 7)
  })
})

test('a board that is restarted into its boot loader by hand: the bridge, which knows its path, leaves that to the upload', async t => {
  const moves: number[] = []
  const leonardo = { vendorId: '2341', productId: '8036', product: 'Leonardo', firmware: firmware(moves) }
  const board = new UsbBoard(leonardo)
  t.after(() => board.remove())
  const port = await board.plug()
  settle()
  const bridge = await hosted(t, ['--port', port])
  await bridge.call('fan', { percent: 30 })
  let heard = 0
  const bootLoader: Firmware = () => ({ receive: ({ length }) => void (heard += length), end: () => {} })
  assert.equal(await board.become({ productId: '0036', firmware: bootLoader }), port)
  settle()
  await bridge.tells('is gone: ')
  assert.match(await bridge.call('fan', { percent: 40 }), /away/)
  assert.deepEqual(portsOf(bridge), [])
  await opensAfter(bridge, () => board.become(leonardo))
  assert.match(await bridge.call('fan', { percent: 50 }), /50/)
  assert.deepEqual([moves.at(-1), heard], [50, 0])
})

describe('two boards of one kind on USB', () => {
  const moves: Record<string, number[]> = { S1: [], S2: [] }
  const boards: UsbBoard[] = []
  before(async () => {
    for (const serialNumber of ['S1', 'S2']) {
      const board = new UsbBoard({ ...pico, serialNumber, firmware: firmware(moves[serialNumber]!) })
      boards.push(board)
      await board.plug()
    }
  })
  after(() => Promise.all(boards.map(board => board.remove())))

  test('are not told apart by their kind, and it is said how to', async t => {
    const { stdout } = await ferrule(t, ['doctor', 'usb:2e8a:000a'])
    assert.match(stdout, /usb:2e8a:000a is plugged in 2 times: .* add the serial number, as in usb:2e8a:000a:S1/)
  })

  test('are not mixed up when they come back in the other order', async t => {
    const [one, other] = boards as [UsbBoard, UsbBoard]
    const ports = [one.port, other.port]
    const words = ['--port', 'one=S1', '--port', 'other=usb:2e8a:000a:S2']
    const bridge = await hosted(t, words)
    const works = async (percent: number) => {
      await bridge.call('one_fan', { percent })
      await bridge.call('other_fan', { percent: percent + 1 })
      assert.deepEqual([moves.S1!.at(-1), moves.S2!.at(-1)], [percent, percent + 1])
    }
    await works(10)
    await pulled(bridge, one)
    await pulled(bridge, other)
    await opensAfter(bridge, () => other.plug())
    await opensAfter(bridge, () => one.plug())
    assert.deepEqual([other.port, one.port], ports)
    await works(20)
  })
})
