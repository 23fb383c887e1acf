import { isObject } from '../json.ts'

/** What a request is about, as a digest: its method, what it names, and its arguments, whatever their order. */
export async function subjectOf(method: string, params: Record<string, unknown> | undefined): Promise<string> {
  const about = [method, params?.name ?? null, params?.uri ?? null, inOrder(params?.arguments ?? null)]
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(about)))
  return Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, '0')).join('')
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isObject(value)) return value
  return Object.keys(value)
    .sort()
    .map(key => [key, inOrder(value[key])])
}
