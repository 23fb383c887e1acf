import { mhz19 as mhz19Part } from '../../../parts/mhz19.ts'
import { driver, type PartPlan } from '../driver.ts'
import { text } from '../field.ts'
import { busPins } from '../pin.ts'

const headerPort = 'serial0'

/** An MH-Z19, MH-Z19B or MH-Z19C. */
export const mhz19 = driver({
  name: 'mhz19',
  does: 'senses',
  about: 'MH-Z19: carbon dioxide, on a serial line',
  alsoCalled: ['mh-z19', 'mh-z19b', 'mh-z19c', 'mhz19b', 'mhz19c', 'co2', 'carbon-dioxide'],
  fields: {
    port: text(
      'The serial line, by its name in /dev; serial0, that at GPIO14 and GPIO15, when left out',
      headerPort,
      200,
    ),
  },
  unit: () => 'ppm',
  claims: ({ port = headerPort }) => [
    { what: `serial ${port}`, title: `The serial line ${port}`, advice: 'Wire one of them to another line' },
    ...(port === headerPort ? busPins(headerPort, { 14: 'TX', 15: 'RX' }) : []),
  ],
  part: ({ port = headerPort }): PartPlan<undefined> => ({
    key: `serial ${port}`,
    member: undefined,
    make(members, { wiring }) {
      const part = mhz19Part({ serial: wiring.serial({ port }) })
      return {
        sensors: Object.fromEntries(Object.keys(members).map(member => [member, part.sensors])),
        close: part.close,
      }
    },
  }),
})
