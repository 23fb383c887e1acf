import type { RecordEntry } from '../../runtime/index.ts'
import type { Arguments } from '../commands.ts'
import { exitCodes, Failure } from '../failure.ts'

/** Which entries are wanted. What is left out makes no difference. */
export interface Filter {
  tools?: readonly string[] | undefined
  /** A part of the client's name, in small letters. */
  client?: string | undefined
  outcomes?: readonly string[] | undefined
  /** Milliseconds since 1970: from here on. */
  since?: number | undefined
  /** Milliseconds since 1970: before this. */
  until?: number | undefined
}

/**
 * Reads the filter off the options of the command.
 *
 * @param now milliseconds since 1970
 * @throws Failure for a time that cannot be read
 */
export function filterOf({ values, lists }: Pick<Arguments, 'values' | 'lists'>, now: number): Filter {
  const { since, until, client } = values
  return {
    tools: lists?.tool,
    outcomes: lists?.outcome,
    ...(client !== undefined && { client: String(client).toLowerCase() }),
    ...(since !== undefined && { since: timeOf('since', String(since), now) }),
    ...(until !== undefined && { until: timeOf('until', String(until), now) }),
  }
}

/** Whether an entry is wanted. */
export function fits(entry: RecordEntry, { tools, client, outcomes, since, until }: Filter): boolean {
  if (tools !== undefined && !tools.includes(entry.tool ?? '')) return false
  if (outcomes !== undefined && !outcomes.includes(entry.outcome ?? '')) return false
  if (
    client !== undefined &&
    !String(entry.client ?? '')
      .toLowerCase()
      .includes(client)
  )
    return false
  const time = Date.parse(entry.time)
  return (since === undefined || time >= since) && (until === undefined || time < until)
}

const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** A point in time: so long ago (`2h`), a time of today (`9:30`), a day, or ISO 8601. Without a zone it is local. */
function timeOf(name: string, text: string, now: number): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? []
  if (unit !== undefined) return now - Number(amount) * units[unit]!
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? []
  // A day alone would be midnight in UTC for Date.
  const iso = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text
  const time =
    hours !== undefined && Number(hours) < 24 && Number(minutes) < 60
      ? new Date(now).setHours(Number(hours), Number(minutes), 0, 0)
      : /^\d{4}-\d\d-\d\d/.test(iso)
        ? Date.parse(iso.replace(' ', 'T'))
        : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new Failure(
    `--${name} ${text} is no time: it looks like 30m, 2h or 3d (so long ago), 9:30, 2026-01-31 or 2026-01-31T09:30`,
    exitCodes.wrongUse,
  )
}
