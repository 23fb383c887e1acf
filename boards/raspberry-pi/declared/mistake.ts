import { DefinitionError } from '../../../runtime/index.ts'

/** One mistake in the declaration of a board. */
export interface Mistake {
  /** Where it is: `sensors.air.address`; empty for the whole. */
  readonly path: string
  /** What is wrong, and what would be right. */
  readonly text: string
  /** The line in the file, from 1 on, where there is a file. */
  readonly line?: number
  /** The column in that line, from 1 on, for a mistake of the writing. */
  readonly column?: number
}

/** All the mistakes in the declaration of a board. The message lists them, one a line. */
export class DeclarationError extends DefinitionError {
  readonly mistakes: readonly Mistake[]

  /** @param what what has the mistakes: the file, or the board */
  constructor(what: string, mistakes: readonly Mistake[]) {
    const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
    super([`${what} has ${count}:`, ...mistakes.map(mistake => `  ${told(mistake)}`)].join('\n'))
    this.mistakes = mistakes
  }
}

function told({ path, text, line, column }: Mistake): string {
  const place = [
    ...(line === undefined ? [] : [`line ${line}${column === undefined ? '' : `, column ${column}`}`]),
    ...(path === '' ? [] : [path]),
  ].join(', ')
  return place === '' ? text : `${place}: ${text}`
}
