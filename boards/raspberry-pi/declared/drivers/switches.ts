import { relay as relayPart } from '../../../parts/relay.ts'
import { driver, type PartPlan } from '../driver.ts'
import { choice, flag, text } from '../field.ts'
import { lineClaims, lineFields, lineMisfit } from '../line.ts'
import { theOnly } from './the-only.ts'

/** A relay. */
export const relay = output('relay', 'a relay, or a relay board', [
  'relais',
  'solid-state-relay',
  'ssr',
  'pump',
  'valve',
])
/** Anything else that a pin switches. */
export const digitalOutput = output('digital-output', 'anything else that a pin switches on and off', [
  ...['output', 'switch', 'mosfet', 'transistor', 'gpio'],
])

function output<const Name extends string>(name: Name, about: string, alsoCalled: readonly string[]) {
  return driver({
    name,
    does: 'moves',
    about,
    alsoCalled,
    fields: {
      ...lineFields(),
      activeLow: flag('True when the low voltage switches it on, as with most relay boards; false when left out'),
      drive: choice('An output that drives one level only', ['open-drain', 'open-source']),
    },
    check: lineMisfit,
    claims: lineClaims,
    part: ({ pin: { pin }, ...options }): PartPlan => ({
      key: `line ${options.chip ?? ''} ${pin}`,
      member: undefined,
      make(members, { wiring }) {
        const part = relayPart({ digital: wiring.digital({ pin, mode: 'output', ...options }) })
        return theOnly(members, part, { description: 'Switches it on or off.' })
      },
    }),
  })
}

/** An LED on the board. */
export const led = driver({
  name: 'led',
  does: 'moves',
  about: 'an LED of the board itself',
  alsoCalled: ['act', 'board-led', 'status-led'],
  fields: { name: text('What the kernel calls it; ACT when left out', 'ACT', 64) },
  claims: ({ name = 'ACT' }) => [
    { what: `LED ${name}`, title: `The LED ${name}`, advice: 'ls /sys/class/leds shows all there are' },
  ],
  part: ({ name = 'ACT' }): PartPlan => ({
    key: `LED ${name}`,
    member: undefined,
    make: (members, { wiring }) =>
      theOnly(members, relayPart({ digital: wiring.led({ name }) }), {
        description: 'Lights the LED, or not.',
        reversible: true,
      }),
  }),
})
