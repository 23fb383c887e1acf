export { type DigitalOptions, digital } from './gpio/digital.ts'
export { HardwareError } from './hardware-error.ts'
