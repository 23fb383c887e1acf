import { existsSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { actuator, type Board, createServer, tool } from '../../runtime/index.ts'

const onOff = {
  type: 'object',
  properties: { on: { type: 'boolean' } },
  required: ['on'],
  additionalProperties: false,
} as const

const at = { relay: false, lamp: 0, mode: 'auto', label: '', curve: [] as number[], shade: 0 }
/** Where a test puts a file to have the probe fail. */
const cut = process.env.PROBE_CUT ?? ''

/** A bench with every kind of sensor and of control. */
const board: Board = {
  name: 'bench',
  title: 'Workbench',
  description: 'A bench with every kind of control.',
  sensors: {
    relay_state: { title: 'Relay contact', type: 'boolean', ttlMs: 50, minIntervalMs: 100, read: () => at.relay },
    lamp_level: { title: 'Lamp level', unit: '/', ttlMs: 50, minIntervalMs: 100, read: () => at.lamp / 100 },
    label: { title: 'Label', type: 'string', minIntervalMs: 100, read: () => `<b>${at.label}</b>` },
    shade_position: { title: 'Shade position', minIntervalMs: 100, read: () => at.shade },
    mode: { title: 'Mode', type: 'string', minIntervalMs: 100, read: () => `${at.mode} ${JSON.stringify(at.curve)}` },
    probe: {
      title: 'Probe',
      unit: 'Cel',
      minIntervalMs: 100,
      read() {
        if (existsSync(cut)) throw new Error('no answer at i2c-1 0x48: check the wiring')
        return 21.5
      },
    },
    count: {
      title: 'Ticks',
      unit: 'count',
      type: 'integer',
      minIntervalMs: 100,
      read: () => Math.floor(performance.now()),
    },
  },
  actuators: {
    relay: actuator({
      title: 'Relay',
      description: 'Switches the relay.',
      inputSchema: onOff,
      safe: { on: false },
      readback: 'relay_state',
      set({ on }) {
        at.relay = on
      },
    }),
    lamp: actuator({
      title: 'Lamp',
      inputSchema: {
        type: 'object',
        properties: { percent: { type: 'number', minimum: 0, maximum: 100 } },
        required: ['percent'],
      },
      safe: { percent: 0 },
      absolute: true,
      set({ percent }) {
        if (percent > 90) throw new Error('the lamp is too warm for more than 90 %')
        at.lamp = percent
      },
    }),
    settings: actuator({
      title: 'Settings',
      inputSchema: {
        type: 'object',
        properties: {
          mode: { type: 'string', enum: ['auto', 'manual', 'off'] },
          label: { type: 'string', minLength: 2, maxLength: 20 },
          curve: { type: 'array', items: { type: 'number' } },
          gain: { type: 'integer' },
          invert: { type: 'boolean' },
        },
        required: ['mode', 'label'],
      },
      safe: null,
      set({ mode, label, curve }) {
        Object.assign(at, { mode, label, curve: curve ?? [] })
      },
    }),
    shade: actuator({
      title: 'Shade',
      description: 'Rolls the shade, in steps that take their time.',
      inputSchema: {
        type: 'object',
        properties: { steps: { type: 'integer', minimum: 0, maximum: 1000 } },
        required: ['steps'],
      },
      safe: null,
      async set({ steps }, call) {
        for (let step = 1; step <= steps; step++) {
          await delay(100, undefined, { signal: call.signal })
          at.shade = step
          call.progress(step, steps, `step ${step}`)
        }
      },
    }),
    furnace: actuator({
      title: 'Furnace',
      description: 'For people only.',
      inputSchema: onOff,
      safe: { on: false },
      audience: 'person',
      set() {},
    }),
    saw: actuator({
      title: 'Saw',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      safe: null,
      confirm: 'each',
      set() {},
    }),
  },
}

export default createServer(board, {
  readSensorsTool: true,
  ...(process.env.DRY_RUN && { limits: { dryRun: true } }),
  tools: {
    calibrate: tool({
      title: 'Calibrate',
      description: 'Asks for the reference first.',
      inputSchema: { type: 'object', properties: {} },
      async call(_args, call) {
        const answer = await call.elicit({
          message: 'What does the reference show?',
          requestedSchema: {
            type: 'object',
            properties: { celsius: { type: 'number', minimum: -50, maximum: 150 } },
            required: ['celsius'],
          },
        })
        return answer.action === 'accept' ? `Calibrated to ${answer.content.celsius} °C` : 'Nothing was calibrated'
      },
    }),
  },
})
