import type { StandardSchemaV1 } from '../standard-schema.ts'
import type { JsonSchema } from './types.ts'

/**
 * Adds a JSON Schema to a Standard Schema that cannot show itself as one (valibot, or zod with a transformation that
 * JSON Schema cannot say). Clients see the JSON Schema; the Standard Schema checks.
 */
export function withJsonSchema<Input, Output>(
  schema: StandardSchemaV1<Input, Output>,
  json: JsonSchema,
): StandardSchemaV1<Input, Output> {
  const { vendor } = schema['~standard']
  return {
    '~standard': {
      version: 1,
      vendor,
      validate: value => schema['~standard'].validate(value),
      jsonSchema: { input: () => ({ ...json }), output: () => ({ ...json }) },
    },
  }
}

/** A Standard Schema may be an object or, as with arktype, a function. */
export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === 'function' || (typeof schema === 'object' && schema !== null)) && '~standard' in schema
}
