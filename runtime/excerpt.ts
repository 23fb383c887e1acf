/** The beginning of a text, safe to show in a terminal. */
export function excerpt(text: string, length = 80): string {
  const safe = text.slice(0, length + 1).replace(/[\u0000-\u001f\u007f-\u009f]/g, '?')
  return safe.length > length ? `${safe.slice(0, length)}…` : safe
}

/** The beginning of a value as JSON. */
export function excerptOf(value: unknown): string {
  try {
    return excerpt(JSON.stringify(value))
  } catch {
    return 'a value too deep to be shown'
  }
}
