import { describe, expect, it } from 'vitest'
import { findUsbPort, type PortSpec, parsePortSpec, portSpecText } from '../../transports/serial/index.ts'

describe('The name of a port', () => {
  it.each([
    ['/dev/ttyACM0', { kind: 'path', path: '/dev/ttyACM0' }],
    ['COM12', { kind: 'path', path: 'COM12' }],
    ['usb:2341:0043', { kind: 'usb', vendorId: '2341', productId: '0043', serialNumber: undefined }],
    ['USB:0x2E8A:A', { kind: 'usb', vendorId: '2e8a', productId: '000a', serialNumber: undefined }],
    ['usb:10c4:ea60:AB:CD', { kind: 'usb', vendorId: '10c4', productId: 'ea60', serialNumber: 'AB:CD' }],
    ['tcp://192.168.1.7:3333', { kind: 'tcp', host: '192.168.1.7', port: 3333 }],
    ['tcp://board.local:23/', { kind: 'tcp', host: 'board.local', port: 23 }],
    ['tcp://[fe80::1]:3333', { kind: 'tcp', host: 'fe80::1', port: 3333 }],
  ] as [string, PortSpec][])('%s', (text, spec) => {
    expect(parsePortSpec(text)).toEqual(spec)
    expect(parsePortSpec(portSpecText(spec))).toEqual(spec)
  })

  it.each([
    ['com12', 'win32', 'COM12'],
    ['\\\\.\\COM12', 'win32', 'COM12'],
    ['com12', 'linux', 'com12'],
    ['/dev/tty.usbmodem1', 'darwin', '/dev/cu.usbmodem1'],
    ['/dev/ttyACM0', 'linux', '/dev/ttyACM0'],
  ] as const)('%s on %s is the port that the system lists as %s', (text, platform, path) => {
    expect(parsePortSpec(text, platform)).toEqual({ kind: 'path', path })
  })

  it.each([
    ['', 'is empty'],
    ['usb:arduino', 'usb:VID:PID'],
    ['usb:2341', 'usb:VID:PID'],
    ['usb:12345:1', 'usb:VID:PID'],
    ['tcp://board', 'tcp://HOST:PORT'],
    ['tcp://board:0', 'tcp://HOST:PORT'],
    ['tcp://board:99999', 'tcp://HOST:PORT'],
    ['http://board:80', 'tcp://HOST:PORT'],
  ])('%s means nothing', (text, message) => {
    expect(() => parsePortSpec(text)).toThrow(message)
  })
})

describe('A port that is named by what is plugged in', () => {
  const uno = { path: '/dev/ttyACM0', vendorId: '2341', productId: '0043', serialNumber: '7A' }
  const other = { ...uno, path: '/dev/ttyACM1', serialNumber: '7B' }
  const nano = { path: '/dev/ttyUSB0', vendorId: '1a86', productId: '7523' }
  const find = (text: string, ...ports: (typeof uno | typeof nano)[]) =>
    findUsbPort(parsePortSpec(text) as PortSpec & { kind: 'usb' }, ports)

  it('is found when it is the only one', () => {
    expect(find('usb:2341:0043', nano, uno)).toBe(uno)
    expect(find('usb:2341:0043:7b', uno, other)).toBe(other)
  })

  it('is asked for again when there are several', () => {
    expect(() => find('usb:2341:0043', uno, other)).toThrow(
      'usb:2341:0043 is plugged in 2 times: /dev/ttyACM0 (2341:0043, serial number 7A), ' +
        '/dev/ttyACM1 (2341:0043, serial number 7B). ' +
        'Choose: add the serial number, as in usb:2341:0043:7A',
    )
    expect(() => find('usb:1a86:7523', nano, { ...nano, path: '/dev/ttyUSB1' })).toThrow('Choose: name one by its path')
  })

  it('is missed with a list of what is there', () => {
    expect(() => find('usb:2341:0043', nano)).toThrow(
      'usb:2341:0043 is not plugged in; the ports that are there: /dev/ttyUSB0 (1a86:7523)',
    )
  })
})
