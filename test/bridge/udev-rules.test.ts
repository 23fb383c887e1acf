import { describe, expect, it } from 'vitest'
import { udevRules } from '../../bin/bridge/udev-rules.ts'

const uno = { path: '/dev/ttyACM0', vendorId: '2341', productId: '0043', serialNumber: 'U1', board: 'Arduino Uno R3' }
const nano = { path: '/dev/ttyUSB0', vendorId: '1a86', productId: '7523' }

describe('the udev rules', () => {
  it('are one for each kind of board, which names those that it is for', () => {
    expect(udevRules([uno, { ...uno, path: '/dev/ttyACM1', serialNumber: 'U2' }, nano])).toBe(
      [
        '# Boards on serial ports: whoever sits at this computer may use them, and ModemManager leaves them alone.',
        '# Belongs into /etc/udev/rules.d/70-ferrule.rules',
        '',
        '# /dev/ttyACM0 (Arduino Uno R3, 2341:0043, serial number U1)',
        '# /dev/ttyACM1 (Arduino Uno R3, 2341:0043, serial number U2)',
        'SUBSYSTEM=="tty", ATTRS{idVendor}=="2341", ATTRS{idProduct}=="0043", MODE="0660", TAG+="uaccess", ENV{ID_MM_PORT_IGNORE}="1"',
        '',
        '# /dev/ttyUSB0 (1a86:7523)',
        'SUBSYSTEM=="tty", ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="7523", MODE="0660", TAG+="uaccess", ENV{ID_MM_PORT_IGNORE}="1"',
        '',
      ].join('\n'),
    )
  })

  it('take nothing from a device that could be a rule of its own', () => {
    const evil = { ...nano, product: 'UART\nRUN+="/bin/x"', serialNumber: '1\r\nRUN+="/bin/y"' }
    const lines = udevRules([evil, { ...evil, vendorId: '1a86", RUN+="x' }])!.split('\n')
    expect(lines.filter(line => line !== '' && !line.startsWith('#'))).toEqual([
      expect.stringMatching(/^SUBSYSTEM=="tty", ATTRS\{idVendor\}=="1a86", [^\n]*ID_MM_PORT_IGNORE\}="1"$/),
    ])
    expect(lines.join('')).not.toContain('idVendor}=="1a86"", RUN')
  })

  it('are none where nothing is plugged in by USB', () => {
    expect(udevRules([{ path: '/dev/ttyAMA0' }])).toBeUndefined()
  })
})
