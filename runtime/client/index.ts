export {
  type Listed,
  McpClient,
  type McpClientOptions,
  type McpObserver,
} from './mcp-client.ts'
export type { DeviceCapabilities, DeviceSession } from './session.ts'
