import { hex, type NamedEntry, type Suggestion } from '../../boards/raspberry-pi/scan/board-entries.ts'
import type {
  FoundI2CBus,
  FoundI2CChip,
  FoundQuantity,
  FoundUART,
  I2CPurpose,
} from '../../boards/raspberry-pi/scan/index.ts'
import { isRaspberryPi, type Scan } from '../../boards/raspberry-pi/scan/index.ts'
import { plain, readable } from '../try/readings.ts'
import { type Line, paint, type Span, widthOf } from '../try/text.ts'

/** How a scan is shown. */
export interface Shown {
  colours: boolean
}

const heading = (text: string): Line => [{ text, style: 'bold' }]

/** A scan as a person reads it. */
export function scanText(scan: Scan, entries: readonly NamedEntry[], { colours }: Shown): string {
  const { model } = scan
  const blocks = [
    [heading(model === undefined ? 'This computer' : plain(model))],
    found(scan, entries),
    unsure(scan),
    problems(scan),
    switchedOff(scan),
    buses(scan),
    pins(scan),
  ].filter(lines => lines.length > 0)
  return `${blocks.map(lines => lines.map(line => paint(line, 400, colours).trimEnd()).join('\n')).join('\n\n')}\n`
}

function found({ i2c, quantities }: Scan, entries: readonly NamedEntry[]): Line[] {
  const names = (from: NamedEntry['from']) => {
    const keys = entries.filter(entry => entry.from === from).map(({ key }) => key)
    return keys.length > 1 ? `${keys[0]} … ${keys.at(-1)}` : (keys[0] ?? '')
  }
  const rows = [
    ...i2c
      .flatMap(({ chips }) => chips)
      .filter(({ part, driver }) => part !== undefined || driver !== undefined)
      .map(chip => [placeOf(chip), chipText(chip), '', names(chip)]),
    ...quantities.map(one => [
      plain(one.channel === undefined ? one.device : `${one.device} ${one.channel}`),
      plain(one.failure === undefined ? one.what : one.failure),
      nowText(one),
      names(one),
    ]),
  ]
  if (rows.length === 0) return []
  return table([['Found', '', 'now', 'in board.json'], ...rows], ['plain', 'plain', 'good', 'accent'], true)
}

function chipText({ part, driver }: FoundI2CChip): string {
  if (part === undefined) return `with the driver ${plain(driver!)} of the kernel`
  const without = part.driver === undefined ? '; there is no driver for it here' : ''
  return `${part.name}: ${part.what}${without}`
}

function placeOf({ address, bus }: FoundI2CChip): string {
  return `${hex(address)} on i2c-${bus}`
}

function nowText({ value, unit, failure }: FoundQuantity): string {
  if (failure !== undefined || value === undefined) return 'no reading'
  return readable(value, unit)
}

/** Chips that answer and that could be several. */
function unsure({ i2c }: Scan): Line[] {
  const chips = i2c
    .flatMap(({ chips }) => chips)
    .filter(({ part, driver }) => part === undefined && driver === undefined)
  if (chips.length === 0) return []
  const rows = chips.map(chip => {
    const maybe = chip.maybe.map(({ name, what }) => `${name} (${what})`)
    return [placeOf(chip), maybe.length === 0 ? 'something that is not known here' : listed(maybe, 'or')]
  })
  return [heading('Answers too, and cannot be told without writing to it'), ...table(rows, ['plain', 'plain'])]
}

function problems({ hints }: Scan): Line[] {
  const all = hints.filter(({ offAt }) => offAt === undefined)
  if (all.length === 0) return []
  return [
    heading('To do'),
    ...all.flatMap(({ what, text, todo }): Line[] => [
      [{ text: `  ${what.padEnd(8)} `, style: 'warn' }, { text: plain(text) }],
      ...todo.map((each): Line => [{ text: `           → ${plain(each)}`, style: 'accent' }]),
    ]),
  ]
}

function switchedOff({ hints }: Scan): Line[] {
  const all = hints.filter(({ offAt }) => offAt !== undefined)
  if (all.length === 0) return []
  return [
    heading('Off, so what is wired there is not found. Switch on what you need, then restart: sudo reboot'),
    ...table(
      all.map(({ what, offAt, todo }) => [what, offAt!, plain(todo.join('; '))]),
      ['warn', 'plain', 'accent'],
    ),
  ]
}

