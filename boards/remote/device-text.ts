const longestText = 300
const longestValue = 4000

const colours = /\u001b\[[0-9;?]*[ -/]*[@-~]/g
const controls = /[\p{Cc}\u2028\u2029]+/gu
const controlsButLayout = /[^\P{Cc}\n\t]+/gu
// Invisible characters hide text from people that a model reads.
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\p{Cs}\u{e0000}-\u{e007f}]/gu

const decoder = new TextDecoder()

/** Text that a device said, as one line that can be shown: bounded, without control or invisible characters. */
export function cleanText(text: string, most = longestText): string {
  const line = text.replace(colours, '').replace(controls, ' ').replace(invisible, '').trim()
  return shortened(line, most)
}

/** A text that is a value of a device: it keeps its line breaks. */
export function cleanValue(text: string, most = longestValue): string {
  const value = text.replace(colours, '').replace(controlsButLayout, '').replace(invisible, '')
  return shortened(value, most)
}

/** What a device printed, as text; nothing when it is noise, such as a boot loader's at another speed. */
export function printedText(bytes: Uint8Array, start: number, end: number): string | undefined {
  // Longer than what is shown by as much as may be taken out of it.
  const text = decoder.decode(bytes.subarray(start, Math.min(end, start + 4 * longestText)))
  return isNoise(text) ? undefined : cleanText(text)
}

/** More than one character in eight is none that anybody prints. */
function isNoise(text: string): boolean {
  const strange = text.replace(colours, '').match(/[^\P{Cc}\r\t]|\ufffd/gu)?.length ?? 0
  return strange * 8 > text.length
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  // A pair that is cut in two leaves half a character.
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
