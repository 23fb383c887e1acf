import { HardwareError } from '../hardware-error.ts'
import { kernelOf, type SystemOptions } from '../kernel/kernel-calls.ts'
import { type GpioChip, gpioChips, headerChip, namedChip, withChip } from './chips.ts'
import { atHeader, lineTitle } from './header.ts'
import { lineInfo } from './uapi.ts'

/** Which line is meant. */
export interface PinOptions extends SystemOptions {
  /**
   * `GPIO17` by the number of the header's controller (BCM number), `pin 11` by the position on the 40-pin header, or the
   * name that the device tree gives to a line. With `chip` also the number of the line on it.
   */
  pin: string | number
  /** The label or name of another controller than the header's: `pinctrl-rp1`, `gpiochip2`. */
  chip?: string
}

/** A line that was found. */
export interface FoundLine {
  chip: GpioChip
  offset: number
  /** What messages call it: `GPIO17 (pin 11)`. */
  title: string
}

/**
 * Finds a line. No line is touched.
 *
 * @throws HardwareError when there is none, when two fit, or when that pin of the header is no line
 */
export function findLine(options: PinOptions): FoundLine {
  const { pin, chip: wanted } = options
  const chips = gpioChips(options)
  if (wanted !== undefined) {
    const chip = namedChip(chips, wanted)
    return typeof pin === 'number' ? numbered(chip, pin, `line ${pin} of ${wanted}`) : byName(options, [chip], pin)
  }
  const number = lineNumber(pin)
  if (number === undefined) return byName(options, chips, String(pin))
  return numbered(headerChip(chips), number, lineTitle(number))
}

/** The number of a line that is named by itself or by its position; undefined when it has a name of its own. */
function lineNumber(pin: string | number): number | undefined {
  if (typeof pin === 'number' || /^\d+$/.test(pin))
    throw new HardwareError('EINVAL', `pin ${pin} may mean two things: write 'GPIO${pin}' or 'pin ${pin}'`)
  const gpio = /^GPIO(\d+)$/i.exec(pin)
  if (gpio !== null) return Number(gpio[1])
  const position = /^pin ?(\d+)$/i.exec(pin)
  if (position === null) return undefined
  const there = atHeader(Number(position[1]))
  if (typeof there === 'number') return there
  const why = there === undefined ? 'the header has pins 1 to 40' : `it is ${there}`
  throw new HardwareError('EINVAL', `${pin} of the header is no line that can be read or set: ${why}`)
}

function numbered(chip: GpioChip, offset: number, title: string): FoundLine {
  if (Number.isInteger(offset) && offset >= 0 && offset < chip.lines) return { chip, offset, title }
  throw new HardwareError('EINVAL', `${title} is out of range: ${chip.label} has lines 0 to ${chip.lines - 1}`)
}

function byName(options: PinOptions, chips: readonly GpioChip[], name: string): FoundLine {
  const kernel = kernelOf(options)
  const found = chips.flatMap(chip =>
    withChip(kernel, chip.path, fd =>
      Array.from({ length: chip.lines }, (_, offset) => ({ chip, offset, title: name })).filter(
        ({ offset }) => lineInfo(kernel, fd, offset).name === name,
      ),
    ),
  )
  if (found.length === 1) return found[0]!
  const where = chips.map(({ label }) => label).join(', ')
  throw found.length === 0
    ? new HardwareError(
        'ENOENT',
        `no line is named ${name} on ${where}: write 'GPIO17', 'pin 11', or a name of gpioinfo`,
      )
    : new HardwareError(
        'ENOTUNIQ',
        `${found.length} lines are named ${name} on ${where}: name the controller as "chip"`,
      )
}
