import { nearest } from '../../../runtime/nearest.ts'
import { listed, shown } from './field.ts'

/** Takes a mistake: where it is, and what is wrong. */
export type Tell = (path: string, text: string) => void

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** Whether a board, a sensor or an actuator may be called that. */
export function isName(name: unknown): name is string {
  return typeof name === 'string' && namePattern.test(name)
}

/** What is said of a name that is none. */
export function wrongName(name: unknown): string {
  const rule = 'a name is a letter, then letters, digits, _ or -, at most 64 in all'
  const better = typeof name === 'string' ? asName(name) : undefined
  return `is ${shown(name)}: ${rule}${better === undefined ? '' : `. Such as "${better}"`}`
}

function asName(text: string): string | undefined {
  const name = text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w-]+/g, '_')
    .replace(/^[^A-Za-z]+|_+$/g, '')
    .slice(0, 64)
    .toLowerCase()
  return isName(name) ? name : undefined
}

/** What is said of a key that nobody knows. */
export function unknownKey(key: string, keys: readonly string[], what = 'A board'): string {
  const near = nearest(key, keys)
  return `is not known here. ${near === undefined ? `${what} takes ${listed(keys)}` : `Did you mean "${near}"?`}`
}
