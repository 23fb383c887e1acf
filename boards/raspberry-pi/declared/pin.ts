import { atHeader, lineTitle, positionOf } from '../gpio/header.ts'
import type { Claim } from './claim.ts'
import { type Field, field, isThere, shown, Wrong } from './field.ts'

/** A pin that was named: a line of the header, or a line by its name or number. */
export interface Pin {
  /** As `digital` and `pwm` take it: `GPIO17`, the name of a line, or its number on another controller. */
  readonly pin: string | number
  /** The number of a line of the header. */
  readonly line?: number
}

const highestLine = 27
/** The lines with hardware for pulses. */
export const pwmLines: readonly number[] = [12, 13, 18, 19]

/** A pin of the header, or another line of the board. */
export function pin(description: string): Field<string | number, Pin> {
  return field({ type: ['string', 'integer'], description }, 'GPIO17', read)
}

/** A pin that hardware can pulse. */
export function pwmPin(description: string): Field<string, Pin> {
  const names = pwmLines.flatMap(line => [`GPIO${line}`, `pin ${positionOf(line)}`])
  return field({ enum: names, description }, 'GPIO18', written => {
    const found = read(written)
    if (found instanceof Wrong) return found
    if (found.line !== undefined && pwmLines.includes(found.line)) return found
    return new Wrong(
      `must be a pin with PWM: GPIO12 (pin 32), GPIO13 (pin 33), GPIO18 (pin 12) or GPIO19 (pin 35); ${isThere(written)}. ` +
        'Where those are not enough, a PCA9685 has 16 more',
    )
  })
}

/** What an entry takes by having a pin for itself. */
export function pinClaim({ pin, line }: Pin, chip?: string): Claim {
  return {
    what: line === undefined || chip !== undefined ? `line ${chip ?? ''} ${pin}` : `GPIO${line}`,
    title:
      line === undefined || chip !== undefined
        ? `The line ${pin}${chip === undefined ? '' : ` of ${chip}`}`
        : lineTitle(line),
    advice: 'Wire one of them to another pin',
  }
}

/** What a bus takes: pins that everything on it shares. */
export function busPins(bus: string, pins: Readonly<Record<number, string>>): Claim[] {
  return Object.entries(pins).map(([line, role]) => ({
    what: `GPIO${line}`,
    title: lineTitle(Number(line)),
    as: `${role} of ${bus}`,
    together: bus,
    advice: 'Wire this one to another pin',
  }))
}

/** Before the Pi 5 two pins share each channel. */
export function channelClaims(line: number | undefined) {
  const pair = [
    [12, 18],
    [13, 19],
  ].find(lines => line !== undefined && lines.includes(line))
  if (pair === undefined) return []
  return [
    {
      what: `PWM channel of ${pair.map(line => `GPIO${line}`).join(' and ')}`,
      title: `The PWM channel of ${pair.map(line => `GPIO${line}`).join(' and ')}`,
      advice: 'On this Raspberry Pi these two pins always pulse alike. Take one of the other pair, or a PCA9685',
    },
  ]
}

/** What is said of a number where no other controller can be named. */
export const notOfTheHeader = 'must be a pin of the header, such as "GPIO17" or "pin 11"'

function read(written: unknown): Pin | Wrong {
  if (typeof written === 'number') return numbered(written)
  if (typeof written !== 'string' || written.trim() === '')
    return new Wrong(`must be a pin, such as "GPIO17" or "pin 11"; ${isThere(written)}`)
  const word = written.trim()
  const gpio = /^GPIO ?0*(\d{1,4})$/i.exec(word)
  if (gpio !== null) {
    const line = Number(gpio[1])
    if (line <= highestLine) return { pin: `GPIO${line}`, line }
    return new Wrong(`is ${word}, which is not on the header: there is GPIO0 to GPIO${highestLine}`)
  }
  const position = /^pin ?0*(\d{1,4})$/i.exec(word)
  if (position !== null) return atPosition(Number(position[1]))
  const digits = /^[a-z]{0,8}[ _.#-]?0*(\d{1,4})$/i.exec(word)
  // Names of lines end in digits too: SDA1, ID_SD. What is a number behind a word for a pin is none.
  if (digits !== null && /^(bcm|pin|gpio|gp|io|phys|physical|board|p|d)?[ _.#-]?\d+$/i.test(word)) {
    const n = Number(digits[1])
    return /^(pin|phys|physical|board|p)/i.test(word)
      ? new Wrong(`must be written "pin ${n}" where the position on the header is meant; ${isThere(written)}`)
      : /^[a-z]/i.test(word)
        ? new Wrong(`must be written "GPIO${n}"; ${isThere(written)}`)
        : ambiguous(n)
  }
  if (/^(gpio|pin)/i.test(word)) return new Wrong(`must be a pin, such as "GPIO17" or "pin 11"; ${isThere(written)}`)
  return { pin: word }
}

/** A number alone is a line only where its controller is named. */
function numbered(written: number): Pin | Wrong {
  return Number.isInteger(written) && written >= 0 ? { pin: written } : new Wrong(`must be a pin; ${isThere(written)}`)
}

/** What is said of a bare number where the controller is that of the header. */
export function ambiguous(written: number): Wrong {
  const position = atHeader(written)
  const other =
    typeof position === 'number'
      ? `"pin ${written}" for position ${written} of the header, which is GPIO${position}`
      : undefined
  const gpio = written <= highestLine ? `"GPIO${written}" for ${lineTitle(written)}` : undefined
  const both = [gpio, other].filter(one => one !== undefined)
  if (both.length === 0) return new Wrong(`must be a pin, such as "GPIO17" or "pin 11"; ${isThere(written)}`)
  return new Wrong(`may mean two things: write ${both.join(', or ')}`)
}

function atPosition(position: number): Pin | Wrong {
  const there = atHeader(position)
  if (typeof there === 'number') return { pin: `GPIO${there}`, line: there }
  if (there === undefined) return new Wrong(`is ${shown(`pin ${position}`)}, and the header has pins 1 to 40`)
  return new Wrong(`is pin ${position}, which is ${there}: nothing can be read or switched there`)
}
