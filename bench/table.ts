/** Rows of cells as a Markdown table with straight columns. The first row is its head. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...body.map(line)].join('\n')
}

/** What stands in the middle of the list, or at another of its quantiles. */
export function quantile(list: readonly number[], q = 0.5): number {
  const sorted = [...list].sort((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * q)] ?? Number.NaN
}
