const longestText = 300
const longestValue = 4000
/** Of a text that is cut, so much more is looked at than may stay: as much as may be taken out of it. */
const lookedAt = 4
const mostMarks = 8

// ECMA-48: control sequences (CSI), then strings up to their end (OSC, DCS, APC, PM, SOS), then any other escape. What
// has no end loses its beginning only: a terminal is not told anything by the rest.
const escapes =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0090-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]?/g
const controls = /[\p{Cc}\u2028\u2029]+/gu
const controlsButLayout = /[^\P{Cc}\n\t]+/gu
// Characters that nobody sees hide text from people that a model reads, or turn it around. What belongs to an emoji is
// kept: a joiner between two of them, and the selector of how one looks.
const invisible =
  /((?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{ExtPict})|(?<=\p{ExtPict})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3))|[\p{DI}\p{Cs}]|[^\P{Cf}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/gu
const heapedMarks = new RegExp(`(\\p{M}{${mostMarks}})\\p{M}+`, 'gu')
/** Nothing of it can have to be taken out. */
const harmless = /^[ -~\n\t\u00a1-\u00ac\u00ae-\u02ff]*$/

const decoder = new TextDecoder()

/** Text that a device said, as one line that can be shown: bounded, without control, escape or invisible characters. */
export function cleanText(text: string, most = longestText): string {
  return bounded(text, most, part => visible(part.replace(escapes, '').replace(controls, ' ')).trim())
}

/** A text that is a value of a device: it keeps its line breaks. */
export function cleanValue(text: string, most = longestValue): string {
  return bounded(text, most, part => visible(part.replace(escapes, '').replace(controlsButLayout, '')))
}

/** A text that a device says of itself, marked as such, so that it cannot pass for ours; nothing when it is empty. */
export function ownWords(text: string | undefined, most?: number): string {
  const clean = cleanText(text ?? '', most)
  return clean === '' ? '' : `Says of itself: "${clean.replace(/["\u201c\u201d]/g, "'")}"`
}

/** JSON of a device with all of its texts clean, names of members included. Their length is that of the line. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return cleanValue(value, Infinity)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cleanJson)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanJson(key), cleanJson(member)]))
}

/** JSON in a text, clean as {@link cleanJson} makes it; what is no JSON stays as it is, for whoever reads it to say so. */
export function cleanJsonText(text: string): string {
  // An escape may stand for any character.
  if (harmless.test(text) && !/\\[ubf]/.test(text)) return text
  try {
    return JSON.stringify(cleanJson(JSON.parse(text)))
  } catch {
    return text
  }
}

/** What a device printed, as text; nothing when it is noise, such as a boot loader's at another speed. */
export function printedText(bytes: Uint8Array, start: number, end: number): string | undefined {
  // Longer than what is shown by as much as may be taken out of it.
  const text = decoder.decode(bytes.subarray(start, Math.min(end, start + lookedAt * longestText)))
  return isNoise(text) ? undefined : cleanText(text)
}

/** More than one character in eight is none that anybody prints. */
function isNoise(text: string): boolean {
  const strange = text.replace(escapes, '').match(/[^\P{Cc}\r\t]|\ufffd/gu)?.length ?? 0
  return strange * 8 > text.length
}

function visible(text: string): string {
  if (harmless.test(text)) return text
  // The emoji's own parts are matched first, as a group, and given back.
  return text.replace(invisible, '$1').replace(heapedMarks, '$1')
}

function bounded(text: string, most: number, clean: (text: string) => string): string {
  // A text of megabytes is not looked through for the few words that stay.
  const isCut = text.length > most * lookedAt
  const cleaned = clean(isCut ? text.slice(0, most * lookedAt) : text)
  if (cleaned.length <= most && !isCut) return cleaned
  // A pair that is cut in two leaves half a character.
  return `${cleaned.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
