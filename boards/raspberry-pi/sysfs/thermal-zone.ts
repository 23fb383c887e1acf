import { join } from 'node:path'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { entriesOf, entryNamed, type NamedEntry, numberIn, type Quantity } from './quantity.ts'

const zones: NamedEntry = { folder: 'sys/class/thermal', prefix: 'thermal_zone', nameFile: 'type' }

/** Which temperature of the board is meant. */
export interface ThermalZoneOptions extends SystemOptions {
  /** What the kernel calls the zone; `cpu-thermal`, the processor of every Raspberry Pi, when left out. */
  type?: string
}

/**
 * The temperature of a thermal zone, in degrees Celsius.
 *
 * @throws HardwareError when there is no such zone
 */
export function thermalZone({ type = 'cpu-thermal', root = '/' }: ThermalZoneOptions = {}): Quantity {
  const path = join(entryNamed(root, zones, type, 'thermal zone'), 'temp')
  return { unit: 'Cel', read: async () => (await numberIn(path, `thermal zone ${type}`)) / 1000 }
}

/** The types of the thermal zones of this machine. */
export function thermalZones({ root = '/' }: SystemOptions = {}): string[] {
  return entriesOf(root, zones).map(({ name }) => name)
}
