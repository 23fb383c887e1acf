import { type Actuator, type Board, DefinitionError, type Sensor } from '../../../runtime/index.ts'
import { argumentsOf, positionsOf } from './arguments.ts'
import { writeCbor } from './cbor-writer.ts'
import { EntryClass, EntryKey, Hint, hashOf, type LinkArgument, linkTypes } from './description.ts'
import { maxFrameBytes } from './frame.ts'
import type { CborInput } from './value.ts'

// Kind, session, id and check of the frame that carries a record.
const frameOverhead = 12

/** A board as it is described on the link: its records in order, and what its numbers stand for. */
export interface BoardRecords {
  records: CborInput[]
  hash: number
  sensors: { name: string; sensor: Sensor }[]
  actuators: { name: string; actuator: Actuator<any>; args: LinkArgument[] }[]
}

/**
 * Describes a board.
 *
 * @throws DefinitionError when the texts of one entry are longer than a frame
 */
export function describeBoard(board: Board): BoardRecords {
  const sensors = Object.entries(board.sensors ?? {}).map(([name, sensor]) => ({ name, sensor }))
  const actuators = Object.entries(board.actuators ?? {}).map(([name, actuator]) => {
    return { name, actuator, args: argumentsOf(actuator.inputSchema) }
  })
  const numbers: Numbers = {
    sensor: name => sensors.findIndex(sensor => sensor.name === name),
    group: name => [...new Set(actuators.flatMap(({ actuator: { group } }) => group ?? []))].indexOf(name),
  }
  const records: CborInput[] = []
  const add = (what: string, ...record: CborInput[]) => {
    let length = 0
    writeCbor({ byte: () => void length++ }, record)
    if (length > maxFrameBytes - frameOverhead)
      throw new DefinitionError(`${what}: its texts are too long for the link`)
    records.push(record)
  }
  add(board.name, EntryClass.device, members({ title: board.title, description: board.description }))
  for (const [number, { name, sensor }] of sensors.entries()) {
    add(`sensor "${name}"`, EntryClass.sensor, number, sensorMembers(name, sensor))
  }
  for (const [number, { name, actuator, args }] of actuators.entries()) {
    add(`actuator "${name}"`, EntryClass.actuator, number, actuatorMembers(name, actuator, args, numbers))
    const output = actuator.outputSchema === undefined ? undefined : JSON.stringify(actuator.outputSchema)
    if (output !== undefined) add(`actuator "${name}"`, EntryClass.actuator, number, members({ output }))
    for (const [at, argument] of args.entries()) {
      add(`actuator "${name}"`, EntryClass.argument, number, at, argumentMembers(argument))
    }
  }
  return { records, hash: hashOf(records), sensors, actuators }
}

function sensorMembers(name: string, sensor: Sensor): CborInput {
  const { title, description, type = 'number', unit, minimum, maximum, ttlMs, deadBand, minIntervalMs } = sensor
  const { timeoutMs } = sensor
  return members({
    name,
    title,
    description,
    type: linkTypes.indexOf(type) || undefined,
    unit,
    minimum,
    maximum,
    ttlMs,
    deadBand,
    minIntervalMs,
    timeoutMs,
  })
}

/** What the names of a board's sensors and groups are on the link. */
interface Numbers {
  sensor(name: string): number
  group(name: string): number
}

const confirmations = ['never', 'first', 'each']

function actuatorMembers(name: string, actuator: Actuator<any>, args: LinkArgument[], numbers: Numbers): CborInput {
  const { title, description, safe, timeoutMs, reversible, absolute, reachesBeyond } = actuator
  const { initial, minIntervalMs, holdForMs, maxRate, group, confirm = 'never', audience, readback, arming } = actuator
  const hints =
    (reversible === true ? Hint.notDestructive : 0) |
    (absolute === true ? Hint.idempotent : 0) |
    (reachesBeyond === true ? 0 : Hint.closedWorld)
  return members({
    name,
    title,
    description,
    minIntervalMs,
    timeoutMs,
    hints: hints || undefined,
    initial: initial === undefined ? undefined : positionsOf(args, initial),
    safe: safe === null ? null : positionsOf(args, safe),
    holdForMs,
    maxRate,
    group: group === undefined ? undefined : numbers.group(group),
    confirm: confirmations.indexOf(confirm) || undefined,
    audience: audience === 'person' ? 1 : undefined,
    readback: readback === undefined ? undefined : numbers.sensor(readback),
    arming: arming === true ? true : undefined,
  })
}

function argumentMembers(argument: LinkArgument): CborInput {
  const { name, type, optional, ...rest } = argument
  return members({
    ...rest,
    name: name === '' ? undefined : name,
    type: linkTypes.indexOf(type) || undefined,
    optional: optional || undefined,
  })
}

/** What is left out, or is what its absence means, is not sent. */
function members(named: { [Name in keyof typeof EntryKey]?: CborInput | undefined }): CborInput {
  const map = new Map<number, CborInput>()
  for (const [name, value] of Object.entries(named)) {
    if (value !== undefined) map.set(EntryKey[name as keyof typeof EntryKey], value)
  }
  return map
}
