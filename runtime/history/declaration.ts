import type { Sensor } from '../board.ts'
import { DefinitionError } from '../errors.ts'

const mostSamples = 10_000

/**
 * Checks what a sensor says of its history and its thresholds.
 *
 * @throws DefinitionError
 */
export function checkHistory(where: string, { type = 'number', history, thresholds = [] }: Sensor): void {
  if (history !== undefined && history !== false) {
    const { samples, everyMs } = history
    if (samples !== undefined && !(Number.isInteger(samples) && samples >= 0 && samples <= mostSamples)) {
      throw new DefinitionError(`${where}: history.samples must be a whole number from 0 to ${mostSamples}`)
    }
    if (everyMs !== undefined && !(everyMs > 0 && Number.isFinite(everyMs))) {
      throw new DefinitionError(`${where}: history.everyMs must be a number above 0`)
    }
  }
  if (thresholds.length > 0 && type !== 'number' && type !== 'integer') {
    throw new DefinitionError(`${where}: thresholds belong to numbers, and this is a ${type}`)
  }
  for (const { above, below, hysteresis = 0 } of thresholds) {
    if (above === undefined && below === undefined) {
      throw new DefinitionError(`${where}: a threshold lacks its border: give it above, below or both`)
    }
    if (![above ?? 0, below ?? 0, hysteresis].every(Number.isFinite) || hysteresis < 0) {
      throw new DefinitionError(`${where}: above, below and hysteresis are numbers, and hysteresis is one from 0 on`)
    }
  }
}
