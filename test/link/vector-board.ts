import { actuator, type Board } from '../../runtime/index.ts'

/** The board of the test vectors: two sensors and two actuators, as small as a sketch would have them. */
export function vectorBoard(): Board {
  let level = 0
  return {
    name: 'pot',
    version: '1.0',
    title: 'Flower pot',
    sensors: {
      fan_level: { title: 'Fan level', type: 'integer', unit: '%', minimum: 0, maximum: 100, read: () => level },
      button: { type: 'boolean', read: () => false },
    },
    actuators: {
      fan: actuator({
        title: 'Fan',
        inputSchema: {
          type: 'object',
          properties: { percent: { type: 'integer', minimum: 0, maximum: 100 }, on: { type: 'boolean' } },
          required: ['percent', 'on'],
        },
        safe: { percent: 0, on: false },
        reversible: true,
        absolute: true,
        set({ percent, on }) {
          level = on ? percent : 0
        },
      }),
      lamp: actuator({
        inputSchema: {
          type: 'object',
          properties: { brightness: { type: 'number', minimum: 0, maximum: 1 } },
          required: ['brightness'],
        },
        safe: null,
        reachesBeyond: true,
        set: () => {},
      }),
    },
  }
}
