import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const page = fileURLToPath(new URL('../docs/performance.md', import.meta.url))
const picture = fileURLToPath(new URL('../docs/performance.svg', import.meta.url))

/**
 * Puts what was measured between its two markers in docs/performance.md, `<!-- measured: NAME -->` and
 * `<!-- end of NAME -->`. What a person wrote around them stays as it is.
 *
 * @throws when the page has no such markers
 */
export function writeSection(name: string, text: string): void {
  writeFileSync(page, replaceSection(readFileSync(page, 'utf8'), name, text))
}

/** Puts the picture that the page shows into its place. */
export function writeChart(svg: string): void {
  writeFileSync(picture, svg)
}

/** The page with another text between the markers of one section. */
export function replaceSection(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- measured: ${name} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/performance.md lacks the markers ${begin} and ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`
}
