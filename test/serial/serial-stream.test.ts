import { readdirSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { type SerialOptions, serialStream } from '../../transports/serial/index.ts'
import { byteStreamContract } from './byte-stream-contract.ts'
import { FakeDevice, type FakeDeviceOptions } from './fake-device.ts'
import { noPtys, Pty } from './pty.ts'
import { Recorder } from './recorder.ts'

if (noPtys !== undefined) console.warn(`skipped: ${noPtys}`)
const described = describe.skipIf(noPtys !== undefined)

described('A serial port', () => {
  const devices: { close(): void | Promise<void> }[] = []
  afterEach(async () => {
    for (const device of devices.splice(0).reverse()) await device.close()
  })

  async function plugged(options: SerialOptions = {}, deviceOptions: FakeDeviceOptions = {}) {
    const device = new FakeDevice(deviceOptions)
    const stream = serialStream(device.path, options)
    devices.push(device, { close: () => stream.close('now') })
    const recorder = new Recorder()
    await stream.open(recorder)
    return { device, stream, recorder }
  }

  it('is made raw, whatever state it was in', async () => {
    const { device, stream, recorder } = await plugged()
    expect(device.pty?.settings().cooked).toEqual([])
    const controls = `${String.fromCharCode(0x03, 0x04, 0x0d, 0x11, 0x13, 0x1a, 0x7f, 0xff)}${'x'.repeat(9000)}\n`
    await stream.write(Buffer.from(controls, 'latin1'))
    await recorder.hears(controls)
    // An echoing port would have given the device its own answer to answer.
    expect(recorder.text).toBe(controls)
    expect(device.heard).toBe(controls)
  })

  it('a fresh one is cooked before, so that the test above shows something', () => {
    const pty = new Pty()
    expect(pty.settings().cooked).toEqual(expect.arrayContaining(['ICANON', 'ECHO', 'ICRNL', 'IXON', 'OPOST']))
    pty.unplug()
  })

  it.each([9600, 115_200, 250_000, 12_345])('is opened at %d baud', async baudRate => {
    const { device } = await plugged({ baudRate })
    expect(device.pty?.settings().baudRate).toBe(baudRate)
  })

  it('at another rate than the board has, noise comes back', async () => {
    const { stream, recorder, device } = await plugged({ baudRate: 9600 }, { baudRate: 115_200 })
    await stream.write('hello\n')
    await device.hears(String.fromCharCode(0x0a ^ 0xa5))
    expect(device.heard).not.toContain('hello')
    expect(recorder.text).not.toContain('hello')
  })

  it('without DTR and RTS works all the same, and says so when they were asked for', async () => {
    const { stream, recorder } = await plugged({ lines: { dtr: false } })
    expect(stream.linesText).toMatch(/^DTR down, RTS up, as asked for; setting them failed \(.+\)$/)
    await stream.write('hello\n')
    await recorder.hears('hello\n')
  })

  it('gives noise, half frames and boot text as they come', async () => {
    const boot = Buffer.from('726c6c8ce210fe000080c01b1311ff7f0d0a', 'hex')
    const { device, recorder } = await plugged()
    device.send(boot)
    device.send('half a fra')
    device.reset()
    device.send('ets Jun  8 2016\r\n')
    await recorder.hears('2016\r\n')
    expect(recorder.text).toBe(`${boot.toString('latin1')}half a fraets Jun  8 2016\r\n`)
  })

  it('keeps what a deaf device did not take for nobody, and reaches it when it hears again', async () => {
    const { device, stream, recorder } = await plugged()
    device.deaf = true
    await stream.write('lost\n')
    device.send('still deaf\n')
    await recorder.hears('still deaf\n')
    device.deaf = false
    await stream.write('heard\n')
    await recorder.hears('heard\n')
    expect(recorder.text).not.toContain('lost')
  })

  it('paced, loses nothing in a receive buffer of 64 bytes', async () => {
    const fifo = { bytes: 64, loopMs: 10, baudRate: 115_200 }
    const { device, stream, recorder } = await plugged({ pacing: { bytes: 32, ms: 10 } }, { fifo })
    const long = `${'0123456789'.repeat(70)}\n`
    const began = performance.now()
    stream.write(long)
    await stream.write('short\n')
    expect(performance.now() - began).toBeGreaterThanOrEqual(21 * 10)
    await recorder.hears('short\n')
    expect(recorder.text).toBe(`${long}short\n`)
    expect(device.overrun).toBe(0)
  })

  it('as fast as it goes, loses most of it there', async () => {
    const fifo = { bytes: 64, loopMs: 10, baudRate: 115_200 }
    const { device, stream } = await plugged({}, { fifo })
    await stream.write('0123456789'.repeat(70))
    await device.hears('0123456789')
    expect(device.overrun).toBeGreaterThan(0)
  })

  it('sees the cable pulled while it is paused', async () => {
    const { device, stream, recorder } = await plugged()
    stream.pause()
    device.unplug()
    await recorder.until(() => recorder.ends.length === 1)
    expect(recorder.ends[0]?.message).toBe(
      `${device.path} is gone: the cable was pulled, or the board restarted its USB`,
    )
  })

  it('can be closed while it is being opened, and is free then', async () => {
    const device = new FakeDevice()
    devices.push(device)
    const stream = serialStream(device.path)
    const opening = stream.open(new Recorder())
    await stream.close()
    await expect(opening).rejects.toMatchObject({ code: 'closed' })
    const next = serialStream(device.path)
    await next.open(new Recorder())
    await next.close()
  })

  it('closes in time when the board takes nothing', async () => {
    const { device, stream, recorder } = await plugged({ drainMs: 50 })
    device.pty?.pause()
    stream.write('x'.repeat(200_000))
    const began = performance.now()
    await stream.close()
    expect(performance.now() - began).toBeLessThan(5000)
    expect(recorder.ends).toEqual([undefined])
  })

  it('is opened and closed forty times with no file left open', async () => {
    const device = new FakeDevice()
    devices.push(device)
    let before = 0
    for (let round = 0; round <= 40; round++) {
      const stream = serialStream(device.path)
      const recorder = new Recorder()
      await stream.open(recorder)
      await stream.write(`${round}\n`)
      await recorder.hears(`${round}\n`)
      await stream.close()
      if (round === 0) before = openFiles()
    }
    expect(openFiles()).toBe(before)
  })
})

function openFiles(): number {
  return readdirSync('/proc/self/fd').length
}

if (noPtys === undefined)
  byteStreamContract('a serial port', () => {
    const pty = new Pty()
    let heard = ''
    const watchers = new Set<() => void>()
    pty.onBytes = bytes => {
      heard += bytes.toString('latin1')
      for (const watcher of watchers) watcher()
    }
    return {
      stream: serialStream(pty.path),
      send: bytes => pty.write(bytes),
      heard: () => heard,
      hears: text =>
        new Promise(resolve => {
          const watcher = () => {
            if (heard.includes(text)) resolve()
          }
          watchers.add(watcher)
          watcher()
        }),
      block: blocked => (blocked ? pty.pause() : pty.resume()),
      leave: () => pty.unplug(),
      done: () => pty.unplug(),
    }
  })
