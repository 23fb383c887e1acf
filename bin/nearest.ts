import { nearest as nearestSpelling } from '../runtime/nearest.ts'

/** The known word that `word` was most likely meant to be, or the beginning of; none when nothing is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const begun = () => known.find(each => word.length > 2 && each.toLowerCase().startsWith(word.toLowerCase()))
  return nearestSpelling(word, known) ?? begun()
}
