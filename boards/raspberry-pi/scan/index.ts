import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { HardwareError } from '../hardware-error.ts'
import { kernelOf } from '../kernel/kernel-calls.ts'
import { boardModel } from '../model.ts'
import { type FoundDevices, foundDevices } from './devices.ts'
import { groupHint, type Hint, switchedOff, switches } from './hint.ts'
import { type FoundI2CBus, foundI2C } from './i2c.ts'
import { foundOneWire } from './one-wire.ts'
import { type ScanOptions, thisUser } from './options.ts'
import { type FoundPins, foundPins } from './pins.ts'
import { type FoundQuantity, foundQuantities } from './quantities.ts'

export type { FoundLED, FoundPWM, FoundSPI, FoundUART } from './devices.ts'
export type { Hint } from './hint.ts'
export type { FoundI2CBus, FoundI2CChip } from './i2c.ts'
export type { I2CPurpose } from './i2c-buses.ts'
export type { KnownPart } from './known-parts.ts'
export type { ScanOptions, ScanUser } from './options.ts'
export type { FoundGpioChip, FoundLine } from './pins.ts'
export type { FoundQuantity } from './quantities.ts'

/** What is connected to a Linux board, as data. */
export interface Scan extends Omit<FoundDevices, 'hints'>, Omit<FoundPins, 'hints'> {
  /** What the board says it is; nothing on a machine without a device tree. */
  model?: string
  i2c: FoundI2CBus[]
  quantities: FoundQuantity[]
  /** The addresses of 1-Wire chips that are no thermometers. */
  oneWireOthers: string[]
  /** What could not be looked at, or is off, and what to do about it. */
  hints: Hint[]
}

/**
 * Looks what is connected to this board. It reads and never drives: no line is asked for, no register of a chip is written, no
 * output changes. What cannot be looked at is told as a hint and stops nothing else.
 */
export async function scan(options: ScanOptions = {}): Promise<Scan> {
  const { root = '/', user = thisUser() } = options
  const model = boardModel(options)
  const { hints: pinHints, ...pins } = foundPins(options)
  const { hints: deviceHints, ...devices } = foundDevices(options)
  const oneWire = foundOneWire(options)
  const [i2c, quantities] = await Promise.all([foundI2C(options), foundQuantities(options)])
  const hasDevices = i2c.buses.length > 0 || existsSync(join(root, 'dev/gpiochip0'))
  return {
    ...(model !== undefined && { model }),
    ...pins,
    i2c: i2c.buses,
    quantities,
    oneWireOthers: oneWire.others,
    ...devices,
    hints: [
      ...(hasDevices ? packageHints(options) : []),
      ...(hasDevices || isRaspberryPi(model) ? groupHint(root, user) : []),
      ...pinHints,
      ...i2c.hints,
      ...oneWire.hints,
      ...deviceHints,
      ...(isRaspberryPi(model) ? offHints(root, { i2c: i2c.buses, oneWireBuses: oneWire.buses, ...devices }) : []),
    ],
  }
}

/** Whether there is anything at all that this program could use. */
export function isEmpty({ model, chips, i2c, quantities, spi, pwm, hints }: Scan): boolean {
  return model === undefined && [chips, i2c, quantities, spi, pwm, hints].every(({ length }) => length === 0)
}

/** Whether a board is one for which there is `raspi-config`. */
export function isRaspberryPi(model: string | undefined): boolean {
  return model?.startsWith('Raspberry Pi') === true
}

function packageHints(options: ScanOptions): Hint[] {
  try {
    kernelOf(options)
    return []
  } catch (thrown) {
    if (!(thrown instanceof HardwareError)) throw thrown
    return [{ what: 'koffi', text: `pins and I2C were not looked at: ${thrown.message}`, todo: ['npm install koffi'] }]
  }
}

interface On extends Pick<FoundDevices, 'spi' | 'pwm' | 'uarts'> {
  i2c: readonly FoundI2CBus[]
  oneWireBuses: number
}

function offHints(root: string, { i2c, oneWireBuses, spi, pwm, uarts }: On): Hint[] {
  const on: Record<keyof typeof switches, boolean> = {
    i2c: i2c.some(({ purpose }) => purpose === 'header'),
    oneWire: oneWireBuses > 0,
    spi: spi.length > 0,
    pwm: pwm.some(({ pins }) => pins.length > 0),
    uart: uarts.some(({ name }) => name === 'serial0'),
  }
  const names = Object.keys(switches) as (keyof typeof switches)[]
  return names.filter(name => !on[name]).map(name => switchedOff(switches[name], root))
}
