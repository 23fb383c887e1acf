import type { Sensor } from '../../runtime/board.ts'
import { tankLitres } from './climate.ts'
import type { House } from './house.ts'
import type { Instruments } from './instruments.ts'

/** The seven sensors of a greenhouse, by name. */
export function greenhouseSensors(house: House, instruments: Instruments): Record<string, Sensor> {
  return {
    air_temperature: {
      title: 'Air temperature',
      description: 'Temperature of the air at plant height.',
      unit: 'Cel',
      ttlMs: 1000,
      deadBand: 0.1,
      ...instruments.air,
    },
    air_humidity: {
      title: 'Air humidity',
      description: 'Relative humidity of the air at plant height.',
      unit: '%RH',
      ttlMs: 1000,
      deadBand: 0.5,
      ...instruments.humidity,
    },
    soil_moisture: {
      title: 'Soil moisture',
      description: 'Water in the soil of the bed: 0 is bone dry, 1 is soaked. Plants like 0.3 to 0.6.',
      unit: '/',
      ttlMs: 500,
      deadBand: 0.005,
      ...instruments.soil,
    },
    light: {
      title: 'Light',
      description: 'Light that falls on the plants, from the sun and the grow light together.',
      unit: 'lx',
      ttlMs: 1000,
      deadBand: 100,
      ...instruments.light,
    },
    water_level: {
      title: 'Water level',
      description: `How full the tank of the pump is: 0 is empty, 1 is full (${tankLitres} litres).`,
      unit: '/',
      ttlMs: 500,
      deadBand: 0.005,
      ...instruments.tank,
    },
    vent_position: ventPosition(instruments),
    pump_running: pumpRunning(house),
  }
}

function ventPosition({ vent }: Instruments): Sensor {
  return {
    title: 'Vent position',
    description:
      'How far the roof vent is open: 0 is closed, 1 is wide open. It follows the vent tool at a finite speed.',
    unit: '/',
    ttlMs: 250,
    deadBand: 0.01,
    ...vent,
  }
}

function pumpRunning(house: House): Sensor {
  return {
    title: 'Pump running',
    description: 'Whether the water pump runs at this moment.',
    type: 'boolean',
    read: () => house.look().pumpLeft > 0,
    watch: changed => house.watchPump(changed),
  }
}
