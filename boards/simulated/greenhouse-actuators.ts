import { type Actuator, actuator } from '../../runtime/board.ts'
import {
  closeTap,
  emptyTank,
  heaterPerSecond,
  holdVent,
  lampLux,
  pumpLitresPerSecond,
  refillPerSecond,
  stopPump,
  thermostatLimit,
  ventPerSecond,
} from './climate.ts'
import type { House } from './house.ts'
import type { Instruments } from './instruments.ts'
import type { Moves, SlowPart } from './moves.ts'
import { rounded } from './world.ts'

/** What the actuators of a greenhouse work with. */
export interface Workings {
  house: House
  moves: Moves
  instruments: Instruments
}

/** The five actuators of a greenhouse, by name. */
export function greenhouseActuators(workings: Workings): Record<string, Actuator<any>> {
  return {
    pump: pump(workings),
    vent: vent(workings),
    heater: heater(workings),
    grow_light: growLight(workings),
    refill: refill(workings),
  }
}

function pump({ house, moves, instruments }: Workings) {
  const part: SlowPart = {
    secondsLeft: state => state.pumpLeft,
    stop: stopPump,
    message: () => `soil moisture ${instruments.soil.read()}`,
  }
  return actuator({
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
    outputSchema: record({
      litres: { type: 'number', description: 'Water that was pumped by this call.' },
      soilMoisture: { type: 'number', description: 'Soil moisture afterwards, 0 to 1.' },
      waterLevel: { type: 'number', description: 'What is left in the tank, 0 to 1.' },
      stopped: { type: 'boolean', description: 'True when it ended before its time: stopped, or the tank ran empty.' },
    }),
    safe: { seconds: 0 },
    timeoutMs: 90_000,
    async set({ seconds }, call) {
      const state = house.usable()
      const before = state.pumped
      moves.end(part)
      if (seconds > 0 && state.tank <= emptyTank) {
        throw new Error('the water tank is empty, so nothing was pumped: call refill first')
      }
      await moves.carryOut(part, call, now => {
        now.pumpLeft = seconds
      })
      const litres = house.look().pumped - before
      return {
        litres: rounded(litres, 3),
        soilMoisture: instruments.soil.read(),
        waterLevel: instruments.tank.read(),
        stopped: litres < seconds * pumpLitresPerSecond - 1e-6,
      }
    },
  })
}

function vent({ house, moves, instruments }: Workings) {
  const part: SlowPart = {
    secondsLeft: state => Math.abs(state.ventGoal - state.vent) / ventPerSecond,
    stop: holdVent,
    message: state => `vent ${rounded(state.vent * 100, 0)} % open`,
  }
  return actuator({
    title: 'Roof vent',
    description:
      'Opens the roof vent to a percentage: 0 closes it, 100 opens it wide. Outside is cooler, so opening cools and dries ' +
      'the air. The whole way takes 5 seconds; the call ends when the vent has arrived.',
    inputSchema: percentOf('How far open it shall be.'),
    outputSchema: record({
      percent: { type: 'number', description: 'How far open the vent is now.' },
      airTemperature,
    }),
    ...undoable,
    // Every position is as safe as the next one; a vent that is told to stop just stays where it is.
    safe: null,
    async set({ percent }, call) {
      house.usable()
      await moves.carryOut(part, call, state => {
        state.ventGoal = percent / 100
      })
      return { percent: rounded(house.look().vent * 100, 1), airTemperature: instruments.air.read() }
    },
  })
}

function heater({ house, instruments }: Workings) {
  return actuator({
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
    outputSchema: record({ on: { type: 'boolean' }, airTemperature }),
    ...undoable,
    safe: { on: false },
    set({ on }) {
      house.usable().heater = on
      return { on, airTemperature: instruments.air.read() }
    },
  })
}

function growLight({ house, instruments }: Workings) {
  return actuator({
    title: 'Grow light',
    description: `Dims the grow light: 0 is off, 100 is full, which adds ${lampLux} lx and warms the air a little.`,
    inputSchema: percentOf('Brightness.'),
    outputSchema: record({
      percent: { type: 'number' },
      light: { type: 'number', description: 'Light at the plants, lx.' },
    }),
    ...undoable,
    safe: { percent: 0 },
    set({ percent }) {
      house.usable().lamp = percent / 100
      return { percent, light: instruments.light.read() }
    },
  })
}

function refill({ house, moves, instruments }: Workings) {
  const part: SlowPart = {
    secondsLeft: state => Math.max(0, state.refillTo - state.tank) / refillPerSecond,
    stop: closeTap,
    message: state => `tank ${rounded(state.tank * 100, 0)} % full`,
  }
  return actuator({
    title: 'Tank refill',
    description:
      'Opens the tap until the tank is filled to a percentage, about 5 % a second. A tank that is already fuller stays as ' +
      'it is, so 0 just closes the tap.',
    inputSchema: percentOf('How full it shall be.'),
    outputSchema: record({ waterLevel: { type: 'number', description: 'How full the tank is now, 0 to 1.' } }),
    absolute: true,
    safe: { percent: 0 },
    async set({ percent }, call) {
      house.usable()
      await moves.carryOut(part, call, state => {
        state.refillTo = percent / 100
      })
      // Left open, the tap would run again as soon as the pump draws water.
      house.change(closeTap)
      return { waterLevel: instruments.tank.read() }
    },
  })
}

/** Another call undoes the move, and the same call twice does no more than once. */
const undoable = { reversible: true, absolute: true }

const airTemperature = { type: 'number', description: 'Degrees Celsius.' }

/** The arguments of what is set to a percentage. */
function percentOf(description: string) {
  return {
    type: 'object',
    properties: { percent: { type: 'number', minimum: 0, maximum: 100, description } },
    required: ['percent'],
    additionalProperties: false,
  } as const
}

/** The schema of an object that has all of these members. */
function record(properties: Record<string, object>) {
  return { type: 'object', properties, required: Object.keys(properties) }
}
