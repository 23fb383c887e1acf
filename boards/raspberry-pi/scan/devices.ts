import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { headerPwmPins } from '../sysfs/pwm.ts'
import { textOf } from '../sysfs/quantity.ts'
import { entriesIn, linkedName } from './entries.ts'
import { type Hint, mayNot } from './hint.ts'
import { type ScanOptions, thisUser } from './options.ts'

/** A place on an SPI bus. Who is there cannot be found out: SPI has no answer that says so. */
export interface FoundSPI {
  /** `spidev0.0`. */
  name: string
  bus: number
  select: number
}

/** A PWM controller. */
export interface FoundPWM {
  name: string
  device: string
  channels: number
  /** The lines of the header that it reaches, as `GPIO18`. */
  pins: string[]
}

/** A serial port of the board itself. */
export interface FoundUART {
  /** `serial0`, `ttyAMA2`. */
  name: string
  /** The port that a link leads to. */
  port?: string
  /** What has it already: the login console. */
  usedFor?: string
}

/** An LED of the board. */
export interface FoundLED {
  name: string
  /** What lights it now. */
  trigger?: string
}

/** What is there and is not asked anything. */
export interface FoundDevices {
  spi: FoundSPI[]
  pwm: FoundPWM[]
  uarts: FoundUART[]
  leds: FoundLED[]
  hints: Hint[]
}

/** Buses and outputs that are there. None is opened. */
export function foundDevices(options: ScanOptions): FoundDevices {
  const { root = '/', user = thisUser() } = options
  const spi = entriesIn(root, 'dev').flatMap((name): FoundSPI[] => {
    const [, bus, select] = /^spidev(\d+)\.(\d+)$/.exec(name) ?? []
    return bus === undefined ? [] : [{ name, bus: Number(bus), select: Number(select) }]
  })
  const closed = spi.map(({ name }) => join(root, 'dev', name)).find(path => !user.may(path))
  const uarts = foundUARTs(root)
  const hints = closed === undefined ? [] : mayNot('SPI', closed, root, user)
  const console = uarts.find(({ name, usedFor }) => name === 'serial0' && usedFor === 'the login console')
  if (console !== undefined) {
    hints.push({
      what: 'UART',
      text: '/dev/serial0 has the login console, which would talk to whatever is wired to it',
      todo: ['sudo raspi-config nonint do_serial_cons 1', 'sudo reboot'],
    })
  }
  return { spi, pwm: foundPWM(root), uarts, leds: foundLEDs(root), hints }
}

function foundPWM(root: string): FoundPWM[] {
  return entriesIn(root, 'sys/class/pwm').flatMap(name => {
    const device = linkedName(root, `sys/class/pwm/${name}/device`) ?? ''
    const channels = Number(textOf(join(root, 'sys/class/pwm', name, 'npwm')) ?? 0)
    return { name, device, channels, pins: headerPwmPins(device).map(line => `GPIO${line}`) }
  })
}

function foundUARTs(root: string): FoundUART[] {
  const kernelConsoles = [...(textOf(join(root, 'proc/cmdline')) ?? '').matchAll(/\bconsole=(\w+)/g)].map(
    ([, of]) => of,
  )
  const links = ['serial0', 'serial1'].filter(name => existsSync(join(root, 'dev', name)))
  const targets = new Map(links.map(name => [name, linkedName(root, `dev/${name}`)]))
  // 8250 has places for ports that are not there: type 0. Those of the kernel's other drivers are all there.
  const ports = entriesIn(root, 'sys/class/tty').filter(
    name =>
      (/^ttyAMA\d+$/.test(name) || (/^ttyS\d+$/.test(name) && !['0', undefined].includes(typeOf(root, name)))) &&
      ![...targets.values()].includes(name),
  )
  return [...links, ...ports].map(name => {
    const port = targets.get(name)
    const isConsole = kernelConsoles.includes(name) || (port !== undefined && kernelConsoles.includes(port))
    return { name, ...(port !== undefined && { port }), ...(isConsole && { usedFor: 'the login console' }) }
  })
}

function typeOf(root: string, name: string): string | undefined {
  return textOf(join(root, 'sys/class/tty', name, 'type'))
}

function foundLEDs(root: string): FoundLED[] {
  return entriesIn(root, 'sys/class/leds').map(name => {
    const trigger = /\[(.+)\]/.exec(textOf(join(root, 'sys/class/leds', name, 'trigger')) ?? '')?.[1]
    return { name: basename(name), ...(trigger !== undefined && trigger !== 'none' && { trigger }) }
  })
}