const purposeTexts: Record<I2CPurpose, string> = {
  header: 'at the header',
  usb: 'behind USB',
  software: 'at pins that config.txt names',
  hat: 'for the EEPROM of a HAT',
  display: 'of a screen',
  camera: 'of cameras and displays',
  unknown: 'not known to be for parts',
}

function buses({ i2c, spi, pwm, uarts, leds, oneWireOthers }: Scan): Line[] {
  const reached = pwm.flatMap(({ pins }) => pins)
  const rows = [
    ...i2c.map(bus => [`i2c-${bus.number}`, `${purposeTexts[bus.purpose]} (${plain(bus.name)})${askedText(bus)}`]),
    ...(oneWireOthers.length === 0 ? [] : [['1-Wire', `${oneWireOthers.join(', ')}: no thermometers`]]),
    ...(spi.length === 0
      ? []
      : [
          ['SPI', `${spi.map(({ name }) => name).join(', ')}: a chip there does not say so, name it in the board file`],
        ]),
    ...(reached.length === 0 ? [] : [['PWM', reached.join(', ')]]),
    ...uarts.map(uart => ['UART', uartText(uart)]),
    ...(leds.length === 0 ? [] : [['LEDs', leds.map(({ name }) => plain(name)).join(', ')]]),
  ]
  if (rows.length === 0) return []
  return [heading('Buses and outputs'), ...table(rows, ['plain', 'plain'])]
}

function uartText({ name, port, usedFor }: FoundUART): string {
  const place = `/dev/${name}${port === undefined ? '' : ` (${port})`}`
  if (usedFor !== undefined) return `${place}: ${usedFor} has it`
  return name === 'serial0' ? `${place}: for a board on a cable, ferrule bridge --port /dev/serial0` : place
}

function askedText({ asked, why, chips, number, purpose }: FoundI2CBus): string {
  if (!asked) return why === undefined ? `: not asked; --bus ${number} asks it` : `: not asked, ${plain(why)}`
  if (chips.length === 0) return `: nobody answers${number === 1 && purpose === 'header' ? wiringText : ''}`
  const count = chips.length === 1 ? '1 chip' : `${chips.length} chips`
  return why === undefined ? `: ${count}` : `: ${count}; ${plain(why)}`
}

const wiringText = '. Should somebody? Check 3.3 V (pin 1), SDA (pin 3), SCL (pin 5), ground (pin 6)'

function pins({ header, chips, model }: Scan): Line[] {
  if (header.length === 0) {
    if (chips.length === 0) return []
    const all = chips.map(({ name, label, lines }) => `${plain(name)} (${plain(label)}, ${lines} lines)`)
    const why = isRaspberryPi(model) ? '' : ': name the controller and the line of a pin, as "chip" and "pin"'
    return [heading('Pins'), [{ text: `  ${listed(all, 'and')}${why}` }]]
  }
  const free = header.filter(({ consumer, bus }) => consumer === undefined && bus === undefined)
  const taken = header.filter(({ consumer, bus }) => consumer !== undefined || bus !== undefined)
  return [
    heading(`Pins: ${free.length} of ${header.length} are free`),
    ...(free.length === 0 ? [] : [[{ text: `  ${ranges(free.map(({ line }) => line))}`, style: 'good' as const }]]),
    ...table(
      taken.map(({ line, pin, consumer, bus }) => [
        `GPIO${line} (pin ${pin})`,
        plain(consumer === undefined ? bus! : bus === undefined ? consumer : `${consumer}, ${bus}`),
      ]),
      ['plain', 'dim'],
    ),
  ]
}

/** Lines by their numbers, those that follow each other as one: `GPIO5 to GPIO13, GPIO16`. */
function ranges(lines: readonly number[]): string {
  const runs: [number, number][] = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last?.[1] === line - 1) last[1] = line
    else runs.push([line, line])
  }
  const told = runs.map(([first, last]) =>
    first === last ? `GPIO${first}` : `GPIO${first}${last === first + 1 ? ',' : ' to'} GPIO${last}`,
  )
  return told.join(', ')
}

