/** One column of the chart: a measure, and what each server came to. */
export interface ChartColumn {
  title: string
  unit: string
  /** How many digits after the point are shown. */
  digits: number
  /** In the order of the names; nothing where it was not measured. */
  figures: readonly (number | undefined)[]
}

const width = 760
const nameWidth = 84
const gap = 12
const figureWidth = 70
const head = 34
const rowHeight = 26
const barHeight = 16

/**
 * Bars for each server, a column for each measure, as SVG: light or dark as its reader has it. Each column has a scale of
 * its own, which begins at 0.
 *
 * @param title what the picture is of, for those who hear it
 * @param marked the name whose bars stand out
 */
export function chart(
  title: string,
  names: readonly string[],
  columns: readonly ChartColumn[],
  marked: string,
): string {
  const height = head + names.length * rowHeight
  const columnWidth = (width - nameWidth) / columns.length
  const longest = columnWidth - gap - figureWidth
  const middle = (row: number) => head + row * rowHeight + rowHeight / 2
  const kind = (name: string) => (name === marked ? ' class="marked"' : '')
  const parts = names.map((name, row) => `<text${kind(name)} x="0" y="${middle(row)}">${escaped(name)}</text>`)
  columns.forEach(({ title, unit, digits, figures }, i) => {
    const left = Math.round(nameWidth + i * columnWidth)
    const most = Math.max(...figures.map(figure => figure ?? 0))
    parts.push(`<text class="title" x="${left}" y="${head / 2}">${escaped(title)}</text>`)
    figures.forEach((figure, row) => {
      if (figure === undefined) return
      const length = Math.max(1, (figure / most) * longest).toFixed(1)
      const mark = kind(names[row]!)
      parts.push(
        `<rect${mark} x="${left}" y="${middle(row) - barHeight / 2}" width="${length}" height="${barHeight}" rx="2"/>`,
        `<text${mark} x="${left + Number(length) + 6}" y="${middle(row)}">${figure.toFixed(digits)} ${escaped(unit)}</text>`,
      )
    })
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #57606a; dominant-baseline: central; }
  .title { font-weight: 600; fill: #1f2328; }
  rect { fill: #c2c9d1; }
  text.marked { font-weight: 600; fill: #0a6b50; }
  rect.marked { fill: #12976f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; }
    .title { fill: #f0f6fc; }
    rect { fill: #4b535d; }
    text.marked { fill: #4fd1a5; }
    rect.marked { fill: #2fb58a; }
  }
</style>
${parts.join('\n')}
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
