// An entry of its own: who only wants a pin does not load every driver.
export { boardFromJson } from './declared/board-file.ts'
export type { ActuatorEntry, BoardDeclaration, SensorEntry, SensorSettings } from './declared/declaration.ts'
export { boardSchema } from './declared/json-schema.ts'
export { DeclarationError, type Mistake } from './declared/mistake.ts'
export { type RaspberryPiOptions, raspberryPi } from './declared/raspberry-pi.ts'
