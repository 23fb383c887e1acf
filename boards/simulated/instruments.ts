import { type GreenhouseState, lampLux } from './climate.ts'
import type { House } from './house.ts'
import { rounded, wander } from './world.ts'

/** Something that measures, and the range of what it shows. */
export interface Instrument {
  readonly minimum: number
  readonly maximum: number
  read(): number
}

/** What measures in a greenhouse. */
export interface Instruments {
  /** Degrees Celsius. */
  air: Instrument
  /** Percent relative humidity. */
  humidity: Instrument
  /** Water in the soil, 0 to 1. */
  soil: Instrument
  /** Lux. */
  light: Instrument
  /** How full the tank is, 0 to 1. */
  tank: Instrument
  /** How far the vent is open, 0 to 1. */
  vent: Instrument
}

/** The instruments of a house. Those of the climate waver a little, as real ones do; `seed` chooses how. */
export function greenhouseInstruments(house: House, seed: number): Instruments {
  const waver = (channel: number, most: number) => most * wander(seed * 31 + channel, house.time, 1)
  const instrument = (
    minimum: number,
    maximum: number,
    decimals: number,
    measure: (state: GreenhouseState) => number,
  ): Instrument => ({
    minimum,
    maximum,
    read: () => rounded(Math.min(maximum, Math.max(minimum, measure(house.look()))), decimals),
  })
  return {
    air: instrument(-20, 60, 2, ({ air }) => air + waver(1, 0.04)),
    humidity: instrument(0, 100, 1, ({ humidity }) => humidity + waver(2, 0.3)),
    soil: instrument(0, 1, 3, ({ soil }) => soil + waver(3, 0.001)),
    light: instrument(0, 50_000, 0, ({ lamp }) => house.weather.sun + lamp * lampLux + waver(4, 60)),
    tank: instrument(0, 1, 3, ({ tank }) => tank),
    vent: instrument(0, 1, 3, ({ vent }) => vent),
  }
}
