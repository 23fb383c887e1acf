/** How deep a value may be nested: what goes through it calls itself for each level. */
export const maxValueDepth = 200

/** Whether a value is what JSON can carry, not nested too deep. */
export function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (depth >= maxValueDepth) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth + 1)) return false
    return true
  }
  if (!isObject(value)) return false
  for (const name in value) if (!isPlain(value[name], depth + 1)) return false
  return true
}

/** An object as JSON has it. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
}

/** How long a text is in JSON Schema: its characters, not its UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
