import { readableAge, readableNumber, readableReading, readableSuffix } from '../senml.ts'
import type { SensorReader } from '../sensor-reader.ts'
import type { Crossing } from './crossings.ts'
import type { NumberFigures, Trend } from './number-record.ts'
import type { SwitchFigures } from './switch-record.ts'
import { tiers } from './time-buckets.ts'

/** What a stretch of time up to now was: figures of numbers, or of a switch. */
export interface WindowSummary extends Partial<NumberFigures>, Partial<SwitchFigures> {
  /** How long it is. It begins at a whole minute, ten minutes or hour, and may be shorter by up to that. */
  seconds: number
  readings: number
  trend?: Trend
}

/** What a sensor's history comes to, as structured content. Times are ISO 8601. */
export interface HistorySummary {
  readings: number
  failures: number
  lastFailure?: { error: string; time: string }
  /** When the first value was taken. */
  since?: string
  /** How many times the value changed by more than the dead band. */
  changes?: number
  windows?: WindowSummary[]
  crossings?: { limit: number; direction: Crossing['direction']; time: string }[]
}

/** The shape of a {@link HistorySummary}, as JSON Schema. */
export const historySummarySchema = {
  type: 'object',
  properties: {
    readings: { type: 'integer' },
    failures: { type: 'integer' },
    lastFailure: { type: 'object', properties: { error: { type: 'string' }, time: { type: 'string' } } },
    since: { type: 'string', description: 'When the first value was taken, ISO 8601.' },
    changes: { type: 'integer', description: 'How many times the value changed by more than the dead band.' },
    windows: {
      type: 'array',
      description: 'The time up to now, the shortest window first.',
      items: {
        type: 'object',
        properties: {
          seconds: { type: 'integer' },
          readings: { type: 'integer' },
          minimum: { type: 'number' },
          maximum: { type: 'number' },
          mean: { type: 'number' },
          trend: { enum: ['rising', 'falling', 'steady'] },
          switches: { type: 'integer' },
          onShare: { type: 'number', description: 'The share of the time in which it was on, 0 to 1.' },
        },
        required: ['seconds', 'readings'],
      },
    },
    crossings: {
      type: 'array',
      description: 'The last times that a threshold was crossed, the oldest first.',
      items: {
        type: 'object',
        properties: {
          limit: { type: 'number' },
          direction: { enum: ['upwards', 'downwards'] },
          time: { type: 'string' },
        },
        required: ['limit', 'direction', 'time'],
      },
    },
  },
  required: ['readings', 'failures'],
} as const

/** What a sensor's history comes to; nothing when it keeps none. */
export function historySummary({ history, crossings }: SensorReader, now: number): HistorySummary | undefined {
  if (history === undefined) return undefined
  const { readings, failures, lastFailure, since, changes } = history
  const windows = windowsOf(history, now)
  const crossed = crossings?.list() ?? []
  return {
    readings,
    failures,
    ...(lastFailure && { lastFailure: { error: lastFailure.error, time: iso(lastFailure.time) } }),
    ...(since !== undefined && { since: iso(since) }),
    ...(changes && { changes: changes.count }),
    ...(windows.length > 0 && { windows }),
    ...(crossed.length > 0 && { crossings: crossed.map(each => ({ ...each, time: iso(each.time) })) }),
  }
}

/** The same as lines that a model can use: `Last 10 min: 21.3 to 24.9 °C, mean 22.8, 64 readings, rising`. */
export function historyLines(reader: SensorReader, now: number): string[] {
  const { history, crossings, sensor } = reader
  if (history === undefined) return []
  const { failures, lastFailure } = history
  const beyond = crossings?.beyond() ?? []
  const suffix = readableSuffix(sensor.unit)
  return [
    ...windowsOf(history, now).map(window => `Last ${spanOf(window.seconds)}: ${windowText(window, suffix)}`),
    ...beyond.map(({ limit, side }) => `It is ${side} ${readableNumber(limit)}${suffix} now`),
    ...(crossings?.list() ?? []).map(
      ({ limit, direction, time }) => `Crossed ${readableNumber(limit)}${suffix} ${direction} ${when(time, now)}`,
    ),
    ...(lastFailure === undefined
      ? []
      : [`${counted(failures, 'reading')} failed, the last ${when(lastFailure.time, now)}: ${lastFailure.error}`]),
  ]
}

/** The whole history as text: the last value, its windows, all of it, and the last changes. */
export function historyText(reader: SensorReader, now: number): string {
  const { history, name, sensor } = reader
  const title = sensor.title ?? name
  const { last, since, record, readings, changes } = history ?? {}
  if (last === undefined || since === undefined) {
    return [`${title}: no value yet`, ...historyLines(reader, now)].join('\n')
  }
  const all = record?.all
  const listed = changes?.list() ?? []
  const suffix = readableSuffix(sensor.unit)
  return [
    readableReading(title, last.value, sensor.unit, now - last.time),
    ...historyLines(reader, now),
    `Since ${iso(since)}: ${windowText({ seconds: 0, readings: 0, ...all, ...(all === undefined && { readings: readings! }) }, suffix)}, ${counted(changes?.count ?? 0, 'change')}`,
    ...(listed.length === 0 ? [] : ['Last changes, the oldest first:']),
    // Said as every reading is: a text of a sensor stays quoted.
    ...listed.map(({ value, time }) => readableReading(iso(time), value, sensor.unit)),
  ].join('\n')
}

function windowsOf(history: NonNullable<SensorReader['history']>, now: number): WindowSummary[] {
  const { record, since } = history
  if (record === undefined || since === undefined) return []
  return tiers.flatMap(({ widthMs, size }, tier) => {
    const shorter = tiers[tier - 1]
    // A longer window that holds no more than the shorter one says nothing new.
    if (shorter !== undefined && since >= now - shorter.widthMs * (shorter.size - 1)) return []
    const seconds = (widthMs * size) / 1000
    return [{ seconds, ...(record.window(tier, now) ?? { readings: 0 }) }]
  })
}

function windowText({ readings, minimum, maximum, mean, trend, switches, onShare }: WindowSummary, suffix: string) {
  const parts = [
    minimum !== undefined && maximum !== undefined && rangeText(minimum, maximum, suffix),
    mean !== undefined && minimum !== maximum && `mean ${meanText(mean, maximum! - minimum!)}`,
    onShare !== undefined && `on for ${Number((onShare * 100).toFixed(1))} % of the time`,
    switches !== undefined && `switched ${switches === 1 ? 'once' : `${switches} times`}`,
    readings === 0 ? 'no reading' : counted(readings, 'reading'),
    trend,
  ]
  return parts.filter(part => typeof part === 'string').join(', ')
}

function rangeText(minimum: number, maximum: number, suffix: string): string {
  if (minimum === maximum) return readableNumber(minimum) + suffix
  return `${readableNumber(minimum)} to ${readableNumber(maximum)}${suffix}`
}

/** As exact as a hundredth of the range: more says nothing of what is measured. */
function meanText(mean: number, range: number): string {
  const decimals = Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(range))))
  return readableNumber(Number(mean.toFixed(decimals)))
}

function spanOf(seconds: number): string {
  return seconds < 3600 ? `${seconds / 60} min` : seconds === 3600 ? 'hour' : `${seconds / 3600} h`
}

function when(time: number, now: number): string {
  return `${readableAge(Math.max(0, now - time))} ago (${iso(time)})`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** To the second where it is a whole one. */
function iso(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z')
}
