import type { ActuatorPart } from '../../../parts/part.ts'
import type { MadePart } from '../driver.ts'

/** A part that is one actuator, with what else is said of it. */
export function theOnly(
  members: Readonly<Record<string, unknown>>,
  part: ActuatorPart<string>,
  more: object = {},
): MadePart {
  const [actuator] = Object.values(part.actuators)
  return {
    actuators: Object.fromEntries(Object.keys(members).map(member => [member, { ...actuator!, ...more }])),
    open: part.open,
    close: part.close,
  }
}
