import type { SensorValue } from './board.ts'

/** Whether two values of a sensor are apart: numbers by more than the dead band, anything else at all. */
export function differs(a: SensorValue, b: SensorValue, deadBand: number): boolean {
  if (typeof a === 'number' && typeof b === 'number') return deadBand > 0 ? Math.abs(a - b) > deadBand : a !== b
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length !== b.length || a.some((byte, index) => byte !== b[index])
  }
  return a !== b
}
