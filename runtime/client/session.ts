import { eras } from '../eras/index.ts'
import { isObject } from '../json.ts'
import type { ServerInfo } from '../server-core.ts'

/** What a device offers (MCP ServerCapabilities); unknown members are kept. */
export interface DeviceCapabilities {
  tools?: { listChanged?: boolean }
  resources?: { subscribe?: boolean; listChanged?: boolean }
  prompts?: { listChanged?: boolean }
  completions?: object
  logging?: object
  [name: string]: unknown
}

/** What a device and its client agreed on. */
export interface DeviceSession {
  readonly era: 'modern' | 'legacy'
  /** The protocol revision that is spoken. */
  readonly version: string
  /** Who the device says it is. For showing only. */
  readonly serverInfo: ServerInfo
  readonly capabilities: DeviceCapabilities
  /** What the device wants the model to know. */
  readonly instructions?: string
}

/** The revisions of an era, newest first. */
export function versionsOf(era: DeviceSession['era']): readonly string[] {
  return eras.find(({ name }) => name === era)?.versions ?? []
}

/** A session from what a device said of itself, which may be anything. */
export function sessionOf(
  era: DeviceSession['era'],
  version: string,
  { serverInfo, capabilities, instructions }: Record<string, unknown>,
): DeviceSession {
  const { name, version: ownVersion, title } = isObject(serverInfo) ? serverInfo : ({} as Record<string, unknown>)
  return {
    era,
    version,
    serverInfo: {
      name: typeof name === 'string' && name !== '' ? name : 'device',
      version: typeof ownVersion === 'string' ? ownVersion : '0.0.0',
      ...(typeof title === 'string' ? { title } : {}),
    },
    capabilities: isObject(capabilities) ? (capabilities as DeviceCapabilities) : {},
    ...(typeof instructions === 'string' ? { instructions } : {}),
  }
}
