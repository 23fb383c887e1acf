import { type Actuator, actuator, type Board, type Sensor } from '../../runtime/board.ts'
import type { Call } from '../../runtime/call.ts'
import { type Clock, systemClock } from '../../runtime/clock.ts'
import { approach, pause, World, wander } from './world.ts'

/** How a simulated greenhouse is made; every part may be left out. */
export interface SimulatedGreenhouseOptions {
  /** The time it lives by; the machine's own when left out. */
  clock?: Clock
  /** Chooses its weather: the same seed gives the same readings at the same times. 1 when left out. */
  seed?: number
  /** Simulated seconds to one second of the clock; 1 when left out. */
  speed?: number
  /** The board's name; `greenhouse` when left out. */
  name?: string
}

const tankLitres = 10
const soilLitres = 5
const pumpLitresPerSecond = 0.05
const refillPerSecond = 0.05
const ventPerSecond = 0.2
const heaterPerSecond = 0.15
const thermostatLimit = 35
const emptyTank = 0.002

interface Greenhouse {
  /** Degrees Celsius. */
  air: number
  /** Percent relative humidity. */
  humidity: number
  /** 0 to 1. */
  soil: number
  /** Litres that lie on the soil and have not soaked in. */
  puddle: number
  /** 0 to 1. */
  tank: number
  /** What the tank is being filled up to, 0 to 1; no filling below the present level. */
  refillTo: number
  /** 0 to 1. */
  vent: number
  ventGoal: number
  /** 0 to 1. */
  lamp: number
  heater: boolean
  /** Seconds that the pump's own timer has left; 0 is off. */
  pumpLeft: number
  /** Litres pumped since the beginning. */
  pumped: number
}

/**
 * A greenhouse without hardware, for trying things out and for tests: seven sensors and five actuators that act on each
 * other as the real ones do. Within seconds the pump wets the soil, the vent cools the air, the heater and the lamp warm
 * it. It keeps no timer of its own.
 */
