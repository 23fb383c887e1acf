import { driver } from '../driver.ts'
import { choice, flag, number } from '../field.ts'
import { lineClaims, lineFields, lineMisfit } from '../line.ts'

/** A button, a contact of a door, a motion detector. */
export const digitalInput = driver({
  name: 'digital-input',
  does: 'senses',
  about: 'a pin that is on or off: a button, the contact of a door, a motion detector',
  alsoCalled: ['button', 'switch', 'door', 'contact', 'reed', 'motion', 'pir', 'input', 'gpio', 'digital'],
  fields: {
    ...lineFields(),
    pull: choice('The resistor in the processor: up for a contact to ground', ['up', 'down', 'off']),
    activeLow: flag('True when the low voltage means on, as for a contact to ground; false when left out'),
    debounceMs: number(
      'It has changed when it was steady for so many milliseconds; at once when left out',
      { minimum: 0, maximum: 10_000 },
      5,
    ),
  },
  isOnOff: true,
  check: lineMisfit,
  claims: lineClaims,
  part: ({ pin: { pin }, ...options }) => ({
    key: `line ${options.chip ?? ''} ${pin}`,
    member: undefined,
    make(members, { wiring }) {
      const input = wiring.digital({ pin, mode: 'input', ...options })
      const sensor = {
        type: 'boolean' as const,
        read: () => input.read(),
        watch: (changed: (value: boolean) => void) => input.watch!(value => changed(value)),
      }
      return {
        sensors: Object.fromEntries(Object.keys(members).map(member => [member, { value: sensor }])),
        close: () => input.close(),
      }
    },
  }),
})
