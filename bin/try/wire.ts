import type { Message } from '../client.ts'
import { plain } from './readings.ts'

/** A message on one line for a person: arrow, id, method, and what it carries but for the envelope of each message. */
export function abbreviated(direction: 'out' | 'in', message: Message): string {
  const arrow = direction === 'out' ? '→' : '←'
  const { id, method, params, result, error } = message
  const number = id === undefined ? '' : ` ${id}`
  if (method !== undefined) return line(`${arrow}${number} ${method}`, params)
  if (error) return plain(`${arrow}${number} error ${error.code} ${error.message}`)
  return line(`${arrow}${number} result`, result)
}

function line(head: string, body: unknown): string {
  const text = JSON.stringify(body, (key, value) => (envelope.has(key) ? undefined : unfolded(value)))
  return plain(text === undefined || text === '{}' ? head : `${head} ${text}`)
}

const envelope = new Set(['_meta', 'resultType'])

/** JSON that travels as a text within JSON is hard to read with all its backslashes. */
function unfolded(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
