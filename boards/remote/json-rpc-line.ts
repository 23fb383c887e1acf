/** A JSON-RPC message as a device sent it. */
export type RpcMessage = Readonly<Record<string, unknown>>

/** What was found in a line. */
export interface FoundMessages {
  /** One, or several where the device sent a batch. `text` is the message as it was sent. */
  messages: { message: RpcMessage; text: string }[]
  /** Where they begin: what stands before is text, or noise. */
  start: number
}

const openingBrace = 0x7b
const openingBracket = 0x5b
const closingBrace = 0x7d
const closingBracket = 0x5d
/** So many places of a line are tried: noise that looks like a beginning is rare. */
const mostTries = 16

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Finds the JSON-RPC messages that a line ends with. A board that restarts may have put noise in front of them, without
 * a newline between. JSON that is no JSON-RPC is text like any other.
 */
export function findMessages(bytes: Uint8Array, start: number, end: number): FoundMessages | undefined {
  let until = end
  while (until > start && bytes[until - 1]! <= 0x20) until--
  const last = bytes[until - 1]
  if (until - start < 2 || (last !== closingBrace && last !== closingBracket)) return undefined
  let tries = 0
  for (let at = start; at < until && tries < mostTries; at++) {
    const byte = bytes[at]
    if (byte !== openingBrace && byte !== openingBracket) continue
    tries++
    const messages = messagesIn(bytes.subarray(at, until))
    if (messages !== undefined) return { messages, start: at }
  }
  return undefined
}

/** Whether it answers a request. */
export function isResponse(message: RpcMessage): boolean {
  return typeof message.method !== 'string'
}

function messagesIn(bytes: Uint8Array): FoundMessages['messages'] | undefined {
  try {
    const text = decoder.decode(bytes)
    const value: unknown = JSON.parse(text)
    if (isMessage(value)) return [{ message: value, text }]
    if (!Array.isArray(value) || value.length === 0 || !value.every(isMessage)) return undefined
    return value.map(message => ({ message, text: JSON.stringify(message) }))
  } catch {
    return undefined
  }
}

function isMessage(value: unknown): value is RpcMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { jsonrpc, method, result, error } = value as RpcMessage
  if (jsonrpc !== '2.0') return false
  return typeof method === 'string' || result !== undefined || (typeof error === 'object' && error !== null)
}
