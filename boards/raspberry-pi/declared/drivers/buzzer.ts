import { buzzer as buzzerPart } from '../../../parts/buzzer.ts'
import { driver, type PartPlan } from '../driver.ts'
import { flag, needed, number } from '../field.ts'
import { channelClaims, notOfTheHeader, pin, pinClaim, pwmLines } from '../pin.ts'
import { theOnly } from './the-only.ts'

/** A buzzer. */
export const buzzer = driver({
  name: 'buzzer',
  does: 'moves',
  about: 'a buzzer: one that sounds by itself, or with "hz" one that needs a tone',
  alsoCalled: ['piezo', 'beeper', 'speaker'],
  fields: {
    pin: needed(pin('The pin; with "hz" one with PWM')),
    hz: number(
      'The tone of a buzzer that needs one; left out for one that sounds by itself',
      { minimum: 20, maximum: 20_000 },
      2000,
    ),
    activeLow: flag('True when the low voltage makes it sound; false when left out'),
    maximumSeconds: number('The longest sound, in seconds; 5 when left out', { above: 0, maximum: 50 }, 5),
  },
  check({ pin: { pin, line }, hz, activeLow }) {
    if (typeof pin === 'number') return { key: 'pin', text: notOfTheHeader }
    if (hz === undefined) return undefined
    if (activeLow !== undefined)
      return { key: 'activeLow', text: 'does not go with "hz": a tone is low half of the time' }
    return line !== undefined && pwmLines.includes(line)
      ? undefined
      : { key: 'pin', text: 'must be a pin with PWM where "hz" is given: GPIO12, GPIO13, GPIO18 or GPIO19' }
  },
  claims: ({ pin, hz }) => [pinClaim(pin), ...(hz === undefined ? [] : channelClaims(pin.line))],
  part: ({ pin: { pin }, hz, activeLow, maximumSeconds }): PartPlan => ({
    key: `buzzer ${pin}`,
    member: undefined,
    make(members, { wiring, clock }) {
      const part = buzzerPart({
        output:
          hz === undefined
            ? wiring.digital({ pin, mode: 'output', ...(activeLow !== undefined && { activeLow }) })
            : wiring.pwm({ pin: String(pin), hz }),
        ...(maximumSeconds !== undefined && { maximumSeconds }),
        ...(clock && { clock }),
      })
      return theOnly(members, part)
    },
  }),
})
