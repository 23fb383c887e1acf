import type { CborInput } from '../../boards/remote/link/index.ts'
import { ruleNumbers } from './rule-board.ts'

const session = 0x4a21
const { lamp_on, saw_on, vent_opening, motor_speed } = ruleNumbers.sensors
const { lamp, pump, motor, heater, cooler, saw, vent } = ruleNumbers.actuators

let id = 0
const hello: CborInput = [0, session, 1, new Map([[1, 1024]])]
const ping: CborInput = [1, session, -1]
const read = (sensor: number): CborInput => [3, session, -2, sensor]
const call = (actuator: number, ...args: CborInput[]): CborInput => [4, session, ++id, actuator, args]
const arm = (armed: boolean): CborInput => [9, session, -3, armed]
/** From somebody who has no session. */
const stop: CborInput = [8, 1, -21]
const wait = (ms: number) => ({ wait: ms })

/** What is said to the device with rules, each rule at its border: one millisecond or one step before, and at it. */
export const ruleStory: (CborInput | { wait: number })[] = [
  hello,
  // What it was given at boot is the first value to differ from, and no move.
  read(vent_opening),
  call(vent, 41),
  call(vent, 40),
  // Away for a second at most, however many calls come meanwhile; being safe in between begins anew.
  call(lamp, true),
  wait(999),
  call(lamp, true),
  read(lamp_on),
  wait(1),
  read(lamp_on),
  call(lamp, true),
  wait(500),
  call(lamp, false),
  call(lamp, true),
  wait(999),
  read(lamp_on),
  wait(1),
  read(lamp_on),
  // Two seconds between moves of either kind; the safe value is never refused.
  call(pump, true),
  wait(1999),
  call(pump, true),
  call(pump, false),
  wait(1999),
  call(pump, true),
  wait(1),
  call(pump, true),
  // A stop that moves it is a move; one that finds it safe is none.
  wait(500),
  stop,
  wait(1999),
  call(pump, true),
  ping,
  stop,
  wait(1),
  call(pump, true),
  call(pump, false),
  // 20 a second, of which never more than one counts; the safe value is never refused.
  call(motor, 21),
  call(motor, 20),
  wait(499),
  call(motor, 30),
  wait(1),
  call(motor, 31),
  call(motor, 30),
  wait(3000),
  call(motor, 51),
  call(motor, 50),
  call(motor, 0),
  wait(49),
  call(motor, 1),
  wait(1),
  call(motor, 1),
  read(motor_speed),
  // One of the group.
  call(heater, true),
  call(cooler, true),
  call(cooler, false),
  call(heater, true),
  call(heater, false),
  call(cooler, true),
  call(heater, true),
  stop,
  call(heater, true),
  // Armed by a person.
  call(saw, true),
  call(saw, false),
  arm(true),
  arm(true),
  call(saw, true),
  arm(false),
  read(saw_on),
  call(saw, true),
  arm(true),
  call(saw, true),
  // A new session changes nothing.
  hello,
  read(saw_on),
  call(saw, true),
  // A stop disarms.
  stop,
  read(saw_on),
  call(saw, true),
  // An arm in a session that is not there arms nothing.
  [9, session ^ 1, -3, true],
  call(saw, true),
  // So does the silence of the host.
  arm(true),
  call(saw, true),
  wait(4999),
  ping,
  wait(4999),
  read(saw_on),
  wait(5000),
  read(saw_on),
  call(saw, true),
  read(vent_opening),
  // A copy of a hello keeps nothing on.
  arm(true),
  call(saw, true),
  hello,
  wait(4999),
  hello,
  wait(1),
  read(saw_on),
]
