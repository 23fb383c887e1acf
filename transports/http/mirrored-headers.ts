import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type Message, type Server } from '../../runtime/index.ts'
import { encodedValue, mismatch, trimmed } from './header-value.ts'
import { mirroredArguments } from './mirrored-arguments.ts'

/** Where a request names what it is about, for the methods that name something. */
const namedBy: Readonly<Record<string, string>> = Object.freeze({
  __proto__: null as never,
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
})

/**
 * Checks that the headers of a request say what its body says (2026-07-28, basic/transports/streamable-http), so that
 * who routes by the headers and who acts by the body mean the same.
 *
 * @throws RpcError (-32020) that names the header, what it says and what it should
 */
export function checkHeaders(headers: IncomingHttpHeaders, message: Message, server: Server): void {
  const { method } = message
  const params = isObject(message.params) ? message.params : {}
  match('Mcp-Method', plainValue(headers['mcp-method']), method)
  const name = params[namedBy[method] ?? '']
  if (typeof name === 'string') match('Mcp-Name', encodedValue('Mcp-Name', headers['mcp-name']), name)
  if (method !== 'tools/call') return
  const given = isObject(params.arguments) ? params.arguments : {}
  for (const { header, path, type } of mirroredArguments(server, params.name)) {
    const value = path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), given)
    if (value === undefined || value === null) continue
    const shown = `Mcp-Param-${header}`
    const found = encodedValue(shown, headers[shown.toLowerCase()])
    if (type === 'integer' && found !== undefined && isSameNumber(found, value)) continue
    match(shown, found, typeof value === 'string' ? value : JSON.stringify(value))
  }
}

/** Checks that the revision in the header is the one in the body. Comes before the question whether it is served. */
export function checkVersionHeader(headers: IncomingHttpHeaders, version: string): void {
  match('MCP-Protocol-Version', plainValue(headers['mcp-protocol-version']), version)
}

function match(name: string, found: string | undefined, wanted: string): void {
  if (found === wanted) return
  throw mismatch(
    found === undefined
      ? `The header ${name} is missing: it must say ${quoted(wanted)}, as the body does`
      : `The header ${name} says ${quoted(found)}, the body ${quoted(wanted)}`,
  )
}

function plainValue(found: string | string[] | undefined): string | undefined {
  return typeof found === 'string' ? trimmed(found) : undefined
}

function isSameNumber(text: string, value: unknown): boolean {
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number(text) === value
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
