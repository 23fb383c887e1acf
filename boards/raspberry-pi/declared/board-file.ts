import type { Board } from '../../../runtime/index.ts'
import type { BoardDeclaration } from './declaration.ts'
import { JsonMistake, readJson } from './json-text.ts'
import { DeclarationError, type Mistake } from './mistake.ts'
import { type RaspberryPiOptions, raspberryPi } from './raspberry-pi.ts'

/**
 * The board of a `board.json`.
 *
 * @param text what the file holds
 * @param options `file` is what messages call it
 * @throws DeclarationError with all the mistakes in the file, each with its line
 */
export function boardFromJson(text: string, options: Omit<RaspberryPiOptions, 'lineOf'> = {}): Board {
  const { file = 'board.json' } = options
  let read: ReturnType<typeof readJson>
  try {
    read = readJson(text)
  } catch (thrown) {
    if (!(thrown instanceof JsonMistake)) throw thrown
    throw new DeclarationError(file, [{ path: '', text: thrown.message, ...thrown.place }])
  }
  const { value, slips, lines, twice } = read
  const mistakes: Mistake[] = [
    ...slips.map(({ text, place }) => ({ path: '', text, ...place })),
    ...twice.map(({ path, line, firstLine }) => ({
      path,
      line,
      text: `stands in line ${firstLine} already: give one of them another name`,
    })),
  ]
  const lineOf = (path: string) => lines.get(path) ?? lines.get(path.slice(0, Math.max(path.lastIndexOf('.'), 0)))
  try {
    const board = raspberryPi(value as BoardDeclaration, { ...options, file, lineOf })
    if (mistakes.length === 0) return board
  } catch (thrown) {
    if (!(thrown instanceof DeclarationError)) throw thrown
    mistakes.push(...thrown.mistakes)
  }
  throw new DeclarationError(
    file,
    mistakes.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  )
}
