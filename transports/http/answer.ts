import type { ServerResponse } from 'node:http'
import { ErrorCode, errorLine, RpcError } from '../../runtime/index.ts'

/** Sends a line as the whole answer. */
export function sendJson(
  response: ServerResponse,
  status: number,
  line: string,
  headers: Record<string, string> = {},
): void {
  send(response, status, 'application/json', line, headers)
}

/** Sends a text or a page. */
export function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': bytes, ...headers })
  response.end(body)
}

/** Answers without a body. */
export function sendNothing(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, status === 204 ? headers : { 'Content-Length': 0, ...headers })
  response.end()
}

/** Turns a request away: a status for programs, a JSON-RPC error without an id for the person who reads it. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  { code = ErrorCode.InvalidRequest, data, headers = {} }: Refusal = {},
): void {
  sendJson(response, status, errorLine(undefined, new RpcError(code, message, data)), headers)
}

/** What else a refusal says. */
export interface Refusal {
  code?: number
  data?: unknown
  headers?: Record<string, string>
}

/** For a client that asks for more than its share. */
export const retryLater: Refusal = { headers: { 'Retry-After': '1' } }

/** The status of an answer that is a JSON-RPC error, where one is fixed (2026-07-28, basic/transports/streamable-http). */
export const statusOfCode: Readonly<Record<number, number>> = Object.freeze({
  [ErrorCode.ParseError]: 400,
  [ErrorCode.InvalidRequest]: 400,
  [ErrorCode.MethodNotFound]: 404,
  [ErrorCode.HeaderMismatch]: 400,
  [ErrorCode.MissingRequiredClientCapability]: 400,
  [ErrorCode.UnsupportedProtocolVersion]: 400,
})
