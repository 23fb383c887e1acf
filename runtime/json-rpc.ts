import type { RpcError } from './errors.ts'
import { isObject, toJson } from './json.ts'

/** A request's id. Numbers are whole and within 2^53, so that they come back digit for digit. */
export type RequestId = string | number

/** What a parsed line is. */
export type MessageKind = 'request' | 'notification' | 'response' | 'batch' | 'invalid'

/** A JSON-RPC 2.0 message whose kind is known: every member that the kind has is there, the others are not. */
export interface Message {
  jsonrpc: '2.0'
  id: RequestId
  method: string
  params?: unknown
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

/** Whether a value can be a request's id. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** Tells what kind of message a JSON value is. Unknown members are no fault. */
export function kindOf(value: unknown): MessageKind {
  if (Array.isArray(value)) return 'batch'
  if (!isObject(value) || value.jsonrpc !== '2.0') return 'invalid'
  const answers = value.result !== undefined || value.error !== undefined
  // Also without a readable id: two programs that answer each other's errors would never end.
  if (value.method === undefined) return answers ? 'response' : 'invalid'
  if (typeof value.method !== 'string' || answers) return 'invalid'
  if (value.id === undefined) return 'notification'
  return isRequestId(value.id) ? 'request' : 'invalid'
}

/** Says in one sentence why {@link kindOf} called a value invalid. */
export function whyInvalid(value: unknown): string {
  if (!isObject(value)) return 'A message must be a JSON object'
  if (value.jsonrpc !== '2.0') return 'A message must have "jsonrpc": "2.0"'
  if (value.method === undefined) return 'A message must have a method, a result or an error'
  if (typeof value.method !== 'string') return 'The method must be a string'
  if (value.result !== undefined || value.error !== undefined) return 'A request must not have a result or an error'
  return 'The id must be a string or a whole number within 2^53'
}

/** The id of an invalid message, where it can be read: an answer under it reaches the one who waits. */
export function readableId(value: unknown): RequestId | undefined {
  return isObject(value) && isRequestId(value.id) ? value.id : undefined
}

/** What stands before the id in the line that answers a request with a result. */
export const successHead = '{"jsonrpc":"2.0","id":'

/** What stands after the id, for a result that is given as JSON text. */
export function successTail(result: string): string {
  return `,"result":${result}}`
}

/** The line that answers a request with a result, given as JSON text. */
export function successLine(id: RequestId, result: string): string {
  return successHead + (typeof id === 'number' ? id : toJson(id)) + successTail(result)
}

/** The line that answers a request with an error. Without an id the member is left out, as MCP's schema wants it. */
export function errorLine(id: RequestId | undefined, error: RpcError): string {
  const json = errorJson(error)
  return id === undefined ? `{"jsonrpc":"2.0","error":${json}}` : `{"jsonrpc":"2.0","id":${toJson(id)},"error":${json}}`
}

function errorJson({ code, message, data }: RpcError): string {
  const plain = { code: Number.isInteger(code) ? code : -32603, message }
  if (data === undefined) return toJson(plain)
  try {
    return toJson({ ...plain, data })
  } catch {
    return toJson(plain)
  }
}

/** The line of a notification. */
export function notificationLine(method: string, params?: object): string {
  return toJson(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params })
}

/** The line of a request of ours. */
export function requestLine(id: RequestId, method: string, params?: object): string {
  return toJson(params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params })
}
