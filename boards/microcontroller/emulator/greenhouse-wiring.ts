import { type GreenhouseState, lampLux, morning, step, type Weather, weatherAt } from '../../simulated/climate.ts'
import { World, wander } from '../../simulated/world.ts'
import type { Atmega328p } from './atmega328p.ts'

/** A wire between a greenhouse and a pin: what it carries, for people. */
export interface Wire {
  pin: string
  what: string
}

/** What measures: 0 V at the low end of its range, the supply at the high one. */
interface Transmitter extends Wire {
  low: number
  high: number
  /** How far it wavers, as real ones do. */
  waver: number
  measure: (state: GreenhouseState, weather: Weather) => number
}

const transmitters: readonly Transmitter[] = [
  { pin: 'A0', what: 'soil moisture, 0 to 1', low: 0, high: 1, waver: 0.001, measure: ({ soil }) => soil },
  { pin: 'A1', what: 'air temperature, -20 to 60 °C', low: -20, high: 60, waver: 0.04, measure: ({ air }) => air },
  { pin: 'A2', what: 'air humidity, 0 to 100 %', low: 0, high: 100, waver: 0.3, measure: ({ humidity }) => humidity },
  {
    pin: 'A3',
    what: 'light, 0 to 20000 lx',
    low: 0,
    high: 20_000,
    waver: 60,
    measure: ({ lamp }, { sun }) => sun + lamp * lampLux,
  },
  { pin: 'A4', what: 'water in the tank, 0 to 1', low: 0, high: 1, waver: 0, measure: ({ tank }) => tank },
  { pin: 'A5', what: 'position of the vent, 0 to 1', low: 0, high: 1, waver: 0, measure: ({ vent }) => vent },
]

const flowSwitch = 'D2'
const lamp = 'D3'
const heater = 'D4'
const tap = 'D7'
const pump = 'D8'
const servo = 'D9'

/** Every wire of the greenhouse, for people who write firmware for it. */
export const greenhouseWires: readonly Wire[] = [
  ...transmitters.map(({ pin, what }) => ({ pin, what })),
  { pin: flowSwitch, what: 'switch that is high while the pump moves water' },
  { pin: lamp, what: 'grow light, PWM' },
  { pin: heater, what: 'heater, high is on' },
  { pin: tap, what: 'tap that fills the tank, high is open' },
  { pin: pump, what: 'pump, high is on' },
  { pin: servo, what: 'servo of the vent: pulses of 1 ms close it, of 2 ms open it wide' },
]

/** How a greenhouse is put round a chip. */
export interface GreenhouseWiringOptions {
  /** Chooses its weather; 1 when left out. */
  seed?: number
  /** Volts at the high end of what measures; 5 when left out. */
  supply?: number
}

const roundSeconds = 0.02
/** A servo that got no pulse for so long stays where it is. */
const servoSeconds = 0.1

/**
 * Puts the simulated greenhouse round a chip. It drives the pins that a real one would, and looks at nothing but pins: an
 * ordinary program for a chip in a greenhouse works in it. It lives by the chip's own time. Returns what it is like.
 */
export function wireGreenhouse(chip: Atmega328p, options: GreenhouseWiringOptions = {}): () => GreenhouseState {
  const { seed = 1, supply = 5 } = options
  const world = new World({
    clock: { now: () => chip.seconds * 1000, setTimeout: () => undefined, clearTimeout: () => {} },
    state: morning(),
    step: (state, dt, time) => step(state, dt, weatherAt(seed, time)),
  })
  const round = () => {
    const state = world.now()
    for (const [channel, { low, high, waver, measure }] of transmitters.entries()) {
      const value = measure(state, weatherAt(seed, world.time)) + waver * wander(seed * 31 + channel, world.time, 1)
      chip.volts[channel] = Math.min(1, Math.max(0, (value - low) / (high - low))) * supply
    }
    chip.pin(flowSwitch).set(state.pumpLeft > 0)
    // What the pins say holds from now on.
    state.pumpLeft = chip.pin(pump).high && state.tank > 0 ? Number.POSITIVE_INFINITY : 0
    state.refillTo = chip.pin(tap).high ? 1 : 0
    state.heater = chip.pin(heater).high
    state.lamp = chip.pin(lamp).duty()
    state.ventGoal = servoGoal(chip) ?? state.vent
  }
  round()
  chip.every(roundSeconds, round)
  return () => world.now()
}

/** Where the servo is sent to, 0 to 1. */
function servoGoal(chip: Atmega328p): number | undefined {
  const { cycles, end } = chip.pin(servo).pulse
  if (chip.cycles - end > servoSeconds * chip.hz) return undefined
  return Math.min(1, Math.max(0, (cycles / chip.hz) * 1000 - 1))
}
