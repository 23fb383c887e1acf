import type { Sensor, SensorValue } from '../../runtime/board.ts'

/** Reads a sensor as the runtime does, but for its range. */
export async function reading(sensor: Sensor): Promise<SensorValue> {
  return sensor.read({ signal: new AbortController().signal })
}
