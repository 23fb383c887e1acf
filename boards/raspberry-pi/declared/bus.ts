import type { Claim } from './claim.ts'
import { type Field, field, integer, isThere, listed, Wrong } from './field.ts'
import { busPins } from './pin.ts'

/** An address on an I2C bus: one of some, or from the first to the second of two with `'to'`. */
export function address(
  description: string,
  ...addresses: readonly [number, ...number[]]
): Field<number | string, number> {
  const written = addresses.flatMap(one => [hex(one), one])
  return field({ enum: written, description }, hex(addresses[0]), value => {
    const found = typeof value === 'string' && /^(0x)?[0-9a-f]{1,2}$/i.test(value.trim()) ? hexOf(value) : value
    if (typeof found === 'number' && addresses.includes(found)) return found
    const right =
      addresses.length > 4
        ? `${hex(addresses[0])} to ${hex(addresses.at(-1)!)}`
        : listed(addresses.map(one => `"${hex(one)}"`))
    const hint = typeof value === 'number' ? '. Numbers in JSON are decimal: write it as a text, with 0x' : ''
    return new Wrong(`must be ${right}, as the part is made or wired; ${isThere(value)}${hint}`)
  })
}

/** All addresses between two, both included. */
export function range(first: number, last: number): [number, ...number[]] {
  return [first, ...Array.from({ length: last - first }, (_, i) => first + i + 1)]
}

/** Which I2C bus: 1, that of the header, when left out. */
export function i2cBus(): Field<number | string> {
  const description = 'The I2C bus: its number, or the name of its adapter; 1, that of the header, when left out'
  return field({ type: ['integer', 'string'], minimum: 0, maximum: 99, minLength: 1, description }, 1, written => {
    const named = typeof written === 'string' ? /^(?:\/dev\/)?i2c-(\d+)$/.exec(written) : null
    if (named !== null) return Number(named[1])
    if (typeof written === 'string' && written !== '') return written
    if (Number.isInteger(written) && (written as number) >= 0 && (written as number) <= 99) return written as number
    return new Wrong(`must be the number of a bus, such as 1; ${isThere(written)}`)
  })
}

/** Which SPI bus, and which of its chip-select lines. */
export function spiPlace(): { bus: Field<number>; select: Field<number> } {
  return {
    bus: integer('The SPI bus; 0, that of the header, when left out', { minimum: 0, maximum: 6 }, 0),
    select: integer('The chip-select line: 0 is CE0, 1 is CE1; 0 when left out', { minimum: 0, maximum: 2 }, 0),
  }
}

/** What a chip at an address takes: the address, and the pins of the bus. Others of the same driver may be on it as well. */
export function i2cClaims(chip: string, bus: number | string, address: number): Claim[] {
  return [
    {
      what: `i2c ${bus} ${address}`,
      title: `The address ${hex(address)} on ${busName(bus)}`,
      together: chip,
      advice: 'Every part of a bus has an address of its own: most have a pin or a jumper for another one',
    },
    ...(bus === 1 ? busPins('i2c-1', { 2: 'SDA', 3: 'SCL' }) : []),
  ]
}

/** What a chip on an SPI bus takes. */
export function spiClaims(chip: string, bus: number, select: number): Claim[] {
  return [
    {
      what: `spi ${bus} ${select}`,
      title: `Chip-select line ${select} of SPI bus ${bus}`,
      together: chip,
      advice: 'Wire this chip to another chip-select line',
    },
    ...spiPins(bus, select),
  ]
}

/** The driver of bus 0 has both its chip-select lines; the overlays of bus 1 have those up to the last one. */
function spiPins(bus: number, select: number): Claim[] {
  if (bus === 0) return busPins('SPI bus 0', { 9: 'MISO', 10: 'MOSI', 11: 'SCLK', 8: 'CE0', 7: 'CE1' })
  if (bus !== 1) return []
  const selects = { 18: 'CE0', ...(select > 0 && { 17: 'CE1' }), ...(select > 1 && { 16: 'CE2' }) }
  return busPins('SPI bus 1', { 19: 'MISO', 20: 'MOSI', 21: 'SCLK', ...selects })
}

/** `0x1f`. */
export function hex(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`
}

/** `i2c-1`. */
export function busName(bus: number | string): string {
  return typeof bus === 'number' ? `i2c-${bus}` : bus
}

function hexOf(text: string): number {
  return Number.parseInt(text.trim().replace(/^0x/i, ''), 16)
}
