import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { commandText, holdersText, parseLocks, parseLsof } from '../../transports/serial/holders.ts'
import { noLibrary } from '../../transports/serial/load-serialport.ts'
import { type OpenFacts, openFailure } from '../../transports/serial/open-failure.ts'
import { type Permission, permissionText } from '../../transports/serial/permission.ts'

const uno = { path: '/dev/ttyACM0', vendorId: '2341', productId: '0043', serialNumber: '7543', board: 'Arduino Uno R3' }
const here = 'the ports that are there: /dev/ttyACM0 (Arduino Uno R3, 2341:0043, serial number 7543)'
const none = 'no serial port is there at all: check that the board is plugged in, and that the cable carries data'
const device: OpenFacts = { kind: 'device', permitted: true }
const screen = { pid: 4711, command: 'screen' }
const self = { pid: process.pid, command: 'node' }

/** What the library throws, what the machine tells, and what is said. */
const failures = [
  {
    rule: 'nothing is there, but other ports are',
    thrown: 'Error: No such file or directory, cannot open /dev/ttyUSB9',
    facts: { kind: 'nothing', permitted: false },
    code: 'absent',
    message: `/dev/ttyUSB9 is not there; ${here}`,
  },
  {
    rule: 'nothing is there at all',
    thrown: 'Error: No such file or directory, cannot open /dev/ttyUSB9',
    facts: { kind: 'nothing', permitted: false },
    ports: [],
    code: 'absent',
    message: `/dev/ttyUSB9 is not there; ${none}`,
  },
  {
    rule: 'a plain file',
    thrown: 'Error: Inappropriate ioctl for device setting custom baud rate of 115200',
    facts: { kind: 'other', permitted: true },
    code: 'not-a-port',
    message: `/dev/ttyUSB9 is not a serial port; ${here}`,
  },
  {
    rule: 'a device of another kind',
    thrown: 'Error: Inappropriate ioctl for device setting custom baud rate of 115200',
    code: 'not-a-port',
    message: `/dev/ttyUSB9 is a device, but not a serial port; ${here}`,
  },
  {
    rule: 'the same with the C library musl',
    thrown: 'Error: Not a tty setting custom baud rate of 115200',
    code: 'not-a-port',
    message: `/dev/ttyUSB9 is a device, but not a serial port; ${here}`,
  },
  {
    rule: 'a lock of another program',
    thrown: 'Error Resource temporarily unavailable Cannot lock port',
    holders: [screen],
    code: 'busy',
    message:
      '/dev/ttyUSB9 is in use by screen (process 4711): close that program, since one at a time may have the port',
  },
  {
    rule: 'a program that forbids others to open it',
    thrown: 'Error: Device or resource busy, cannot open /dev/ttyUSB9',
    holders: [screen, self],
    code: 'busy',
    message:
      '/dev/ttyUSB9 is in use by screen (process 4711): close that program, since one at a time may have the port',
  },
  {
    rule: 'a program that this user may not see',
    thrown: 'Error: Device or resource busy, cannot open /dev/ttyUSB9',
    code: 'busy',
    message: '/dev/ttyUSB9 is in use by a program of another user; to see which, run: sudo fuser -v /dev/ttyUSB9',
  },
  {
    rule: 'a missing permission',
    thrown: 'Error: Permission denied, cannot open /dev/ttyUSB9',
    facts: { kind: 'device', permitted: false },
    code: 'denied',
    message: 'what is said of permissions',
  },
  {
    rule: 'a device that is just going',
    thrown: 'Error: No such device, cannot open /dev/ttyUSB9',
    code: 'lost',
    message: '/dev/ttyUSB9 is there, but no device answers behind it: was it just unplugged?',
  },
  {
    rule: 'anything else',
    thrown: 'Error: Too many open files, cannot open /dev/ttyUSB9',
    code: 'failed',
    message: '/dev/ttyUSB9 does not open: Error: Too many open files, cannot open /dev/ttyUSB9',
  },
] as const

describe.skipIf(process.platform === 'win32')('A port that does not open', () => {
  it.each(failures)('$rule', async failure => {
    const { thrown, code, message } = failure
    const error = await openFailure('/dev/ttyUSB9', new Error(thrown), 'facts' in failure ? failure.facts : device, {
      ports: async () => ('ports' in failure ? failure.ports : [uno]),
      holders: async () => ('holders' in failure ? failure.holders : []),
      permission: () => 'what is said of permissions',
    })
    expect({ code: error.code, message: error.message }).toEqual({ code, message })
  })

  it('held by this program itself says so', async () => {
    const error = await openFailure('/dev/ttyUSB9', new Error('Cannot lock port'), device, {
      ports: async () => [],
      holders: async () => [self],
      permission: () => '',
    })
    expect(error.message).toMatch(/^\/dev\/ttyUSB9 is in use by this program itself/)
  })
})

const dialout: Permission = {
  mode: 0o20660,
  uid: 0,
  gid: 20,
  group: 'dialout',
  user: 'ada',
  groups: [1000],
  memberOf: ['ada'],
  sandbox: undefined,
}

