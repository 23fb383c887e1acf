import fc from 'fast-check'
import { sections } from '../../../boards/raspberry-pi/declared/check-entry.ts'
import type { Driver } from '../../../boards/raspberry-pi/declared/driver.ts'

/** Values that are right, or nearly, or not at all, for a field: by its JSON Schema and its example. */
function written(field: { schema: any; example: string }): fc.Arbitrary<unknown> {
  const right: unknown[] = [JSON.parse(field.example), ...(field.schema.enum ?? [])]
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...right) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', 'GPIO17', 'pin 6', 'pin 12', 17, -1, 0.5, true, null, [], {}, '0x40', 'Cel'),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
}

/** An entry of a driver, with some of its keys and some of what any entry may be told. */
function entry(section: 'sensors' | 'actuators', driver: Driver): fc.Arbitrary<Record<string, unknown>> {
  const fields = { ...sections[section].settings, ...driver.fields }
  const keys = Object.entries(fields).map(([key, field]) => {
    const weight = field.required ? 12 : Object.hasOwn(driver.fields, key) ? 2 : 0.4
    const value = written(field).map(value => ({ [key]: value }))
    return fc.oneof({ weight: Math.round(weight * 10), arbitrary: value }, { weight: 40, arbitrary: fc.constant({}) })
  })
  return fc.tuple(...keys).map(parts => Object.assign({ driver: driver.name }, ...parts))
}

const names = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('a', 'b', 'c', 'air', 'air_temperature', 'pump', 'x-1') },
  { weight: 1, arbitrary: fc.constantFrom('', '__proto__', 'constructor', 'stop_all', 'ä', '1', 'a b', 'toString') },
)

function entries(section: 'sensors' | 'actuators'): fc.Arbitrary<unknown> {
  const one = fc.oneof(...sections[section].drivers.map(driver => entry(section, driver)))
  return fc.oneof(
    { weight: 20, arbitrary: fc.dictionary(names, one, { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  )
}

/** Declarations of boards: many without a mistake, many with some. */
export const declarations: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record(
      { name: fc.constantFrom('b', 'greenhouse', 'b 2'), sensors: entries('sensors'), actuators: entries('actuators') },
      { requiredKeys: ['name'] },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)
