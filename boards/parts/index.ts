export { type BME280Options, bme280, bmp280 } from './bme280.ts'
export type { Part, PartOptions, SensorPart } from './part.ts'
export type { WaitOptions } from './wait.ts'
