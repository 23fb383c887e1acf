import type { RecordEntry } from '../../runtime/index.ts'
import { plain, readable } from '../try/readings.ts'

/** How wide the columns are whose content differs. */
export interface Columns {
  board: number
  tool: number
  client: number
}

const longest = { board: 20, tool: 24, client: 24 }
const longestDetails = 400

/** Columns that the entries fit into. A board has one only when there are several. */
export function columnsOf(entries: readonly RecordEntry[]): Columns {
  const widest = (texts: (string | undefined)[], most: number) =>
    Math.min(most, Math.max(0, ...texts.map(text => plain(text ?? '').length)))
  const boards = new Set(entries.map(({ board }) => board))
  return {
    board: boards.size > 1 ? widest([...boards], longest.board) : 0,
    tool: widest(
      entries.map(({ tool }) => tool),
      longest.tool,
    ),
    client: widest(
      entries.map(({ client }) => client),
      longest.client,
    ),
  }
}

/** An entry on one line, for a person: when, what came of it, what was called, by whom, how long it took, and the rest. */
export function entryText(entry: RecordEntry, columns: Columns, colours: boolean): string {
  const word = plain(entry.outcome ?? entry.event)
  const column = (text: unknown, width: number) => (width === 0 ? '' : `${fitted(plain(String(text ?? '')), width)}  `)
  const line = [
    `${timeText(entry.time)}  `,
    coloured(word.padEnd(9), colourOf(word), colours),
    '  ',
    column(entry.board, columns.board),
    column(entry.tool, columns.tool),
    column(entry.client, columns.client),
    `${tookText(entry.ms).padStart(7)}  `,
    detailsText(entry),
  ].join('')
  return line.trimEnd()
}

function detailsText(entry: RecordEntry): string {
  const { event, outcome, arguments: given, readback, answer, reason, times, until } = entry
  const parts = [
    typeof times === 'number' && until !== undefined ? `${times} times until ${timeText(until)}` : undefined,
    event !== 'call' && outcome !== undefined ? event : undefined,
    given === undefined ? undefined : JSON.stringify(given),
    readback === undefined ? undefined : `${readback.sensor} ${valueText(readback.value, readback.unit)}`,
    answer === undefined ? undefined : `the person was asked: ${answer}`,
    reason,
  ]
  const text = plain(parts.filter(part => part !== undefined).join('  '))
  return text.length <= longestDetails ? text : `${text.slice(0, longestDetails)}…`
}

function valueText(value: unknown, unit: unknown): string {
  const isValue = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
  return isValue ? readable(value, unit === undefined ? undefined : String(unit)) : (JSON.stringify(value) ?? '')
}

/** Cut or filled to a width. */
function fitted(text: string, width: number): string {
  return text.length <= width ? text.padEnd(width) : `${text.slice(0, width - 1)}…`
}

function tookText(ms: unknown): string {
  if (typeof ms !== 'number' || !Number.isFinite(ms)) return ''
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}

/** The time here: `2026-01-31 09:31:02.123`. */
function timeText(time: string): string {
  const at = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [String(at.getFullYear()).padStart(4, '0'), two(at.getMonth() + 1), two(at.getDate())].join('-')
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
  return `${day} ${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

const red = 31
const green = 32
const yellow = 33
const cyan = 36

function colourOf(word: string): number {
  if (word === 'ran') return green
  if (['failed', 'unknown', 'stop', 'gap'].includes(word)) return red
  return ['refused', 'cancelled', 'started'].includes(word) ? yellow : cyan
}

function coloured(text: string, colour: number, colours: boolean): string {
  return colours ? `\x1b[${colour}m${text}\x1b[0m` : text
}
