/**
 * JSON as it goes over the wire: UTF-8, one message a line.
 */

const separators = /[\u0085\u2028\u2029]/
const everySeparator = /[\u0085\u2028\u2029]/g

/**
 * JSON text of a value. U+0085, U+2028 and U+2029 are written as escapes, for peers whose line reader ends a line there.
 *
 * @throws what `JSON.stringify` throws (a cycle, a BigInt, a getter), and TypeError for what JSON has no word for
 */
export function toJson(value: unknown): string {
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) throw new TypeError('not a JSON value')
  return separators.test(json) ? json.replace(everySeparator, asEscape) : json
}

function asEscape(separator: string): string {
  return `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** How many bytes a text takes as UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // Two units of a surrogate pair make four bytes: two more for each.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}

// Not made before it is needed: a transport may bring a decoder of its own.
let strict: InstanceType<typeof TextDecoder> | undefined

/** Text of a part of `bytes`, or nothing when it is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string | undefined {
  try {
    strict ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return strict.decode(bytes.subarray(start, end))
  } catch {
    return undefined
  }
}

/** Whether a value is a JSON object: no array, no null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return btoa(binary)
}
