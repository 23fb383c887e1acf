import type { Authorized } from '../authorizer.ts'

/** The names of the two scopes (RFC 6749, section 3.3): to read the sensors, and to work the actuators too. */
export interface Scopes {
  read: string
  act: string
}

/** The scopes as Ferrule calls them. */
export const scopes = Object.freeze({ read: 'sensors:read', act: 'actuators:act' } as const satisfies Scopes)

/** What a holder of some scopes may do: who works the actuators also reads the sensors. Nothing without either. */
export function accessOf(granted: readonly string[], names: Scopes): Authorized['access'] | undefined {
  if (granted.includes(names.act)) return 'act'
  return granted.includes(names.read) ? 'read' : undefined
}
