import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findBoard } from '../../bin/bridge/auto.ts'
import { bridgeOptions } from '../../bin/bridge/options.ts'
import { parsePorts } from '../../bin/bridge/port-names.ts'
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
      logFile: '/tmp/board.log',
    })
    const { ports, readSensors, share, logFile } = bridgeOptions({ values: { config: file, dtr: 'on', pace: '8/5' } })
    const lines = { dtr: true, rts: true }
    const pacing = { bytes: 8, ms: 5 }
    expect(ports).toEqual([
      { prefix: 'lab', spec: '/dev/ttyACM0', baudRate: 9600, lines, pacing },
      { prefix: 'attic', spec: '/dev/ttyUSB0', baudRate: 19200, lines, pacing },
    ])
    expect([readSensors, share, logFile]).toEqual([true, false, '/tmp/board.log'])
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

  function look(rounds: PortDescription[][], answering: string[] = []) {
    const told: string[] = []
    const asked: string[] = []
    let round = 0
    const stop = new AbortController()
    const found = findBoard({
      signal: stop.signal,
      say: text => told.push(text),
      answers: async spec => {
        asked.push(spec)
        return answering.includes(spec)
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
})
