import { cleanValue } from './device-text.ts'
import { type LinkArgument, LinkCode, LinkError, type LinkValue, meantNumber, positionsOf } from './link/index.ts'

/** A value of a device as JSON has it: bytes in base64, texts without control characters. */
export function jsonOf(value: LinkValue): unknown {
  if (typeof value === 'string') return cleanValue(value)
  if (typeof value === 'number') return meantNumber(value)
  if (value instanceof Uint8Array) return btoa(String.fromCharCode(...value))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(jsonOf)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanValue(key), jsonOf(member)]))
}

/**
 * Arguments as they travel.
 *
 * @throws LinkError for bytes that are not in base64
 */
export function linkArguments(args: readonly LinkArgument[], values: Readonly<Record<string, unknown>>): LinkValue[] {
  const given = { ...values }
  for (const { name, type } of args) {
    const value = given[name]
    if (type === 'data' && typeof value === 'string') given[name] = bytesOf(name, value)
  }
  return positionsOf(args, given)
}

function bytesOf(name: string, base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
  } catch {
    throw new LinkError(LinkCode.BadArguments, `${name} is not in base64; nothing was moved`)
  }
}
