import { DefinitionError } from './errors.ts'

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * Checks the name of a board, a sensor or an actuator.
 *
 * @param what says what is named: `sensor`
 * @throws DefinitionError for what is no name
 */
export function assertName(what: string, name: unknown): asserts name is string {
  if (typeof name === 'string' && namePattern.test(name)) return
  throw new DefinitionError(
    `${what} "${String(name)}": a name is a letter followed by letters, digits, _ or -, at most 64 in all`,
  )
}