const permissions: { rule: string; permission: Permission; message: string }[] = [
  {
    rule: 'a group that the user is not in',
    permission: dialout,
    message:
      'it belongs to group dialout with mode crw-rw----, and ada is not in that group. ' +
      'Run: sudo usermod -aG dialout ada, then log out and log in again. ' +
      'Or install the udev rule that "ferrule ports --udev" prints',
  },
  {
    rule: 'a group that the user joined after logging in',
    permission: { ...dialout, memberOf: ['ada', 'dialout'] },
    message: 'ada is in group dialout, but was not yet when this session began. Log out and log in again',
  },
  {
    rule: 'a mode that lets nobody in',
    permission: { ...dialout, mode: 0o20000 },
    message:
      'it belongs to group dialout with mode c---------, which lets nobody else in. ' +
      'For good, install the udev rule that "ferrule ports --udev" prints; for now run: sudo chmod 666 /dev/ttyUSB9',
  },
  {
    rule: 'the group root, which nobody is asked to join',
    permission: { ...dialout, gid: 0, group: 'root' },
    message:
      'it belongs to group root with mode crw-rw----, which lets nobody else in. ' +
      'For good, install the udev rule that "ferrule ports --udev" prints; for now run: sudo chmod 666 /dev/ttyUSB9',
  },
  {
    rule: 'a group that this session is in, and still',
    permission: { ...dialout, groups: [20], memberOf: ['dialout'] },
    message: 'it belongs to group dialout with mode crw-rw----, which allows it, but something else forbids it',
  },
  {
    rule: 'a container',
    permission: { ...dialout, sandbox: 'container' },
    message:
      'it belongs to group dialout with mode crw-rw----. ' +
      'This is a container: start it with --device=/dev/ttyUSB9 and --group-add 20',
  },
  {
    rule: 'a container that the device was not handed to, even for root',
    permission: { ...dialout, sandbox: 'container', user: 'root', gid: 0, group: 'root', groups: [0], memberOf: [] },
    message:
      'it belongs to group root with mode crw-rw----. ' +
      'This is a container, which devices must be handed to: start it with --device=/dev/ttyUSB9',
  },
  {
    rule: 'a flatpak',
    permission: { ...dialout, sandbox: 'flatpak', flatpak: 'com.visualstudio.code' },
    message:
      'this program runs in a flatpak. ' +
      'Run: flatpak override --user --device=all com.visualstudio.code, then start it again',
  },
  {
    rule: 'a snap',
    permission: { ...dialout, sandbox: 'snap' },
    message: 'this Node is a snap, which is kept away from devices. Install Node another way',
  },
]

describe('A missing permission', () => {
  it('of a UART, which has no USB ids, is not sent to a rule for those', () => {
    const text = permissionText('/dev/ttyAMA0', dialout)
    expect(text).toMatch(/sudo usermod -aG dialout ada, then log out and log in again$/)
    expect(permissionText('/dev/ttyAMA0', { ...dialout, mode: 0o20000 })).not.toContain('--udev')
  })

  it.each(permissions)('$rule', ({ permission, message }) => {
    expect(permissionText('/dev/ttyUSB9', permission)).toBe(`no permission to open /dev/ttyUSB9: ${message}`)
  })
})

describe('The holders of a port', () => {
  it('are read from the list of locks', () => {
    const locks = [
      '1: FLOCK  ADVISORY  WRITE 4711 00:06:1234 0 EOF',
      '2: POSIX  ADVISORY  READ  1 08:01:1234 128 128',
      '3: FLOCK  ADVISORY  WRITE 12 00:06:99 0 EOF',
      '4: OFDLCK ADVISORY  WRITE -1 00:06:1234 0 EOF',
    ]
    expect(parseLocks(locks.join('\n'), 6, 1234)).toEqual([4711])
    expect(parseLocks(locks.join('\n'), 0x0801, 1234)).toEqual([1])
  })

  it('are read from what lsof prints', () => {
    expect(parseLsof('p4711\ncscreen\nf5\np12\ncArduino IDE\nf9\n')).toEqual([
      screen,
      { pid: 12, command: 'Arduino IDE' },
    ])
    expect(parseLsof('')).toEqual([])
  })

  it.each([
    [['/usr/bin/screen', '/dev/ttyACM0', '115200'], 'screen'],
    [['/usr/bin/node', '--no-warnings', '/home/ada/board.ts', '--token', 'secret'], 'node board.ts'],
    [['python3', '-m', 'serial.tools.miniterm'], 'python3 serial.tools.miniterm'],
    [['node', '-e', 'serve(secret . token)'], 'node'],
    [[''], ''],
  ])('%j is called %s', (words, text) => {
    expect(commandText(words)).toBe(text)
  })

  it('are named up to three', () => {
    const many = [1, 2, 3, 4, 5].map(pid => ({ pid, command: 'cat' }))
    expect(holdersText(many)).toBe('cat (process 1) and cat (process 2) and cat (process 3) and 2 more')
  })
})

describe('The library for serial ports', () => {
  it('says how to install it when it is missing', () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    expect(noLibrary(missing)).toMatchObject({
      code: 'no-library',
      message: 'the package serialport, which opens serial ports, is not installed: run npm install serialport',
    })
  })

  it('says why it does not load when it is there', () => {
    expect(noLibrary(new Error('no native build was found')).message).toBe(
      'the package serialport, which opens serial ports, does not load: no native build was found. ' +
        'Run npm rebuild serialport',
    )
  })
})
