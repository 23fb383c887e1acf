import type { SenmlRecord } from '../senml.ts'
import { senmlVersionOf } from '../senml.ts'
import type { SensorReader } from '../sensor-reader.ts'
import { tiers } from './time-buckets.ts'

const tierNames = ['1min', '10min', '1h']
const figures = ['minimum', 'maximum', 'mean'] as const
const figureNames = { minimum: 'min', maximum: 'max', mean: 'mean' }

/**
 * A history as a SenML pack (RFC 8428), in the order of time: the last changes under the sensor's own name, and figures
 * of numbers by the minute, the ten minutes and the hour under names behind it (`…/1min/mean`, `…/1h/max`), each at the
 * time that its bucket began. The base name is the sensor's URI, the base time a whole second. Empty before the first
 * value, which is no pack by the standard.
 */
export function historyPack(uri: string, { history, sensor }: SensorReader, now: number): SenmlRecord[] {
  const timed: { time: number; record: SenmlRecord }[] = []
  const { record, changes } = history ?? {}
  if (record?.kind === 'number') {
    for (const tier of tiers.keys()) {
      for (const bucket of record.buckets(tier, now)) {
        for (const figure of figures) {
          const n = `/${tierNames[tier]}/${figureNames[figure]}`
          timed.push({ time: bucket.start, record: { n, v: bucket[figure] } })
        }
      }
    }
  }
  for (const { value, time } of changes?.list() ?? []) {
    timed.push({
      time,
      record: typeof value === 'number' ? { v: value } : typeof value === 'boolean' ? { vb: value } : { vs: value },
    })
  }
  if (timed.length === 0) return []
  timed.sort((a, b) => a.time - b.time)
  const base = Math.floor(timed[0]!.time / 1000)
  const { unit } = sensor
  return timed.map(({ time, record }, index) => ({
    ...(index === 0 && {
      bn: uri,
      bt: base,
      ...(unit !== undefined && { bu: unit }),
      ...senmlVersionOf([unit]),
    }),
    ...record,
    ...(time !== base * 1000 && { t: (time - base * 1000) / 1000 }),
  }))
}
