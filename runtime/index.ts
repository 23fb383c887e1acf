export type { Access, Peer } from './access.ts'
export {
  type Actuator,
  actuator,
  type Board,
  type ReadRequest,
  type Sensor,
  type SensorMemory,
  type SensorValue,
  sensor,
  type Threshold,
} from './board.ts'
export { createServer } from './board-server.ts'
export type {
  Call,
  ClientCapabilities,
  ClientInfo,
  ElicitForm,
  ElicitResult,
  ElicitUrl,
  FormSchema,
  LogLevel,
  Root,
  SampleRequest,
  SampleResult,
} from './call.ts'
export { type Clock, systemClock } from './clock.ts'
export type { Connection, Outlet } from './connection.ts'
export {
  type Annotations,
  type ContentBlock,
  type Icon,
  type PromptMessage,
  type ResourceContents,
  type ToolResult,
  text,
  toolError,
} from './content.ts'
export type { Decoder } from './decoder.ts'
export {
  type Completer,
  type Prompt,
  type PromptArgument,
  type PromptReturn,
  prompt,
  type Resource,
  type ResourceReturn,
  type ResourceTemplate,
  type Tool,
  type ToolAnnotations,
  type ToolReturn,
  tool,
} from './definitions.ts'
export { protocolVersions } from './eras/index.ts'
export { DefinitionError, DeviceFailure, ErrorCode, RefusedMove, RpcError } from './errors.ts'
export { defaultMaxLineBytes, Framer, type FramerOptions, type LineReceiver } from './framer.ts'
export { isObject } from './json.ts'
export { errorLine, kindOf, type Message, type RequestId, readableId, whyInvalid } from './json-rpc.ts'
export { type Link, type LinkReceiver, type LinkSession, serveLink } from './link.ts'
export { nobodysCall } from './nobodys-call.ts'
export type { AllowedUse, ArgumentLimit, OperatorLimits } from './operator-limits.ts'
export { DeviceBusyError, type Owner, type Ownership, processOwner } from './owner.ts'
export {
  type OpenEntry,
  type RecordEnd,
  type RecordEntry,
  type RecordEvent,
  type Recorder,
  type RecordOutcome,
  recordedClient,
} from './recorder.ts'
export type { Registry } from './registry.ts'
export { resourceNotFound } from './resources.ts'
export { withJsonSchema } from './schema/standard.ts'
export type { ArgumentsOf, FromSchema, InputSchema, JsonSchema } from './schema/types.ts'
export type { Reading, SenmlRecord } from './senml.ts'
export type { SenmlUnit } from './senml-units.ts'
export { isServer, type Server } from './server.ts'
export type { ServerInfo } from './server-core.ts'
export type { ServerOptions } from './server-options.ts'
export type { StandardSchemaV1 } from './standard-schema.ts'
export type { StoppedOutput, StopReport } from './stop-tools.ts'
export type { Feature } from './table.ts'
export type { TaskSupport } from './tasks/task.ts'
