import { actuator } from '../../runtime/board.ts'
import type { SPI } from '../io.ts'
import { Chip } from './chip.ts'
import type { ActuatorPart, ActuatorSettings } from './part.ts'
import { SPIPlace } from './place.ts'

// Worldsemi "WS2812B Intelligent control LED integrated light source": a bit takes 1.25 µs, high for 0.4 µs for a zero and
// for 0.8 µs for a one, each ±150 ns. Three bits of SPI at 2.4 MHz are one such bit: 100 and 110.
const spiHz = 2_400_000
/** Low for longer than this ends the data: 50 µs by the first datasheet, 280 µs by later ones. */
const resetSeconds = 300e-6
const resetBytes = Math.ceil((resetSeconds * spiHz) / 8)
/** What spidev transfers at once, unless spidev.bufsiz says more. */
const transferBytes = 4096
const bytesAPixel = 9
const mostPixels = Math.floor((transferBytes - 2 * resetBytes) / bytesAPixel)

/** A strip of WS2812B lamps (NeoPixel). */
export interface NeoPixelOptions extends ActuatorSettings {
  /** In mode 0 at 2.4 MHz. The data line of the strip is wired to MOSI, and nothing else is on the bus. */
  spi: SPI
  /** How many lamps it has, up to 435. */
  pixels: number
}

/** A colour of one lamp: red, green and blue, 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number]

/** A strip of WS2812B lamps, in one colour. Dark is its safe state. */
export function neopixel({ spi, pixels, ...settings }: NeoPixelOptions): ActuatorPart<'color'> {
  if (!Number.isInteger(pixels) || pixels < 1 || pixels > mostPixels)
    throw new RangeError(`A strip on SPI has 1 to ${mostPixels} lamps, not ${pixels}`)
  const place = new SPIPlace('NeoPixel', spi)
  const show = async (color: Color) => void (await place.transfer(encodePixels(Array(pixels).fill(color))))
  const dark = () => show([0, 0, 0])
  // It says nothing back: whether it is there cannot be told.
  const chip = new Chip({ configure: dark, sleep: dark, io: spi })
  const part = { type: 'integer', minimum: 0, maximum: 255 } as const
  return {
    actuators: {
      color: actuator({
        title: 'Light strip',
        description: 'Lights all lamps of the strip in one colour. Red, green and blue at 0 are dark.',
        inputSchema: {
          type: 'object',
          properties: { red: part, green: part, blue: part },
          required: ['red', 'green', 'blue'],
          additionalProperties: false,
        },
        absolute: true,
        reversible: true,
        safe: { red: 0, green: 0, blue: 0 },
        ...settings,
        set: ({ red, green, blue }) => chip.use(() => show([red, green, blue])),
      }),
    },
    open: () => chip.open(),
    close: () => chip.close(),
  }
}

/** The bytes to send for these lamps, with the low time around them that ends older data and these. */
export function encodePixels(colors: readonly Color[]): Uint8Array {
  const bytes = new Uint8Array(2 * resetBytes + bytesAPixel * colors.length)
  let at = resetBytes
  for (const [red, green, blue] of colors) {
    for (const value of [green, red, blue]) {
      const word = spread(value)
      bytes[at++] = word >> 16
      bytes[at++] = word >> 8
      bytes[at++] = word
    }
  }
  return bytes
}

/** The 24 bits that stand for 8. */
function spread(value: number): number {
  let word = 0
  for (let bit = 7; bit >= 0; bit--) word = (word << 3) | ((value >> bit) & 1 ? 0b110 : 0b100)
  return word
}
