import type { RecordEntry } from '../../runtime/index.ts'

/** The longest line of a record, in characters. What is longer loses its arguments. */
const longestLine = 32 * 1024
const longestReason = 500

/** What a reader of lines may take for the end of one, and what may steer a terminal that a file is printed to. */
const unsafe = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON text on one line that any reader of lines and any terminal can take. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(unsafe, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** An entry as a line of the file, with its newline. Never throws. */
export function recordLine(entry: RecordEntry): string {
  const { reason } = entry
  const bounded =
    reason !== undefined && reason.length > longestReason
      ? { ...entry, reason: `${reason.slice(0, longestReason)}…` }
      : entry
  try {
    const line = safeJson(bounded)
    if (line.length <= longestLine) return `${line}\n`
  } catch {
    // A value that JSON has no word for.
  }
  const { time, event, board, tool, moves, client, call, outcome, ms } = bounded
  const [shortTool, shortClient] = [tool?.slice(0, 128), client?.slice(0, 100)]
  const most = {
    time,
    event,
    board,
    tool: shortTool,
    moves,
    client: shortClient,
    call,
    outcome,
    reason: bounded.reason,
    ms,
  }
  return `${safeJson({ ...most, arguments: '… left out' })}\n`
}

const texts = ['board', 'tool', 'client', 'call', 'outcome', 'answer', 'reason', 'until'] as const

/**
 * What a line of the file says, or nothing when it is no entry: one that was cut by a loss of power, for example. Members
 * that are not what an entry has are left out.
 */
export function entryOf(line: string): RecordEntry | undefined {
  let entry: Record<string, unknown> | null
  try {
    entry = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof entry?.time !== 'string' || typeof entry.event !== 'string' || Number.isNaN(Date.parse(entry.time))) {
    return undefined
  }
  for (const name of texts) if (typeof entry[name] !== 'string') delete entry[name]
  if (typeof entry.ms !== 'number') delete entry.ms
  if (typeof entry.times !== 'number') delete entry.times
  if (typeof (entry.readback as { sensor?: unknown } | undefined)?.sensor !== 'string') delete entry.readback
  return { ...entry, board: entry.board ?? '' } as RecordEntry
}
