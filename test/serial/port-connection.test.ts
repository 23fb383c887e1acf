import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { afterEach, describe, expect, it } from 'vitest'
import { processOwner } from '../../runtime/index.ts'
import {
  openPort,
  type PortConnection,
  type PortDescription,
  type PortOptions,
  serialStream,
} from '../../transports/serial/index.ts'
import { FakeDevice, type FakeDeviceOptions } from './fake-device.ts'
import { noPtys } from './pty.ts'
import { Recorder } from './recorder.ts'

describe.skipIf(noPtys !== undefined)('A connection to a device', () => {
  const used: { close(): unknown }[] = []
  afterEach(async () => {
    for (const one of used.splice(0).reverse()) await one.close()
  })

  function device(options: FakeDeviceOptions = {}): FakeDevice {
    const made = new FakeDevice(options)
    used.push(made)
    return made
  }

  function connect(spec: string, options: Partial<PortOptions> = {}): { port: PortConnection; recorder: Recorder } {
    const recorder = new Recorder()
    const port = openPort(spec, { retryMs: 10, longestRetryMs: 40, ...options, ...recorder.options })
    used.push(port)
    return { port, recorder }
  }

  it('is opening at first, then open, and carries bytes', async () => {
    const { path } = device()
    const { port, recorder } = connect(path)
    expect(port.state).toBe('opening')
    await recorder.until(() => recorder.state === 'open')
    expect(port.state).toBe('open')
    await port.write('hello\n')
    await recorder.hears('hello\n')
    expect(recorder.changes).toEqual([
      {
        state: 'open',
        name: path,
        port: undefined,
        device: 'first',
        linesText: 'DTR and RTS as the system leaves them',
      },
    ])
  })

  it('waits for a device that is not there yet, and tells so once', async () => {
    const board = device()
    board.unplug()
    const { port, recorder } = connect(board.path)
    await recorder.until(() => recorder.state === 'away')
    expect(port.reason?.message).toMatch(new RegExp(`^${board.path} is not there; `))
    await expect(port.write('early')).rejects.toBe(port.reason)
    await tries(port)
    board.plug()
    await recorder.until(() => recorder.state === 'open')
    expect(recorder.story).toEqual(['away absent', 'open first'])
    expect(port.reason).toBeUndefined()
  })

  it('comes back after the cable was pulled, and tells each change once', async () => {
    const board = device()
    const { port, recorder } = connect(board.path)
    await recorder.until(() => recorder.state === 'open')
    board.pty?.pause()
    const unsent = port.write('x'.repeat(1_000_000))
    board.unplug()
    await expect(unsent).rejects.toMatchObject({ code: 'lost' })
    await recorder.until(() => recorder.state === 'away')
    expect(port.pendingBytes).toBe(0)
    await tries(port)
    board.heard = ''
    board.plug()
    await recorder.until(() => recorder.state === 'open')
    await port.write('again\n')
    await recorder.hears('again\n')
    // What was to be sent to the board before is not sent to it now.
    expect(board.heard).toBe('again\n')
    expect(recorder.story).toEqual(['open first', 'away lost', 'open unknown'])
  })

  it('sees boot text of a device that resets when it is opened', async () => {
    const board = device({ boot: 'boot\r\n' })
    const { port, recorder } = connect(board.path)
    await recorder.until(() => recorder.state === 'open')
    board.reset()
    await recorder.hears('boot\r\n')
    expect(port.state).toBe('open')
  })

  it('survives forty rounds of unplugging with no file left open', async () => {
    const board = device()
    const { port, recorder } = connect(board.path)
    let before = 0
    for (let round = 0; round <= 40; round++) {
      const opened = recorder.story.filter(change => change.startsWith('open')).length
      if (round > 0) {
        board.unplug()
        await recorder.until(() => recorder.state === 'away')
        board.plug()
      }
      await recorder.until(() => recorder.state === 'open' && (round === 0 || recorder.changes.length > opened))
      await port.write(`${round}\n`)
      await recorder.hears(`${round}\n`)
      if (round === 0) before = openFiles()
    }
    expect(recorder.changes).toHaveLength(81)
    await eventually(() => openFiles() <= before)
  })

  it('names the program that holds the port, once, and takes it when that program leaves', async () => {
    const board = device()
    const holder = spawn(process.execPath, ['--input-type=module', '-e', holding, board.path], {
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd: process.cwd(),
    })
    used.push({ close: () => holder.kill() })
    await once(holder.stdout, 'data')
    const { port, recorder } = connect(board.path)
    await recorder.until(() => recorder.state === 'away')
    expect(port.reason?.code).toBe('busy')
    expect(port.reason?.message).toMatch(
      new RegExp(
        `^${board.path} is in use by node .*\\(process ${holder.pid}\\): ` +
          'close that program, since one at a time may have the port$',
      ),
    )
    await tries(port)
    holder.stdin.end()
    await recorder.until(() => recorder.state === 'open')
    expect(recorder.story).toEqual(['away busy', 'open first'])
  })

  it('says when this very program has the port already', async () => {
    const { path } = device()
    const first = serialStream(path)
    used.push(first)
    await first.open(new Recorder())
    const { port, recorder } = connect(path)
    await recorder.until(() => recorder.state === 'away')
    expect(port.reason?.message).toMatch(new RegExp(`^${path} is in use by this program itself`))
    await first.close()
    await recorder.until(() => recorder.state === 'open')
  })

  it('gives the port back for an upload, and comes back after it', async () => {
    const board = device()
    const { port, recorder } = connect(board.path)
    await recorder.until(() => recorder.state === 'open')
    await port.release()
    await expect(port.write('x')).rejects.toMatchObject({ code: 'released' })
    const uploader = serialStream(board.path)
    await uploader.open(new Recorder())
    await uploader.close()
    port.retake()
    await recorder.until(() => recorder.state === 'open')
    expect(recorder.story).toEqual(['open first', 'away released', 'open unknown'])
  })

  it('can be released while it is being opened', async () => {
    const { path } = device()
    const { port, recorder } = connect(path)
    await port.release()
    expect(port.state).toBe('away')
    const other = serialStream(path)
    await other.open(new Recorder())
    await other.close()
    port.retake()
    await recorder.until(() => recorder.state === 'open')
    expect(recorder.story).toEqual(['away released', 'open first'])
  })

  it('takes the port from an owner, and gives it back while the device is away', async () => {
    const board = device()
    const owner = processOwner()
    const { recorder } = connect(board.path, { owner })
    await recorder.until(() => recorder.state === 'open')
    const { path } = board.pty!
    expect(() => owner.own(path, 'another')).toThrow(`${path} is in use by ${board.path}`)
    const { port: second, recorder: told } = connect(board.path, { owner })
    await told.until(() => told.state === 'away')
    expect(second.reason).toMatchObject({ code: 'busy', message: expect.stringMatching(`^${path} is in use by `) })
    await second.close()
    board.unplug()
    await recorder.until(() => recorder.state === 'away')
    await eventually(() => {
      try {
        void (owner.own(path, 'another') as { release(): void }).release()
        return true
      } catch {
        return false
      }
    })
  })

  it('that was closed tells so once, and tries no more', async () => {
    const board = device()
    board.unplug()
    const { port, recorder } = connect(board.path)
    await recorder.until(() => recorder.state === 'away')
    await Promise.all([port.close(), port.close()])
    board.plug()
    await tries(port)
    expect(recorder.story).toEqual(['away absent', 'closed'])
    await expect(port.write('x')).rejects.toMatchObject({ code: 'closed' })
  })

  it('stays paused through unplugging', async () => {
    const board = device()
    const { port, recorder } = connect(board.path)
    await recorder.until(() => recorder.state === 'open')
    port.pause()
    board.unplug()
    await recorder.until(() => recorder.state === 'away')
    board.plug()
    await recorder.until(() => recorder.state === 'open')
    await port.write('ping\n')
    await board.hears('ping\n')
    expect(recorder.text).toBe('')
    port.resume()
    await recorder.hears('ping\n')
  })

  it('says what a path is that is no serial port', async () => {
    const board = device()
    const plain = `${board.path}.txt`
    writeFileSync(plain, '')
    used.push({ close: () => rmSync(plain) })
    const { port, recorder } = connect(plain)
    await recorder.until(() => recorder.state === 'away')
    expect(port.reason?.message).toMatch(new RegExp(`^${plain} is not a serial port; `))
    const { port: none, recorder: heard } = connect('/dev/null')
    await heard.until(() => heard.state === 'away')
    expect(none.reason?.message).toMatch(/^\/dev\/null is a device, but not a serial port; /)
  })

  it('takes the same device where it comes back, and says when it is another one', async () => {
    const [first, second] = [device(), device()]
    const uno = { vendorId: '2341', productId: '0043', serialNumber: '7A' }
    let plugged: PortDescription[] = [{ path: first.path, ...uno }]
    const { port, recorder } = connect(first.path, { ports: async () => plugged })
    await recorder.until(() => recorder.state === 'open')
    expect(port.port).toEqual({ path: first.path, ...uno })
    // Another board is at its old path now.
    plugged = [
      { path: first.path, ...uno, serialNumber: '7B' },
      { path: second.path, ...uno },
    ]
    first.unplug()
    first.plug()
    await recorder.until(() => recorder.changes.length === 3)
    expect(recorder.changes.at(-1)).toMatchObject({ state: 'open', name: second.path, device: 'same' })
    plugged = [{ path: first.path, ...uno, serialNumber: '7B' }]
    second.unplug()
    await recorder.until(() => recorder.changes.length === 5)
    expect(recorder.changes.at(-1)).toMatchObject({ state: 'open', name: first.path, device: 'other' })
  })

  it('leaves the boot loader of the board alone, at whatever path it is', async () => {
    const board = device()
    const leonardo = { path: board.path, vendorId: '2341', productId: '8036' }
    let plugged: PortDescription[] = [leonardo]
    const { port, recorder } = connect(board.path, { ports: async () => plugged })
    await recorder.until(() => recorder.state === 'open')
    plugged = [{ ...leonardo, productId: '0036' }]
    board.unplug()
    board.plug()
    await recorder.until(() => recorder.state === 'away')
    await tries(port)
    expect(recorder.changes).toHaveLength(2)
    plugged = [leonardo]
    await recorder.until(() => recorder.state === 'open')
  })

  it('leaves a boot loader alone that comes between the look and the opening', async () => {
    const board = device()
    const leonardo = { path: board.path, vendorId: '2341', productId: '8036' }
    let plugged: PortDescription[] = [leonardo]
    let looksInVain = 0
    const ports = async () => (looksInVain-- > 0 ? [] : plugged)
    const { port, recorder } = connect(board.path, { ports })
    await recorder.until(() => recorder.state === 'open')
    // One for where it is, one for where it may be, one before it is opened.
    looksInVain = 3
    plugged = [{ ...leonardo, productId: '0036' }]
    board.unplug()
    board.plug()
    await recorder.until(() => recorder.state === 'away')
    await tries(port)
    expect(recorder.changes.map(({ state }) => state)).toEqual(['open', 'away'])
    plugged = [leonardo]
    await recorder.until(() => recorder.state === 'open')
  })

  it('finds a device by its USB ids', async () => {
    const board = device()
    const plugged = { path: board.path, vendorId: '2341', productId: '0043' }
    let ports: PortDescription[] = [plugged, { ...plugged, path: '/dev/ttyACM9' }]
    const { port, recorder } = connect('usb:2341:43', { ports: async () => ports })
    await recorder.until(() => recorder.state === 'away')
    expect([port.spec, port.reason?.code]).toEqual(['usb:2341:0043', 'several'])
    ports = [plugged]
    await recorder.until(() => recorder.state === 'open')
    expect(recorder.changes.at(-1)).toMatchObject({ name: board.path, port: plugged })
  })

  it('refuses at once a spec that means nothing', () => {
    expect(() => openPort('usb:arduino', { onBytes: () => {} })).toThrow('usb:VID:PID')
  })
})

/** A program that takes the port, says so, and leaves when its input ends. */
const holding = `
import { SerialPort } from 'serialport'
const port = new SerialPort({ path: process.argv[1], baudRate: 9600 }, () => console.log('open'))
process.stdin.on('end', () => port.close()).resume()
`

function openFiles(): number {
  return readdirSync('/proc/self/fd').length
}

/** Lets a connection that is away try some more: whatever it had to tell, it has told then. */
async function tries(port: PortConnection): Promise<void> {
  const until = performance.now() + 150
  await eventually(() => performance.now() > until || port.state === 'open')
}

/** Waits for what has no event: that the system or a promise inside has done its part. */
async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5))
}
