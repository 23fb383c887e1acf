import { cleanJsonText, cleanText, cleanValue } from './device-text.ts'
import type { LinkActuator, LinkArgument, LinkDescription, LinkEntry, LinkValue } from './link/index.ts'
import { freeName } from './names.ts'

const longestTitle = 120
const longestDescription = 1000
const longestUnit = 40
const longestSchema = 64 * 1024
const longestChoice = 200

/**
 * A description with all of its texts bounded and clean. Arguments keep their places, so a name that is changed here
 * changes nothing for the device; a choice that had something hidden in it is one that the device refuses.
 */
export function cleanDescription(description: LinkDescription): LinkDescription {
  return {
    ...description,
    ...cleanEntry(description),
    sensors: description.sensors.map(sensor => ({ ...sensor, ...cleanEntry(sensor), ...unitOf(sensor.unit) })),
    actuators: description.actuators.map(cleanActuator),
  }
}

function cleanActuator(actuator: LinkActuator): LinkActuator {
  const taken = new Set<string>()
  return {
    ...actuator,
    ...cleanEntry(actuator),
    arguments: actuator.arguments.map((argument, at) => {
      const name = argumentName(argument.name, at, taken)
      taken.add(name)
      return { ...cleanArgument(argument), name }
    }),
    ...schemaOf('output', actuator.output),
  }
}

/** Only a device that says no name at all takes all arguments at once: a name of hidden characters is none of those. */
function argumentName(raw: string, at: number, taken: ReadonlySet<string>): string {
  if (raw === '' && at === 0) return raw
  return freeName(cleanText(raw) || 'argument', taken)
}

function cleanArgument(argument: LinkArgument): LinkArgument {
  const { values, initial } = argument
  return {
    ...argument,
    ...cleanEntry(argument),
    ...unitOf(argument.unit),
    ...(values !== undefined && { values: values.map(cleanChoice) }),
    ...(initial !== undefined && { initial: cleanChoice(initial) }),
    ...schemaOf('schema', argument.schema),
  }
}

function cleanChoice(value: LinkValue): LinkValue {
  return typeof value === 'string' ? cleanValue(value, longestChoice) : value
}

function cleanEntry({ name, title, description }: LinkEntry): LinkEntry {
  return {
    name: cleanText(name),
    ...(title !== undefined && { title: cleanText(title, longestTitle) }),
    ...(description !== undefined && { description: cleanText(description, longestDescription) }),
  }
}

function unitOf(unit: string | undefined): { unit?: string } {
  return unit === undefined ? {} : { unit: cleanText(unit, longestUnit) }
}

/** A schema that is too long is left out: half of one says something else. */
function schemaOf<K extends string>(key: K, text: string | undefined): { [N in K]?: string } {
  if (text === undefined) return {}
  return { [key]: text.length > longestSchema ? '{}' : cleanJsonText(text) } as { [N in K]?: string }
}
