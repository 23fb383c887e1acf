import { DefinitionError } from './errors.ts'
import { type Accepts, acceptorOf } from './schema/accept.ts'
import * as deferredChecks from './schema/full-check.ts'
import type { Schema } from './schema/library.ts'
import { isObject } from './schema/plain.ts'
import { isSimple } from './schema/simple.ts'
import { isStandardSchema } from './schema/standard.ts'
import type { Checked, CompiledSchema, InputSchema } from './schema/types.ts'
import { type Subject, wordings } from './schema/wording.ts'

// A schema and its values go through the files of schema/ like this:
//
//   schema ── simple ─────────────────────────────────► accept ── fits ──► ok
//               │ no, or perhaps wrong                    ▲   │ may not fit, or the schema is not simple
//   ············│·········································│···│······································ full-check
//               └──► definition ──► stripped copy ────────┤   ▼
//                    (mistakes throw)                     │  survey (what no schema can take)
//                                                         └─► library
//                                                               │ does not fit
//                                                               └──► problems

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
  const json = jsonCopy(isStandard ? deferredChecks.shownBy(schema, what) : schema, what)
  const definition = isSimple(json) ? undefined : deferredChecks.readDefinition(json, what)
  if (isStandard) {
    // It may turn the value into another one.
    return { json, fits: () => false, check: deferredChecks.standardCheck(schema, words) }
  }
  let accepts: Accepts | undefined
  let checkFully: ((value: unknown) => Checked) | undefined
  let isFirst = true
  const fits = (value: unknown) => {
    // A server has many tools, and a model calls few of them.
    if (isFirst) accepts = acceptorOf(definition?.root ?? (json as Schema))
    isFirst = false
    return accepts?.(value, 0) === true
  }
  return {
    json,
    fits,
    check(value) {
      if (fits(value)) return { ok: true, value }
      checkFully ??= deferredChecks.libraryCheck(definition ?? deferredChecks.readDefinition(json, what), words)
      return checkFully(value)
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

/** What clients will be sent. The library also writes hidden members into the schema it is given, so it needs a copy. */
function jsonCopy(schema: unknown, what: string): Record<string, unknown> {
  if (!isObject(schema)) throw new DefinitionError(`${what}: must be an object (a JSON Schema) or a Standard Schema`)
  try {
    return JSON.parse(JSON.stringify(schema))
  } catch (cause) {
    throw new DefinitionError(`${what}: cannot be written as JSON (${deferredChecks.messageOf(cause)})`, { cause })
  }
}
