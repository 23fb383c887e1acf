/** Starts a frame. Never a byte of UTF-8 text, so that it can be found behind whatever was printed before it. */
export const marker = 0xfe

/**
 * What a line of a device is: an MCP message in JSON, a compact frame (perhaps behind text), or text for people.
 * A frame is only called so here; whether it is whole, its check tells.
 */
export type LineKind = 'json' | 'frame' | 'text'

/** Tells what the line at `start` up to `end` (without its newline) is. Looks at bytes only, and keeps nothing. */
export function lineKind(bytes: Uint8Array, start: number, end: number): LineKind {
  const first = start < end ? bytes[start]! : 0
  if (firstMarker(bytes, start, end) !== -1) return 'frame'
  if (first === 0x7b) return 'json'
  // A batch of messages is an array of objects; many boards print log lines that begin with a bracket.
  if (first === 0x5b) {
    let at = start + 1
    while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++
    if (bytes[at] === 0x7b && at < end) return 'json'
  }
  return 'text'
}

/** Where the first marker stands: what is before it is text. -1 where there is none. */
export function firstMarker(bytes: Uint8Array, start: number, end: number): number {
  const at = bytes.indexOf(marker, start)
  return at < end ? at : -1
}

/** Where the last marker stands: the frame begins behind it. -1 where there is none. */
export function lastMarker(bytes: Uint8Array, start: number, end: number): number {
  if (end <= start) return -1
  const at = bytes.lastIndexOf(marker, end - 1)
  return at >= start ? at : -1
}
