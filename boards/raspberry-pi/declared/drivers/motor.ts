import { motor as motorPart } from '../../../parts/motor.ts'
import { driver, type PartPlan } from '../driver.ts'
import { needed, number } from '../field.ts'
import { channelClaims, notOfTheHeader, pin, pinClaim, pwmPin } from '../pin.ts'
import { theOnly } from './the-only.ts'

/** A motor behind a driver with two direction inputs. */
export const motor = driver({
  name: 'motor',
  does: 'moves',
  about: 'a motor behind a TB6612FNG or L298N: two pins for the direction, one for the speed',
  alsoCalled: ['l298n', 'tb6612fng', 'tb6612', 'h-bridge', 'dc-motor'],
  fields: {
    forward: needed(pin('The pin of the input that turns it forward (AIN1, IN1)')),
    backward: needed(pin('The pin of the input that turns it backward (AIN2, IN2)')),
    speed: needed(pwmPin('The pin of the speed (PWMA, ENA)')),
    hz: number('Pulses a second; 1000 when left out', { minimum: 1, maximum: 100_000 }, 1000),
    restMs: number(
      'How long it rests before it turns the other way; 200 when left out',
      { minimum: 0, maximum: 10_000 },
      200,
    ),
  },
  check(values) {
    const [key] = (['forward', 'backward'] as const).filter(key => typeof values[key].pin === 'number')
    return key === undefined ? undefined : { key, text: notOfTheHeader }
  },
  claims: ({ forward, backward, speed }) => [
    pinClaim(forward),
    pinClaim(backward),
    pinClaim(speed),
    ...channelClaims(speed.line),
  ],
  part: ({ forward, backward, speed, hz = 1000, restMs }): PartPlan => ({
    key: `motor ${forward.pin}`,
    member: undefined,
    make(members, { wiring, clock }) {
      const part = motorPart({
        forward: wiring.digital({ pin: forward.pin, mode: 'output' }),
        backward: wiring.digital({ pin: backward.pin, mode: 'output' }),
        speed: wiring.pwm({ pin: String(speed.pin), hz }),
        ...(restMs !== undefined && { restMs }),
        ...(clock && { clock }),
      })
      return theOnly(members, part)
    },
  }),
})
