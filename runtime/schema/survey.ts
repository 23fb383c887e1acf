import { nameOf } from './place.ts'
import { isObject, maxValueDepth } from './plain.ts'
import { clip, quote } from './text.ts'
import type { Wording } from './wording.ts'

const maxItemsCompared = 2048
// \p{Cs}, without the 5 ms that a small board takes for the first property class.
const halfCharacter = /[\ud800-\udfff]/u

/**
 * Counts the values in a value and says what is wrong with it whatever its schema: the library takes Infinity for an
 * integer, throws for `undefined`, and with `uniqueItems` needs minutes for a long list.
 */
export function survey(
  value: unknown,
  comparesItems: boolean,
  words: Wording,
): { problem: string | undefined; members: number } {
  const tokens: string[] = []
  let members = 0
  const problem = visit(value)
  return { problem: problem === undefined ? undefined : clip(problem), members }

  function visit(part: unknown): string | undefined {
    members++
    if (typeof part === 'string' || typeof part === 'boolean' || part === null) return undefined
    const name = () => nameOf(tokens, value, words)
    if (typeof part === 'number') {
      return Number.isFinite(part) ? undefined : `${name()} must be a finite number; ${words.sent} ${part}`
    }
    const isList = Array.isArray(part)
    if (!isList && !isObject(part)) {
      return `${name()} must be plain JSON: text, a number, true, false, null, a list or an object`
    }
    if (tokens.length >= maxValueDepth) return `${words.whole} are nested deeper than ${maxValueDepth} levels`
    if (isList) {
      if (comparesItems && part.length > maxItemsCompared) {
        return `${name()} must have at most ${maxItemsCompared} items; ${words.sent} ${part.length}`
      }
      // By index: a list may be sparse, and the library would then throw.
      for (let i = 0; i < part.length; i++) {
        const problem = step(String(i), part[i])
        if (problem !== undefined) return problem
      }
      return undefined
    }
    for (const key in part) {
      // The library cannot write such a name into its pointers.
      if (halfCharacter.test(key)) return `${quote(key)} in ${name()} is no name: it holds half a character`
      const problem = step(key, part[key])
      if (problem !== undefined) return problem
    }
    return undefined
  }

  function step(token: string, part: unknown): string | undefined {
    tokens.push(token)
    const problem = visit(part)
    tokens.pop()
    return problem
  }
}
