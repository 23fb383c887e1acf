import type { Clock } from '../clock.ts'
import type { ResourceContents } from '../content.ts'
import type { Resource, ResourceTemplate } from '../definitions.ts'
import { toJson } from '../json.ts'
import { resourceNotFound } from '../resources.ts'
import { senmlMediaType } from '../senml.ts'
import type { SensorReader } from '../sensor-reader.ts'
import { historyPack } from './pack.ts'
import { historyText } from './summary.ts'

/** What the histories of a board's sensors are offered as. */
export interface HistoryResources {
  readonly resources: Readonly<Record<string, Resource>>
  readonly resourceTemplates: Readonly<Record<string, ResourceTemplate>>
}

/**
 * The history of every sensor under a template. A sensor that says something of its history, or has thresholds, is
 * listed too; all of them would make the list of a large board twice as long.
 *
 * @param base the URI of the board's sensors: `sensor://greenhouse`
 */
export function historyResources(base: string, sensors: readonly SensorReader[], clock: Clock): HistoryResources {
  const keeping = new Map(sensors.filter(({ history }) => history !== undefined).map(reader => [reader.name, reader]))
  if (keeping.size === 0) return { resources: {}, resourceTemplates: {} }
  const read = (uri: string, reader: SensorReader) => contentsOf(uri, `${base}/${reader.name}`, reader, clock)
  const listed = [...keeping.values()].filter(
    ({ sensor }) => sensor.history !== undefined || sensor.thresholds !== undefined,
  )
  return {
    resources: Object.fromEntries(
      listed.map((reader): [string, Resource] => [
        `${base}/${reader.name}/history`,
        {
          name: `${reader.name}_history`,
          title: `History of ${reader.sensor.title ?? reader.name}`,
          description: 'What it was over the last minutes, hours and changes. Reading this does not read the sensor.',
          ...shared,
          read: uri => read(uri, reader),
        },
      ]),
    ),
    resourceTemplates: {
      [`${base}/{sensor}/history`]: {
        name: 'sensor_history',
        title: 'The history of a sensor',
        description:
          'What a sensor was over the last minutes, hours and changes, by its name. Reading this does not read the sensor.',
        ...shared,
        read: ({ sensor = '' }, uri) => {
          const reader = keeping.get(sensor)
          if (reader === undefined) throw resourceNotFound(uri)
          return read(uri, reader)
        },
        complete: { sensor: typed => [...keeping.keys()].filter(name => name.startsWith(typed)) },
      },
    },
  }
}

const shared = { mimeType: senmlMediaType, cacheScope: 'private' } as const

function contentsOf(uri: string, sensorUri: string, reader: SensorReader, clock: Clock): ResourceContents[] {
  const now = clock.now()
  const pack = historyPack(sensorUri, reader, now)
  return [
    ...(pack.length === 0 ? [] : [{ uri, mimeType: senmlMediaType, text: toJson(pack) }]),
    { uri, mimeType: 'text/plain', text: historyText(reader, now) },
  ]
}
