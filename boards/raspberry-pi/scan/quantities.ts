import type { SenmlUnit } from '../../../runtime/index.ts'
import { hwmon } from '../sysfs/hwmon.ts'
import { iio } from '../sysfs/iio.ts'
import { oneWireThermometer, oneWireThermometers } from '../sysfs/one-wire.ts'
import { entriesOf, type Quantity, textOf } from '../sysfs/quantity.ts'
import { thermalZone, thermalZones } from '../sysfs/thermal-zone.ts'
import { entriesIn, linkedName } from './entries.ts'
import type { ScanOptions } from './options.ts'

/** What measures it: a driver for 1-Wire, for thermal zones, for industrial IO or for hardware monitoring. */
export type QuantitySource = '1-wire' | 'thermal' | 'iio' | 'hwmon'

/** One quantity that a driver of the kernel measures, read once. */
export interface FoundQuantity {
  source: QuantitySource
  /** Its name there: `28-0316a2795fff`, `cpu-thermal`, `bme280`; that of its folder where two have the same. */
  device: string
  /** Which of the device's: `humidityrelative`, `temp1`. */
  channel?: string
  /** What it is, in a few words. */
  what: string
  unit?: SenmlUnit
  /** What it measured, in that unit ... */
  value?: number
  /** ... or why it did not. */
  failure?: string
}

interface Candidate extends FoundQuantity {
  quantity(): Quantity
}

/** Everything that the kernel measures by itself, with its reading now: 750 ms for each thermometer of a 1-Wire bus. */
export async function foundQuantities({ root = '/', readsOneWire = true }: ScanOptions): Promise<FoundQuantity[]> {
  const all = [...thermometers(root), ...zones(root), ...iioChannels(root), ...hwmonChannels(root)]
  return Promise.all(
    all.map(async ({ quantity, ...found }) => {
      try {
        const { unit, read } = quantity()
        const now = found.source === '1-wire' && !readsOneWire ? {} : await reading(read)
        return { ...found, ...(unit !== undefined && { unit }), ...now }
      } catch (thrown) {
        return { ...found, failure: messageOf(thrown) }
      }
    }),
  )
}

async function reading(read: Quantity['read']): Promise<Pick<FoundQuantity, 'value' | 'failure'>> {
  try {
    return { value: await read() }
  } catch (thrown) {
    return { failure: messageOf(thrown) }
  }
}

/** By the family in their address. */
const thermometerNames: Record<string, string> = {
  10: 'DS18S20',
  22: 'DS1822',
  28: 'DS18B20',
  '3b': 'DS1825',
  42: 'DS28EA00',
}

function thermometers(root: string): Candidate[] {
  return oneWireThermometers({ root }).map(id => ({
    source: '1-wire',
    device: id,
    what: `${thermometerNames[id.slice(0, 2)]} thermometer`,
    quantity: () => oneWireThermometer({ id, root }),
  }))
}

function zones(root: string): Candidate[] {
  const all = thermalZones({ root })
  // Of two with one name, as in some laptops, neither could be named.
  return all
    .filter(type => all.indexOf(type) === all.lastIndexOf(type))
    .map(type => ({
      source: 'thermal',
      device: type,
      what: type === 'cpu-thermal' ? 'temperature of the processor' : 'temperature',
      quantity: () => thermalZone({ type, root }),
    }))
}

function iioChannels(root: string): Candidate[] {
  return devicesOf(root, 'sys/bus/iio/devices', 'iio:device').flatMap(({ device, folder }) =>
    entriesIn(root, folder)
      .flatMap(file => /^in_(.+)_(?:raw|input)$/.exec(file)?.[1] ?? [])
      .filter((channel, at, all) => all.indexOf(channel) === at)
      .map(channel => ({
        source: 'iio',
        device,
        channel,
        what: 'measured by the kernel (IIO)',
        quantity: () => iio({ device, channel, root }),
      })),
  )
}

function hwmonChannels(root: string): Candidate[] {
  return devicesOf(root, 'sys/class/hwmon', 'hwmon')
    .filter(({ folder, name }) => !isTwin(root, folder, name))
    .flatMap(({ device, folder }) =>
      entriesIn(root, folder)
        .flatMap(file => /^((?:in|temp|curr|power|energy|humidity|fan)\d+)_input$/.exec(file)?.[1] ?? [])
        .map(channel => ({
          source: 'hwmon',
          device,
          channel,
          what: textOf(`${root}/${folder}/${channel}_label`) ?? 'measured by the kernel (hwmon)',
          quantity: () => hwmon({ chip: device, channel, root }),
        })),
    )
}

/** Thermal zones and 1-Wire thermometers are there a second time, as chips for hardware monitoring. */
function isTwin(root: string, folder: string, name: string): boolean {
  return name === 'w1_slave_temp' || linkedName(root, `${folder}/device`)?.startsWith('thermal_zone') === true
}

function devicesOf(root: string, folder: string, prefix: string) {
  const all = entriesOf(root, { folder, prefix, nameFile: 'name' })
  return all.map(({ path, name }) => {
    const entry = path.slice(path.lastIndexOf('/') + 1)
    const twice = all.filter(other => other.name === name).length > 1
    return { device: twice || name === '' ? entry : name, name, folder: `${folder}/${entry}` }
  })
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
