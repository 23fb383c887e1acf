import type { BoardDeclaration } from '../declared/declaration.ts'
import type { FoundI2CChip } from './i2c.ts'
import type { Scan } from './index.ts'
import type { FoundQuantity } from './quantities.ts'

/** An entry of a board file: a driver, and where its part is wired. */
export type BoardEntry = { driver: string } & Record<string, string | number | boolean>

/** Something that was found, as an entry of a board file. */
export interface NamedEntry {
  key: string
  entry: BoardEntry
  from: FoundI2CChip | FoundQuantity
}

/** An entry that only a person can know to be right. */
export interface Suggestion {
  /** When it is right: `if 0x23 on i2c-1 is a BH1750`. */
  when: string
  under: 'sensors' | 'actuators'
  key: string
  entry: BoardEntry
}

/** The sensors that were found for certain, under names that are unique and stay when something else is added. */
export function sensorEntries({ i2c, quantities }: Pick<Scan, 'i2c' | 'quantities'>): NamedEntry[] {
  const chips = i2c.flatMap(({ chips }) => chips)
  const named: NamedEntry[] = []
  const add = (from: NamedEntry['from'], key: string, further: string, entry: BoardEntry) => {
    const taken = (name: string) => named.some(one => one.key === name)
    let free = taken(key) ? `${key}_${further}` : key
    for (let n = 2; taken(free); n++) free = `${key}_${further}_${n}`
    named.push({ key: free, entry, from })
  }
  for (const chip of chips) {
    const { part, bus } = chip
    if (part?.driver === undefined || part.key === undefined) continue
    const address = hex(chip.address)
    const place = { address, ...(bus !== 1 && { bus }) }
    if (part.driver !== 'ads1115') {
      add(chip, part.key, address.slice(2), { driver: part.driver, ...place })
      continue
    }
    const isFirst = chips.find(other => other.part === part) === chip
    const key = isFirst ? part.key : `${part.key}_${address.slice(2)}`
    for (const input of ['A0', 'A1', 'A2', 'A3']) {
      add(chip, `${key}_${input.toLowerCase()}`, String(bus), { driver: 'ads1115', ...place, input })
    }
  }
  const thermometers = quantities.filter(({ source }) => source === '1-wire').length
  for (const quantity of quantities) {
    const { source, device, channel = '' } = quantity
    if (source === '1-wire') {
      // The end of the address tells them apart, and stays when one is added.
      const key = thermometers === 1 ? 'thermometer' : `thermometer_${device.slice(-4)}`
      add(quantity, key, device.slice(3, -4), { driver: 'ds18b20', id: device })
    } else if (quantity.value !== undefined && quantity.unit !== undefined) {
      const key = source === 'thermal' ? zoneName(device) : `${nameOf(device)}_${wordOf(channel)}`
      add(quantity, key, source, entryOf(quantity))
    }
  }
  return named
}

function entryOf({ source, device, channel = '' }: FoundQuantity): BoardEntry {
  if (source === 'thermal') return { driver: 'thermal-zone', type: device }
  return source === 'iio' ? { driver: 'iio', device, channel } : { driver: 'hwmon', chip: device, channel }
}

/** Pins that a person has named, in any of the forms that a board file takes. */
export interface NamedPins {
  inputs: readonly string[]
  outputs: readonly string[]
}

/** The board of a scan: the sensors that were found, and the pins that were named. Pins are checked where it is made. */
export function scannedDeclaration(
  entries: readonly Pick<NamedEntry, 'key' | 'entry'>[],
  pins: NamedPins,
): BoardDeclaration {
  const sensors = new Map(entries.map(({ key, entry }) => [key, entry]))
  for (const pin of pins.inputs) sensors.set(nameOf(pin), { driver: 'digital-input', pin, title: pin })
  const actuators = new Map(pins.outputs.map(pin => [nameOf(pin), { driver: 'digital-output', pin, title: pin }]))
  const declaration = {
    name: 'raspberry-pi',
    title: 'Raspberry Pi',
    sensors: Object.fromEntries(sensors),
    actuators: Object.fromEntries(actuators),
  }
  return declaration as BoardDeclaration
}

/** What stands in for a scan where a board is simulated and nothing is connected. */
export const exampleEntries: readonly Pick<NamedEntry, 'key' | 'entry'>[] = [
  { key: 'air', entry: { driver: 'bme280', address: '0x76' } },
  { key: 'thermometer', entry: { driver: 'ds18b20' } },
  { key: 'cpu', entry: { driver: 'thermal-zone' } },
]

/** What a scan cannot find out: which of two chips it is, and what is wired to an output. */
export function suggestions({ i2c, spi, header }: Pick<Scan, 'i2c' | 'spi' | 'header'>): Suggestion[] {
  const free = header.filter(({ consumer, bus }) => consumer === undefined && bus === undefined).map(({ line }) => line)
  // GPIO17 is what most wiring plans take first.
  const outputs = [17, 27, 22, 5, 6, ...free].filter(line => free.includes(line))
  const chips = i2c.flatMap(({ chips }) => chips)
  const place = ({ address, bus }: FoundI2CChip) => ({ address: hex(address), ...(bus !== 1 && { bus }) })
  return [
    ...chips.flatMap(chip => {
      const light = chip.maybe.find(({ name }) => name === 'BH1750')
      if (light === undefined) return []
      const when = `if ${hex(chip.address)} on i2c-${chip.bus} is a BH1750`
      return [{ when, under: 'sensors' as const, key: 'light', entry: { driver: 'bh1750', ...place(chip) } }]
    }),
    ...spi.slice(0, 1).map(({ name, bus, select }) => ({
      when: `if an MCP3008 is on ${name}`,
      under: 'sensors' as const,
      key: 'voltage',
      entry: { driver: 'mcp3008', ...(bus !== 0 && { bus }), ...(select !== 0 && { select }), input: 0 },
    })),
    ...chips.flatMap(chip => {
      if (chip.part?.name !== 'PCA9685') return []
      const when = `if a servo is at output 0 of the PCA9685 at ${hex(chip.address)}`
      const entry = { driver: 'servo', chip: 'pca9685', ...place(chip), output: 0, safe: 90 }
      return [{ when, under: 'actuators' as const, key: 'vent', entry }]
    }),
    ...outputs.slice(0, 1).map(line => ({
      when: `if a relay is at GPIO${line} that switches on with a low voltage`,
      under: 'actuators' as const,
      key: 'pump',
      entry: { driver: 'relay', pin: `GPIO${line}`, activeLow: true, holdForMs: 30_000, title: 'Pump' },
    })),
  ]
}

function zoneName(type: string): string {
  return type === 'cpu-thermal' ? 'cpu' : nameOf(type)
}

/** The words of industrial IO that nobody else says. */
const words: Record<string, string> = { temp: 'temperature', humidityrelative: 'humidity' }

function wordOf(channel: string): string {
  return words[channel] ?? nameOf(channel)
}

/** A name of a board's sensor, of whatever the kernel calls it. */
function nameOf(text: string): string {
  const name = text.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '')
  return (/^[A-Za-z]/.test(name) ? name : `sensor_${name}`).slice(0, 40).toLowerCase()
}

/** `0x76`. */
export function hex(address: number): string {
  return `0x${address.toString(16).padStart(2, '0')}`
}
