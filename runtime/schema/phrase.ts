import { exampleOf } from './keywords.ts'
import { type Lookup, type Schema, targetOf } from './library.ts'
import { isObject } from './plain.ts'
import { clean, counted, listed, maxNamesShown, show } from './text.ts'

/** A short phrase for what fits a schema: `whole number from 0 to 27`. Empty when it cannot be said shortly. */
export function phraseOf(schema: unknown, lookup: Lookup, depth = 0): string {
  if (!isObject(schema) || depth > 3) return ''
  const one = schema as Schema
  if (one.const !== undefined) return show(one.const)
  if (one.enum !== undefined) {
    const values = listed(one.enum.slice(0, maxNamesShown + 1).map(show))
    return one.enum.length === 1 ? values : `one of ${values}`
  }
  const ofType = (type: string) => phraseOfType(type, one, lookup, depth)
  if (one.type !== undefined) return [one.type].flat().map(ofType).join(' or ')
  const alternatives = one.anyOf ?? one.oneOf
  if (alternatives !== undefined) {
    const said = alternatives.map(other => phraseOf(other, lookup, depth + 1))
    return said.includes('') ? '' : [...new Set(said)].slice(0, maxNamesShown).join(' or ')
  }
  const target = targetOf(one, lookup)
  if (target !== undefined) return phraseOf(target, lookup, depth + 1)
  if (one.not !== undefined) return ''
  if (one.pattern !== undefined || one.format !== undefined) return ofType('string')
  if (one.minimum !== undefined || one.maximum !== undefined) return ofType('number')
  if (one.properties !== undefined || one.required !== undefined) return ofType('object')
  return ''
}

/** A phrase with its article, where it takes one. */
export function withArticle(phrase: string): string {
  if (phrase.startsWith('object')) return `an ${phrase}`
  return /^(number|whole|list)/.test(phrase) ? `a ${phrase}` : phrase
}

function phraseOfType(type: string, schema: Schema, lookup: Lookup, depth: number): string {
  switch (type) {
    case 'number':
    case 'integer': {
      const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
      const bounds: string[] = []
      if (minimum !== undefined && maximum !== undefined) bounds.push(`from ${minimum} to ${maximum}`)
      else if (minimum !== undefined) bounds.push(`of at least ${minimum}`)
      else if (maximum !== undefined) bounds.push(`of at most ${maximum}`)
      if (exclusiveMinimum !== undefined) bounds.push(`above ${exclusiveMinimum}`)
      if (exclusiveMaximum !== undefined) bounds.push(`below ${exclusiveMaximum}`)
      if (multipleOf !== undefined) bounds.push(`in steps of ${multipleOf}`)
      return [type === 'integer' ? 'whole number' : 'number', ...bounds].join(' ')
    }
    case 'string': {
      const { minLength, maxLength, pattern, format } = schema
      if (format !== undefined) return `text in the format ${format}, such as ${exampleOf(format)}`
      if (pattern !== undefined) return `text that matches the pattern ${clean(pattern, 80)}`
      if (minLength !== undefined && maxLength !== undefined) return `text of ${minLength} to ${maxLength} characters`
      if (minLength !== undefined) return `text of at least ${counted(minLength, 'character')}`
      return maxLength === undefined ? 'text' : `text of at most ${counted(maxLength, 'character')}`
    }
    case 'boolean':
      return 'true or false'
    case 'array': {
      const item = phraseOf(schema.items, lookup, depth + 1)
      return item === '' ? 'list' : `list, each item ${withArticle(item)}`
    }
    case 'object': {
      const { required = [], properties = {} } = schema
      const names = (required.length > 0 ? required : Object.keys(properties)).slice(0, maxNamesShown)
      // Where a member is constant, it is what tells this object from others.
      const labels = names.flatMap(name => {
        const fixed = (properties[name] as Schema | undefined)?.const
        return fixed === undefined ? [] : [`${clean(name)} ${show(fixed)}`]
      })
      const members = labels.length > 0 ? labels : names.map(name => clean(name))
      return members.length === 0 ? 'object' : `object with ${members.join(', ')}`
    }
    default:
      return type
  }
}