/** What to do with what was found. */
export function nextText(file: string | undefined, sensors: number, { colours }: Shown): string {
  const count = sensors === 1 ? '1 sensor' : `${sensors} sensors`
  const rows =
    file === undefined
      ? [
          [
            'ferrule scan --write board.json',
            `a board file with ${sensors === 1 ? 'this sensor' : `these ${count}`}, for you to go on with`,
          ],
          ['ferrule try @raspberry-pi', 'shows them, live'],
          ['ferrule host claude-desktop @raspberry-pi', 'the entry for your host'],
        ]
      : [
          [`ferrule try ${file}`, 'shows it, live'],
          [`ferrule host claude-desktop ${file}`, 'the entry for your host'],
        ]
  const lines = [
    heading(file === undefined ? 'Next' : `${file} is written, with ${count}`),
    ...table(rows, ['accent', 'plain']),
  ]
  return `\n${lines.map(line => paint(line, 400, colours).trimEnd()).join('\n')}\n`
}

/** What a scan cannot find, as lines of a board file. */
export function suggestionText(all: readonly Suggestion[], { colours }: Shown): string {
  if (all.length === 0) return ''
  const lines: Line[] = [heading('What no scan can find out. Paste what is true, and change the names and pins')]
  for (const under of ['sensors', 'actuators'] as const) {
    const ours = all.filter(each => each.under === under)
    if (ours.length === 0) continue
    lines.push([{ text: `  into "${under}":` }])
    for (const { when, key, entry } of ours) {
      lines.push([{ text: `    ${when}`, style: 'dim' }])
      lines.push([{ text: `      ${JSON.stringify(key)}: ${entryText(entry)}`, style: 'accent' }])
    }
  }
  return `\n${lines.map(line => paint(line, 400, colours).trimEnd()).join('\n')}\n`
}

/** An entry on one line, as people write it: `{ "driver": "relay", "pin": "GPIO17" }`. */
export function entryText(entry: object): string {
  const members = Object.entries(entry).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return `{ ${members.join(', ')} }`
}

/** On a computer with nothing of a board. */
export function nothingText(platform: NodeJS.Platform): string {
  const why =
    platform === 'linux'
      ? [
          'There is nothing here that Ferrule could use: this computer has no pins, no I2C, SPI or',
          '1-Wire, and no sensor that the kernel knows.',
        ]
      : [
          'A scan looks at the pins and buses of a Linux board, such as a Raspberry Pi. This computer',
          `(${platform}) has none.`,
        ]
  return [
    ...why,
    '',
    'That is no hindrance. Without hardware:',
    '  ferrule try                           a greenhouse on an emulated chip, to play with',
    '  ferrule serve @greenhouse             a simulated greenhouse for your MCP host',
    '  ferrule serve board.json --simulate   your own board file, its hardware simulated',
    '',
    'And a board on a USB cable is found by: ferrule ports',
    '',
  ].join('\n')
}

type ColumnStyle = NonNullable<Span['style']> | 'plain'

/** Rows in aligned columns, two further in than their heading, which may be the first row. */
function table(rows: readonly string[][], styles: readonly ColumnStyle[], hasHead = false): Line[] {
  const widths = styles.map((_, column) => Math.max(...rows.map(row => widthOf(row[column] ?? ''))))
  const isHead = (index: number) => hasHead && index === 0
  return rows.map((row, index) =>
    row.flatMap((text, column): Span[] => {
      const isLast = row.slice(column + 1).every(other => other === '')
      if (widths[column] === 0 || (isLast && text === '')) return []
      const style = isHead(index) ? 'bold' : styles[column]!
      const padding = isLast ? '' : ' '.repeat(widths[column]! - widthOf(text) + 2)
      const lead = column === 0 && !isHead(index) ? '  ' : ''
      const trail = column === 0 && isHead(index) && !isLast ? '  ' : ''
      return [{ text: `${lead}${text}${padding}${trail}`, ...(style !== 'plain' && { style }) }]
    }),
  )
}

function listed(words: readonly string[], word: 'and' | 'or'): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${word} ${words.at(-1)}`
}
