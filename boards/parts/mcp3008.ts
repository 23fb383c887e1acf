import type { Sensor } from '../../runtime/board.ts'
import type { SPI } from '../io.ts'
import { Chip } from './chip.ts'
import { type PartOptions, type SensorPart, titled } from './part.ts'
import { SPIPlace } from './place.ts'
import { rounded } from './rounded.ts'

// Microchip "MCP3004/3008 2.7V 4-Channel/8-Channel 10-Bit A/D Converters with SPI Serial Interface", DS21295, section 6.1.
const startBit = 0x01
const singleEnded = 0x80
/** Sent low by the chip just before the value. */
const nullBit = 0x04
const codes = 1024

/** What is wired to one input of an MCP3008. */
export interface MCP3008Channel {
  /** The input, CH0 to CH7, against ground. */
  input: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7
  title?: string
  description?: string
}

/** Where an MCP3008 is, and what is wired to it. */
export interface MCP3008Options<Name extends string> extends PartOptions {
  /** In mode 0 or 3, at 1.35 MHz or less where it is supplied with 2.7 V, and 3.6 MHz with 5 V. */
  spi: SPI
  /** The voltage at VREF; 3.3 when left out. */
  referenceVolts?: number
  /** What is wired to it: a sensor for each, by name. */
  channels: Record<Name, MCP3008Channel>
}

/** An MCP3008 (or MCP3004, with half the inputs): voltages, by 10 bits. */
export function mcp3008<Name extends string>(options: MCP3008Options<Name>): SensorPart<Name> {
  const { referenceVolts = 3.3 } = options
  const place = new SPIPlace('MCP3008', options.spi)

  async function code(input: number): Promise<number> {
    const [, high = 0xff, low = 0xff] = await place.transfer(Uint8Array.of(startBit, singleEnded | (input << 4), 0))
    if (high & nullBit) throw place.failure('does not answer: check its wiring, its power and its chip-select line')
    return ((high & 0x03) << 8) | low
  }

  // Nothing to configure and no id: what tells is the bit that it sends before a value.
  const chip = new Chip({ configure: async () => void (await code(0)), io: options.spi })
  const sensorOf = (name: string, { input, title, description }: MCP3008Channel): Sensor => ({
    title: title ?? titled(options, name.replaceAll('_', ' ')),
    ...(description === undefined ? {} : { description }),
    unit: 'V',
    minimum: 0,
    maximum: referenceVolts,
    ttlMs: 1,
    read: () => chip.use(async () => rounded(((await code(input)) * referenceVolts) / codes, 6)),
  })
  const channels = Object.entries<MCP3008Channel>(options.channels)
  return {
    sensors: Object.fromEntries(channels.map(([name, channel]) => [name, sensorOf(name, channel)])) as Record<
      Name,
      Sensor
    >,
    open: () => chip.open(),
    close: () => chip.close(),
  }
}
