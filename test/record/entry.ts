import type { RecordEntry } from '../../runtime/index.ts'

/** An entry of a call; its number is the id of the request. */
export function entry(request: number, more: Partial<RecordEntry> = {}): RecordEntry {
  const time = new Date(Date.UTC(2026, 0, 31, 9, 30, 0, request)).toISOString()
  return { time, event: 'call', board: 'greenhouse', tool: 'pump', request, outcome: 'ran', ms: 3, ...more }
}
