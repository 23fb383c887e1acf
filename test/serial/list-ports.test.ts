import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { afterEach, describe, expect, it } from 'vitest'
import { isSameDevice, knownBoard, listPorts, portText } from '../../transports/serial/index.ts'
import { linePolicy } from '../../transports/serial/lines.ts'
import { linuxPorts } from '../../transports/serial/linux-ports.ts'
import { describePorts } from '../../transports/serial/list-ports.ts'

/** A tree as `/sys` and `/dev` have it: contents of files by their path, and links that begin with `->`. */
function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'ferrule-sys-'))
  roots.push(root)
  for (const [path, content] of Object.entries(files)) {
    const at = join(root, path)
    mkdirSync(dirname(at), { recursive: true })
    if (content.startsWith('->')) symlinkSync(join(root, content.slice(2)), at)
    else writeFileSync(at, `${content}\n`)
  }
  return root
}

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true })
})

const usb = 'sys/devices/pci0/usb1/1-2'

describe.skipIf(process.platform === 'win32')('The ports of a Linux machine', () => {
  it('are those that something is behind, with what the kernel tells of them', () => {
    const root = tree({
      'sys/class/tty/tty0/dev': '4:0',
      'sys/class/tty/console/dev': '5:1',
      // A real UART, and one of the 31 that could be there.
      'sys/devices/pnp0/dev': '1',
      'sys/class/tty/ttyS0/device': '->sys/devices/pnp0',
      'sys/class/tty/ttyS0/type': '4',
      'sys/devices/platform/serial8250/dev': '1',
      'sys/class/tty/ttyS1/device': '->sys/devices/platform/serial8250',
      'sys/class/tty/ttyS1/type': '0',
      // The UART of a Pi.
      'sys/devices/soc/fe201000.serial/dev': '1',
      'sys/class/tty/ttyAMA0/device': '->sys/devices/soc/fe201000.serial',
      [`${usb}/idVendor`]: '2341',
      [`${usb}/idProduct`]: '0043',
      [`${usb}/serial`]: '75430313',
      [`${usb}/manufacturer`]: 'Arduino (www.arduino.cc)',
      [`${usb}/1-2:1.0/bInterfaceNumber`]: '00',
      'sys/class/tty/ttyACM10/device': `->${usb}/1-2:1.0`,
      'dev/ttyACM10': '',
      'dev/serial/by-id/usb-Arduino_75430313-if00': '->dev/ttyACM10',
      // A CH340 tells no serial number, and its port lies one folder deeper.
      'sys/devices/pci0/usb1/1-3/idVendor': '1a86',
      'sys/devices/pci0/usb1/1-3/idProduct': '7523',
      'sys/devices/pci0/usb1/1-3/product': 'USB Serial',
      'sys/devices/pci0/usb1/1-3/1-3:1.0/ttyUSB2/port_number': '0',
      'sys/class/tty/ttyUSB2/device': '->sys/devices/pci0/usb1/1-3/1-3:1.0/ttyUSB2',
      // A device that no longer exists, and a Bluetooth port.
      'sys/class/tty/ttyACM11/device': '->sys/devices/gone',
      'sys/devices/virtual/bt/dev': '1',
      'sys/class/tty/rfcomm0/device': '->sys/devices/virtual/bt',
    })
    expect(linuxPorts(root)).toEqual([
      {
        path: '/dev/ttyACM10',
        byId: '/dev/serial/by-id/usb-Arduino_75430313-if00',
        vendorId: '2341',
        productId: '0043',
        serialNumber: '75430313',
        maker: 'Arduino (www.arduino.cc)',
        board: 'Arduino Uno R3',
      },
      { path: '/dev/ttyAMA0' },
      { path: '/dev/ttyS0' },
      { path: '/dev/ttyUSB2', vendorId: '1a86', productId: '7523', product: 'USB Serial', board: 'board with a CH340' },
    ])
  })

  it('are none where there is no /sys', () => {
    expect(linuxPorts(tree({}))).toEqual([])
  })

  it('are listed on this machine, whatever it has', async () => {
    for (const port of await listPorts()) expect(port.path).toMatch(/^\/dev\/|^COM/)
  })
})

