import type { Message } from '../client.ts'
import { plain, rounded } from './readings.ts'

/** A JSON Schema as far as a person's line is concerned. */
export interface Schema {
  type?: string | readonly string[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  description?: string
  [keyword: string]: unknown
}

/** Splits a line into words at spaces. Quotes hold a word together, and so does a JSON object after the first word. */
export function words(line: string): string[] {
  const [, name, object] = /^\s*(\S+)\s+(\{.*)$/s.exec(line) ?? []
  if (name !== undefined && object !== undefined) return [name, object.trim()]
  const found = line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []
  return found.map(word => (/[{[]/.test(word) ? word : word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2')))
}

/** The names of the arguments in the order in which they may be given by position: the required ones first. */
export function argumentNames(schema: Schema): string[] {
  const names = Object.keys(schema.properties ?? {})
  const required = names.filter(name => schema.required?.includes(name))
  return [...required, ...names.filter(name => !required.includes(name))]
}

/**
 * The arguments of a call from what was typed: `seconds=5`, `5` by position, or one JSON object. Values take the type
 * that the schema names where they can, and stay text where they cannot: what is wrong is the server's to say.
 *
 * @throws Error with a sentence when a word cannot belong to any argument
 */
export function argumentsOf(schema: Schema, typed: readonly string[]): Message {
  const only = typed.length === 1 ? typed[0]! : ''
  if (only.startsWith('{')) {
    try {
      return JSON.parse(only)
    } catch {
      throw new Error(`this is no JSON object: ${only}`)
    }
  }
  const names = argumentNames(schema)
  const found: Message = {}
  const byPosition: string[] = []
  for (const word of typed) {
    const [, name, value] = /^([A-Za-z_$][\w$-]*)=(.*)$/s.exec(word) ?? []
    if (name === undefined || value === undefined) byPosition.push(word)
    else found[name] = typedValue(schema.properties?.[name], value)
  }
  const free = names.filter(name => !Object.hasOwn(found, name))
  for (const [index, word] of byPosition.entries()) {
    const name = free[index]
    if (name === undefined) {
      throw new Error(
        names.length === 0
          ? `it takes no arguments: ${word}`
          : `no argument is left for ${word}: it takes ${names.join(', ')}`,
      )
    }
    found[name] = typedValue(schema.properties?.[name], word)
  }
  return found
}

function typedValue(schema: Schema | undefined, word: string): unknown {
  const types = [schema?.type ?? []].flat()
  const oneOf = schema?.enum?.find(each => String(each) === word)
  if (oneOf !== undefined) return oneOf
  if (types.includes('boolean')) {
    if (/^(on|true|yes|1)$/i.test(word)) return true
    if (/^(off|false|no|0)$/i.test(word)) return false
  }
  if ((types.includes('number') || types.includes('integer')) && word !== '' && Number.isFinite(Number(word))) {
    return Number(word)
  }
  if (types.includes('null') && word === 'null') return null
  if (types.includes('string')) return word
  if (types.length === 0 || types.includes('object') || types.includes('array')) {
    try {
      return JSON.parse(word)
    } catch {
      return word
    }
  }
  return word
}

/** What the arguments of a call look like: `seconds=0…60`, `on=on|off`, with optional ones in brackets. */
export function signature(schema: Schema): string {
  return argumentNames(schema)
    .map(name => {
      const values = valuesOf(schema.properties?.[name] ?? {})
      const text = plain(values === '' ? name : `${name}=${values}`)
      return schema.required?.includes(name) ? text : `[${text}]`
    })
    .join('  ')
}

function valuesOf(schema: Schema): string {
  if (schema.const !== undefined) return String(schema.const)
  if (schema.enum) return schema.enum.map(String).join('|')
  const types = [schema.type ?? []].flat()
  if (types.includes('boolean')) return 'on|off'
  if (types.includes('number') || types.includes('integer')) {
    const { minimum, maximum } = schema
    if (minimum !== undefined && maximum !== undefined) return `${short(minimum)}…${short(maximum)}`
    if (minimum !== undefined) return `≥${short(minimum)}`
    if (maximum !== undefined) return `≤${short(maximum)}`
    return types.includes('integer') ? 'integer' : 'number'
  }
  return types.join('|') === 'string' ? 'text' : types.join('|')
}

function short(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value) : rounded(value)
}

/** The words that an argument may be, where there are only a few. */
export function choicesOf(schema: Schema | undefined): string[] {
  if (schema?.enum) return schema.enum.map(String)
  return [schema?.type ?? []].flat().includes('boolean') ? ['on', 'off'] : []
}

/** Arguments as they would be typed: `seconds=5 gentle=on`. */
export function typedArguments(given: Message): string {
  return Object.entries(given)
    .map(([name, value]) => `${name}=${asTyped(value)}`)
    .join(' ')
}

function asTyped(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** An example of a call that does little: a tenth of the way from the least that the schema allows. */
export function exampleArguments(schema: Schema): string {
  return (schema.required ?? []).map(name => `${name}=${exampleOf(schema.properties?.[name] ?? {})}`).join(' ')
}

function exampleOf(schema: Schema): string {
  const [choice] = choicesOf(schema)
  if (choice !== undefined) return choice
  if ([schema.type ?? []].flat().includes('string')) return 'text'
  const { minimum = 0, maximum = minimum + 50 } = schema
  return String(Math.round(minimum + (maximum - minimum) / 10))
}
