import type { RpcMessage } from './json-rpc-line.ts'

const prefix = 'ferrule-probe-'

/**
 * A request that every server of MCP answers, with a result or an error, in whatever state it is: `ping` is short enough
 * for small receivers. Some say nothing to it before they were initialized, and answer the discovery of newer servers.
 */
export function mcpProbe(number: number): string {
  const id = `${prefix}${number}`
  if (number % 3 !== 2) return JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })
}

/** Whether a message answers a probe, or is the probe itself, sent back by a line that echoes. */
export function isOfProbe({ id }: RpcMessage): boolean {
  return typeof id === 'string' && id.startsWith(prefix)
}
