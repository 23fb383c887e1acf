import type { Clock } from '../../../../runtime/index.ts'
import type { I2C } from '../../../io.ts'
import type { SensorPart } from '../../../parts/part.ts'
import { address, hex, i2cBus, i2cClaims } from '../bus.ts'
import { type Driver, driver } from '../driver.ts'
import { choice, type Fields, needed, type Values } from '../field.ts'

/** A chip on an I2C bus that senses some quantities, and which driver of a part it is. */
export interface I2CSensor<Name extends string, Quantity extends string, F extends Fields> {
  readonly name: Name
  readonly about: string
  readonly alsoCalled?: readonly string[]
  /** The addresses that it can have. */
  readonly addresses: readonly [number, ...number[]]
  readonly gives: readonly Quantity[]
  /** What may be set beside where it is. */
  readonly options: F
  make(io: { i2c: I2C; clock?: Clock }, options: Values<F>): SensorPart<Quantity>
}

/** The driver of such a chip. Entries on one chip share it, each with a quantity of its own. */
export function i2cSensor<const Name extends string, Quantity extends string, F extends Fields>(
  chip: I2CSensor<Name, Quantity, F>,
) {
  const { name, gives, options } = chip
  const fields = {
    address: needed(address('The address of the chip on the bus, in hexadecimal as a text', ...chip.addresses)),
    bus: i2cBus(),
    ...(gives.length > 1 && {
      quantity: choice('The one quantity that this entry is; all of them when left out', gives),
    }),
    ...options,
  } as PlaceFields<Quantity> & F
  type All = { address: number; bus?: number | string; quantity?: Quantity } & Values<F>
  const definition: Driver<Name, PlaceFields<Quantity> & F> = driver({
    name,
    does: 'senses',
    about: chip.about,
    ...(chip.alsoCalled && { alsoCalled: chip.alsoCalled }),
    fields,
    ...(gives.length > 1 && { gives }),
    claims(values) {
      const { address, bus = 1, quantity } = values as All
      const title = `${name} at ${hex(address)}`
      return [
        ...i2cClaims(name, bus, address),
        ...(quantity === undefined ? gives : [quantity]).map(each => ({
          what: `${each} of ${title} on ${bus}`,
          title: `The ${each.replaceAll('_', ' ')} of the ${title}`,
          advice: 'Two chips need two addresses; two entries on one chip need a "quantity" each',
        })),
      ]
    },
    part(values) {
      const { address, bus = 1, quantity: _, ...set } = values as All
      return {
        key: `${name} ${bus} ${address}`,
        member: undefined,
        alike: Object.fromEntries(Object.keys(options).map(key => [key, (set as Record<string, unknown>)[key]])),
        make(members, { wiring, ...context }) {
          const part = chip.make({ i2c: wiring.i2c({ address, bus }), ...context }, set as unknown as Values<F>)
          return {
            sensors: Object.fromEntries(Object.keys(members).map(member => [member, part.sensors])),
            close: part.close,
          }
        },
      }
    },
  })
  return definition
}

/** Where such a chip is. */
export type PlaceFields<Quantity extends string> = {
  readonly address: ReturnType<typeof needed<number | string, number>>
  readonly bus: ReturnType<typeof i2cBus>
  readonly quantity: ReturnType<typeof choice<Quantity>>
}
