import { type ADS1115Channel, ads1115 as ads1115Part } from '../../../parts/ads1115.ts'
import { type MCP3008Channel, mcp3008 as mcp3008Part } from '../../../parts/mcp3008.ts'
import type { SensorPart } from '../../../parts/part.ts'
import { address, hex, i2cBus, i2cClaims, range, spiClaims, spiPlace } from '../bus.ts'
import { driver, type MadePart, type PartPlan } from '../driver.ts'
import { choice, integer, needed, number } from '../field.ts'

const inputs = ['A0', 'A1', 'A2', 'A3', 'A0-A1', 'A0-A3', 'A1-A3', 'A2-A3'] as const

/** One input of an ADS1115. */
export const ads1115 = driver({
  name: 'ads1115',
  does: 'senses',
  about: 'ADS1115: the voltage at one of four inputs, on I2C',
  alsoCalled: ['adc', 'analog', 'analog-input', 'ads1015', 'soil-moisture', 'potentiometer'],
  fields: {
    address: needed(address('The address of the chip on the bus', ...range(0x48, 0x4b))),
    bus: i2cBus(),
    input: needed(choice('The input, or the difference of two', inputs)),
    fullScale: choice(
      'The largest voltage that it can tell; 4.096 when left out',
      [6.144, 4.096, 2.048, 1.024, 0.512, 0.256],
    ),
  },
  unit: () => 'V',
  claims: ({ address, bus = 1, input }) => [
    ...i2cClaims('ads1115', bus, address),
    {
      what: `ads1115 ${bus} ${address} ${input}`,
      title: `The input ${input} of the ads1115 at ${hex(address)}`,
      advice: 'Name another input',
    },
  ],
  part: ({ address, bus = 1, input, fullScale }): PartPlan<ADS1115Channel> => ({
    key: `ads1115 ${bus} ${address}`,
    member: { input, ...(fullScale !== undefined && { fullScale }) },
    make: (channels, { wiring, ...context }) =>
      eachItsOwn(ads1115Part({ i2c: wiring.i2c({ address, bus }), channels, ...context })),
  }),
})

/** One input of an MCP3008. */
export const mcp3008 = driver({
  name: 'mcp3008',
  does: 'senses',
  about: 'MCP3008: the voltage at one of eight inputs, on SPI',
  alsoCalled: ['mcp3004', 'mcp3208'],
  fields: {
    ...spiPlace(),
    input: needed(integer('The input: 0 is CH0, 7 is CH7', { minimum: 0, maximum: 7 }, 0)),
    referenceVolts: number('The voltage at VREF; 3.3 when left out', { above: 0, maximum: 5.5 }, 3.3),
  },
  unit: () => 'V',
  claims: ({ bus = 0, select = 0, input }) => [
    ...spiClaims('mcp3008', bus, select),
    {
      what: `spi ${bus} wires`,
      title: `SPI bus ${bus}`,
      together: 'chips',
      advice: 'A strip of lamps needs a bus of its own',
    },
    {
      what: `mcp3008 ${bus} ${select} ${input}`,
      title: `The input ${input} of this mcp3008`,
      advice: 'Name another input',
    },
  ],
  part: ({ bus = 0, select = 0, input, referenceVolts }): PartPlan<MCP3008Channel> => ({
    key: `mcp3008 ${bus} ${select}`,
    member: { input: input as MCP3008Channel['input'] },
    alike: { referenceVolts },
    make: (channels, { wiring }) =>
      eachItsOwn(
        mcp3008Part({
          spi: wiring.spi({ bus, select }),
          channels,
          ...(referenceVolts !== undefined && { referenceVolts }),
        }),
      ),
  }),
})

/** A part whose sensors are one for each entry. */
function eachItsOwn({ sensors, close }: SensorPart<string>): MadePart {
  return {
    sensors: Object.fromEntries(Object.entries(sensors).map(([entry, sensor]) => [entry, { value: sensor }])),
    close,
  }
}