describe('The ports of other systems', () => {
  it('are called as they are opened on macOS, without those for Bluetooth', () => {
    const unknown = { manufacturer: undefined, serialNumber: undefined, pnpId: undefined, locationId: undefined }
    const listed = [
      { ...unknown, path: '/dev/tty.Bluetooth-Incoming-Port', vendorId: undefined, productId: undefined },
      { ...unknown, path: '/dev/tty.debug-console', vendorId: undefined, productId: undefined },
      { ...unknown, path: '/dev/tty.usbmodem101', vendorId: '2e8a', productId: '000A', serialNumber: 'E66' },
    ]
    expect(describePorts(listed)).toEqual([
      {
        path: '/dev/cu.usbmodem101',
        vendorId: '2e8a',
        productId: '000a',
        serialNumber: 'E66',
        board: 'Raspberry Pi Pico',
      },
    ])
  })
})

describe('A board', () => {
  it.each([
    ['2341', '0043', 'Arduino Uno R3', 'bridge'],
    ['2341', '8036', 'Arduino Leonardo', 'native'],
    ['2E8A', '000A', 'Raspberry Pi Pico', 'native'],
    ['239a', '80f4', 'Adafruit board', 'native'],
    ['303a', '1001', 'ESP32 (built-in USB)', 'native'],
    ['1a86', '7523', 'board with a CH340', 'bridge'],
    ['10c4', 'ea60', 'board with a CP210x', 'bridge'],
    ['0403', '6001', 'board with an FT232', 'bridge'],
  ])('%s:%s is %s, %s', (vendorId, productId, name, wiring) => {
    expect(knownBoard(vendorId, productId)).toEqual({ name, wiring })
  })

  it.each([
    ['constructor', '0001'],
    ['2341', '__proto__'],
    ['16c0', '0001'],
    ['ffff', '0001'],
  ])('%s:%s is none that is known', (vendorId, productId) => {
    const board = knownBoard(vendorId, productId)
    expect(board === undefined || board.name === 'Arduino').toBe(true)
  })
})

describe('The lines DTR and RTS', () => {
  const pico = { path: '/dev/ttyACM0', vendorId: '2e8a', productId: '000a' }
  const nano = { path: '/dev/ttyUSB0', vendorId: '1a86', productId: '7523' }
  const pi = { path: '/dev/ttyAMA0' }

  it.each([
    ['a native USB board needs DTR, and learns that nobody listens', pico, {}, { dtr: true, rts: true }, false],
    ['a board behind a bridge has both together, and keeps them', nano, {}, { dtr: true, rts: true }, true],
    ['of an unknown port are left alone', pi, {}, undefined, false],
    ['are as asked for: no DTR', nano, { dtr: false }, { dtr: false, rts: true }, true],
    ['are as asked for: not kept', nano, { keep: false }, { dtr: true, rts: true }, false],
    ['are as asked for: RTS alone, on an unknown port', pi, { rts: false }, { dtr: true, rts: false }, false],
    ['are as asked for: left alone, and kept', pi, { keep: true }, undefined, true],
  ] as const)('%s', (_rule, port, asked, set, keep) => {
    const policy = linePolicy(port, asked)
    expect({ set: policy.set, keep: policy.keep }).toEqual({ set, keep })
    expect(policy.why.endsWith(', as asked for')).toBe(Object.keys(asked).length > 0)
  })
})

describe('A device', () => {
  const one = { path: '/dev/ttyACM0', vendorId: '2341', productId: '0043', serialNumber: '1' }

  it('is the same at another path', () => {
    expect(isSameDevice(one, { ...one, path: '/dev/ttyACM7' })).toBe(true)
  })

  it('is another one with another serial number, or when nobody can know', () => {
    const { serialNumber: _, ...nameless } = one
    expect(isSameDevice(one, { ...one, serialNumber: '2' })).toBe(false)
    expect(isSameDevice(nameless, nameless)).toBe(false)
  })

  it('is told in one line', () => {
    expect(portText(one)).toBe('/dev/ttyACM0 (2341:0043, serial number 1)')
    expect(portText({ path: '/dev/ttyAMA0' })).toBe('/dev/ttyAMA0')
  })
})
