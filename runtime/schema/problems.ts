import { nearest } from '../nearest.ts'
import type { Lookup, OutputUnit, Schema } from './library.ts'
import { phraseOf, withArticle } from './phrase.ts'
import { nameOf, schemaAt, tokensOf, valueAt } from './place.ts'
import { isObject } from './plain.ts'
import { inPlace } from './references.ts'
import { requirementOf } from './requirement.ts'
import { clean, clip, listed, maxNamesShown, maxProblems, quote, sentence, show } from './text.ts'
import type { Wording } from './wording.ts'

/** The library's errors as sentences. An error of a schema that holds others comes right before those of the others. */
export function explain(
  errors: readonly OutputUnit[],
  value: unknown,
  root: Schema,
  lookup: Lookup,
  words: Wording,
): string[] {
  const problems = new Set<string>()
  // For `false` the library gives the place in the value where the place in the schema belongs.
  const places = errors.map((error, i) =>
    error.keyword === 'false' ? `${errors[i - 1]?.keywordLocation ?? '#'}/false` : error.keywordLocation,
  )
  explainRange(0, errors.length)
  return problems.size > 0 ? [...problems] : [clip(`${words.whole} do not fit: ${errors.at(-1)?.error ?? ''}`)]

  function add(text: string): void {
    if (problems.size < maxProblems) problems.add(clip(text))
  }

  function name(tokens: readonly string[]): string {
    return nameOf(tokens, value, words)
  }

  function explainRange(from: number, to: number): void {
    for (let i = from; i < to && problems.size < maxProblems; i++) {
      const error = errors[i]!
      const place = places[i]!
      const { schema, through } = schemaAt(place, root, lookup)
      // What is wrong with each item that `contains` does not want is no problem of the call.
      if (through.includes('contains')) continue
      const tokens = tokensOf(error.instanceLocation)
      let end = i + 1
      while (end < to && places[end]!.startsWith(`${place}/`)) end++
      switch (error.keyword) {
        case 'anyOf':
        case 'oneOf':
          explainAlternatives(error, schema, tokens, i + 1, end)
          i = end - 1
          break
        case 'propertyNames': {
          const key = tokensOf(errors[i + 1]?.instanceLocation ?? '').at(-1) ?? ''
          const right = phraseOf(schema?.propertyNames, lookup) || 'something else'
          add(`${quote(key)} is not a possible name in ${name(tokens)}; names must be ${withArticle(right)}`)
          i = end - 1
          break
        }
        case 'additionalProperties':
        case 'unevaluatedProperties':
          if (errors[i + 1]?.keyword === 'false' && end > i + 1) {
            const member = tokensOf(errors[i + 1]!.instanceLocation)
            // A known member that does not fit counts as unevaluated; what is wrong with it is said elsewhere.
            const known = error.keyword === 'unevaluatedProperties' ? memberNames(schema, lookup) : new Set()
            if (!known.has(member.at(-1))) add(unknownMember(schema, member))
            i = end - 1
          }
          break
        case 'false':
          add(`${name(tokens)} must be left out`)
          break
        default:
          if (!wrappers.has(error.keyword)) explainOne(error, schema, tokens)
      }
    }
  }

  function explainOne(error: OutputUnit, schema: Schema | undefined, tokens: string[]): void {
    const sent = valueAt(value, tokens)
    if (error.keyword === 'required' && schema !== undefined && isObject(sent)) {
      for (const member of schema.required ?? []) {
        if (!Object.hasOwn(sent, member)) add(missingMember(schema, [...tokens, member], sent))
      }
      return
    }
    const right = schema && requirementOf(error.keyword, schema, sent, lookup, words.sent)
    add(right === undefined ? `${name(tokens)}: ${sentence(error.error)}` : `${name(tokens)} must ${right}`)
  }

  /** Explains the one alternative that was meant, where that is clear, and says the alternatives otherwise. */
  function explainAlternatives(
    error: OutputUnit,
    schema: Schema | undefined,
    tokens: string[],
    from: number,
    to: number,
  ): void {
    const alternatives: readonly (Schema | boolean)[] = schema?.[error.keyword] ?? []
    const said = [...new Set(alternatives.map(one => withArticle(phraseOf(one, lookup))).filter(text => text !== ''))]
    const list = said.slice(0, maxNamesShown).join('; or ')
    const matches = Number(/\((\d+) matches\)/.exec(error.error)?.[1] ?? 0)
    if (matches > 1) {
      const which = list === '' ? '' : `: ${list}`
      add(`${name(tokens)} fits ${matches} of the alternatives but must fit exactly one${which}`)
      return
    }
    const place = places[from - 1]!
    const meant = alternatives.flatMap((_, index) => {
      const mine: number[] = []
      for (let i = from; i < to; i++) if (places[i]!.startsWith(`${place}/${index}/`)) mine.push(i)
      return mine.length === 0 || mine.some(i => isOfAnotherKind(errors[i]!, tokens.length)) ? [] : [mine]
    })
    const [only, ...others] = meant
    if (only !== undefined && others.length === 0) {
      explainRange(only[0]!, only.at(-1)! + 1)
    } else {
      const right = list === '' ? 'fits none of the alternatives of its schema' : `must be ${list}`
      add(`${name(tokens)} ${right}; ${words.sent} ${show(valueAt(value, tokens))}`)
    }
  }

  function unknownMember(schema: Schema | undefined, tokens: string[]): string {
    const parent = tokens.slice(0, -1)
    const names = [...memberNames(schema, lookup)]
    const given = valueAt(value, parent)
    const free = names.filter(one => !isObject(given) || !Object.hasOwn(given, one))
    const near = nearest(tokens.at(-1) ?? '', free)
    const of = parent.length === 0 ? words.member : `a member of ${name(parent)}`
    if (names.length === 0) return `${name(tokens)} is not ${of}; it takes none`
    const takes = `takes: ${listed(names.map(one => clean(one)))}`
    const hint = near === undefined ? `it ${takes}` : `did you mean ${quote(near)}? It ${takes}`
    return `${name(tokens)} is not ${of}; ${hint}`
  }

  function missingMember(schema: Schema, tokens: string[], given: Record<string, unknown>): string {
    const member = tokens.at(-1)!
    const { properties = {}, additionalProperties } = schema
    const right = Object.hasOwn(properties, member) ? phraseOf(properties[member], lookup) : ''
    // Where other names are allowed, nothing else would tell of a slip in this one.
    const strangers = Object.keys(additionalProperties === false || schema.properties === undefined ? {} : given)
      .slice(0, 100)
      .filter(one => !Object.hasOwn(properties, one))
    const near = nearest(member, strangers)
    const hint = near === undefined ? '' : `; ${words.sent} ${quote(near)} instead`
    return `${name(tokens)} is required${right === '' ? '' : ` (${right})`}${hint}`
  }
}

/** Errors that only say that one of the errors after them is there. */
const wrappers: ReadonlySet<string> = new Set(
  (
    '$ref allOf if properties patternProperties dependentSchemas ' +
    'items prefixItems additionalItems unevaluatedItems'
  ).split(' '),
)

/** Whether an error inside an alternative shows that another one was meant: the wrong type, or the wrong label. */
function isOfAnotherKind(error: OutputUnit, depth: number): boolean {
  const below = tokensOf(error.instanceLocation).length - depth
  if (error.keyword === 'type') return below === 0
  return (error.keyword === 'const' || error.keyword === 'enum') && below <= 1
}

function memberNames(schema: Schema | boolean | undefined, lookup: Lookup, depth = 0): Set<string> {
  const names = new Set<string>()
  if (typeof schema !== 'object' || depth > 4) return names
  for (const name of Object.keys(schema.properties ?? {})) names.add(name)
  // `additionalProperties` sees only its own schema's properties; the names of the others help only a model that must
  // guess, and are right for `unevaluatedProperties`.
  if (schema.additionalProperties !== undefined) return names
  for (const other of inPlace(schema, lookup)) for (const name of memberNames(other, lookup, depth + 1)) names.add(name)
  return names
}
