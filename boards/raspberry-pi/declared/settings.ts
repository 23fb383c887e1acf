import type { SensorMemory, Threshold } from '../../../runtime/index.ts'
import { nearestUnit, senmlUnits } from '../../../runtime/senml-units.ts'
import { calibration } from './calibration.ts'
import { choice, type Field, field, flag, integer, isThere, number, text, Wrong } from './field.ts'

const milliseconds = (description: string, example: number) => number(description, { minimum: 0, unit: ' ms' }, example)
const some = (description: string, unit: string, example: number) =>
  number(description, { above: 0, ...(unit !== '' && { unit }) }, example)

/** What people may say of every entry. */
const texts = {
  title: text('The name that people see', 'Seed tray', 200),
  description: text('What it is and where, for the model', 'Ten centimetres above the soil'),
}

/** What any sensor may be told, beside where it is wired. */
export const sensorSettings = {
  ...texts,
  ttlMs: milliseconds('A new value comes at most this often, in milliseconds', 1000),
  minIntervalMs: milliseconds(
    'Subscribers hear of changes at most this often, in milliseconds; 1000 when left out',
    1000,
  ),
  timeoutMs: number(
    'A reading that takes longer, in milliseconds, has failed; 10000 when left out',
    { above: 0, unit: ' ms' },
    10_000,
  ),
  history: history(),
} as const

/** What a sensor of one quantity may be told as well. */
export const quantitySettings = {
  unit: unit(),
  calibration: calibration(),
  minimum: number('The least value that can be true; a reading below has failed', {}, 0),
  maximum: number('The largest value that can be true; a reading above has failed', {}, 1),
  deadBand: number('Subscribers hear only of changes larger than this', { minimum: 0 }, 0.1),
  thresholds: thresholds(),
} as const

/** What any actuator may be told, beside where it is wired. */
export const actuatorSettings = {
  ...texts,
  holdForMs: some('The longest time away from the safe state, in milliseconds', ' ms', 30_000),
  minIntervalMs: some('A move sooner than this after the last one is refused, in milliseconds', ' ms', 1000),
  maxRate: some('The most that it may change in a second', '', 50),
  group: text('Of all actuators with the same group only one may be on', 'motors', 64),
  confirm: choice('When a person is asked before it moves', ['never', 'first', 'each']),
  audience: choice('Who may move it: the model as well, or a person only', ['model', 'person']),
  arming: flag('True: it stays off after each start until a person arms it. False: never'),
  readback: text('The name of the sensor that shows its effect', 'flow', 80),
  safeReading: safeReading(),
} as const

function unit(): Field<string> {
  const description = 'The unit of the value, of the SenML registry: "Cel", "%RH", "lx", "/" for a share of 1'
  return field({ type: 'string', description }, '/', written => {
    if (typeof written !== 'string') return new Wrong(`must be a unit, such as "Cel" or "/"; ${isThere(written)}`)
    if (senmlUnits.has(written)) return written
    const near = nearestUnit(written)
    const hint = near === undefined ? 'see RFC 8428, section 12.1' : `did you mean "${near}"?`
    return new Wrong(`is ${JSON.stringify(written)}, which is no unit of the SenML registry: ${hint}`)
  })
}

function safeReading(): Field<number | boolean | readonly [number, number]> {
  const description = 'What the readback shows while it is safe: a value, or the least and the most'
  const pair = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }
  const schema = { anyOf: [{ type: ['number', 'boolean'] }, pair], description }
  return field(schema, 0, written => {
    if (typeof written === 'boolean' || isNumber(written)) return written
    if (Array.isArray(written) && written.length === 2 && written.every(isNumber) && written[0]! <= written[1]!)
      return [written[0]!, written[1]!] as const
    return new Wrong(`must be a number, true, false, or the least and the most as [0, 0.1]; ${isThere(written)}`)
  })
}

const thresholdKeys = ['above', 'below', 'hysteresis']

function thresholds(): Field<readonly Threshold[]> {
  const description = 'Borders that subscribers hear of at once'
  const border = { type: 'number' }
  const item = {
    type: 'object',
    properties: { above: border, below: border, hysteresis: { type: 'number', minimum: 0 } },
    anyOf: [{ required: ['above'] }, { required: ['below'] }],
    additionalProperties: false,
  }
  const schema = { type: 'array', items: item, maxItems: 16, description }
  return field(schema, [{ above: 30, hysteresis: 1 }] as readonly Threshold[], written => {
    const right = 'must be a list of borders, such as [{ "above": 30, "hysteresis": 1 }, { "below": 5 }]'
    if (!Array.isArray(written) || written.length > 16) return new Wrong(`${right}; ${isThere(written)}`)
    const wrong = written.find(each => !isThreshold(each))
    return wrong === undefined ? (written as Threshold[]) : new Wrong(`${right}; ${isThere(wrong)}`)
  })
}

function isThreshold(value: unknown): boolean {
  if (
    !isPlainObject(value) ||
    !Object.entries(value).every(([key, each]) => thresholdKeys.includes(key) && isNumber(each))
  )
    return false
  const { above, below, hysteresis = 0 } = value as Threshold
  return (above !== undefined || below !== undefined) && hysteresis >= 0
}

function history(): Field<SensorMemory | false> {
  const description = 'What is remembered: false for nothing, or how many changes, and how often it is looked at'
  const samples = integer(
    'How many of the last changes are kept; 16 when left out',
    { minimum: 0, maximum: 10_000 },
    16,
  )
  const everyMs = number('Reads it in the background at this period', { above: 0, unit: ' ms' }, 60_000)
  const parts: Readonly<Record<string, Field<number>>> = { samples, everyMs }
  const properties = { samples: samples.schema, everyMs: everyMs.schema }
  const schema = { anyOf: [{ const: false }, { type: 'object', properties, additionalProperties: false }], description }
  return field(schema, { everyMs: 60_000 } as SensorMemory | false, written => {
    if (written === false) return false
    if (!isPlainObject(written)) return new Wrong(`must be false, or such as { "everyMs": 60000 }; ${isThere(written)}`)
    for (const [key, value] of Object.entries(written)) {
      if (!Object.hasOwn(parts, key)) return new Wrong(`takes "samples" and "everyMs"; there is "${key}"`)
      const read = parts[key]!.read(value)
      if (read instanceof Wrong) return new Wrong(`has a "${key}" that ${read.text}`)
    }
    return written as SensorMemory
  })
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
