import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { entriesIn } from './entries.ts'
import { groupOf, isOutside, type ScanUser } from './options.ts'

/** Something that could be found and was not, and what to do about it. */
export interface Hint {
  /** One or two words: `I2C`. */
  what: string
  /** Why it was not found, as a sentence without its full stop. */
  text: string
  /** What to type, line by line, or what to add to a file. */
  todo: readonly string[]
  /** It is only off, which is well for who does not need it: where at the header it would be. */
  offAt?: string
}

/** What a user who may not open a device has to do; nothing where {@link groupHint} has said it. */
export function mayNot(what: string, path: string, root: string, user: ScanUser): Hint[] {
  const device = `/${relative(root, path)}`
  const group = groupOf(root, path, user.name)
  if (group === undefined || group.name === 'root') {
    return [
      {
        what,
        text: `${device} belongs to root, and ${user.name} may not open it`,
        todo: ['sudo ferrule scan shows what is there; a rule for udev lets others in'],
      },
    ]
  }
  if (group.joined) {
    return [
      {
        what,
        text: `${user.name} is in the group ${group.name}, and this login is older than that`,
        todo: ['log out and in again, or restart'],
      },
    ]
  }
  if (group.name in groupDevices) return []
  return [
    {
      what,
      text: `${device} is for the group ${group.name}, and ${user.name} is not in it`,
      todo: joining([group.name], user),
    },
  ]
}

/** The groups of Raspberry Pi OS, and the devices that they are for. */
const groupDevices: Record<string, RegExp> = { gpio: /^gpiochip\d+$/, i2c: /^i2c-\d+$/, spi: /^spidev\d+\.\d+$/ }

/** The groups that a user has still to join, in one go: also those of what is off, which would be the next thing to fail. */
export function groupHint(root: string, user: ScanUser): Hint[] {
  const devices = entriesIn(root, 'dev')
  const missing = Object.entries(groupDevices).flatMap(([group, pattern]) => {
    const own = devices.filter(name => pattern.test(name))
    const mayAll = own.length > 0 && own.every(name => user.may(join(root, 'dev', name)))
    return !mayAll && isOutside(root, group, user.name) ? [group] : []
  })
  if (missing.length === 0) return []
  const told = missing.length === 1 ? `the group ${missing[0]}` : `the groups ${missing.join(', ')}`
  return [{ what: 'groups', text: `${user.name} is not in ${told}`, todo: joining(missing, user) }]
}

function joining(groups: readonly string[], user: ScanUser): string[] {
  return [`sudo usermod -aG ${groups.join(',')} ${user.name}`, 'log out and in again, or restart']
}

/** A thing of the header that is switched on once. */
export interface Switch {
  what: string
  /** The word of raspi-config. */
  word?: string
  /** The line in config.txt. */
  line: string
  /** What that line looks like when it is there. */
  written: RegExp
  /** Where it is at the header. */
  pins: string
}

/** The switches, in the words of docs/raspberry-pi.md. */
export const switches = {
  i2c: {
    ...{ what: 'I2C', word: 'do_i2c', line: 'dtparam=i2c_arm=on', pins: 'pins 3 and 5' },
    written: /^dtparam=(.*,)?i2c(_arm|1)?(=on)?(,|$)/m,
  },
  oneWire: {
    ...{ what: '1-Wire', word: 'do_onewire', line: 'dtoverlay=w1-gpio', pins: 'pin 7' },
    written: /^dtoverlay=w1-gpio/m,
  },
  spi: {
    ...{ what: 'SPI', word: 'do_spi', line: 'dtparam=spi=on', pins: 'pins 19 to 26' },
    written: /^dtparam=(.*,)?spi(=on)?(,|$)/m,
  },
  pwm: {
    ...{ what: 'PWM', line: 'dtoverlay=pwm-2chan', pins: 'pins 12 and 35' },
    written: /^dtoverlay=pwm(-2chan)?/m,
  },
  uart: {
    ...{ what: 'UART', word: 'do_serial_hw', line: 'enable_uart=1', pins: 'pins 8 and 10' },
    written: /^enable_uart=1/m,
  },
} as const satisfies Record<string, Switch>

/** How something that is off is switched on, on a Raspberry Pi. */
export function switchedOff({ what, word, line, written, pins }: Switch, root: string): Hint {
  const file = configFile(root)
  if (written.test(configText(root))) {
    const text = `is switched on in /${file}, and not there: that line counts from the next start`
    return { what, text, todo: ['sudo reboot'] }
  }
  const command = word === undefined ? `add to /${file}: ${line}` : `sudo raspi-config nonint ${word} 0`
  return { what, text: `is off, at ${pins}`, todo: [command], offAt: pins }
}

/** Where it lies: in another folder before Raspberry Pi OS 12. */
function configFile(root: string): string {
  const [now, before] = ['boot/firmware/config.txt', 'boot/config.txt']
  return !existsSync(join(root, now)) && existsSync(join(root, before)) ? before : now
}

function configText(root: string): string {
  try {
    return readFileSync(join(root, configFile(root)), 'utf8').replaceAll('\r', '')
  } catch {
    return ''
  }
}
