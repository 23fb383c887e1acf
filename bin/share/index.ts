export { type Control, type ControlCommand, type ControlOptions, controlDevice } from './control.ts'
export type { DeviceControls } from './controls.ts'
export type { OwnContext, OwnedDevice } from './device-owner.ts'
export { type Shared, type ShareOptions, shareDevice } from './share-device.ts'
