import { accessSync, constants, existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { PWM } from '../../io.ts'
import { atHeader, lineTitle } from '../gpio/header.ts'
import { codeOf, HardwareError, hardwareError, membersOnly } from '../hardware-error.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { claim } from '../kernel/turns.ts'
import { textOf } from './quantity.ts'

const controllers = 'sys/class/pwm'

/** The controllers that reach the header, by their address on the chip, and the channel that each line is. */
const headerControllers = [
  // BCM2835 to BCM2837 and BCM2711: the second controller of a BCM2711 is the sound's.
  { device: /^(20|3f|fe)20c000\.pwm$/, channels: new Map([12, 18, 13, 19].map((line, i) => [line, i >> 1])) },
  // RP1: its second controller is the fan's.
  { device: /^1f00098000\.pwm$/, channels: new Map([12, 13, 18, 19].map((line, i) => [line, i])) },
]

/** Which output is meant, and how often it pulses. */
export interface PWMOptions extends SystemOptions {
  /** `GPIO12`, `GPIO13`, `GPIO18` or `GPIO19`, or their positions on the header: `pin 12`. */
  pin?: string
  /** In the place of `pin`: the controller's device (`1f00098000.pwm`) or folder (`pwmchip0`) ... */
  chip?: string
  /** ... and the number of the channel on it. */
  channel?: number
  /** Periods a second; 1000 when left out. A servo wants 50, a fan 25 000. */
  hz?: number
  /** The share of the period that it is on from the start, and when it is closed; 0 when left out. */
  initial?: number
}

/**
 * Takes a channel of a PWM controller: pulses made by hardware. Giving the channel may wait for udev, which hands its files
 * to the group `gpio`.
 *
 * @throws HardwareError when the pin has no such channel, the overlay is missing, or the frequency cannot be had
 */
export async function pwm(options: PWMOptions): Promise<PWM> {
  const { hz = 1000, initial = 0, root = '/' } = options
  const { folder, channel, title } = found(options, root)
  const periodNs = Math.round(1e9 / hz)
  if (!(periodNs > 0 && periodNs <= 0xffffffff)) throw new HardwareError('EINVAL', `${title} cannot pulse at ${hz} Hz`)
  const release = claim(`${folder} ${channel}`, title)
  try {
    await exported(folder, channel, title)
    return new Channel(join(folder, `pwm${channel}`), { periodNs, initial, title, folder, channel, release })
  } catch (thrown) {
    release()
    throw hardwareError(title, thrown, {
      ...membersOnly('gpio'),
      EINVAL: `cannot pulse at ${hz} Hz`,
      EBUSY: 'is used by a driver of the kernel',
      ENODEV: 'has no such channel',
    })
  }
}

interface ChannelOptions {
  periodNs: number
  initial: number
  title: string
  folder: string
  channel: number
  release(): void
}

class Channel implements PWM {
  readonly hz: number
  readonly #path: string
  readonly #options: ChannelOptions
  #closed = false

  constructor(path: string, options: ChannelOptions) {
    this.#path = path
    this.#options = options
    this.hz = 1e9 / options.periodNs
    this.#turnOff()
    this.#set('period', options.periodNs)
    this.#setDuty(options.initial)
    this.#set('enable', 1)
  }

  write(duty: number): void {
    const { title } = this.#options
    if (this.#closed) throw new HardwareError('EBADF', `${title} is closed`)
    try {
      this.#setDuty(duty)
    } catch (thrown) {
      throw hardwareError(title, thrown, { ENOENT: 'is gone: another program gave its channel back' })
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    const { folder, channel, initial, release } = this.#options
    try {
      this.#setDuty(initial)
      this.#set('enable', initial === 0 ? 0 : 1)
      if (initial === 0) writeFileSync(join(folder, 'unexport'), String(channel))
    } finally {
      release()
    }
  }

  /** A former owner may have left it on. Without a period nothing else can be set, and no duty is longer than that. */
  #turnOff(): void {
    if (this.#get('period') !== '0') this.#set('duty_cycle', 0)
    if (this.#get('enable') !== '0') this.#set('enable', 0)
    if (this.#get('polarity') === 'inversed') this.#set('polarity', 'normal')
  }

  #setDuty(duty: number): void {
    if (!(duty >= 0 && duty <= 1))
      throw new HardwareError('EINVAL', `${this.#options.title}: a duty is a share from 0 to 1, and ${duty} is none`)
    this.#set('duty_cycle', Math.round(duty * this.#options.periodNs))
  }

  #get(attribute: string): string | undefined {
    return textOf(join(this.#path, attribute))
  }

  #set(attribute: string, value: number | string): void {
    writeFileSync(join(this.#path, attribute), String(value))
  }
}

function found({ pin, chip, channel }: PWMOptions, root: string): { folder: string; channel: number; title: string } {
  const all = controllersOf(root)
  const told = all.map(({ name, device }) => `${name} (${device})`).join(', ') || 'none'
  if (pin === undefined) {
    const controller = all.find(({ name, device }) => name === chip || device === chip)
    if (controller === undefined)
      throw new HardwareError('ENOENT', `there is no PWM controller ${chip ?? 'of that name'}; there is ${told}`)
    return { folder: controller.folder, channel: channel ?? 0, title: `channel ${channel ?? 0} of ${chip}` }
  }
  const position = /^pin ?(\d+)$/i.exec(pin)
  const line = position === null ? Number(/^GPIO(\d+)$/i.exec(pin)?.[1] ?? Number.NaN) : atHeader(Number(position[1]))
  const title = typeof line === 'number' ? lineTitle(line) : pin
  if (typeof line !== 'number' || !headerControllers[0]!.channels.has(line))
    throw new HardwareError('EINVAL', `${pin} has no PWM: GPIO12, GPIO13, GPIO18 and GPIO19 have`)
  for (const { device, folder } of all) {
    const header = headerControllers.find(one => one.device.test(device))
    if (header !== undefined) return { folder, channel: header.channels.get(line)!, title }
  }
  throw new HardwareError(
    'ENOENT',
    `${title} has no PWM controller; there is ${told}. Add dtoverlay=${overlayOf(line)} to /boot/firmware/config.txt and restart`,
  )
}

/** Without arguments the overlay gives GPIO18 and GPIO19 away. */
function overlayOf(line: number): string {
  return line < 14 ? 'pwm-2chan,pin=12,func=4,pin2=13,func2=4' : 'pwm-2chan'
}

function controllersOf(root: string): { name: string; folder: string; device: string }[] {
  try {
    return readdirSync(join(root, controllers))
      .sort()
      .map(name => {
        const folder = join(root, controllers, name)
        return { name, folder, device: basename(readlinkSync(join(folder, 'device'))) }
      })
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return []
    throw hardwareError(`/${controllers}`, thrown)
  }
}

/** The lines of the header that a controller reaches, by its device: none for one of the sound or the fan. */
export function headerPwmPins(device: string): number[] {
  return [...(headerControllers.find(one => one.device.test(device))?.channels.keys() ?? [])]
}

/** udev gives the files of a new channel to the group in a moment: that long it is waited for. */
const patienceMs = 2000
const betweenMs = 20

async function exported(folder: string, channel: number, title: string): Promise<void> {
  const path = join(folder, `pwm${channel}`)
  if (!existsSync(path)) {
    try {
      writeFileSync(join(folder, 'export'), String(channel))
    } catch (thrown) {
      throw hardwareError(title, thrown, {
        ...membersOnly('gpio'),
        ENODEV: 'has no such channel',
        EBUSY: 'is used by a driver of the kernel',
      })
    }
  }
  for (let waited = 0; ; waited += betweenMs) {
    try {
      accessSync(join(path, 'enable'), constants.W_OK)
      return
    } catch (thrown) {
      if (!['EACCES', 'ENOENT'].includes(codeOf(thrown)) || waited >= patienceMs) throw thrown
    }
    await delay(betweenMs)
  }
}
