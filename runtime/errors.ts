/** The JSON-RPC and MCP error codes that Ferrule sends, by the specification's names. */
export const ErrorCode = Object.freeze({
  /** The line is not JSON, not UTF-8, or too long. */
  ParseError: -32700,
  /** JSON, but no JSON-RPC 2.0 message. */
  InvalidRequest: -32600,
  /** The method is unknown, or belongs to a feature that this server does not have. */
  MethodNotFound: -32601,
  /** Parameters are missing or malformed; also an unknown tool, prompt or cursor. */
  InvalidParams: -32602,
  /** The server failed. */
  InternalError: -32603,
  /** No such resource. Goes out as -32002 in the handshake era and as -32602 from 2026-07-28 on. */
  ResourceNotFound: -32002,
  /** HTTP only: a header is missing, or does not say what the body says (2026-07-28). */
  HeaderMismatch: -32020,
  /** The request needs something that the client did not say it can do (2026-07-28). */
  MissingRequiredClientCapability: -32021,
  /** The protocol revision of a request is not served (2026-07-28). */
  UnsupportedProtocolVersion: -32022,
})

/**
 * A failure that the client is told as a JSON-RPC error. Throw it from a handler to choose the code;
 * any other error thrown by a tool becomes a result with `isError`, which the model can act on.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  /**
   * @param code an integer; your own codes lie outside -32768..-32000 (MCP 2026-07-28, basic/index)
   * @param message one short sentence for the person who reads it
   * @param data any JSON value with details, or nothing
   */
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** A mistake in the declaration of a board, a tool or a resource. Thrown when it is declared, never at a call. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError'
}

/** A sensor that did not give a value. The message names it and says what to check. */
export class SensorError extends Error {
  override readonly name = 'SensorError'
}

/** A device behind a cable that did not do what it was asked. The message says which, why, and what is known of it. */
export class DeviceFailure extends Error {
  override readonly name: string = 'DeviceFailure'
  /** What is known of what it was asked for: it was not begun, it failed, or nobody can tell. */
  readonly outcome: 'refused' | 'failed' | 'unknown' = 'failed'
}

/** A move that was refused before it began: nothing was moved. The message says by which rule, and what would be right. */
export class RefusedMove extends Error {
  override readonly name = 'RefusedMove'
  /** The rule that refused it: one of the actuator's own, of the operator's, or that a person has to agree. */
  readonly rule: string

  constructor(rule: string, message: string) {
    super(message)
    this.rule = rule
  }
}

const ownMistakes = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError, URIError]
const saysItAll = [SensorError, DefinitionError, DeviceFailure, RefusedMove]
const longestMessage = 2000

/**
 * What a peer may be told of something that was thrown: the message of an error that was thrown on purpose, on one
 * line and bounded in length; `Internal error` for a slip of the program and for what is no error. Never a stack.
 */
export function publicMessage(thrown: unknown): string {
  if (!(thrown instanceof Error) || ownMistakes.some(kind => thrown instanceof kind)) return 'Internal error'
  const text = String(thrown.message)
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
  return text === '' ? 'Internal error' : text.slice(0, longestMessage)
}

/** What a peer is told of something that was thrown, as a JSON-RPC error. */
export function asRpcError(thrown: unknown): RpcError {
  return thrown instanceof RpcError ? thrown : new RpcError(ErrorCode.InternalError, publicMessage(thrown))
}

/** What the operator reads on stderr about something that was thrown: the stack, unless the message says it all. */
export function diagnostic(thrown: unknown): string {
  if (saysItAll.some(kind => thrown instanceof kind)) return (thrown as Error).message
  if (thrown instanceof Error) return thrown.stack ?? `${thrown.name}: ${thrown.message}`
  try {
    return `thrown: ${String(thrown)}`
  } catch {
    return 'thrown: a value that cannot be shown'
  }
}
