import { type Actuator, actuator } from '../../runtime/board.ts'
import type { PWM } from '../io.ts'
import type { ActuatorPart, ActuatorSettings } from './part.ts'

/** What a servo can do, by its datasheet. */
export interface ServoRange {
  /** How far it turns; 180 when left out. */
  degrees?: number
  /** The pulses at 0 and at the other end, in microseconds; 1000 and 2000 when left out. */
  pulses?: readonly [atZero: number, atEnd: number]
}

/** Where a servo is wired. */
export interface ServoOptions extends ServoRange, ActuatorSettings {
  /** At 50 Hz for most. Its first duty, and the one that it is left with, is that of the safe angle: see {@link servoDuty}. */
  pwm: PWM
  /** The angle that is safe, in degrees. */
  safe: number
}

/** The duty at which a servo stands at an angle, 0 to 1. */
export function servoDuty(angle: number, hz: number, { degrees = 180, pulses: [from, to] = [1000, 2000] }: ServoRange) {
  return ((from + ((to - from) * angle) / degrees) * hz) / 1e6
}

/** A servo on a PWM output. */
export function servo({ pwm, safe, degrees, pulses, ...settings }: ServoOptions): ActuatorPart<'servo'> {
  const range: ServoRange = { ...(degrees !== undefined && { degrees }), ...(pulses !== undefined && { pulses }) }
  const turn = (angle: number) => pwm.write(servoDuty(angle, pwm.hz, range))
  return {
    actuators: { servo: turning({ title: 'Servo', safe, degrees, ...settings, turn }) },
    open: () => turn(safe),
    close: () => pwm.close(),
  }
}

/** The actuator of a servo, whatever gives it its pulses. */
export function turning({
  safe,
  degrees: most = 180,
  turn,
  ...settings
}: ActuatorSettings & { safe: number; degrees: number | undefined; turn(angle: number): unknown }): Actuator<any> {
  return actuator({
    description: 'Turns a servo to an angle.',
    inputSchema: {
      type: 'object',
      properties: { degrees: { type: 'number', minimum: 0, maximum: most } },
      required: ['degrees'],
      additionalProperties: false,
    },
    absolute: true,
    reversible: true,
    safe: { degrees: safe },
    ...settings,
    set: ({ degrees }) => turn(degrees),
  })
}
