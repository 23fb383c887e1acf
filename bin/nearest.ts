/** The known word that `word` was most likely meant to be; none when nothing is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const each of known) {
    const steps = distance(word.toLowerCase(), each.toLowerCase())
    if (steps < least) {
      least = steps
      best = each
    }
  }
  return best ?? known.find(each => word.length > 2 && each.toLowerCase().startsWith(word.toLowerCase()))
}

/** How many letters to add, drop, change or swap with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let steps = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        steps = Math.min(steps, rows[i - 2]![j - 2]! + 1)
      }
      row.push(steps)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
