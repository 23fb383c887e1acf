import { readFileSync } from 'node:fs'
import type { Arguments } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'
import { asFailure, type PortUse, portUse } from '../line-options.ts'
import { type OperatorChoice, operatorChoice } from '../operator-options.ts'
import { type NamedPort, parsePorts } from './port-names.ts'

/** A port of the bridge, and how it is used. */
export interface BridgePort extends NamedPort, PortUse {
  /** How long the board may take for one answer, in milliseconds. */
  answerMs?: number
}

/** What the bridge is to do. */
export interface BridgeOptions {
  ports: BridgePort[]
  readSensors: boolean
  name?: string
  mirror?: string
  /** What the devices print is added to this file. */
  logFile?: string
  share: boolean
  /** Where it serves hosts now, when that is not its standard input. */
  over?: () => string
  /** What whoever runs the bridge holds it to. */
  operator: OperatorChoice
  /** The options of the record, as a command line has them. */
  record: Arguments['values']
}

/** What `--config` may hold, as JSON writes it. */
type Config = Record<string, unknown>

/** Options that hold whatever stands in the file beside them, by their keys there. */
const typedKeys = {
  readOnly: 'read-only',
  dryRun: 'dry-run',
  allow: 'allow',
  silence: 'silence',
  record: 'record',
  recordBytes: 'record-bytes',
  recordFsync: 'record-fsync',
  recordRequired: 'record-required',
} as const

const texts = ['pace', 'dtr', 'name', 'mirror', 'logFile', 'prefix', 'record'] as const
const counts = ['baud', 'timeout', 'recordBytes'] as const
const switches = ['readSensors', 'share', 'readOnly', 'dryRun', 'recordFsync', 'recordRequired'] as const
const portKeys = ['port', 'prefix', 'baud', 'pace', 'dtr', 'timeout']
const fileKeys = [
  'port',
  'baud',
  'pace',
  'dtr',
  'timeout',
  'readSensors',
  'name',
  'mirror',
  'logFile',
  'share',
  ...Object.keys(typedKeys),
]

/**
 * Reads the options of the bridge, from the command line and from the file that it names. What stands on the command line
 * comes first; what stands beside a port in the file comes before what stands for all of them.
 *
 * @throws Failure that says where, what, and what would be right
 */
export function bridgeOptions({ values, lists }: Pick<Arguments, 'values' | 'lists'>): BridgeOptions {
  const file = values.config === undefined ? {} : readConfig(String(values.config))
  const given: Record<string, unknown> = { ...file, ...withoutUndefined(values) }
  const entries = lists?.port ?? [file.port ?? 'auto'].flat()
  const own = entries.map(entry => (typeof entry === 'string' ? {} : (entry as Config)))
  const words = entries.map(entry => (typeof entry === 'string' ? entry : wordOf(entry as Config)))
  const named = asFailure(() => parsePorts(words))
  const ports = named.map((port, index): BridgePort => {
    const from = { ...given, ...own[index] } as Arguments['values']
    return {
      ...port,
      ...portUse({ ...from, ...(from.baud !== undefined && { baud: String(from.baud) }) }),
      ...(from.timeout !== undefined && { answerMs: Number(from.timeout) }),
    }
  })
  const name = given.name === undefined ? undefined : checkedName(String(given.name))
  const logFile = given['log-file'] ?? given.logFile
  const typed = asTyped(file, values, lists)
  return {
    operator: operatorChoice(typed),
    record: typed.values,
    ports,
    readSensors: given['read-sensors'] === true || given.readSensors === true,
    share: given['no-share'] !== true && given.share !== false,
    ...(name !== undefined && { name }),
    ...(given.mirror !== undefined && { mirror: String(given.mirror) }),
    ...(logFile !== undefined && { logFile: String(logFile) }),
  }
}

/** The options of the file as if they had been typed; what was typed comes first. */
function asTyped(
  file: Config,
  values: Arguments['values'],
  lists: Arguments['lists'] = {},
): Pick<Arguments, 'values' | 'lists'> {
  const fromFile = Object.entries(typedKeys).flatMap(([key, name]): [string, string | true][] => {
    const value = file[key]
    if (value === undefined || value === false || name === 'allow') return []
    return [[name, value === true ? true : String(value)]]
  })
  const allow = lists.allow ?? (file.allow === undefined ? undefined : [file.allow].flat().map(String))
  return {
    values: { ...Object.fromEntries(fromFile), ...(withoutUndefined(values) as Arguments['values']) },
    ...(allow !== undefined && { lists: { allow } }),
  }
}

function wordOf({ port, prefix }: Config): string {
  return prefix === undefined ? String(port) : `${prefix}=${port}`
}

function readConfig(file: string): Config {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (thrown) {
    const why = (thrown as Error).message.split('\n')[0]
    throw new Failure(`--config ${file} cannot be read: ${why}`, exitCodes.wrongUse)
  }
  check(value, file, fileKeys)
  for (const entry of [value.port ?? []].flat()) {
    if (typeof entry !== 'string') check(entry, `${file}, port`, portKeys)
    if (typeof entry !== 'string' && (entry as Config).port === undefined) throw wrong(file, 'a port lacks its "port"')
  }
  return value
}

function check(value: unknown, where: string, known: readonly string[]): asserts value is Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(where, 'it must be an object')
  for (const [key, each] of Object.entries(value)) {
    if (!known.includes(key)) throw wrong(where, `there is no "${key}": it knows ${known.join(', ')}`)
    if (texts.some(name => name === key) && typeof each !== 'string') throw wrong(where, `"${key}" must be a text`)
    if (switches.some(name => name === key) && typeof each !== 'boolean') {
      throw wrong(where, `"${key}" must be true or false`)
    }
    if (counts.some(name => name === key) && !(Number.isInteger(each) && (each as number) > 0)) {
      throw wrong(where, `"${key}" must be a whole number, 1 or more`)
    }
    if (key === 'silence' && typeof each !== 'number') throw wrong(where, '"silence" must be a number of seconds')
    if (key === 'allow' && ![each].flat().every(rule => typeof rule === 'string')) {
      throw wrong(where, '"allow" must be a text such as "pump:seconds=0..10", or a list of them')
    }
    if (key === 'dtr' && !['auto', 'on', 'off'].includes(each as string)) {
      throw wrong(where, '"dtr" must be "auto", "on" or "off"')
    }
  }
}

function wrong(where: string, text: string): Failure {
  return new Failure(`--config ${where}: ${text}`, exitCodes.wrongUse)
}

function checkedName(name: string): string {
  if (/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) return name
  throw new Failure(`--name ${name}: a letter, then letters, digits, _ and -, at most 64`, exitCodes.wrongUse)
}

function withoutUndefined(values: Arguments['values']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
