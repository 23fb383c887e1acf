import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type SerialOptions, serial } from '../../boards/raspberry-pi/bus/serial.ts'
import { noPtys, Pty } from '../serial/pty.ts'
import { addFiles, systemRoot } from './system-root.ts'

const patienceMs = 20_000

function wired(options: SerialOptions = {}) {
  const pty = new Pty()
  const line = serial({ port: pty.path, ...options })
  onTestFinished(() => {
    line.close()
    pty.unplug()
  })
  return { pty, line }
}

describe.skipIf(noPtys)('a serial line', () => {
  it('is raw, at the rate that it was told, be it a usual one or not', () => {
    expect(wired().pty.settings()).toEqual({ baudRate: 9600, cooked: [] })
    expect(wired({ baud: 31_250 }).pty.settings()).toEqual({ baudRate: 31_250, cooked: [] })
  })

  it('gives as many bytes as it is asked for, however they come, and keeps the rest', async () => {
    const { pty, line } = wired()
    const first = line.read(4, patienceMs)
    const second = line.read(2, patienceMs)
    pty.write(Uint8Array.of(0x00, 0x0a, 0x0d))
    pty.write(Uint8Array.of(0x03, 0xff, 0x11, 0x7f))
    expect(await first).toEqual(Buffer.of(0x00, 0x0a, 0x0d, 0x03))
    expect(await second).toEqual(Buffer.of(0xff, 0x11))
    expect(await line.read(1, patienceMs)).toEqual(Buffer.of(0x7f))
  })

  it('sends bytes as they are, also more than the system takes at once', async () => {
    const { pty, line } = wired()
    const sent = Uint8Array.from({ length: 40_000 }, (_, i) => i % 251)
    let come = Buffer.alloc(0)
    const all = new Promise<void>(resolve => {
      pty.onBytes = bytes => {
        come = Buffer.concat([come, bytes])
        if (come.length >= sent.length + 1) resolve()
      }
    })
    await Promise.all([line.write(sent), line.write(Uint8Array.of(7))])
    await all
    expect(come.equals(Buffer.concat([sent, Buffer.of(7)]))).toBe(true)
  })

  it('forgets what came before, when it is told to', async () => {
    const { pty, line } = wired()
    pty.write('noise and')
    await line.read(6, patienceMs)
    line.flush()
    pty.write('answer')
    expect(String(await line.read(6, patienceMs))).toBe('answer')
  })

  it('waits no longer than it is told, and says how much came', async () => {
    const { pty, line } = wired()
    const name = pty.path.replace('/dev/pts/', '')
    await expect(line.read(3, 20)).rejects.toThrow(
      `${name} does not answer within 20 ms: check its power, and that its TX goes to RX here`,
    )
    pty.write('ab')
    const read = line.read(3, 300)
    await expect(read).rejects.toThrow(`${name} gave 2 of 3 bytes within 300 ms: check its baud rate`)
    await expect(read).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    pty.write('c')
    expect(String(await line.read(1, patienceMs))).toBe('c')
  })

  it('that is pulled ends the read that waits, and every later one', async () => {
    const { pty, line } = wired()
    const waiting = line.read(1, patienceMs)
    pty.unplug()
    await expect(waiting).rejects.toThrow('is gone: its cable was pulled')
    await expect(line.read(1, patienceMs)).rejects.toThrow('is gone: its cable was pulled')
    await expect(line.write(Uint8Array.of(1))).rejects.toThrow('is gone: its cable was pulled')
  })

  it('that is closed ends what waits', async () => {
    const { line } = wired()
    const waiting = line.read(1, patienceMs)
    await new Promise(resolve => setImmediate(resolve))
    line.close()
    line.close()
    await expect(waiting).rejects.toThrow('is closed')
    await expect(line.read(1, patienceMs)).rejects.toThrow('is closed')
  })

  it('has one owner', () => {
    const { pty } = wired()
    expect(() => serial({ port: pty.path })).toThrow('is taken by another part of this program')
  })
})

describe('a serial line that cannot be had', () => {
  it('is told with what switches it on, and is not held', () => {
    const root = systemRoot()
    for (let i = 0; i < 2; i++) {
      expect(() => serial({ root })).toThrow(
        'serial0 is not there: switch the UART on with sudo raspi-config nonint do_serial_hw 0',
      )
    }
    expect(() => serial({ root, port: '/dev/ttyUSB7' })).toThrow('ttyUSB7 is not there: ls /dev/serial/by-id')
  })

  it.skipIf(noPtys)('is told when it is no serial line', () => {
    const root = systemRoot()
    addFiles(root, { 'dev/plain': '' })
    expect(() => serial({ root, port: 'plain' })).toThrow('plain is no serial line')
  })

  it.skipIf(noPtys)('is told when no such rate can be', () => {
    const pty = new Pty()
    onTestFinished(() => pty.unplug())
    for (const baud of [0, -1, 9600.5, Number.NaN]) {
      expect(() => serial({ port: pty.path, baud })).toThrow(`cannot be set to ${baud} baud`)
    }
  })

  it.each(['serial0', 'ttyAMA0'])('is told when it is the console of the kernel, by %s', name => {
    const root = systemRoot({
      'proc/cmdline': `console=tty1 console=${name},115200 root=/dev/mmcblk0p2\n`,
      'dev/x': '',
    })
    addFiles(root, { 'dev/ttyAMA0': '' })
    symlinkSync('ttyAMA0', join(root, 'dev/serial0'))
    expect(() => serial({ root })).toThrow(
      `serial0 is the console of the kernel (console=${name} in cmdline.txt): take it off with sudo raspi-config nonint do_serial_cons 1`,
    )
  })
})
