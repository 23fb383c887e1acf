/**
 * A board for real processes: HANDS_LOG names the file in which its outputs write down each physical change, a line of
 * JSON each. HANDS_NAME is its name. HANDS_BROKEN names the outputs that cannot be made safe, HANDS_ARMING=1 makes them
 * want to be armed.
 */
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { actuator, type Board } from '../../runtime/index.ts'

const { HANDS_LOG: log, HANDS_NAME: name = 'hands', HANDS_BROKEN = '', HANDS_ARMING } = process.env
const broken = new Set(HANDS_BROKEN.split(','))
const arming = HANDS_ARMING === undefined ? {} : { arming: true }

function changed(output: string, value: unknown): void {
  if (log !== undefined) appendFileSync(log, `${JSON.stringify({ output, value })}\n`)
}

let flow = 0

export default {
  name,
  version: '1.0.0',
  open: () => changed('board', 'open'),
  close: () => changed('board', 'closed'),
  sensors: {
    flow: { title: 'Flow', unit: 'l/s', minimum: 0, maximum: 60, read: () => flow },
    warmth: {
      unit: 'Cel',
      minimum: 10,
      maximum: 30,
      read() {
        changed('warmth', 'read')
        return 20
      },
    },
  },
  actuators: {
    pump: actuator({
      title: 'Pump',
      inputSchema: {
        type: 'object',
        properties: { seconds: { type: 'number', minimum: 0, maximum: 60 } },
        required: ['seconds'],
        additionalProperties: false,
      },
      safe: { seconds: 0 },
      readback: 'flow',
      safeReading: 0,
      ...arming,
      set({ seconds }) {
        if (seconds === 0 && broken.has('pump')) throw new Error('the relay does not answer')
        flow = seconds
        changed('pump', seconds)
      },
    }),
    lamp: actuator({
      inputSchema: {
        type: 'object',
        properties: { on: { type: 'boolean' }, colour: { enum: ['red', 'green', 'blue'] } },
        required: ['on'],
      },
      safe: { on: false },
      ...arming,
      set: ({ on, colour }) => changed('lamp', colour ?? on),
    }),
    lift: actuator({
      description: 'Goes up for that long.',
      inputSchema: { type: 'object', properties: { ms: { type: 'number' } }, required: ['ms'] },
      safe: { ms: 0 },
      ...arming,
      async set({ ms }, call) {
        changed('lift', ms)
        if (ms === 0) return
        call.progress(0, 1)
        await delay(ms, undefined, { signal: call.signal })
      },
    }),
  },
} satisfies Board
