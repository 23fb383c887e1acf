import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gpioChips, withChip } from '../gpio/chips.ts'
import { headerLabels, positionOf } from '../gpio/header.ts'
import { LineFlag, lineInfo } from '../gpio/uapi.ts'
import { codeOf, HardwareError } from '../hardware-error.ts'
import { kernelOf } from '../kernel/kernel-calls.ts'
import { entriesIn } from './entries.ts'
import { type Hint, mayNot } from './hint.ts'
import { type ScanOptions, thisUser } from './options.ts'

/** A line of the header. */
export interface FoundLine {
  /** Its number on the controller: 17 for GPIO17. */
  line: number
  /** Its position on the header. */
  pin: number
  /** Who has it; nobody when left out. */
  consumer?: string
  /** The bus that uses it, for which no line is taken. */
  bus?: string
  output?: boolean
}

/** A GPIO controller. */
export interface FoundGpioChip {
  name: string
  label: string
  lines: number
  /** How many of its lines somebody has. */
  taken: number
  /** It is the one whose lines are at the header. */
  header: boolean
}

/** The controllers, and the lines of the header. */
export interface FoundPins {
  chips: FoundGpioChip[]
  /** None on a board without a Raspberry Pi's header. */
  header: FoundLine[]
  hints: Hint[]
}

/** The GPIO controllers of this machine and who has their lines. No line is asked for. */
export function foundPins(options: ScanOptions): FoundPins {
  const { root = '/', user = thisUser() } = options
  const none = (hints: Hint[]): FoundPins => ({ chips: [], header: [], hints })
  const devices = entriesIn(root, 'dev').filter(name => /^gpiochip\d+$/.test(name))
  if (devices.length === 0) return none([])
  const closed = devices.map(name => join(root, 'dev', name)).find(path => !user.may(path))
  if (closed !== undefined) return none(mayNot('pins', closed, root, user))
  try {
    return lookedAt(options)
  } catch (thrown) {
    if (!(thrown instanceof HardwareError)) throw thrown
    return none(codeOf(thrown) === 'ENOPKG' ? [] : [{ what: 'pins', text: thrown.message, todo: [] }])
  }
}

function lookedAt(options: ScanOptions): FoundPins {
  const kernel = kernelOf(options)
  const all = gpioChips(options)
  const lines = new Map(
    all.map(chip => [
      chip,
      withChip(kernel, chip.path, fd => Array.from({ length: chip.lines }, (_, line) => lineInfo(kernel, fd, line))),
    ]),
  )
  const [first, second] = all.filter(({ label }) => headerLabels.includes(label))
  const header = second === undefined ? first : undefined
  const chips = all.map(chip => ({
    name: chip.name,
    label: chip.label,
    lines: chip.lines,
    taken: lines.get(chip)!.filter(({ flags }) => flags & LineFlag.USED).length,
    header: chip === header,
  }))
  const used = busLines(options.root ?? '/')
  const atHeader = (header === undefined ? [] : lines.get(header)!).flatMap(
    ({ consumer, flags }, line): FoundLine[] => {
      const pin = positionOf(line)
      if (pin === undefined) return []
      const bus = used.get(line)
      return [
        {
          line,
          pin,
          ...(flags & LineFlag.USED && { consumer: consumer || 'somebody' }),
          ...(bus !== undefined && { bus }),
          ...(flags & LineFlag.OUTPUT && { output: true }),
        },
      ]
    },
  )
  return { chips, header: atHeader, hints: [] }
}

/** The lines of the buses that are on. To the controller they look free. */
function busLines(root: string): Map<number, string> {
  const lines = new Map<number, string>()
  const isThere = (device: string) => existsSync(join(root, 'dev', device))
  // The EEPROM of a HAT, which the firmware reads at every start.
  for (const line of [0, 1]) lines.set(line, 'the EEPROM of a HAT')
  if (isThere('i2c-1')) for (const line of [2, 3]) lines.set(line, 'i2c-1')
  if (entriesIn(root, 'dev').some(name => /^spidev0\./.test(name)))
    for (const line of [9, 10, 11]) lines.set(line, 'spi0')
  if (isThere('serial0')) for (const line of [14, 15]) lines.set(line, 'serial0')
  return lines
}
