/**
 * A whole board of your own: two sensors and two actuators, written by hand. Copy this file and make it yours.
 *
 *   npx ferrule try own-board.ts      shows what a model sees, in your terminal
 *   npx ferrule serve own-board.ts    lets an MCP client use it
 *
 * It runs as it is. Where it says "your hardware here", put the lines that talk to yours.
 */
import { actuator, type Board } from 'ferrule'

// Your hardware here: a file in /sys, an I2C chip, a serial port, an HTTP address.
const hardware = {
  lamp: false,
  fanPercent: 0,
  async readCelsius() {
    return 21.5 + (this.lamp ? 2 : 0) - this.fanPercent * 0.03
  },
  async readRevolutionsPerSecond() {
    return this.fanPercent * 0.4
  },
  async switchLamp(on: boolean) {
    this.lamp = on
  },
  async setFan(percent: number) {
    this.fanPercent = percent
  },
}

export default {
  name: 'my_board',
  version: '1.0.0',
  title: 'My board',
  description: 'A lamp and a fan in one box, with a thermometer. The lamp warms the box, the fan cools it.',

  sensors: {
    box_temperature: {
      title: 'Box temperature',
      description: 'Temperature of the air in the box.',
      unit: 'Cel',
      // Nothing outside this range can be true: such a reading is reported as a failure.
      minimum: -40,
      maximum: 85,
      // A reading is good for a second, so that ten questions at once do not read the chip ten times.
      ttlMs: 1000,
      // Who watches this sensor hears of changes larger than this.
      deadBand: 0.1,
      read: () => hardware.readCelsius(),
    },
    fan_speed: {
      title: 'Fan speed',
      description: 'Turns of the fan in a second. Near 0 although the fan is on: something blocks it.',
      unit: '1/s',
      minimum: 0,
      maximum: 100,
      ttlMs: 500,
      read: () => hardware.readRevolutionsPerSecond(),
    },
  },

  actuators: {
    lamp: actuator({
      title: 'Lamp',
      description: 'Switches the lamp on or off.',
      inputSchema: {
        type: 'object',
        properties: { on: { type: 'boolean' } },
        required: ['on'],
        additionalProperties: false,
      },
      reversible: true,
      absolute: true,
      // These arguments are used when the program ends or loses its client, so the lamp never stays on alone.
      safe: { on: false },
      set: ({ on }) => hardware.switchLamp(on),
    }),
    fan: actuator({
      title: 'Fan',
      description: 'Sets the fan: 0 stops it, 100 is full speed. It cools the box by about 3 °C.',
      inputSchema: {
        type: 'object',
        properties: { percent: { type: 'number', minimum: 0, maximum: 100 } },
        required: ['percent'],
        additionalProperties: false,
      },
      reversible: true,
      absolute: true,
      safe: { percent: 0 },
      async set({ percent }) {
        await hardware.setFan(percent)
        // What set returns is what the model reads, so tell it what came of it.
        return { percent, turnsPerSecond: await hardware.readRevolutionsPerSecond() }
      },
    }),
  },

  async open() {
    // Called once at the start: open your port here, and throw an error that says what to check when it is not there.
  },
  async close() {
    // Called once at the end, after lamp and fan are off: give the port back here.
  },
} satisfies Board
