import { neopixel as neopixelPart } from '../../../parts/neopixel.ts'
import { spiClaims, spiPlace } from '../bus.ts'
import { driver, type PartPlan } from '../driver.ts'
import { integer, needed } from '../field.ts'
import { theOnly } from './the-only.ts'

const neopixelHz = 2_400_000

/** A strip of WS2812B lamps. */
export const neopixel = driver({
  name: 'neopixel',
  does: 'moves',
  about: 'a strip of WS2812B lamps in one colour, its data line at MOSI of an SPI bus of its own',
  alsoCalled: ['ws2812', 'ws2812b', 'led-strip', 'light-strip', 'strip'],
  fields: {
    ...spiPlace(),
    pixels: needed(integer('How many lamps it has', { minimum: 1, maximum: 435 }, 8)),
  },
  claims: ({ bus = 0, select = 0 }) => [
    ...spiClaims('neopixel', bus, select),
    { what: `spi ${bus} wires`, title: `SPI bus ${bus}`, advice: 'A strip of lamps needs a bus of its own' },
  ],
  part: ({ bus = 0, select = 0, pixels }): PartPlan => ({
    key: `neopixel ${bus} ${select}`,
    member: undefined,
    make: (members, { wiring }) =>
      theOnly(members, neopixelPart({ spi: wiring.spi({ bus, select, hz: neopixelHz }), pixels })),
  }),
})
