import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findBoard } from '../../bin/bridge/auto.ts'
import { bridgeOptions } from '../../bin/bridge/options.ts'
import { parsePorts } from '../../bin/bridge/port-names.ts'
import { candidates, isSought } from '../../bin/bridge/sought.ts'
import { pacing } from '../../bin/line-options.ts'
import type { PortDescription } from '../../transports/serial/index.ts'

function config(value: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'ferrule-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'bridge.json')
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}

describe('the ports of the bridge', () => {
  it.each([
    [['/dev/ttyACM0'], [{ spec: '/dev/ttyACM0', prefix: undefined }]],
    [['lab=COM3'], [{ spec: 'COM3', prefix: 'lab' }]],
    [['usb:2341:43:A=B'], [{ spec: 'usb:2341:0043:A=B', prefix: undefined }]],
    [['7543130373735190E1A1'], [{ spec: '7543130373735190E1A1', prefix: undefined }]],
    [['lab=Greenhouse'], [{ spec: 'Greenhouse', prefix: 'lab' }]],
    [['/dev/ttyUSB*'], [{ spec: '/dev/ttyUSB*', prefix: undefined }]],
    [['auto'], [{ spec: 'auto', prefix: undefined }]],
    [
      ['COM3', 'b2=tcp://10.0.0.7:3333'],
      [
        { spec: 'COM3', prefix: 'a' },
        { spec: 'tcp://10.0.0.7:3333', prefix: 'b2' },
      ],
    ],
  ])('%j are understood', (given, expected) => expect(parsePorts(given)).toEqual(expected))

  it.each([
    [['tcp://nowhere'], 'tcp://HOST:PORT'],
    [['COM3', 'auto'], 'auto finds one board'],
    [['x=COM3', 'x=COM4'], 'x is there twice'],
    [['COM3', 'COM3'], 'COM3 is there twice'],
    [[''], 'empty'],
  ])('%j are refused, with the reason', (given, message) => expect(() => parsePorts(given)).toThrow(message))
})

describe('the options of the bridge', () => {
  it('are those of one board that is looked for, when nothing is said', () => {
    const { ports, share, readSensors } = bridgeOptions({ values: {} })
    expect({ ports, share, readSensors }).toEqual({
      ports: [{ spec: 'auto', prefix: undefined }],
      share: true,
      readSensors: false,
    })
  })

  it('may stand in a file; what is typed comes first, and what stands beside a port before what stands for all', () => {
    const file = config({
      port: [{ prefix: 'lab', port: '/dev/ttyACM0', baud: 9600 }, 'attic=/dev/ttyUSB0'],
      baud: 19200,
      pace: '32/10',
      readSensors: true,
      share: false,
      logFile: '/var/log/board.log',
    })
    const { ports, readSensors, share, logFile } = bridgeOptions({ values: { config: file, dtr: 'on', pace: '8/5' } })
    const lines = { dtr: true, rts: true }
    const pacing = { bytes: 8, ms: 5 }
    expect(ports).toEqual([
      { prefix: 'lab', spec: '/dev/ttyACM0', baudRate: 9600, lines, pacing },
      { prefix: 'attic', spec: '/dev/ttyUSB0', baudRate: 19200, lines, pacing },
    ])
    expect([readSensors, share, logFile]).toEqual([true, false, '/var/log/board.log'])
  })

  it.each([
    [{ baudRate: 9600 }, 'there is no "baudRate": it knows port, baud'],
    [{ baud: '9600' }, '"baud" must be a whole number'],
    [{ share: 'no' }, '"share" must be true or false'],
    [{ port: [{ prefix: 'lab' }] }, 'a port lacks its "port"'],
    [{ dtr: 'up' }, '"dtr" must be "auto", "on" or "off"'],
    [[], 'it must be an object'],
    ['{', 'cannot be read'],
  ])('in a file as %j are refused, with the place', (value, message) => {
    expect(() => bridgeOptions({ values: { config: config(value) } })).toThrow(message)
  })

  it.each(['32', '0/10', '32/', 'fast'])('a pace of %s is refused', text => {
    expect(() => pacing(text)).toThrow('BYTES/MS')
  })
})

