import { approach, wander } from './world.ts'

/** What a greenhouse is like at one moment. Ratios go from 0 to 1. */
export interface GreenhouseState {
  /** Degrees Celsius. */
  air: number
  /** Percent relative humidity. */
  humidity: number
  /** Water in the soil, a ratio. */
  soil: number
  /** Litres that lie on the soil and have not soaked in. */
  puddle: number
  /** How full the tank is, a ratio. */
  tank: number
  /** What the tank is being filled up to, a ratio; no filling below the present level. */
  refillTo: number
  /** How far the vent is open, a ratio. */
  vent: number
  /** Where the vent moves to, a ratio. */
  ventGoal: number
  /** Brightness of the grow light, a ratio. */
  lamp: number
  heater: boolean
  /** Seconds that the pump's own timer has left; 0 is off. */
  pumpLeft: number
  /** Litres pumped since the beginning. */
  pumped: number
}

/** What comes from outside. */
export interface Weather {
  /** Degrees Celsius. */
  outside: number
  /** Lux. */
  sun: number
}

/** Litres in a full tank. */
export const tankLitres = 10
/** Litres a second from the tank to the bed. */
export const pumpLitresPerSecond = 0.05
/** The part of the tank that the tap fills in a second. */
export const refillPerSecond = 0.05
/** The part of its whole way that the vent goes in a second. */
export const ventPerSecond = 0.2
/** Degrees a second by which the heater warms the closed house. */
export const heaterPerSecond = 0.15
/** Degrees Celsius from which on the heater pauses. */
export const thermostatLimit = 35
/** The level, a ratio, from which on the pump draws no water. */
export const emptyTank = 0.002
/** Lux of the grow light at the plants when it is full on. */
export const lampLux = 9000

/** Litres that take the soil from dry to soaked. */
const soilLitres = 5
/** Seconds in which most of a puddle soaks in. */
const soakSeconds = 1.5
/** Seconds in which most of the soil's water dries away, in cool air with the vent closed. */
const drySeconds = 14_400
/** The moisture, a ratio, that is left however long the soil dries. */
const driestSoil = 0.05
/** The moisture, a ratio, that soil cannot hold more than for long: the rest runs through. */
const fieldCapacity = 0.8
/** Seconds in which most of that rest runs through. */
const drainSeconds = 60
/** Seconds in which most of the difference to outside leaves: through the walls, and through the open vent alone. */
const wallSeconds = 600
const ventSeconds = 40
/** Degrees Celsius; soil and air dry faster in air that is warmer. */
const mildAir = 24
/** Degrees a second from the grow light when it is full on. */
const lampPerSecond = 0.02
/** Lux of sun that warm the air by one degree a second. */
const sunLuxPerDegree = 360_000

/** Below this a rest of time is rounding, and the pump must not be called running for it. */
const noTime = 1e-9

/** A greenhouse in the morning, with everything off. */
export function morning(): GreenhouseState {
  return {
    air: 24,
    humidity: 62,
    soil: 0.32,
    puddle: 0,
    tank: 0.8,
    refillTo: 0,
    vent: 0,
    ventGoal: 0,
    lamp: 0,
    heater: false,
    pumpLeft: 0,
    pumped: 0,
  }
}

/**
 * The weather after `time` seconds, the same for the same seed. It comes in waves of ten to fifteen minutes with moods of
 * a minute on top, so that somebody who watches a chart sees it live.
 */
export function weatherAt(seed: number, time: number): Weather {
  return {
    outside: 15 + 2 * Math.sin(time / 140 + seed) + 0.5 * wander(seed + 10, time, 60),
    sun: 6000 * (1 + 0.25 * Math.sin(time / 95 + seed) + 0.2 * wander(seed + 20, time, 20)),
  }
}

/** Moves a greenhouse on by `dt` seconds. Water goes first: every part sees what those before it have become. */
export function step(state: GreenhouseState, dt: number, weather: Weather): void {
  Object.assign(state, pumpedWater(state, dt))
  Object.assign(state, soakedSoil(state, dt))
  state.tank = filledTank(state, dt)
  state.vent = towards(state.vent, state.ventGoal, ventPerSecond * dt)
  state.air = warmedAir(state, dt, weather)
  state.humidity = moistAir(state, dt)
}

/** Stops the pump. */
export function stopPump(state: GreenhouseState): void {
  state.pumpLeft = 0
}

/** Closes the tap of the tank. */
export function closeTap(state: GreenhouseState): void {
  state.refillTo = 0
}

/** Stops the vent where it is. */
export function holdVent(state: GreenhouseState): void {
  state.ventGoal = state.vent
}

/** Stops whatever moves, and switches off the heater and the lamp. */
export function allOff(state: GreenhouseState): void {
  stopPump(state)
  closeTap(state)
  holdVent(state)
  state.heater = false
  state.lamp = 0
}

type Water = Pick<GreenhouseState, 'pumpLeft' | 'pumped' | 'puddle' | 'tank'>

function pumpedWater(state: GreenhouseState, dt: number): Water {
  const seconds = Math.min(dt, state.pumpLeft)
  const litres = Math.min(seconds * pumpLitresPerSecond, state.tank * tankLitres)
  const tank = Math.max(0, state.tank - litres / tankLitres)
  const left = state.pumpLeft - seconds
  return {
    pumpLeft: left < noTime || tank === 0 ? 0 : left,
    pumped: state.pumped + litres,
    puddle: state.puddle + litres,
    tank,
  }
}

function soakedSoil(state: GreenhouseState, dt: number): Pick<GreenhouseState, 'puddle' | 'soil'> {
  const puddle = approach(state.puddle, 0, soakSeconds, dt)
  const wetter = state.soil + (state.puddle - puddle) / soilLitres
  const dryingSeconds = drySeconds / (1 + state.vent + Math.max(0, state.air - mildAir) / 10)
  const dried = approach(wetter, driestSoil, dryingSeconds, dt)
  const drained = dried > fieldCapacity ? approach(dried, fieldCapacity, drainSeconds, dt) : dried
  return { puddle, soil: Math.min(1, drained) }
}

function filledTank({ tank, refillTo }: GreenhouseState, dt: number): number {
  return refillTo > tank ? Math.min(refillTo, tank + refillPerSecond * dt) : tank
}

function warmedAir({ air, vent, lamp, heater }: GreenhouseState, dt: number, { outside, sun }: Weather): number {
  const leak = 1 / wallSeconds + vent / ventSeconds
  const airAfter = (heat: number) => approach(air, outside + heat / leak, 1 / leak, dt)
  const warmth = sun / sunLuxPerDegree + lamp * lampPerSecond
  const unheated = airAfter(warmth)
  // However long the step is, the thermostat never lets the heater go past its limit.
  return heater ? Math.max(unheated, Math.min(thermostatLimit, airAfter(warmth + heaterPerSecond))) : unheated
}

function moistAir({ humidity, soil, vent, air }: GreenhouseState, dt: number): number {
  // Percent: soaked soil adds 35, of which the open vent takes three fifths away; each degree over mild takes 1.2.
  const goal = 50 + 35 * soil * (1 - 0.6 * vent) - 1.2 * (air - mildAir)
  return approach(humidity, Math.min(98, Math.max(10, goal)), 60 - 40 * vent, dt)
}

/** Where a value gets that goes towards `goal` by at most `most`. */
function towards(value: number, goal: number, most: number): number {
  return Math.abs(goal - value) <= most + noTime ? goal : value + Math.sign(goal - value) * most
}
