import type { SenmlUnit, Sensor } from '../../../../runtime/index.ts'
import { hwmon as hwmonQuantity, hwmonUnit } from '../../sysfs/hwmon.ts'
import { iio as iioQuantity, iioUnit } from '../../sysfs/iio.ts'
import { assertOnBus, oneWireThermometer } from '../../sysfs/one-wire.ts'
import { thermalZone as zone } from '../../sysfs/thermal-zone.ts'
import { driver, type PartPlan } from '../driver.ts'
import { type Field, field, isThere, needed, text, Wrong } from '../field.ts'
import { busPins, pin } from '../pin.ts'
import type { Wiring } from '../wiring.ts'

/** A DS18B20, or another thermometer of its family. */
export const ds18b20 = driver({
  name: 'ds18b20',
  does: 'senses',
  about: 'DS18B20: temperature, on 1-Wire',
  alsoCalled: ['1-wire', 'one-wire', 'onewire', 'w1', 'dallas', 'ds18s20', 'thermometer'],
  fields: {
    id: oneWireId(),
    pin: pin(
      'The pin that 1-Wire is at; GPIO4 when left out. It is chosen in config.txt, and named here to be checked',
    ),
  },
  unit: () => 'Cel',
  claims: ({ id, pin: { line } = { line: 4 } }) => [
    {
      what: `1-Wire ${id ?? ''}`,
      title: id === undefined ? 'The only thermometer on 1-Wire' : `The thermometer ${id}`,
      advice: 'Give each its own "id": ls /sys/bus/w1/devices shows them',
    },
    ...(line === undefined ? [] : busPins('1-Wire', { [line]: 'the data line' })),
  ],
  part: ({ id }) =>
    single(`1-Wire ${id ?? ''}`, wiring => ({
      ...{ unit: 'Cel', minimum: -55, maximum: 125, ttlMs: 2000 },
      ...wiring.quantity('1-Wire thermometer', system => {
        // Told at the start already, and not at the first reading only.
        if (id !== undefined) assertOnBus(id, system)
        return oneWireThermometer({ ...system, ...(id !== undefined && { id }) })
      }),
    })),
})

/** A temperature of the board itself. */
export const thermalZone = driver({
  name: 'thermal-zone',
  does: 'senses',
  about: 'the temperature of the processor',
  alsoCalled: ['cpu', 'cpu-temperature', 'soc', 'processor'],
  fields: {
    type: text('What the kernel calls the zone; cpu-thermal, the processor, when left out', 'cpu-thermal', 64),
  },
  unit: () => 'Cel',
  claims: () => [],
  part: ({ type = 'cpu-thermal' }) =>
    single(`thermal-zone ${type}`, wiring => ({
      ...{ unit: 'Cel', minimum: -40, maximum: 150, ttlMs: 1000 },
      ...wiring.quantity(`thermal zone ${type}`, system => zone({ ...system, type })),
    })),
})

/** Whatever the kernel has a driver of industrial IO for. */
export const iio = driver({
  name: 'iio',
  does: 'senses',
  about: 'a sensor or converter with a driver of the kernel for industrial IO',
  fields: {
    device: needed(text('The name of the device: cat /sys/bus/iio/devices/*/name shows them', 'bme280', 64)),
    channel: needed(
      text('The channel, as its file is named, without in_ and what is behind it', 'humidityrelative', 64),
    ),
  },
  unit: ({ channel }) => iioUnit(channel),
  claims: () => [],
  part: ({ device, channel }) =>
    single(`iio ${device} ${channel}`, wiring => ({
      ...unitOf(iioUnit(channel)),
      ttlMs: 1000,
      ...wiring.quantity(`${channel} of ${device}`, system => iioQuantity({ ...system, device, channel })),
    })),
})

/** Whatever the kernel has a driver of hardware monitoring for. */
export const hwmon = driver({
  name: 'hwmon',
  does: 'senses',
  about: 'a sensor with a driver of the kernel for hardware monitoring',
  fields: {
    chip: needed(text('The name of the chip: cat /sys/class/hwmon/*/name shows them', 'rpi_volt', 64)),
    channel: needed(channel('The channel: the kind and a number', 'temp1')),
  },
  unit: ({ channel }) => hwmonUnit(channel),
  claims: () => [],
  part: ({ chip, channel }) =>
    single(`hwmon ${chip} ${channel}`, wiring => ({
      ...unitOf(hwmonUnit(channel)),
      ttlMs: 1000,
      ...wiring.quantity(`${channel} of ${chip}`, system => hwmonQuantity({ ...system, chip, channel })),
    })),
})

/** A part that is one sensor. Entries that mean the same share nothing: reading twice harms nobody. */
function single(key: string, make: (wiring: Wiring) => Sensor): PartPlan<undefined> {
  return {
    key,
    member: undefined,
    make: (members, { wiring }) => ({
      sensors: Object.fromEntries(Object.keys(members).map(member => [member, { value: make(wiring) }])),
      close: () => wiring.close(),
    }),
  }
}

function unitOf(unit: SenmlUnit | undefined): { unit?: SenmlUnit } {
  return unit === undefined ? {} : { unit }
}

function oneWireId(): Field<string> {
  const description = 'The address of the thermometer; the only one on the bus when left out'
  const pattern = '^(10|22|28|3b|42)-[0-9a-f]{12}$'
  return field({ type: 'string', pattern, description }, '28-0316a2795fff', written => {
    const id = typeof written === 'string' ? written.trim().toLowerCase() : ''
    if (new RegExp(pattern).test(id)) return id
    return new Wrong(
      `must be the address of a thermometer, such as "28-0316a2795fff"; ${isThere(written)}. ls /sys/bus/w1/devices shows them`,
    )
  })
}

function channel(description: string, example: string): Field<string> {
  const kinds = ['in', 'temp', 'curr', 'power', 'energy', 'humidity', 'fan']
  return field({ type: 'string', pattern: `^(${kinds.join('|')})\\d+$`, description }, example, written =>
    typeof written === 'string' && hwmonUnit(written) !== undefined && /\d$/.test(written)
      ? written
      : new Wrong(`must be one of ${kinds.join(', ')} with a number, such as "${example}"; ${isThere(written)}`),
  )
}