describe('finding the one board', () => {
  const uno: PortDescription = { path: '/dev/ttyACM0', vendorId: '2341', productId: '0043', serialNumber: 'U1' }
  const clone: PortDescription = { path: '/dev/ttyUSB0', vendorId: '1a86', productId: '7523' }
  const uart: PortDescription = { path: '/dev/ttyS0' }

  function look(rounds: PortDescription[][], answering: string[] = [], spec = 'auto') {
    const told: string[] = []
    const asked: string[] = []
    let round = 0
    const stop = new AbortController()
    const found = findBoard({
      spec,
      signal: stop.signal,
      say: text => told.push(text),
      answers: async (each, called) => {
        asked.push(called === undefined ? each : `${each} ${called}`)
        return answering.includes(each)
      },
      ports: async () => rounds[Math.min(round++, rounds.length - 1)]!,
      wait: async () => {
        if (round > rounds.length + 2) stop.abort()
      },
    })
    return { found, told, asked }
  }

  it('the only one is taken unasked, by the name that it keeps', async () => {
    const { found, asked } = look([[uart, uno]])
    expect(await found).toBe('usb:2341:0043:U1')
    expect(asked).toEqual([])
  })

  it('none is waited for, which is told once', async () => {
    const { found, told } = look([[uart], [], [clone]])
    expect(await found).toBe('/dev/ttyUSB0')
    expect(told).toEqual([expect.stringContaining('no board is plugged in')])
  })

  it('of several the one that answers is taken', async () => {
    const { found } = look([[uno, clone]], ['/dev/ttyUSB0'])
    expect(await found).toBe('/dev/ttyUSB0')
  })

  it('of several that answer none is guessed: they are listed, with how to choose, once', async () => {
    const { found, told, asked } = look([[uno, clone]], ['/dev/ttyUSB0', 'usb:2341:0043:U1'])
    await expect(found).rejects.toThrow()
    expect(told).toEqual([expect.stringMatching(/2 of them answer: .*ttyACM0.*ttyUSB0.*--port usb:2341:0043:U1/)])
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['a serial number', 'u1', 'usb:2341:0043:U1'],
    ['the last part of its path', 'ttyUSB0', '/dev/ttyUSB0'],
    ['a glob of paths', '/dev/ttyUSB*', '/dev/ttyUSB0'],
    ['a glob of paths that stay', '/dev/serial/by-id/*Arduino*', 'usb:2341:0043:U1'],
    ['a glob that fits one that is no USB device', '/dev/ttyS?', '/dev/ttyS0'],
  ])('it is known by %s, unasked', async (_, spec, expected) => {
    const { found, asked } = look([[{ ...uno, byId: '/dev/serial/by-id/usb-Arduino-if00' }, clone, uart]], [], spec)
    expect(await found).toBe(expected)
    expect(asked).toEqual([])
  })

  it('by its name it is asked for, even where only one board is plugged in', async () => {
    const { found, asked } = look([[uart, clone]], ['/dev/ttyUSB0'], 'greenhouse')
    expect(await found).toBe('/dev/ttyUSB0')
    expect(asked).toEqual(['/dev/ttyUSB0 greenhouse'])
  })

  it('no other board is taken for it', async () => {
    const { found, told } = look([[], [uno]], [], 'greenhouse')
    await expect(found).rejects.toThrow()
    expect(told).toEqual([
      expect.stringMatching(/^nothing that is plugged in is greenhouse: it is waited for/),
      expect.stringMatching(/^no board that is called greenhouse answers.*ttyACM0.*"ferrule ports"/),
    ])
  })

  it('of several that a glob fits none is guessed: they are listed, with how to choose', async () => {
    const { found, told } = look([[uno, { ...uno, path: '/dev/ttyACM1', serialNumber: 'U2' }]], [], '/dev/ttyACM*')
    await expect(found).rejects.toThrow()
    expect(told).toEqual([
      expect.stringMatching(/^\/dev\/ttyACM\* fits 2 ports, and none of them answers: .*--port usb:2341:0043:U1$/),
    ])
  })

  it('what it was called the last time is enough', () => {
    const kept = (port: PortDescription) => (port.serialNumber === 'U1' ? ['gh', 'Greenhouse'] : [])
    expect(candidates('greenhouse', [clone, uno], kept)).toEqual({ ports: [uno] })
    expect(candidates('attic', [clone, uno], kept)).toEqual({ ports: [clone, uno], called: 'attic' })
  })
})

describe('what is looked for', () => {
  it.each(['auto', 'greenhouse', '7543130373735190E1A1', '/dev/ttyUSB*', 'ttyACM0', 'Greenhouse 1.0.0 (compact link)'])(
    '%s is',
    spec => expect(isSought(spec)).toBe(true),
  )
  it.each(['/dev/ttyACM0', 'COM12', '\\\\.\\COM12', 'usb:2341:0043', 'tcp://a:1', ''])('%s is not', spec => {
    expect(isSought(spec)).toBe(false)
  })
})
