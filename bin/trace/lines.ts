import { plain } from '../try/readings.ts'

/** Who says something: the host (the app with the model, or a bridge) or the server (or the board). */
export type Speaker = 'host' | 'server'

/** Something that went over the wire, or that was seen about it. */
export interface Traffic {
  /** Milliseconds since 1970. */
  at: number
  /** Who sent it; `trace` for what the trace itself has to say. */
  from: Speaker | 'trace'
  kind: 'message' | 'frame' | 'text' | 'mistake' | 'note'
  /** For a person, on one line. */
  text: string
  /** How long its answer took, in milliseconds. */
  tookMs?: number
  /** The message or the line itself. */
  raw?: unknown
}

const arrows = { host: '→', server: '←', trace: '·' }
const longestText = 300

/** One line for a person: `09:31:02.123 ← 3 result (12 ms) {"content":…}`. */
export function trafficLine({ at, from, kind, text, tookMs }: Traffic, longest = longestText): string {
  const took = tookMs === undefined ? '' : ` (${tookMs < 10 ? tookMs.toFixed(1) : Math.round(tookMs)} ms)`
  const shown = shortened(plain(text), longest)
  // The head of an answer, then its time, then what it carries.
  const [, head = shown, body = ''] = took === '' ? [] : (/^(\S+ (?:result|error))(.*)$/s.exec(shown) ?? [])
  const mark = kind === 'mistake' ? '!' : arrows[from]
  const label = kind === 'text' ? '" ' : ''
  return `${clock(at)} ${mark} ${kind === 'mistake' && from !== 'trace' ? `${from}: ` : ''}${label}${head}${took}${body}`
}

/** The same as JSON, with all that is known. */
export function trafficJson(traffic: Traffic): string {
  return JSON.stringify({ ...traffic, at: new Date(traffic.at).toISOString() })
}

/** A JSON-RPC message on one line: its id, its method, and what it carries but for the envelope of each message. */
export function messageText(message: Record<string, any>): string {
  const { id, method, params, result, error } = message
  const number = id === undefined ? '' : `${typeof id === 'object' ? JSON.stringify(id) : id} `
  // What is called stands first: it is what a person looks for.
  if (method === 'tools/call' && typeof params?.name === 'string') {
    return `${number}${method} ${params.name}${body(params.arguments)}`
  }
  if (typeof method === 'string') return `${number}${method}${body(params)}`
  if (error !== undefined) return `${number}error ${error?.code} ${error?.message}`
  return `${number}result${body(result)}`
}

const envelope = /^io\.modelcontextprotocol\//

function body(value: unknown): string {
  const text = JSON.stringify(value, (key, each) => (envelope.test(key) || isEmptyMeta(key, each) ? undefined : each))
  return text === undefined || text === '{}' ? '' : ` ${text}`
}

function isEmptyMeta(key: string, value: unknown): boolean {
  return (
    key === '_meta' &&
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).every(name => envelope.test(name))
  )
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}… (${text.length} characters)`
}

function clock(at: number): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const ms = String(date.getMilliseconds()).padStart(3, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`
}