export function simulatedGreenhouse(options: SimulatedGreenhouseOptions = {}): Board {
  const { clock = systemClock, seed = 1, speed = 1, name = 'greenhouse' } = options
  const outside = (time: number) => 15 + 2 * Math.sin(time / 140 + seed) + 0.5 * wander(seed + 10, time, 60)
  const sun = (time: number) => 6000 * (1 + 0.25 * Math.sin(time / 95 + seed) + 0.2 * wander(seed + 20, time, 20))

  const world = new World<Greenhouse>({
    clock,
    speed,
    state: {
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
    },
    step(house, dt, time) {
      pumpWater(house, dt)
      soak(house, dt)
      if (house.refillTo > house.tank) house.tank = Math.min(house.refillTo, house.tank + refillPerSecond * dt)
      house.vent = towards(house.vent, house.ventGoal, ventPerSecond * dt)

      const leak = 1 / 600 + house.vent / 40
      const airAfter = (heat: number) => approach(house.air, outside(time) + heat / leak, 1 / leak, dt)
      const warmth = sun(time) / 360_000 + house.lamp * 0.02
      const unheated = airAfter(warmth)
      // However long the step is, the thermostat never lets the heater go past its limit.
      house.air = house.heater
        ? Math.max(unheated, Math.min(thermostatLimit, airAfter(warmth + heaterPerSecond)))
        : unheated
      const humid = 50 + 35 * house.soil * (1 - 0.6 * house.vent) - 1.2 * (house.air - 24)
      house.humidity = approach(house.humidity, Math.min(98, Math.max(10, humid)), 60 - 40 * house.vent, dt)
    },
  })

  const pumpWatchers = new Set<(running: boolean) => void>()
  let pumpWasRunning = false
  let closed = false

  /** Brings the house up to now. Who watches the pump hears of it here, since its timer runs out between two looks. */
  function look(): Greenhouse {
    const house = world.now()
    const running = house.pumpLeft > 0
    if (running !== pumpWasRunning) {
      pumpWasRunning = running
      for (const changed of pumpWatchers) changed(running)
    }
    return house
  }

  function change(how: (house: Greenhouse) => void): void {
    how(world.now())
    look()
  }

  function usable(): Greenhouse {
    if (closed) throw new Error(`${name} is closed: start the program again`)
    return look()
  }

  /** What is under way, by actuator. A new move of the same actuator ends the old one. */
  const moves = new Map<string, AbortController>()

  function endMove(part: string): void {
    moves.get(part)?.abort()
    moves.delete(part)
  }

  /**
   * Waits for a slow part, with a word to the caller each second, until it has no seconds left or `signal` aborts. Then
   * the part is stopped in that very moment, and the wait is over.
   */
  async function carryOut(
    part: string,
    call: Call,
    secondsLeft: (house: Greenhouse) => number,
    stop: (house: Greenhouse) => void,
    message: (house: Greenhouse) => string,
  ): Promise<void> {
    endMove(part)
    const move = new AbortController()
    moves.set(part, move)
    const stopNow = () => change(stop)
    const signals = [call.signal, move.signal]
    for (const signal of signals) signal.addEventListener('abort', stopNow)
    if (call.signal.aborted) stopNow()
    try {
      const total = secondsLeft(look())
      for (let left = total; left > 0 && !signals.some(({ aborted }) => aborted); left = secondsLeft(look())) {
        // Timers may fire a little early, and a wait of 0 ms would then spin.
        await pause(clock, Math.max(1, Math.min(1000, (left / speed) * 1000)), signals)
        const house = look()
        call.progress(rounded(total - secondsLeft(house), 1), rounded(total, 1), message(house))
      }
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', stopNow)
      if (moves.get(part) === move) moves.delete(part)
    }
  }

  function allOff(): void {
    for (const part of [...moves.keys()]) endMove(part)
    change(house => {
      stopPump(house)
      house.refillTo = 0
      house.ventGoal = house.vent
      house.heater = false
      house.lamp = 0
    })
  }

  function noisy(channel: number, value: number, noise: number, decimals: number, { minimum, maximum }: Range): number {
    const reading = value + noise * wander(seed * 31 + channel, world.time, 1)
    return rounded(Math.min(maximum, Math.max(minimum, reading)), decimals)
  }

  const read = {
    air: () => noisy(1, look().air, 0.04, 2, airRange),
    humidity: () => noisy(2, look().humidity, 0.3, 1, humidityRange),
    soil: () => noisy(3, look().soil, 0.001, 3, ratioRange),
    light: () => {
      const { lamp } = look()
      return noisy(4, sun(world.time) + lamp * 9000, 60, 0, lightRange)
    },
    tank: () => rounded(look().tank, 3),
    vent: () => rounded(look().vent, 3),
  }

  const sensors: Record<string, Sensor> = {
    air_temperature: {
      title: 'Air temperature',
      description: 'Temperature of the air at plant height.',
      unit: 'Cel',
      ...airRange,
      ttlMs: 1000,
      deadBand: 0.1,
      read: read.air,
    },
    air_humidity: {
      title: 'Air humidity',
      description: 'Relative humidity of the air at plant height.',
      unit: '%RH',
      ...humidityRange,
      ttlMs: 1000,
      deadBand: 0.5,
      read: read.humidity,
    },
    soil_moisture: {
      title: 'Soil moisture',
      description: 'Water in the soil of the bed: 0 is bone dry, 1 is soaked. Plants like 0.3 to 0.6.',
      unit: '/',
      ...ratioRange,
      ttlMs: 500,
      deadBand: 0.005,
      read: read.soil,
    },
    light: {
      title: 'Light',
      description: 'Light that falls on the plants, from the sun and the grow light together.',
      unit: 'lx',
      ...lightRange,
      ttlMs: 1000,
      deadBand: 100,
      read: read.light,
    },
    water_level: {
      title: 'Water level',
      description: `How full the tank of the pump is: 0 is empty, 1 is full (${tankLitres} litres).`,
      unit: '/',
      ...ratioRange,
      ttlMs: 500,
      deadBand: 0.005,
      read: read.tank,
    },
    vent_position: {
      title: 'Vent position',
      description:
        'How far the roof vent is open: 0 is closed, 1 is wide open. It follows the vent tool at a finite speed.',
      unit: '/',
      ...ratioRange,
      ttlMs: 250,
      deadBand: 0.01,
      read: read.vent,
    },
    pump_running: {
      title: 'Pump running',
      description: 'Whether the water pump runs at this moment.',
      type: 'boolean',
      read: () => look().pumpLeft > 0,
      watch(changed) {
        // One function may watch twice; each has to be taken away by itself.
        const watcher = (running: boolean) => changed(running)
        pumpWatchers.add(watcher)
        return () => pumpWatchers.delete(watcher)
      },
    },
  }

  const actuators: Record<string, Actuator<any>> = {
    pump: actuator({
      title: 'Water pump',
      description:
        `Waters the bed for a number of seconds, then stops by itself; 0 stops it at once. It moves ` +
        `${pumpLitresPerSecond} litres a second from the tank into the soil: 5 seconds raise soil_moisture by about 0.05. ` +
        `Fails when the tank is empty; use refill then. Water cannot be taken back, so water a little and read again.`,
      inputSchema: {
        type: 'object',
        properties: {
          seconds: { type: 'number', minimum: 0, maximum: 60, description: 'How long to run. 0 stops the pump.' },
        },
        required: ['seconds'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: {
          litres: { type: 'number', description: 'Water that was pumped by this call.' },
          soilMoisture: { type: 'number', description: 'Soil moisture afterwards, 0 to 1.' },
          waterLevel: { type: 'number', description: 'What is left in the tank, 0 to 1.' },
          stopped: {
            type: 'boolean',
            description: 'True when it ended before its time: stopped, or the tank ran empty.',
          },
        },
        required: ['litres', 'soilMoisture', 'waterLevel', 'stopped'],
      },
      annotations: { idempotentHint: false, openWorldHint: false },
      safe: { seconds: 0 },
      timeoutMs: 90_000,
      async set({ seconds }, call) {
        const house = usable()
        endMove('pump')
        const before = house.pumped
        if (seconds === 0) change(stopPump)
        else if (house.tank <= emptyTank) {
          throw new Error('the water tank is empty, so nothing was pumped: call refill first')
        } else {
          change(state => {
            state.pumpLeft = seconds
          })
          await carryOut(
            'pump',
            call,
            state => state.pumpLeft,
            stopPump,
            () => `soil moisture ${read.soil()}`,
          )
        }
        const litres = look().pumped - before
        return {
          litres: rounded(litres, 3),
          soilMoisture: read.soil(),
          waterLevel: read.tank(),
          stopped: litres < seconds * pumpLitresPerSecond - 1e-6,
        }
      },
    }),
    vent: actuator({
      title: 'Roof vent',
      description:
        'Opens the roof vent to a percentage: 0 closes it, 100 opens it wide. Outside is cooler, so opening cools and dries ' +
        'the air. The whole way takes 5 seconds; the call ends when the vent has arrived.',
      inputSchema: {
        type: 'object',
        properties: { percent: { type: 'number', minimum: 0, maximum: 100, description: 'How far open it shall be.' } },
        required: ['percent'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: {
          percent: { type: 'number', description: 'How far open the vent is now.' },
          airTemperature: { type: 'number', description: 'Degrees Celsius.' },
        },
        required: ['percent', 'airTemperature'],
      },
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
      // Every position is as safe as the next one; a vent that is told to stop just stays where it is.
      safe: null,
      async set({ percent }, call) {
        usable()
        endMove('vent')
        change(house => {
          house.ventGoal = percent / 100
        })
        await carryOut(
          'vent',
          call,
          house => Math.abs(house.ventGoal - house.vent) / ventPerSecond,
          house => {
            house.ventGoal = house.vent
          },
          house => `vent ${rounded(house.vent * 100, 0)} % open`,
        )
        return { percent: rounded(look().vent * 100, 1), airTemperature: read.air() }
      },
    }),
    heater: actuator({
      title: 'Heater',
      description:
        `Switches the air heater on or off. On, it warms the closed house by about ${heaterPerSecond} °C a second; its own thermostat ` +
        `pauses it from ${thermostatLimit} °C on. It stays on until it is switched off.`,
      inputSchema: {
        type: 'object',
        properties: { on: { type: 'boolean' } },
        required: ['on'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { on: { type: 'boolean' }, airTemperature: { type: 'number', description: 'Degrees Celsius.' } },
        required: ['on', 'airTemperature'],
      },
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
      safe: { on: false },
      set({ on }) {
        usable().heater = on
        return { on, airTemperature: read.air() }
      },
    }),
    grow_light: actuator({
      title: 'Grow light',
      description: 'Dims the grow light: 0 is off, 100 is full, which adds 9000 lx and warms the air a little.',
      inputSchema: {
        type: 'object',
        properties: { percent: { type: 'number', minimum: 0, maximum: 100, description: 'Brightness.' } },
        required: ['percent'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { percent: { type: 'number' }, light: { type: 'number', description: 'Light at the plants, lx.' } },
        required: ['percent', 'light'],
      },
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
      safe: { percent: 0 },
      set({ percent }) {
        usable().lamp = percent / 100
        return { percent, light: read.light() }
      },
    }),
    refill: actuator({
      title: 'Tank refill',
      description:
        'Opens the tap until the tank is filled to a percentage, about 5 % a second. A tank that is already fuller stays as ' +
        'it is, so 0 just closes the tap.',
      inputSchema: {
        type: 'object',
        properties: { percent: { type: 'number', minimum: 0, maximum: 100, description: 'How full it shall be.' } },
        required: ['percent'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { waterLevel: { type: 'number', description: 'How full the tank is now, 0 to 1.' } },
        required: ['waterLevel'],
      },
      annotations: { idempotentHint: true, openWorldHint: false },
      safe: { percent: 0 },
      async set({ percent }, call) {
        usable()
        endMove('refill')
        change(house => {
          house.refillTo = percent / 100
        })
        await carryOut(
          'refill',
          call,
          house => Math.max(0, house.refillTo - house.tank) / refillPerSecond,
          closeTap,
          house => `tank ${rounded(house.tank * 100, 0)} % full`,
        )
        // Left open, the tap would run again as soon as the pump draws water.
        change(closeTap)
        return { waterLevel: read.tank() }
      },
    }),
  }

  return {
    name,
    version: '1.0.0',
    title: 'Simulated greenhouse',
    description:
      'A small simulated greenhouse: one bed with a pump and a water tank, a roof vent, a heater and a grow light. Nothing ' +
      'here is real, so every tool may be tried. Read the sensors before and after a move to see what it did.',
    sensors,
    actuators,
    open() {
      closed = false
    },
    close() {
      allOff()
      closed = true
    },
  }
}

interface Range {
  minimum: number
  maximum: number
}

const airRange: Range = { minimum: -20, maximum: 60 }
const humidityRange: Range = { minimum: 0, maximum: 100 }
const ratioRange: Range = { minimum: 0, maximum: 1 }
const lightRange: Range = { minimum: 0, maximum: 50_000 }

/** Below this a rest of time is rounding, and the pump must not be called running for it. */
const noTime = 1e-9

function pumpWater(house: Greenhouse, dt: number): void {
  if (house.pumpLeft === 0) return
  const seconds = Math.min(dt, house.pumpLeft)
  const litres = Math.min(seconds * pumpLitresPerSecond, house.tank * tankLitres)
  house.pumpLeft -= seconds
  house.pumped += litres
  house.puddle += litres
  house.tank = Math.max(0, house.tank - litres / tankLitres)
  if (house.pumpLeft < noTime || house.tank === 0) house.pumpLeft = 0
}

function soak(house: Greenhouse, dt: number): void {
  const left = approach(house.puddle, 0, 1.5, dt)
  const wetter = house.soil + (house.puddle - left) / soilLitres
  house.puddle = left
  const dryingSeconds = 14_400 / (1 + house.vent + Math.max(0, house.air - 24) / 10)
  const dried = approach(wetter, 0.05, dryingSeconds, dt)
  // Soil cannot hold more than this for long: the rest runs through.
  house.soil = Math.min(1, dried > 0.8 ? approach(dried, 0.8, 60, dt) : dried)
}

function stopPump(house: Greenhouse): void {
  house.pumpLeft = 0
}

function closeTap(house: Greenhouse): void {
  house.refillTo = 0
}

function towards(value: number, goal: number, most: number): number {
  return Math.abs(goal - value) <= most + noTime ? goal : value + Math.sign(goal - value) * most
}

function rounded(value: number, decimals: number): number {
  const scale = 10 ** decimals
  return Math.round(value * scale) / scale
}
