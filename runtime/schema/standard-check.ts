import { DefinitionError } from '../errors.ts'
import type { StandardResult, StandardSchemaV1 } from '../standard-schema.ts'
import { nameOf, valueAt } from './place.ts'
import { isObject } from './plain.ts'
import { clip, maxProblems, messageOf, sentence, show } from './text.ts'
import type { Checked } from './types.ts'
import type { Wording } from './wording.ts'

/** The JSON Schema that a Standard Schema shows of itself. Throws a DefinitionError where it cannot. */
export function shownBy(schema: StandardSchemaV1, what: string): unknown {
  const standard = schema['~standard']
  if (!isObject(standard) || typeof standard.validate !== 'function') {
    throw new DefinitionError(`${what}: "~standard" must have a function validate (Standard Schema 1)`)
  }
  const cannot = `${what}: this ${standard.vendor} schema cannot show itself as JSON Schema`
  const remedy = 'give the JSON Schema too: withJsonSchema(schema, { type: "object", properties: { … } })'
  if (typeof standard.jsonSchema?.input !== 'function') throw new DefinitionError(`${cannot}; ${remedy}`)
  try {
    return standard.jsonSchema.input({ target: 'draft-2020-12' })
  } catch (cause) {
    throw new DefinitionError(`${cannot} (${messageOf(cause)}); ${remedy}`, { cause })
  }
}

/** Checks a value with the Standard Schema's own code. */
export function checkByStandard(schema: StandardSchemaV1, value: unknown, words: Wording): Checked | Promise<Checked> {
  const outcome = schema['~standard'].validate(value)
  return 'then' in outcome
    ? outcome.then(settled => checkedFrom(settled, value, words))
    : checkedFrom(outcome, value, words)
}

function checkedFrom(result: StandardResult<unknown>, value: unknown, words: Wording): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value }
  const problems = result.issues.slice(0, maxProblems).map(issue => {
    const tokens = (issue.path ?? []).map(step => String(typeof step === 'object' ? step.key : step))
    const message = sentence(issue.message)
    if (tokens.length === 0) return message
    const sent = valueAt(value, tokens)
    return clip(
      `${nameOf(tokens, value, words)}: ${message}${sent === undefined ? '' : `; ${words.sent} ${show(sent)}`}`,
    )
  })
  return { ok: false, problems: problems.length > 0 ? problems : [`${words.whole} do not fit`] }
}
