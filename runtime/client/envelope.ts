import type { Call, ClientCapabilities, ClientInfo, LogLevel } from '../call.ts'
import { CallState } from '../call-state.ts'

/** The keys of `_meta` that 2026-07-28 reserves (basic/index). */
export const metaKey = Object.freeze({
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
})

/** The `_meta` of a request of 2026-07-28, which says for itself all that is needed to understand it. */
export function modernMeta(version: string, clientInfo: ClientInfo, call: Call | undefined): Record<string, unknown> {
  const level = call === undefined ? undefined : wantedLogLevel(call)
  return {
    [metaKey.protocolVersion]: version,
    [metaKey.clientCapabilities]: call === undefined ? {} : passedOn(call.clientCapabilities),
    [metaKey.clientInfo]: clientInfo,
    ...(level === undefined ? {} : { [metaKey.logLevel]: level }),
  }
}

/** The least serious log message that whoever made the call wants to hear of. */
export function wantedLogLevel(call: Call): LogLevel | undefined {
  return call instanceof CallState ? call.dialect.logLevel(call) : undefined
}

/** What the caller can do and we can pass on: a device must not ask for more. */
function passedOn({ elicitation, sampling, roots }: ClientCapabilities): ClientCapabilities {
  return {
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(roots === undefined ? {} : { roots }),
  }
}
