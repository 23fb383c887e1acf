import type { Message } from '../client.ts'

/** A call of an actuator, and what a sensor must show for it. */
export interface Move {
  actuator: string
  given: Message
  sensor: string
  /** How far the sensor's value must go at least, and in which direction. */
  change: number
}

/** What is worked in the built-in demo, where it is known to be safe and what follows. */
export const builtInMoves: readonly Move[] = [
  { actuator: 'pump', given: { seconds: 3 }, sensor: 'soil_moisture', change: 0.02 },
  { actuator: 'vent', given: { percent: 60 }, sensor: 'air_temperature', change: -0.15 },
]
