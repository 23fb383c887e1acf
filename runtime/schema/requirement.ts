import type { Lookup, Schema } from './library.ts'
import { phraseOf, withArticle } from './phrase.ts'
import { codePoints, isObject } from './plain.ts'
import { clean, counted, show } from './text.ts'

// Keywords with a limit: what stands before it, and what it counts.
const limits: Readonly<Record<string, readonly [text: string, noun?: string]>> = {
  minimum: ['be at least'],
  maximum: ['be at most'],
  exclusiveMinimum: ['be more than'],
  exclusiveMaximum: ['be less than'],
  multipleOf: ['be a multiple of'],
  minLength: ['have at least', 'character'],
  maxLength: ['have at most', 'character'],
  minItems: ['have at least', 'item'],
  maxItems: ['have at most', 'item'],
  minProperties: ['have at least', 'member'],
  maxProperties: ['have at most', 'member'],
}

/**
 * What a keyword requires of a value, to follow "must", and what was sent: `be at most 100; you sent 150`. Nothing for
 * a keyword of which the library's own text says enough.
 */
export function requirementOf(
  keyword: string,
  schema: Schema,
  value: unknown,
  lookup: Lookup,
  sent: string,
): string | undefined {
  const shown = show(value)
  const limit = limits[keyword]
  if (limit !== undefined) {
    const [text, noun] = limit
    const right = `${text} ${noun === undefined ? schema[keyword] : counted(schema[keyword], noun)}`
    if (Array.isArray(value)) return `${right}; ${sent} ${counted(value.length, 'item')}`
    if (isObject(value)) return `${right}; ${sent} ${counted(Object.keys(value).length, 'member')}`
    return `${right}; ${sent} ${keyword === 'maxLength' ? `${codePoints(String(value))}: ` : ''}${shown}`
  }
  switch (keyword) {
    case 'type':
    case 'enum':
    case 'const': {
      const takesText = [schema.const, ...(schema.enum ?? [])].some(one => typeof one === 'string')
      const right = withArticle(phraseOf(schema, lookup) || 'of another kind')
      return `be ${right}; ${sent} ${typeof value === 'string' && !takesText ? 'the text ' : ''}${shown}`
    }
    case 'pattern':
      return `match the pattern ${clean(schema.pattern!, 80)}; ${sent} ${shown}`
    case 'format':
      return `be ${withArticle(phraseOf(schema, lookup))}; ${sent} ${shown}`
    case 'not': {
      const refused = phraseOf(schema.not, lookup)
      return refused === '' ? undefined : `not be ${withArticle(refused)}; ${sent} ${shown}`
    }
    default:
      return undefined
  }
}
