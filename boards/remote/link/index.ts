export { argumentsOf, inputSchemaOf, positionsOf } from './arguments.ts'
export { CborError, readCbor } from './cbor-reader.ts'
export { writeCbor } from './cbor-writer.ts'
export { codeText, LinkCode, LinkDownError, LinkError, UnknownOutcomeError } from './codes.ts'
export type { LinkCounters } from './counters.ts'
export {
  Hint,
  type LinkActuator,
  type LinkArgument,
  type LinkDescription,
  type LinkEntry,
  type LinkSensor,
  type LinkType,
} from './description.ts'
export { readDescription } from './description-reader.ts'
export { LinkDevice } from './device.ts'
export type { LinkDeviceOptions } from './device-options.ts'
export { type ByteSink, FrameWriter, maxFrameBytes, maxFrameLineBytes, readFrame } from './frame.ts'
export type { DeviceHello } from './hello.ts'
export { LinkHost } from './host.ts'
export type { LinkCallOptions, LinkHostOptions } from './host-options.ts'
export type { HostWatchOptions, LinkReading, ReadingReceiver } from './host-watches.ts'
export { firstMarker, type LineKind, lastMarker, lineKind, marker } from './line.ts'
export { meantNumber } from './meant-number.ts'
export { type NoMessage, readDeviceMessage, readHostMessage } from './message-reader.ts'
export { type DeviceMessage, deviceArray, type HostMessage, hostArray, Kind, linkVersion } from './messages.ts'
export { FramePort, type FramePortOptions } from './port.ts'
export type { ByteOutlet } from './stream.ts'
export type { CborInput, CborItem, FloatBytes, LinkValue } from './value.ts'
