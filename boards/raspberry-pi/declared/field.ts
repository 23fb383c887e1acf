import type { JsonSchema } from '../../../runtime/index.ts'

/** Why a value of a board's file is not taken: a sentence that says what would be right. */
export class Wrong {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** One key of an entry: what may be written there, and what it is read as. */
export interface Field<Written = unknown, Value = Written> {
  /** What editors are told: the JSON Schema of the value, with its description. */
  readonly schema: JsonSchema
  /** Whether an entry must have it. */
  readonly required: boolean
  /** An example of what may be written, as JSON. */
  readonly example: string
  /** Takes what was written for what it means. */
  read(written: unknown): Value | Wrong
  /** Never there: what {@link written} is of. */
  readonly written?: Written
}

/** A key that an entry must have. */
export type Needed<Written, Value = Written> = Field<Written, Value> & { readonly required: true }

/** The keys of an entry, by name. */
export type Fields = Readonly<Record<string, Field<any, any>>>

type NeededKeys<F> = { [K in keyof F]: F[K] extends { readonly required: true } ? K : never }[keyof F]
type WrittenOf<T> = T extends Field<infer Written, any> ? Written : never
type ValueOf<T> = T extends Field<any, infer Value> ? Value : never

/** What is written for these keys. */
export type Written<F> = { readonly [K in NeededKeys<F>]: WrittenOf<F[K]> } & {
  readonly [K in Exclude<keyof F, NeededKeys<F>>]?: WrittenOf<F[K]>
}

/** What they are read as. */
export type Values<F> = { readonly [K in NeededKeys<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, NeededKeys<F>>]?: ValueOf<F[K]>
}

/** The same key, which an entry must have. */
export function needed<Written, Value>(field: Field<Written, Value>): Needed<Written, Value> {
  return { ...field, required: true }
}

/** A text that is written as it is, such as a name that the kernel knows. */
export function text(description: string, example: string, maxLength = 2000): Field<string> {
  return field({ type: 'string', description, minLength: 1, maxLength }, example, written =>
    typeof written === 'string' && written !== '' && written.length <= maxLength
      ? written
      : new Wrong(
          typeof written === 'string' && written !== ''
            ? `is longer than the ${maxLength} characters that it may have`
            : `must be a text, such as ${JSON.stringify(example)}; ${isThere(written)}`,
        ),
  )
}

/** `true` or `false`. */
export function flag(description: string): Field<boolean> {
  return field({ type: 'boolean', description }, true, written =>
    typeof written === 'boolean' ? written : new Wrong(`must be true or false, without quotes; ${isThere(written)}`),
  )
}

/** Which numbers are taken. */
export interface Range {
  minimum?: number
  maximum?: number
  /** More than this. */
  above?: number
  /** What the number is in, for messages: ` ms`. */
  unit?: string
}

/** A number. */
export function number(description: string, range: Range, example: number): Field<number> {
  return numeric('number', description, range, example)
}

/** A whole number. */
export function integer(description: string, range: Range, example: number): Field<number> {
  return numeric('integer', description, range, example)
}

/** One of some texts or numbers. */
export function choice<const Value extends string | number>(
  description: string,
  values: readonly Value[],
): Field<Value> {
  return field({ enum: values, description }, values[0]!, written => {
    const meant = values.find(value => value === written)
    if (meant !== undefined) return meant
    const alike = values.find(value => String(value).toLowerCase() === String(written).toLowerCase())
    const hint = alike === undefined ? '' : `. Write it ${JSON.stringify(alike)}`
    return new Wrong(`must be ${listed(values.map(value => JSON.stringify(value)))}; ${isThere(written)}${hint}`)
  })
}

/** A key that is read in a way of its own. */
export function field<Written, Value = Written>(
  schema: JsonSchema,
  example: Written,
  read: (written: unknown) => Value | Wrong,
): Field<Written, Value> {
  return { schema, required: false, example: JSON.stringify(example), read }
}

function numeric(type: 'number' | 'integer', description: string, range: Range, example: number): Field<number> {
  const { minimum, maximum, above, unit = '' } = range
  const schema: JsonSchema = {
    type,
    description,
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(above !== undefined && { exclusiveMinimum: above }),
  }
  return field(schema, example, written => {
    const fits =
      typeof written === 'number' &&
      Number.isFinite(written) &&
      (type === 'number' || Number.isInteger(written)) &&
      written >= (minimum ?? -Infinity) &&
      written <= (maximum ?? Infinity) &&
      written > (above ?? -Infinity)
    if (fits) return written
    const kind = type === 'integer' ? 'a whole number' : 'a number'
    const hint =
      typeof written === 'string' && Number.isFinite(Number(written)) && written.trim() !== ''
        ? ', as a text: leave out the quotes'
        : ''
    return new Wrong(`must be ${kind}${told(range, unit)}; ${isThere(written)}${hint}`)
  })
}

function told({ minimum, maximum, above }: Range, unit: string): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}${unit}`
  const least = above === undefined ? minimum : above
  if (least === undefined) return maximum === undefined ? '' : ` up to ${maximum}${unit}`
  const border = above === undefined ? ` from ${least}${unit} on` : ` above ${least}${unit}`
  return maximum === undefined ? border : `${border} and up to ${maximum}${unit}`
}

/** `there is "on"`: what was written, on one line and not too long. */
export function isThere(written: unknown): string {
  return `there is ${shown(written)}`
}

/** A value as it may stand in a message. */
export function shown(written: unknown): string {
  if (Array.isArray(written) && written.length > 3) return 'a list'
  let json: string | undefined
  try {
    json = JSON.stringify(written)
  } catch {
    // A loop, or a number that JSON does not have: only code can write these.
  }
  json ??= String(typeof written === 'object' ? 'an object' : (written as string | number))
  return json.length <= 60 ? json : `${json.slice(0, 59)}…`
}

/** `a, b or c`. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
