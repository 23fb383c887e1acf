import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SenmlUnit } from '../../../runtime/index.ts'
import type { Analog } from '../../io.ts'
import { HardwareError } from '../hardware-error.ts'
import type { SystemOptions } from '../kernel/kernel-calls.ts'
import { entryNamed, type NamedEntry, numberIn, type Quantity } from './quantity.ts'

const devices: NamedEntry = { folder: 'sys/bus/iio/devices', prefix: 'iio:device', nameFile: 'name' }

/** Units and scales of Documentation/ABI/testing/sysfs-bus-iio. What is not here is given as the kernel gives it. */
const kinds: Record<string, { unit: SenmlUnit; factor: number }> = {
  voltage: { unit: 'V', factor: 1e-3 },
  current: { unit: 'A', factor: 1e-3 },
  power: { unit: 'W', factor: 1e-3 },
  resistance: { unit: 'Ohm', factor: 1 },
  temp: { unit: 'Cel', factor: 1e-3 },
  humidityrelative: { unit: '%RH', factor: 1e-3 },
  pressure: { unit: 'Pa', factor: 1e3 },
  illuminance: { unit: 'lx', factor: 1 },
  distance: { unit: 'm', factor: 1 },
  accel: { unit: 'm/s2', factor: 1 },
  magn: { unit: 'T', factor: 1e-4 },
}

/** The unit in which a channel is given, by its name; nothing for a kind that has none here. */
export function iioUnit(channel: string): SenmlUnit | undefined {
  return kindOf(channel)?.unit
}

/** Which channel of which device is meant. */
export interface IIOOptions extends SystemOptions {
  /** The name of the device: `bme280`, `ads1015`, `mcp3008`; or of its folder: `iio:device0`. */
  device: string
  /** The channel, without `in_`: `voltage0`, `temp`, `humidityrelative`. */
  channel: string
}

/**
 * What a driver for industrial IO measures: converters, and sensors for which the kernel has a driver.
 *
 * @throws HardwareError when there is no such device or channel
 */
export function iio({ device, channel, root = '/' }: IIOOptions): Quantity {
  const folder = entryNamed(root, devices, device, 'IIO device')
  const title = `${channel} of ${device}`
  // A channel has a scale of its own, or shares one with those of its type.
  const type = typeOf(channel)
  const attribute = (name: string) =>
    [`in_${channel}_${name}`, `in_${channel.replace(/\d+/g, '')}_${name}`, `in_${type}_${name}`, `in_${name}`]
      .map(file => join(folder, file))
      .find(path => existsSync(path))
  const { unit, factor } = kindOf(channel) ?? { unit: undefined, factor: 1 }
  const input = join(folder, `in_${channel}_input`)
  if (existsSync(input)) return { unit, read: async () => tidy((await numberIn(input, title)) * factor) }
  const raw = join(folder, `in_${channel}_raw`)
  if (!existsSync(raw)) {
    const channels = readdirSync(folder).flatMap(file => /^in_(.+)_(?:raw|input)$/.exec(file)?.[1] ?? [])
    throw new HardwareError('ENOENT', `${device} has no channel ${channel}; there is ${channels.join(', ') || 'none'}`)
  }
  const part = async (name: string, without: number) => {
    const path = attribute(name)
    return path === undefined ? without : numberIn(path, title)
  }
  return {
    unit,
    read: async () =>
      tidy(((await numberIn(raw, title)) + (await part('offset', 0))) * (await part('scale', 1)) * factor),
  }
}

/** An analogue input: a voltage channel of a converter for which the kernel has a driver (`dtoverlay=ads1015`, `mcp3008`). */
export function analog(options: IIOOptions): Analog {
  if (!options.channel.startsWith('voltage'))
    throw new HardwareError('EINVAL', `${options.channel} is no voltage: read it with iio()`)
  const { read } = iio(options)
  return { read, close() {} }
}

function typeOf(channel: string): string {
  return /^[a-z]+/.exec(channel)?.[0] ?? channel
}

function kindOf(channel: string): { unit: SenmlUnit; factor: number } | undefined {
  const type = typeOf(channel)
  return Object.hasOwn(kinds, type) ? kinds[type] : undefined
}

/** Without what multiplying leaves behind the digits that there are: 19.9, and not 19.900000000000002. */
function tidy(value: number): number {
  return Number(value.toPrecision(12))
}
