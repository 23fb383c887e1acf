import type { Sensor, SensorValue } from '../../runtime/index.ts'
import { senmlUnits } from '../../runtime/senml-units.ts'
import type { DeviceAccess } from './device-access.ts'
import { cleanText, cleanValue, ownWords } from './device-text.ts'
import { type LinkSensor, type LinkType, type LinkValue, meantNumber } from './link/index.ts'
import { jsonOf } from './link-values.ts'
import { readFailure } from './outcomes.ts'

const defaultTimeMs = 10_000

/** A sensor of a device, by its number there. What its device says and the board model has no place for is left out. */
export function remoteSensor(number: number, described: LinkSensor, device: DeviceAccess): Sensor {
  const { type, unit, minimum, maximum } = described
  const isNumeric = type === 'number' || type === 'integer'
  const isKnownUnit = unit !== undefined && senmlUnits.has(unit)
  const description = [
    ownWords(described.description, 1000),
    unit !== undefined && !isKnownUnit && isNumeric ? `In ${cleanText(unit, 40)}.` : '',
  ]
  const timeMs = device.answerMs ?? positive(described.timeoutMs) ?? defaultTimeMs
  return {
    ...textOf('title', described.title),
    ...textOf('description', description.filter(part => part !== '').join(' '), 1100),
    type: type === 'any' ? 'string' : type,
    ...(isNumeric && isKnownUnit && { unit: unit as NonNullable<Sensor['unit']> }),
    ...(isNumeric && inOrder(minimum, maximum) && { ...given({ minimum, maximum }) }),
    ...given({
      ttlMs: positive(described.ttlMs),
      deadBand: positive(described.deadBand),
      minIntervalMs: positive(described.minIntervalMs),
    }),
    // The wait for a device that is away is no fault of the sensor.
    timeoutMs: timeMs + device.patienceMs + 1000,
    async read({ signal }) {
      let value: LinkValue
      try {
        value = await device.read(number, { signal, timeMs })
      } catch (thrown) {
        throw readFailure(thrown, device.name)
      }
      if (value === null) throw new Error(`${device.name} has no reading of it at the moment`)
      return sensorValue(type, value)
    },
    watch: changed =>
      device.watch(number, value => {
        if (value !== null) changed(sensorValue(type, value))
      }),
  }
}

/** A text of a device as a member; nothing when it is empty. */
export function textOf<K extends string>(key: K, text: string | undefined, most?: number): { [N in K]?: string } {
  const clean = cleanText(text ?? '', most)
  return (clean === '' ? {} : { [key]: clean }) as { [N in K]?: string }
}

/** A number above 0 that is one. */
export function positive(number: number | undefined): number | undefined {
  return number !== undefined && number > 0 && Number.isFinite(number) ? number : undefined
}

function inOrder(minimum = -Infinity, maximum = Infinity): boolean {
  return minimum <= maximum
}

function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

function sensorValue(type: LinkType, value: LinkValue): SensorValue {
  if (typeof value === 'string') return cleanValue(value)
  if (typeof value === 'number') return meantNumber(value)
  if (type === 'any') return JSON.stringify(jsonOf(value))
  return value as SensorValue
}
