import type { StandardSchemaV1 } from '../standard-schema.ts'
import { type Definition, errorsOf, type Lookup, lookupOf } from './library.ts'
import { isPlain } from './plain.ts'
import { explain } from './problems.ts'
import { checkByStandard } from './standard-check.ts'
import { survey } from './survey.ts'
import type { Checked } from './types.ts'
import type { Wording } from './wording.ts'

// What a schema needs that is not simple or has a mistake, and a value that does not fit. Most servers serve for a long
// time without it.

export { readDefinition } from './definition.ts'
export { shownBy } from './standard-check.ts'
export { messageOf } from './text.ts'

/** The check of a schema by the library, which says what is wrong with a value. */
export function libraryCheck(definition: Definition, words: Wording): (value: unknown) => Checked {
  let lookup: Lookup | undefined
  return value => {
    lookup ??= lookupOf(definition.root)
    const { problem, members } = survey(value, definition.comparesItems, words)
    if (problem !== undefined) return { ok: false, problems: [problem] }
    try {
      const errors = errorsOf(definition, lookup, value, members)
      return errors.length === 0
        ? { ok: true, value }
        : { ok: false, problems: explain(errors, value, definition.root, lookup, words) }
    } catch {
      return { ok: false, problems: [`${words.whole} are too complex to be checked: send fewer levels or fewer items`] }
    }
  }
}

/** The check of a Standard Schema by its own code. */
export function standardCheck(
  schema: StandardSchemaV1,
  words: Wording,
): (value: unknown) => Checked | Promise<Checked> {
  return value => {
    // A schema that calls itself would run out of stack on a value that is nested deep enough.
    const { problem } = isPlain(value, 0) ? fine : survey(value, false, words)
    return problem === undefined ? checkByStandard(schema, value, words) : { ok: false, problems: [problem] }
  }
}

const fine = { problem: undefined }
