/** The name that was probably meant: the one that differs least, in a third of its letters at most. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (word.length > 64) return undefined
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of names.slice(0, 200)) {
    if (name.length > 64) continue
    const apart = distance(word.toLowerCase(), name.toLowerCase())
    if (apart < least && apart <= Math.floor(name.length / 3)) {
      best = name
      least = apart
    }
  }
  return best
}

/** Levenshtein's distance, where two letters in the wrong order count as one. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let above = Array.from({ length: to.length + 1 }, (_, j) => j)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = above[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      row[j] = Math.min(above[j]! + 1, row[j - 1]! + 1, changed)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      if (swapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    before = above
    above = row
  }
  return above[to.length]!
}
