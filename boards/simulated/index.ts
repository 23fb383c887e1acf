export { type SimulatedGreenhouseOptions, simulatedGreenhouse } from './greenhouse.ts'
export { simulate } from './simulate.ts'
