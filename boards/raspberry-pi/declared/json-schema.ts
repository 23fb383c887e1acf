import type { JsonSchema } from '../../../runtime/index.ts'
import { boardTexts } from './check.ts'
import { type Section, sections } from './check-entry.ts'
import type { Driver } from './driver.ts'
import type { Fields } from './field.ts'
import { quantitySettings } from './settings.ts'

const numbersOnly = Object.keys(quantitySettings)
const namePattern = '^[A-Za-z][A-Za-z0-9_-]{0,63}$'

/**
 * The JSON Schema (draft 07, which every editor knows) of a board's file, made of the registry of drivers: what editors
 * complete and check a `board.json` by. What needs more than one entry to be seen is found by `raspberryPi` only.
 */
export function boardSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A board: what is wired to a Raspberry Pi',
    type: 'object',
    properties: {
      $schema: { type: 'string', description: 'Where editors find what this file may say' },
      name: {
        type: 'string',
        pattern: namePattern,
        description: 'The name of the board: a letter, then letters, digits, _ or -',
      },
      ...properties(boardTexts),
      sensors: entries(
        'sensors',
        'What can be read, by name. A part that senses several quantities gives a sensor for each',
      ),
      actuators: entries('actuators', 'What can be moved, by name'),
    },
    required: ['name'],
    additionalProperties: false,
    definitions: Object.fromEntries(
      (['sensors', 'actuators'] as const).flatMap(section =>
        Object.entries(sections[section].settings).map(([key, { schema }]) => [`${section}-${key}`, schema]),
      ),
    ),
  }
}

function entries(section: Section, description: string): JsonSchema {
  const { drivers } = sections[section]
  const names = drivers.map(({ name }) => name)
  return {
    type: 'object',
    description,
    propertyNames: { pattern: namePattern },
    additionalProperties: {
      type: 'object',
      properties: { driver: { enum: names, description: 'Which part it is' } },
      required: ['driver'],
      // One for each driver, so that an editor completes the keys of the one that is named.
      allOf: drivers.map(driver => ({
        if: { properties: { driver: { const: driver.name } }, required: ['driver'] },
        // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word.
        then: entryOf(driver, section),
      })),
    },
  }
}

function entryOf({ name, about, fields, gives, isOnOff }: Driver, section: Section): JsonSchema {
  const own = Object.entries(fields)
  const required = own.filter(([, field]) => field.required).map(([key]) => key)
  return {
    description: about,
    properties: {
      driver: { const: name, description: about },
      ...properties(fields),
      ...Object.fromEntries(
        Object.keys(sections[section].settings)
          .filter(key => !Object.hasOwn(fields, key))
          .map(key => [key, { $ref: `#/definitions/${section}-${key}` }]),
      ),
    },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(isOnOff && { not: { anyOf: numbersOnly.map(key => ({ required: [key] })) } }),
    ...(gives !== undefined &&
      gives.length > 1 && {
        dependencies: Object.fromEntries(numbersOnly.map(key => [key, ['quantity']])),
      }),
  }
}

function properties(fields: Fields): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema]))
}
