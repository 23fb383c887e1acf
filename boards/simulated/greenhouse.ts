import type { Board } from '../../runtime/board.ts'
import { type Clock, systemClock } from '../../runtime/clock.ts'
import { greenhouseActuators } from './greenhouse-actuators.ts'
import { greenhouseSensors } from './greenhouse-sensors.ts'
import { House } from './house.ts'
import { greenhouseInstruments } from './instruments.ts'
import { Moves } from './moves.ts'

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

/**
 * A greenhouse without hardware, for trying things out and for tests: seven sensors and five actuators that act on each
 * other as the real ones do. Within seconds the pump wets the soil, the vent cools the air, the heater and the lamp warm
 * it. It keeps no timer of its own.
 */
export function simulatedGreenhouse(options: SimulatedGreenhouseOptions = {}): Board {
  const { clock = systemClock, seed = 1, speed = 1, name = 'greenhouse' } = options
  const house = new House({ clock, seed, speed, name })
  const moves = new Moves(house, clock, speed)
  const instruments = greenhouseInstruments(house, seed)
  return {
    name,
    version: '1.0.0',
    title: 'Simulated greenhouse',
    description:
      'A small simulated greenhouse: one bed with a pump and a water tank, a roof vent, a heater and a grow light. Nothing ' +
      'here is real, so every tool may be tried. Read the sensors before and after a move to see what it did.',
    sensors: greenhouseSensors(house, instruments),
    actuators: greenhouseActuators({ house, moves, instruments }),
    open: () => house.open(),
    close() {
      moves.endAll()
      house.close()
    },
  }
}
