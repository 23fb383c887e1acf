import { isObject } from './plain.ts'

// Parts of one-line texts: what somebody else wrote is shortened and stripped of what could play tricks in a terminal.

/** How many problems are told of one value. */
export const maxProblems = 8
/** How many names a text lists. */
export const maxNamesShown = 12
const maxProblemLength = 300
const maxShownLength = 40

/** What was sent, in short. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${counted(value.length, 'item')}`
  if (isObject(value)) {
    const names = Object.keys(value).slice(0, 5)
    if (names.length === 0) return 'an empty object'
    return clip(`an object with ${names.map(name => clean(name)).join(', ')}`, 120)
  }
  return clean(String(value))
}

/** A name or a text that was sent, in quotation marks. */
export function quote(text: string): string {
  return JSON.stringify(clean(text))
}

/** Names as a list of at most 12. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxNamesShown)
  if (names.length > maxNamesShown) shown.push('…')
  return shown.join(', ')
}

const notPrintable = /[^\x20-\x7e]/

/** Without control characters, direction marks and halves of characters, so that an echo is one line of plain text. */
export function clean(text: string, max = maxShownLength): string {
  const start = text.slice(0, max + 1)
  // The first use of \p{…} takes a small board 5 ms, and nearly every name is ASCII.
  return clip(notPrintable.test(start) ? start.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ') : start, max)
}

/** A whole sentence of the library, of a schema or of an error, as a part of a longer one. */
export function sentence(text: string): string {
  return clean(text, maxProblemLength).replace(/\.$/, '')
}

/** At most so many characters, without half a character at the end. */
export function clip(text: string, max = maxProblemLength): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udfff]$/u, '')}…`
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The message of something that was thrown. */
export function messageOf(cause: unknown): string {
  return clean(cause instanceof Error ? cause.message : String(cause), 200)
}
