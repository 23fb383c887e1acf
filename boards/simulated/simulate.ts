import { type Actuator, type Board, isObject, type Sensor, type SensorValue } from '../../runtime/index.ts'

/**
 * The same board without its hardware, to try a host and a model on: sensors give plausible values within their range,
 * or what the actuator that names them as its `readback` was set to; actuators take what fits, keep to their rules, and
 * remember. Nothing that the board itself brings (`read`, `set`, `open`, `makeSafe` …) is ever called.
 */
export function simulate(board: Board): Board {
  const { name, version, title, description, about, sensors = {}, actuators = {} } = board
  const shown = new Map<string, SensorValue>()
  return {
    name,
    ...(version === undefined ? {} : { version }),
    title: simulated(title ?? name),
    description: [description, 'It is simulated: nothing real is measured, and nothing real moves.']
      .filter(text => text !== undefined)
      .join(' '),
    ...(about === undefined ? {} : { about }),
    sensors: Object.fromEntries(
      Object.entries(sensors).map(([key, sensor]) => [key, simulatedSensor(key, sensor, shown)]),
    ),
    actuators: Object.fromEntries(
      Object.entries(actuators).map(([key, actuator]) => {
        const target = Object.hasOwn(sensors, actuator.readback ?? '') ? sensors[actuator.readback!] : undefined
        return [key, simulatedActuator(key, actuator, target, shown)]
      }),
    ),
  }
}

function simulated(title: string): string {
  return `${title} (simulated)`
}

function simulatedSensor(key: string, sensor: Sensor, shown: ReadonlyMap<string, SensorValue>): Sensor {
  const { watch: _, ...declared } = sensor
  return {
    ...declared,
    title: simulated(sensor.title ?? key),
    read: () => shown.get(key) ?? plausible(key, sensor, Date.now()),
  }
}

function simulatedActuator(
  key: string,
  actuator: Actuator<any>,
  target: Sensor | undefined,
  shown: Map<string, SensorValue>,
): Actuator<any> {
  // The hardware that keeps the rules is not there, and what `set` would return is not known.
  const { selfKept: _, outputSchema: __, ...declared } = actuator
  const show = (args: unknown) => {
    const value = target === undefined ? undefined : readingOf(args, target)
    if (value !== undefined) shown.set(actuator.readback!, value)
  }
  const begin: unknown = actuator.initial ?? actuator.safe
  show(begin)
  return {
    ...declared,
    title: simulated(actuator.title ?? key),
    set(args: unknown) {
      show(actuator.momentary === true ? actuator.safe : args)
    },
  }
}

/** What a sensor would show of the arguments: the first of them that is a value of its type, within its range. */
function readingOf(args: unknown, sensor: Sensor): SensorValue | undefined {
  const values = isObject(args) ? Object.values(args) : []
  const { type = 'number' } = sensor
  if (type === 'string') return values.find(value => typeof value === 'string')
  if (type === 'data') return undefined
  const value = values.find(each => typeof each === 'number' || typeof each === 'boolean')
  if (value === undefined) return undefined
  if (type === 'boolean') return Boolean(value)
  return fitted(Number(value), sensor)
}

function fitted(value: number, { type, minimum = -Infinity, maximum = Infinity }: Sensor): number {
  const within = Math.min(maximum, Math.max(minimum, value))
  return type === 'integer' ? Math.min(Math.floor(maximum), Math.max(Math.ceil(minimum), Math.round(within))) : within
}

/** Where nothing is declared: what such a sensor often shows indoors, and how far it goes from there. */
const usual: Readonly<Record<string, readonly [middle: number, swing: number]>> = {
  Cel: [21, 2],
  '%RH': [45, 5],
  '%': [50, 10],
  '/': [0.5, 0.1],
  lx: [300, 100],
  Pa: [101_300, 200],
  hPa: [1013, 2],
  V: [3.3, 0.1],
  A: [0.1, 0.02],
}
/** It goes up and down once in so long, in milliseconds. */
const periodMs = 60_000

/** A value that such a sensor could show, which goes up and down in the middle of its range. */
function plausible(key: string, sensor: Sensor, now: number): SensorValue {
  const { type = 'number', unit = '', minimum, maximum } = sensor
  if (type === 'boolean') return false
  if (type === 'string') return 'simulated'
  if (type === 'data') return new Uint8Array([0])
  const [usualMiddle, usualSwing] = usual[unit] ?? [50, 10]
  const span = minimum !== undefined && maximum !== undefined ? maximum - minimum : undefined
  const isUsual = usual[unit] !== undefined && fitted(usualMiddle, { ...sensor, type: 'number' }) === usualMiddle
  const middle = span === undefined || isUsual ? usualMiddle : minimum! + span / 2
  const swing = span === undefined ? usualSwing : Math.min(usualSwing, span / 10)
  // Sensors side by side do not move in step.
  const phase = [...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
  const value = middle + swing * Math.sin((2 * Math.PI * now) / periodMs + phase)
  return fitted(Number(value.toPrecision(4)), sensor)
}
