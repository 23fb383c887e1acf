import type { StandardSchemaV1 } from '../standard-schema.ts'

/** The names that JSON Schema's `type` knows. */
export type JsonTypeName = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

// Keeps the known names in the editor's list and takes a plain `string`, which is what a schema read from a file has.
type LooseTypeName = JsonTypeName | (string & Record<never, never>)

/**
 * A JSON Schema in its object form: draft 2020-12, or 2019-09 or 07 when `$schema` says so. Every keyword is allowed;
 * those that are listed here help while writing.
 *
 * `format` is checked for the formats of the specification that can be checked in linear time (`date-time`, `email`,
 * `uri`, `uuid` and so on) and is a remark otherwise. `$dynamicRef`, `$recursiveRef` and references to other documents
 * are refused.
 */
export interface JsonSchema {
  readonly type?: LooseTypeName | readonly LooseTypeName[]
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema | object | boolean>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly [keyword: string]: unknown
}

/** How arguments are described: a JSON Schema, or a Standard Schema (zod, valibot and others). */
export type InputSchema = JsonSchema | StandardSchemaV1

/** The type of the values that a JSON Schema literal describes; `unknown` where it says more than types can. */
export type FromSchema<S> = JsonSchema extends S
  ? Record<string, unknown>
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly type: readonly (infer Name)[] }
        ? FromType<Name, S>
        : S extends { readonly type: infer Name }
          ? FromType<Name, S>
          : unknown

type FromType<Name, S> = Name extends 'string'
  ? string
  : Name extends 'number' | 'integer'
    ? number
    : Name extends 'boolean'
      ? boolean
      : Name extends 'null'
        ? null
        : Name extends 'array'
          ? FromItems<S>
          : Name extends 'object'
            ? FromProperties<S>
            : unknown

type FromItems<S> = S extends { readonly items: infer Items } ? FromSchema<Items>[] : unknown[]

type FromProperties<S> = S extends { readonly properties: infer P }
  ? Flat<
      { -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromSchema<P[K]> } & {
        -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromSchema<P[K]>
      }
    >
  : Record<string, unknown>

// A `required` that is only known as string[] says nothing of any one name.
type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never

type Flat<T> = { [K in keyof T]: T[K] }

type IsAny<T> = 0 extends 1 & T ? true : false

/**
 * The arguments that a handler is given for an input schema: a Standard Schema's output, what a JSON Schema literal
 * describes, a plain record for a schema that is only known at run time, and nothing when there is no schema.
 */
export type ArgumentsOf<S> =
  IsAny<S> extends true
    ? any
    : [S] extends [undefined]
      ? Record<string, never>
      : InputSchema extends S
        ? Record<string, never>
        : S extends StandardSchemaV1<any, infer Output>
          ? Output
          : unknown extends FromSchema<S>
            ? Record<string, unknown>
            : FromSchema<S>

/** The outcome of a check. `problems` are sentences for the model that must correct its call: at most 8, each short. */
export type Checked = { ok: true; value: unknown } | { ok: false; problems: string[] }

/** A schema that is ready to check values. */
export interface CompiledSchema {
  /** The schema as JSON Schema, as clients are shown it: a copy, without anything that JSON cannot carry. */
  readonly json: Record<string, unknown>
  /**
   * Checks a value. A JSON Schema answers at once; a Standard Schema may answer with a promise, and `value` is then its
   * output. Never throws for a value; what a Standard Schema's own code throws comes through.
   */
  check(value: unknown): Checked | Promise<Checked>
  /** Whether a value certainly fits, just as it is. What this does not know may fit as well: `check` tells. */
  fits(value: unknown): boolean
}
