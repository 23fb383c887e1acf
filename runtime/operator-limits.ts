import type { Actuator, Board } from './board.ts'
import { DefinitionError, RefusedMove } from './errors.ts'
import { isObject } from './json.ts'
import { nearest } from './nearest.ts'
import { textSchemaOf, valuesFromText } from './schema/from-text.ts'
import type { JsonSchema } from './schema/types.ts'
import { compileSchema } from './schema.ts'

/** What an argument may be, within what its actuator allows anyway. */
export interface ArgumentLimit {
  minimum?: number
  maximum?: number
  /** The only values that it may have. */
  values?: readonly (string | number | boolean)[]
}

/** What an actuator may be used for: anything that it can do (`true`), or with each argument within its limit. */
export type AllowedUse = true | Readonly<Record<string, ArgumentLimit>>

/**
 * What the person who runs a server allows, beside the board's own rules. It can only narrow them. Stopping is always
 * allowed.
 */
export interface OperatorLimits {
  /** Nothing can be moved: tools that act are in no list, and a call of one is refused. */
  readOnly?: boolean
  /** The only actuators and acting tools that may be used, by name. All when left out. */
  allow?: Readonly<Record<string, AllowedUse>>
  /** Moves are checked and described, and not made. */
  dryRun?: boolean
}

/**
 * Checks that the limits speak of what is there.
 *
 * @param tools names of tools that are no actuators
 * @throws DefinitionError for an actuator or an argument that does not exist, and for a limit that excludes everything
 */
export function checkLimits({ allow = {} }: OperatorLimits, board: Board, tools: readonly string[]): void {
  const actuators = board.actuators ?? {}
  const names = [...Object.keys(actuators), ...tools]
  for (const [name, use] of Object.entries(allow)) {
    if (!names.includes(name)) throw new DefinitionError(unknown(`allow "${name}"`, 'actuator or tool', name, names))
    if (use === true) continue
    const actuator = Object.hasOwn(actuators, name) ? actuators[name] : undefined
    if (actuator === undefined) throw new DefinitionError(`allow "${name}": only arguments of an actuator have limits`)
    const properties = argumentsOf(name, actuator)
    for (const [argument, limit] of Object.entries(use)) {
      if (!Object.hasOwn(properties, argument)) {
        throw new DefinitionError(unknown(`allow "${name}"`, 'argument', argument, Object.keys(properties)))
      }
      checkLimit(`allow "${name}": ${argument}`, properties[argument], limit)
    }
  }
}

/**
 * The input schema of an actuator with the limits in it, so that a model sees what it may ask for. The value of the safe
 * state stays possible: the way to safety is always open. What cannot be shown is enforced all the same, by
 * {@link checkUse}.
 */
export function narrowedSchema(name: string, actuator: Actuator<any>, { allow }: OperatorLimits): object | undefined {
  const use = allow?.[name]
  const { inputSchema, safe } = actuator
  if (use === undefined || use === true || !isObject(inputSchema)) return inputSchema
  const json = textSchemaOf(inputSchema)
  if (json !== undefined) return valuesFromText(narrowedObject(json, use, safe), `inputSchema of "${name}"`)
  return '~standard' in inputSchema ? inputSchema : narrowedObject(inputSchema, use, safe)
}

function narrowedObject(schema: JsonSchema, use: Readonly<Record<string, ArgumentLimit>>, safe: unknown): JsonSchema {
  const own = schema.properties
  if (!isObject(own)) return schema
  const properties: Record<string, unknown> = { ...own }
  for (const [argument, limit] of Object.entries(use)) {
    properties[argument] = narrowed(own[argument], limit, isObject(safe) ? safe[argument] : undefined)
  }
  return { ...schema, properties } as JsonSchema
}

/**
 * Holds a move against the limits.
 *
 * @throws RefusedMove when an argument is outside of its limit
 */
export function checkUse(
  name: string,
  { safe }: Pick<Actuator<any>, 'safe'>,
  args: unknown,
  { allow }: OperatorLimits,
): void {
  const use = allow?.[name]
  if (use === undefined || use === true || !isObject(args)) return
  for (const [argument, { minimum = -Infinity, maximum = Infinity, values }] of Object.entries(use)) {
    const value = args[argument]
    if (value === undefined || (isObject(safe) && value === safe[argument])) continue
    const fits =
      (values === undefined || values.includes(value as string)) &&
      (typeof value !== 'number' || (value >= minimum && value <= maximum))
    if (fits) continue
    throw new RefusedMove(
      'limit',
      `${name} was not moved: ${argument} is ${JSON.stringify(value)}, and whoever runs this server allows ${allowed({ minimum, maximum, ...(values && { values }) })}`,
    )
  }
}

function argumentsOf(name: string, { inputSchema = {} }: Actuator<any>): Record<string, unknown> {
  const { json } = compileSchema(inputSchema, `inputSchema of actuator "${name}"`)
  return isObject(json.properties) ? json.properties : {}
}

function checkLimit(where: string, schema: unknown, { minimum, maximum, values }: ArgumentLimit): void {
  const own = isObject(schema) ? schema : {}
  const least = Math.max(minimum ?? -Infinity, typeof own.minimum === 'number' ? own.minimum : -Infinity)
  const most = Math.min(maximum ?? Infinity, typeof own.maximum === 'number' ? own.maximum : Infinity)
  if (!(least <= most))
    throw new DefinitionError(`${where} cannot be from ${least} to ${most}: nothing would be allowed`)
  if (values?.length === 0) throw new DefinitionError(`${where} has no value that is allowed`)
}

function narrowed(schema: unknown, limit: ArgumentLimit, safe: unknown): unknown {
  const own = isObject(schema) ? schema : {}
  const least = typeof own.minimum === 'number' ? own.minimum : -Infinity
  const most = typeof own.maximum === 'number' ? own.maximum : Infinity
  const { minimum = least, maximum = most, values } = limit
  const shown: Record<string, unknown> = { ...own }
  const add = (name: string, value: number) => {
    if (Number.isFinite(value)) shown[name] = value
  }
  const [lower, upper] = [Math.max(minimum, least), Math.min(maximum, most)]
  add('minimum', typeof safe === 'number' ? Math.min(lower, safe) : lower)
  add('maximum', typeof safe === 'number' ? Math.max(upper, safe) : upper)
  if (typeof safe === 'number' && (safe < lower || safe > upper)) {
    const words = `Allowed here: ${allowed({ minimum: lower, maximum: upper })}, or ${safe}.`
    shown.description = typeof own.description === 'string' ? `${own.description} ${words}` : words
  }
  if (values !== undefined) {
    const isShown = (value: unknown) => values.includes(value as string) || value === safe
    shown.enum = Array.isArray(own.enum) ? own.enum.filter(isShown) : [...new Set([...values, safe])].filter(isShown)
  }
  return shown
}

function allowed({ minimum = -Infinity, maximum = Infinity, values }: ArgumentLimit): string {
  if (values !== undefined) return values.map(value => JSON.stringify(value)).join(', ')
  if (minimum === -Infinity) return `at most ${maximum}`
  return maximum === Infinity ? `at least ${minimum}` : `${minimum} to ${maximum}`
}

function unknown(where: string, what: string, name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  const hint = near === undefined ? `There is ${names.join(', ') || 'none'}` : `Did you mean "${near}"?`
  return `${where}: there is no ${what} "${name}". ${hint}`
}
