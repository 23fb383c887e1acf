import { actuator, type Board } from '../../runtime/index.ts'

/** What the outputs of a {@link ruleBoard} are. */
export interface RuleState {
  lamp: boolean
  pump: boolean
  motor: number
  heater: boolean
  cooler: boolean
  saw: boolean
  vent: number
}

const on = { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] } as const
const hundred = { type: 'integer', minimum: 0, maximum: 100 } as const

/** A board whose actuators have rules, one of each kind: the second one of the test vectors. */
export function ruleBoard(): { board: Board; state: RuleState } {
  const state: RuleState = { lamp: false, pump: false, motor: 0, heater: false, cooler: false, saw: false, vent: 0 }
  const board: Board = {
    name: 'shed',
    version: '1.0',
    sensors: {
      lamp_on: { type: 'boolean', read: () => state.lamp },
      motor_speed: { type: 'integer', read: () => state.motor },
      saw_on: { type: 'boolean', read: () => state.saw },
      vent_opening: { type: 'integer', read: () => state.vent },
    },
    actuators: {
      lamp: actuator({
        inputSchema: on,
        safe: { on: false },
        holdForMs: 1000,
        readback: 'lamp_on',
        set: args => void (state.lamp = args.on),
      }),
      pump: actuator({
        inputSchema: on,
        safe: { on: false },
        minIntervalMs: 2000,
        set: args => void (state.pump = args.on),
      }),
      motor: actuator({
        inputSchema: { type: 'object', properties: { speed: hundred }, required: ['speed'] },
        safe: { speed: 0 },
        maxRate: 20,
        readback: 'motor_speed',
        set: args => void (state.motor = args.speed),
      }),
      heater: actuator({
        inputSchema: on,
        safe: { on: false },
        group: 'heat',
        set: args => void (state.heater = args.on),
      }),
      cooler: actuator({
        inputSchema: on,
        safe: { on: false },
        group: 'heat',
        set: args => void (state.cooler = args.on),
      }),
      saw: actuator({
        inputSchema: on,
        safe: { on: false },
        confirm: 'each',
        audience: 'person',
        readback: 'saw_on',
        arming: true,
        set: args => void (state.saw = args.on),
      }),
      vent: actuator({
        inputSchema: { type: 'object', properties: { percent: hundred }, required: ['percent'] },
        safe: { percent: 0 },
        initial: { percent: 30 },
        maxRate: 10,
        readback: 'vent_opening',
        set: args => void (state.vent = args.percent),
      }),
    },
  }
  return { board, state }
}

/** The numbers of its sensors and actuators on the link. */
export const ruleNumbers = {
  sensors: { lamp_on: 0, motor_speed: 1, saw_on: 2, vent_opening: 3 },
  actuators: { lamp: 0, pump: 1, motor: 2, heater: 3, cooler: 4, saw: 5, vent: 6 },
} as const
