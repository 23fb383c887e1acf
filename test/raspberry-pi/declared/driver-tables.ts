import { sections } from '../../../boards/raspberry-pi/declared/check-entry.ts'
import type { Driver } from '../../../boards/raspberry-pi/declared/driver.ts'
import type { Field, Fields } from '../../../boards/raspberry-pi/declared/field.ts'
import { quantitySettings, sensorSettings } from '../../../boards/raspberry-pi/declared/settings.ts'

/** The reference part of docs/board-json.md, made of the registry. */
export function driverTables(): string {
  return [
    '## Sensors',
    ...sections.sensors.drivers.map(driverTable),
    '## Actuators',
    ...sections.actuators.drivers.map(driverTable),
    '## What any sensor may be told',
    table(sensorSettings),
    'A sensor of one quantity takes these as well. Where a part gives several, name one of them as `quantity`:',
    table(quantitySettings),
    '## What any actuator may be told',
    table(sections.actuators.settings),
  ].join('\n\n')
}

function driverTable({ name, about, fields, gives = [] }: Driver): string {
  const several = gives.length > 1 ? ` Gives ${gives.map(each => `\`${each}\``).join(', ')}.` : ''
  return `### ${name}\n\n${about.charAt(0).toUpperCase()}${about.slice(1)}.${several}\n\n${table(fields)}`
}

function table(fields: Fields): string {
  const rows = Object.entries(fields).map(
    ([key, field]) =>
      `| \`${key}\`${field.required ? ', needed' : ''} | ${field.schema.description} | ${shown(field)} |`,
  )
  return ['| key | what it is | for example |', '| --- | --- | --- |', ...rows].join('\n')
}

function shown({ schema, example }: Field): string {
  const choices = (schema.enum as unknown[] | undefined) ?? []
  // Addresses may be numbers too, which nobody writes.
  const written = choices.filter(each => !choices.some(other => Number(other) === each && other !== each))
  const few = written.length > 0 && written.length <= 5 ? written.map(each => JSON.stringify(each)) : [example]
  return few.map(each => `\`${each.replaceAll(',', ', ')}\``).join(', ')
}
