import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SenmlUnit } from '../../../runtime/index.ts'
import { HardwareError } from '../hardware-error.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { entryNamed, type NamedEntry, numberIn, type Quantity } from './quantity.ts'

const chips: NamedEntry = { folder: 'sys/class/hwmon', prefix: 'hwmon', nameFile: 'name' }

/** Units and scales of Documentation/hwmon/sysfs-interface. A fan has revolutions a minute. */
const kinds: Record<string, { unit: SenmlUnit; perUnit: number }> = {
  in: { unit: 'V', perUnit: 1e3 },
  temp: { unit: 'Cel', perUnit: 1e3 },
  curr: { unit: 'A', perUnit: 1e3 },
  power: { unit: 'W', perUnit: 1e6 },
  energy: { unit: 'J', perUnit: 1e6 },
  humidity: { unit: '%RH', perUnit: 1e3 },
  fan: { unit: '1/min', perUnit: 1 },
}

/** The unit in which a channel is given, by its name; nothing for what is no channel. */
export function hwmonUnit(channel: string): SenmlUnit | undefined {
  return kindOf(channel)?.unit
}

/** Which reading of which chip is meant. */
export interface HwmonOptions extends SystemOptions {
  /** The name of the chip: `lm75`, `ina219`, `rpi_volt`; or of its folder: `hwmon1`. */
  chip: string
  /** The channel: `temp1`, `in0`, `fan1`. */
  channel: string
}

/**
 * What a driver for hardware monitoring measures.
 *
 * @throws HardwareError when there is no such chip or channel
 */
export function hwmon({ chip, channel, root = '/' }: HwmonOptions): Quantity {
  const folder = entryNamed(root, chips, chip, 'hwmon chip')
  const kind = kindOf(channel)
  const path = join(folder, `${channel}_input`)
  if (kind === undefined || !existsSync(path)) {
    const channels = readdirSync(folder).flatMap(file => /^([a-z]+\d+)_input$/.exec(file)?.[1] ?? [])
    throw new HardwareError('ENOENT', `${chip} has no channel ${channel}; there is ${channels.join(', ') || 'none'}`)
  }
  return { unit: kind.unit, read: async () => (await numberIn(path, `${channel} of ${chip}`)) / kind.perUnit }
}

function kindOf(channel: string): { unit: SenmlUnit; perUnit: number } | undefined {
  const type = channel.replace(/\d+$/, '')
  return Object.hasOwn(kinds, type) ? kinds[type] : undefined
}
