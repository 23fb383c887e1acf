/** What came in over a line, as far as bytes tell without a protocol. */
export interface LineSample {
  kind: 'silence' | 'text' | 'noise'
  bytes: number
  /** The last whole line of text, for a person. */
  lastLine?: string
}

/** So much of it must be text to be called so: boot loaders of good boards print some bytes at another rate. */
const leastText = 0.8

/**
 * Tells text from noise. At the wrong rate a board's words come out as bytes that are hardly ever text for long, and
 * with the markers of frames among them: so bytes of frames, which are not text either, count as neither.
 */
export function lineSample(bytes: Uint8Array): LineSample {
  if (bytes.length === 0) return { kind: 'silence', bytes: 0 }
  let good = 0
  for (const byte of bytes) if ((byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09) good++
  const text = new TextDecoder().decode(bytes)
  // Letters of other alphabets are text too, when they are whole.
  for (const letter of text)
    if (letter > '\u009f' && letter !== '\ufffd') good += new TextEncoder().encode(letter).length
  if (good / bytes.length < leastText) return { kind: 'noise', bytes: bytes.length }
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '')
  const last = lines.at(-1)
  return { kind: 'text', bytes: bytes.length, ...(last !== undefined && { lastLine: last.trim() }) }
}
