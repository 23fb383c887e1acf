import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, HardwareError, hardwareError, membersOnly } from '../hardware-error.ts'
import { type KernelCalls, kernelOf, type SystemOptions } from '../kernel/kernel-calls.ts'
import { headerLabels } from './header.ts'
import { type ChipInfo, chipInfo } from './uapi.ts'

/** A controller and where it is opened. */
export interface GpioChip extends ChipInfo {
  path: string
}

/**
 * The GPIO controllers of this machine, by number. Looking at them touches no line.
 *
 * @throws HardwareError when there is none, or none may be opened
 */
export function gpioChips(options: SystemOptions = {}): GpioChip[] {
  const folder = join(options.root ?? '/', 'dev')
  const names = entries(folder)
    .filter(name => /^gpiochip\d+$/.test(name))
    .sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)))
  if (names.length === 0) throw new HardwareError('ENODEV', noChips(options))
  const kernel = kernelOf(options)
  const chips = new Map<string, GpioChip>()
  for (const name of names) {
    const path = join(folder, name)
    const chip = { ...withChip(kernel, path, fd => chipInfo(kernel, fd)), path }
    // A Pi 5 has links of older numbers to the same controller.
    if (!chips.has(chip.name)) chips.set(chip.name, chip)
  }
  return [...chips.values()]
}

/** Opens a controller for as long as it takes. Lines that were taken stay taken after that. */
export function withChip<Result>(kernel: KernelCalls, path: string, use: (fd: number) => Result): Result {
  let fd: number
  try {
    fd = kernel.open(path)
  } catch (thrown) {
    throw hardwareError(path, thrown, membersOnly('gpio'))
  }
  try {
    return use(fd)
  } finally {
    kernel.close(fd)
  }
}

/**
 * The one controller whose lines are the header's, found by its label: its number differs between boards and kernels.
 *
 * @throws HardwareError when none fits, or more than one
 */
export function headerChip(chips: readonly GpioChip[]): GpioChip {
  const [chip, second] = chips.filter(({ label }) => headerLabels.includes(label))
  if (chip === undefined)
    throw new HardwareError(
      'ENODEV',
      `no controller here is that of a Raspberry Pi's header; there is ${told(chips)}. Name the controller and the line: { chip: '${chips[0]?.label}', pin: 5 }`,
    )
  if (second !== undefined)
    throw new HardwareError(
      'ENOTUNIQ',
      `the header is ambiguous: ${told(chips)}. Name the controller and the line: { chip: '${chip.label}', pin: 17 }`,
    )
  return chip
}

/** The controller with a label or a name (`gpiochip0`). */
export function namedChip(chips: readonly GpioChip[], wanted: string): GpioChip {
  const [chip, second] = chips.filter(({ label, name }) => label === wanted || name === wanted)
  if (chip === undefined) throw new HardwareError('ENODEV', `there is no controller ${wanted}, but ${told(chips)}`)
  if (second !== undefined) throw new HardwareError('ENOTUNIQ', `more than one controller is ${wanted}: ${told(chips)}`)
  return chip
}

function told(chips: readonly GpioChip[]): string {
  return chips.map(({ name, label, lines }) => `${name} (${label}, ${lines} lines)`).join(', ')
}

function noChips({ root = '/' }: SystemOptions): string {
  const sysfs = join(root, 'sys/class/gpio')
  const old = entries(sysfs)
    .filter(name => /^gpiochip\d+$/.test(name))
    .map(name => `${readFileSync(join(sysfs, name, 'label'), 'utf8').trim()} is based at ${name.slice(8)}`)
  return old.length === 0
    ? 'this machine has no GPIO controller: there is no /dev/gpiochip0'
    : `there is no /dev/gpiochip0, only the old numbers of sysfs, where ${old.join(', ')}; they are not used. Boot a kernel with CONFIG_GPIO_CDEV`
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return []
    throw hardwareError(folder, thrown)
  }
}
