/**
 * What is wired to a Raspberry Pi, as data, with something of your own beside it. Without that, a board.json would do.
 *
 *   npx ferrule try raspberry-pi.ts                  shows what a model sees, in your terminal
 *   npx ferrule serve raspberry-pi.ts --simulate     the same without the hardware, on any machine
 */
import type { Board } from 'ferrule'
import { raspberryPi } from 'ferrule/boards/raspberry-pi/board'

const wired = raspberryPi({
  name: 'cellar',
  description: 'A damp cellar with a fan in the window. Run it when it is drier outside than inside.',
  sensors: {
    // Each of these chips gives a temperature and a humidity: inside_temperature, inside_humidity ...
    inside: { driver: 'sht3x', address: '0x44' },
    outside: { driver: 'sht3x', address: '0x45' },
    window: { driver: 'digital-input', pin: 'GPIO24', pull: 'up', activeLow: true, title: 'Window closed' },
  },
  actuators: {
    fan: { driver: 'relay', pin: 'GPIO17', activeLow: true, holdForMs: 30 * 60_000, title: 'Fan' },
  },
})

const { inside_temperature, inside_humidity } = wired.sensors!

export default {
  ...wired,
  sensors: {
    ...wired.sensors,
    // Sensors are data with a function in it, so that one can be made of others.
    dew_point: {
      title: 'Dew point inside',
      description: 'Walls that are colder than this get wet.',
      unit: 'Cel',
      minimum: -60,
      maximum: 60,
      ttlMs: 2000,
      async read(request) {
        const celsius = Number(await inside_temperature!.read(request))
        const percent = Number(await inside_humidity!.read(request))
        // The formula of Magnus, over water.
        const x = Math.log(percent / 100) + (17.62 * celsius) / (243.12 + celsius)
        return Number(((243.12 * x) / (17.62 - x)).toFixed(1))
      },
    },
  },
} satisfies Board
