export { type SimulatedGreenhouseOptions, simulatedGreenhouse } from './greenhouse.ts'
