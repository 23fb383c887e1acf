import type { Authorized } from '../authorizer.ts'

/**
 * The names of the scopes (RFC 6749, section 3.3): to read the sensors, to work the actuators too, and to work them as a
 * person does, who is not asked again.
 */
export interface Scopes {
  read: string
  act: string
  /** Nobody is let in as a person when left out. */
  person?: string
}

/** The scopes as Ferrule calls them. */
export const scopes = Object.freeze({
  read: 'sensors:read',
  act: 'actuators:act',
  person: 'actuators:person',
} as const satisfies Scopes)

/** What a holder of some scopes may do: who works the actuators also reads the sensors. Nothing without either. */
export function accessOf(granted: readonly string[], names: Scopes): Authorized['access'] | undefined {
  if (names.person !== undefined && granted.includes(names.person)) return 'person'
  if (granted.includes(names.act)) return 'act'
  return granted.includes(names.read) ? 'read' : undefined
}
