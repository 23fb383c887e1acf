import type { Sensor } from '../../../../runtime/index.ts'
import { type DhtQuantity, dht as dhtQuantities } from '../../sysfs/dht.ts'
import { driver } from '../driver.ts'
import { choice, needed } from '../field.ts'
import { pin, pinClaim } from '../pin.ts'

const quantities = ['temperature', 'humidity'] as const
/** The driver of the kernel measures no more often than every two seconds. */
const ttlMs = 2000

/** A DHT22, which is also sold as AM2302. */
export const dht22 = dht('dht22', ['am2302', 'dht21', 'am2301'], { temperature: [-40, 80], humidity: [0, 100] })
/** A DHT11. */
export const dht11 = dht('dht11', [], { temperature: [-20, 60], humidity: [0, 100] })

function dht<const Name extends 'dht22' | 'dht11'>(
  name: Name,
  alsoCalled: readonly string[],
  ranges: Record<DhtQuantity, readonly [number, number]>,
) {
  return driver({
    name,
    does: 'senses',
    about: `${name.toUpperCase()}: temperature and humidity, on one pin, through the driver of the kernel`,
    alsoCalled,
    fields: {
      pin: needed(pin('The pin of its data line, as config.txt names it: dtoverlay=dht11,gpiopin=4')),
      quantity: choice('The one quantity that this entry is; both when left out', quantities),
    },
    gives: quantities,
    check: ({ pin: { line } }) =>
      line === undefined ? { key: 'pin', text: 'must be a pin of the header, such as "GPIO4"' } : undefined,
    claims: ({ pin, quantity }) => [
      { ...pinClaim(pin), together: name },
      ...(quantity === undefined ? quantities : [quantity]).map(each => ({
        what: `${each} of ${name} at ${pin.pin}`,
        title: `The ${each} of the ${name} at ${pin.pin}`,
        advice: 'Two parts need two pins; two entries of one part need a "quantity" each',
      })),
    ],
    part: ({ pin: { line = 0 } }) => ({
      key: `${name} ${line}`,
      member: undefined,
      make(members, { wiring, clock }) {
        const sensorOf = (quantity: DhtQuantity): Sensor => ({
          title: quantity === 'temperature' ? 'Temperature' : 'Humidity',
          unit: quantity === 'temperature' ? 'Cel' : '%RH',
          minimum: ranges[quantity][0],
          maximum: ranges[quantity][1],
          ttlMs,
          ...wiring.quantity(
            `${name} at GPIO${line}`,
            system => dhtQuantities({ ...system, line, ...(clock && { clock }) })[quantity],
          ),
        })
        const sensors = { temperature: sensorOf('temperature'), humidity: sensorOf('humidity') }
        return {
          sensors: Object.fromEntries(Object.keys(members).map(member => [member, sensors])),
          close: () => wiring.close(),
        }
      },
    }),
  })
}
