import { ErrorCode, RpcError } from '../../runtime/index.ts'

const wrapped = /^[ \t]*=\?base64\?(.*)\?=[ \t]*$/s
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The value of a header that may be wrapped as `=?base64?<UTF-8 in Base64>?=`. What is not wrapped at both ends stands for
 * itself, whatever it looks like.
 *
 * @throws RpcError (-32020) for what is wrapped and no Base64 of UTF-8
 */
export function encodedValue(name: string, value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const inner = wrapped.exec(value)?.[1]
  if (inner === undefined) return trimmed(value)
  // Buffer takes what is no Base64, and pads what is cut off.
  if (!base64.test(inner)) throw mismatch(`The header ${name} is wrapped as Base64 and is none`)
  try {
    return strict.decode(Buffer.from(inner, 'base64'))
  } catch {
    throw mismatch(`The header ${name} is wrapped as Base64 and is no UTF-8 inside`)
  }
}

/** A header's value without the blanks around it, which do not count (RFC 9110, section 5.5). */
export function trimmed(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, '')
}

/** The error for a header that does not say what the body says. */
export function mismatch(message: string): RpcError {
  return new RpcError(ErrorCode.HeaderMismatch, message)
}
