/** How a piece of text looks. */
export type Style = 'dim' | 'bold' | 'accent' | 'good' | 'bad' | 'warn'

/** A piece of a line. */
export interface Span {
  text: string
  style?: Style
}

/** A line of the screen: its pieces from left to right. */
export type Line = readonly Span[]

const codes: Record<Style, string> = { dim: '2', bold: '1', accent: '36', good: '32', bad: '31', warn: '33' }

/** The columns that a text takes in a terminal: two for East Asian wide letters and emoji, none for combining marks. */
export function widthOf(text: string): number {
  // Nearly all text is plain, and this runs for each line of each frame.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const letter of text) width += widthOfLetter(letter)
  return width
}

function widthOfLetter(letter: string): number {
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(letter)) return 0
  const code = letter.codePointAt(0)!
  return wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1
}

/** The blocks of Unicode whose letters are wide or full-width (UAX 11), and the emoji. */
const wide = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
] as const

/** A text in exactly `width` columns: filled up with spaces, or cut with an ellipsis. */
export function fit(text: string, width: number): string {
  const own = widthOf(text)
  if (own <= width) return text + ' '.repeat(width - own)
  if (width <= 0) return ''
  let cut = ''
  let used = 0
  for (const letter of text) {
    const next = widthOfLetter(letter)
    if (used + next > width - 1) break
    cut += letter
    used += next
  }
  return `${cut}…${' '.repeat(width - 1 - used)}`
}

/** A text broken into lines of at most `width` columns, at spaces where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    let rest = word
    if (line !== '' && widthOf(line) + 1 + widthOf(rest) > width) {
      lines.push(line)
      line = ''
    }
    while (widthOf(rest) > width) {
      const head = fit(`${rest}`, width + 1).slice(0, -1)
      lines.push(head)
      rest = rest.slice(head.length)
    }
    line = line === '' ? rest : `${line} ${rest}`
  }
  return [...lines, line]
}

/** A line as it is written to a terminal, cut at its width. */
export function paint(line: Line, width: number, colours: boolean): string {
  let room = width
  let painted = ''
  for (const { text, style } of line) {
    if (room <= 0) break
    const own = widthOf(text)
    const shown = own > room ? fit(text, room) : text
    room -= Math.min(own, room)
    painted += style && colours ? `\x1b[${codes[style]}m${shown}\x1b[0m` : shown
  }
  return painted
}

/** A line without its looks. */
export function textOf(line: Line): string {
  return line.map(({ text }) => text).join('')
}
