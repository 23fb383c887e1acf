import type { FormSchema } from '../call.ts'

// Forms in the words that an older revision has. Revisions are dates, so they compare as texts.

/** The first revision that can ask an elicitation: pages and lists to choose several from came after forms. */
export function revisionNeeded(params: Record<string, unknown>): string {
  if (params.mode === 'url') return '2025-11-25'
  const { properties = {} } = params.requestedSchema as FormSchema
  return Object.values(properties).some(field => fieldOf(field).type === 'array') ? '2025-11-25' : '2025-06-18'
}

/** A form as a revision knows it: before 2025-11-25 the titles of choices stood in `enumNames`. */
export function formFor(revision: string, form: FormSchema): FormSchema {
  if (revision >= '2025-11-25') return form
  const properties = Object.entries(form.properties).map(([name, field]) => [name, withEnumNames(fieldOf(field))])
  return { ...form, properties: Object.fromEntries(properties) }
}

function fieldOf(field: object): Record<string, unknown> {
  return field as Record<string, unknown>
}

function withEnumNames(field: Record<string, unknown>): Record<string, unknown> {
  const { oneOf, ...rest } = field
  if (!Array.isArray(oneOf)) return field
  return { ...rest, enum: oneOf.map(choice => choice.const), enumNames: oneOf.map(choice => choice.title) }
}
