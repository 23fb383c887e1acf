import { DefinitionError } from './errors.ts'
import { type Accepts, acceptorOf } from './schema/accept.ts'
import { readDefinition } from './schema/definition.ts'
import { type Definition, errorsOf, type Lookup, lookupOf } from './schema/library.ts'
import { isObject, isPlain } from './schema/plain.ts'
import { explain } from './schema/problems.ts'
import { checkByStandard, isStandardSchema, shownBy } from './schema/standard.ts'
import { survey } from './schema/survey.ts'
import { messageOf } from './schema/text.ts'
import type { Checked, CompiledSchema, InputSchema } from './schema/types.ts'
import { type Subject, type Wording, wordings } from './schema/wording.ts'

// A schema and its values go through the files of schema/ like this:
//
//   schema ── definition (mistakes throw) ──► stripped copy ──► accept ── fits ──► ok
//                                                  │              │ may not fit, or the schema is not simple
//                                                  │              ▼
//                                                  │           survey (what no schema can take)
//                                                  └──► library ◄─┘
//                                                          │ does not fit
//                                                          └──► problems

/**
 * Compiles a schema.
 *
 * @param what names the schema in messages about it: `inputSchema of actuator "fan"`
 * @param subject what will be checked; problem texts speak of it
 * @throws DefinitionError for a schema that can never work: an unknown `type`, a `pattern` that is no regular
 *   expression, `minimum` above `maximum`, a `$ref` to nowhere or to another document (nothing is ever fetched)
 */
export function compileSchema(schema: InputSchema, what: string, subject: Subject = 'arguments'): CompiledSchema {
  const words = wordings[subject]
  const isStandard = isStandardSchema(schema)
  const json = jsonCopy(isStandard ? shownBy(schema, what) : schema, what)
  const definition = readDefinition(json, what)
  if (isStandard) {
    return {
      json,
      // It may turn the value into another one.
      fits: () => false,
      check(value) {
        // A schema that calls itself would run out of stack on a value that is nested deep enough.
        const { problem } = isPlain(value, 0) ? fine : survey(value, false, words)
        return problem === undefined ? checkByStandard(schema, value, words) : { ok: false, problems: [problem] }
      },
    }
  }
  let accepts: Accepts | undefined
  let lookup: Lookup | undefined
  let isFirst = true
  const fits = (value: unknown) => {
    // A server has many tools, and a model calls few of them.
    if (isFirst) accepts = acceptorOf(definition.root)
    isFirst = false
    return accepts?.(value, 0) === true
  }
  return {
    json,
    fits,
    check(value) {
      if (fits(value)) return { ok: true, value }
      lookup ??= lookupOf(definition.root)
      return checkByLibrary(definition, lookup, value, words)
    },
  }
}

/** Throws a DefinitionError unless the root of the schema says `"type": "object"`, as MCP requires of a tool's input. */
export function assertObjectRoot(json: unknown, what: string): void {
  if (!isObject(json) || json.type !== 'object') {
    throw new DefinitionError(`${what}: its root must have "type": "object", because MCP passes arguments by name`)
  }
}

/** The input schema of what takes no arguments. */
export const noArguments = { type: 'object', additionalProperties: false } as const

const fine = { problem: undefined }

function checkByLibrary(definition: Definition, lookup: Lookup, value: unknown, words: Wording): Checked {
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

/** What clients will be sent. The library also writes hidden members into the schema it is given, so it needs a copy. */
function jsonCopy(schema: unknown, what: string): Record<string, unknown> {
  if (!isObject(schema)) throw new DefinitionError(`${what}: must be an object (a JSON Schema) or a Standard Schema`)
  try {
    return JSON.parse(JSON.stringify(schema))
  } catch (cause) {
    throw new DefinitionError(`${what}: cannot be written as JSON (${messageOf(cause)})`, { cause })
  }
}
