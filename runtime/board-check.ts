import { isSafe } from './actuator-rules.ts'
import type { Actuator, Board, Sensor } from './board.ts'
import { assertName } from './board-name.ts'
import { DefinitionError } from './errors.ts'
import { checkHistory } from './history/declaration.ts'
import { nearest } from './nearest.ts'
import { compileSchema, noArguments } from './schema.ts'
import { nearestUnit, senmlUnits } from './senml-units.ts'

const sensorTypes = ['number', 'integer', 'boolean', 'string', 'data']

/**
 * Checks the declaration of a board.
 *
 * @throws DefinitionError for the first mistake: where it is, and what would be right
 */
export function checkBoard(board: Board): void {
  assertName('board', board.name)
  const sensors = Object.keys(board.sensors ?? {})
  for (const [name, sensor] of Object.entries(board.sensors ?? {})) checkSensor(name, sensor)
  const actuators = Object.entries(board.actuators ?? {})
  for (const [name, actuator] of actuators) checkActuator(name, actuator, sensors)
  checkInitialGroups(actuators)
}

function checkSensor(name: string, sensor: Sensor): void {
  assertName('sensor', name)
  const where = `sensor "${name}"`
  if (typeof sensor?.read !== 'function') throw new DefinitionError(`${where} lacks its function read()`)
  const { type = 'number', unit, minimum, maximum } = sensor
  if (!sensorTypes.includes(type)) {
    throw new DefinitionError(`${where}: type is one of ${sensorTypes.join(', ')}, not "${type}"`)
  }
  if (unit !== undefined && !senmlUnits.has(unit)) {
    const near = nearestUnit(unit)
    const hint = near === undefined ? 'see RFC 8428, section 12.1' : `did you mean "${near}"?`
    throw new DefinitionError(`${where}: "${unit}" is no unit of the SenML registry; ${hint}`)
  }
  const numeric = type === 'number' || type === 'integer'
  if (!numeric && (unit !== undefined || minimum !== undefined || maximum !== undefined)) {
    throw new DefinitionError(`${where}: unit, minimum and maximum belong to numbers, and this is a ${type}`)
  }
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    throw new DefinitionError(`${where}: minimum ${minimum} is more than maximum ${maximum}`)
  }
  for (const member of ['ttlMs', 'deadBand', 'minIntervalMs', 'timeoutMs'] as const) {
    const value = sensor[member]
    if (value !== undefined && !(value >= 0 && Number.isFinite(value))) {
      throw new DefinitionError(`${where}: ${member} must be a number from 0 on`)
    }
  }
  checkHistory(where, sensor)
}

function checkActuator(name: string, actuator: Actuator<any>, sensors: readonly string[]): void {
  assertName('actuator', name)
  const where = `actuator "${name}"`
  if (typeof actuator?.set !== 'function') throw new DefinitionError(`${where} lacks its function set(args)`)
  if (actuator.safe === undefined) {
    throw new DefinitionError(
      `${where} lacks its safe state: give the arguments that make it safe, or null when there is nothing to make safe`,
    )
  }
  if ('annotations' in actuator) {
    throw new DefinitionError(
      `${where}: annotations follow from what it is. Say reversible, absolute or reachesBeyond instead`,
    )
  }
  for (const member of ['timeoutMs', 'holdForMs', 'minIntervalMs', 'maxRate'] as const) {
    const value = actuator[member]
    if (value !== undefined && !(value > 0 && Number.isFinite(value))) {
      throw new DefinitionError(`${where}: ${member} must be a number above 0`)
    }
  }
  checkRules(where, actuator, sensors)
  const { inputSchema = noArguments, safe, initial } = actuator
  // A Standard Schema may turn arguments into something else, and these states are already that.
  if (isStandard(inputSchema) || (safe === null && initial === undefined)) return
  const schema = compileSchema(inputSchema, `inputSchema of ${where}`)
  for (const [state, args] of [
    ['safe', safe],
    ['initial', initial],
  ] as const) {
    if (args === null || args === undefined) continue
    const checked = schema.check(args)
    if (checked instanceof Promise || checked.ok) continue
    throw new DefinitionError(
      `${where}: its ${state} state does not fit its inputSchema. ${checked.problems.join('. ')}`,
    )
  }
}

function checkRules(where: string, actuator: Actuator<any>, sensors: readonly string[]): void {
  const { safe, holdForMs, group, confirm, audience, readback, safeReading, arming, initial } = actuator
  if (safe === null && (holdForMs !== undefined || group !== undefined)) {
    throw new DefinitionError(`${where}: holdForMs and group need a safe state to go to, and its is null`)
  }
  if (confirm !== undefined && !['never', 'first', 'each'].includes(confirm)) {
    throw new DefinitionError(`${where}: confirm is never, first or each, not "${confirm}"`)
  }
  if (audience !== undefined && !['model', 'person'].includes(audience)) {
    throw new DefinitionError(`${where}: audience is model or person, not "${audience}"`)
  }
  if (arming === true && initial !== undefined && !isSafe(actuator, initial)) {
    throw new DefinitionError(`${where}: what stays off until a person arms it cannot be on at the start: drop initial`)
  }
  if (safeReading !== undefined && readback === undefined) {
    throw new DefinitionError(`${where}: safeReading is what readback shows, and there is no readback`)
  }
  if (readback !== undefined && !sensors.includes(readback)) {
    const near = nearest(readback, sensors)
    const hint = near === undefined ? `There is ${sensors.join(', ') || 'none'}` : `Did you mean "${near}"?`
    throw new DefinitionError(`${where}: there is no sensor "${readback}" to read it back. ${hint}`)
  }
}

function checkInitialGroups(actuators: readonly [string, Actuator<any>][]): void {
  const away = actuators.filter(
    ([, actuator]) =>
      actuator.group !== undefined && actuator.initial !== undefined && !isSafe(actuator, actuator.initial),
  )
  for (const [at, [name, { group }]] of away.entries()) {
    const other = away.slice(0, at).find(([, each]) => each.group === group)
    if (other !== undefined) {
      throw new DefinitionError(
        `actuator "${name}": ${other[0]} of the same group "${group}" is on at the start as well`,
      )
    }
  }
}

function isStandard(schema: object): boolean {
  return '~standard' in schema
}
