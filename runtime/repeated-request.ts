import type { Decoder } from './decoder.ts'
import { isObject } from './json.ts'
import type { Message } from './json-rpc.ts'

/** What a link knows of its bytes, as far as it is needed here. */
type FrameDecoder = Pick<Decoder, 'ascii' | 'isAt'>

/**
 * A client says most of a request again and again. Only the id is new, and what the request asks for:
 *
 *   {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{…},"name":"led","arguments":{"on":true}}}
 *   '-------- front -------' '---------------------- between -----------------------'-----------''--- back ---'
 *
 * The three parts of such a line are remembered. A line that has the same three is read without them: the digits between
 * are the id, and the rest is parsed alone. It gives what `JSON.parse` of the whole line gives, whatever the line is: one
 * whole number and one whole JSON value stand where the number and the value of a line stood that was parsed whole.
 * Every other line is parsed whole.
 */
export class RepeatedRequest {
  readonly #decoder: FrameDecoder
  /** The last one that was met stands first. */
  readonly #frames: Frame[] = []
  #misses = 0
  #metOne = false

  constructor(decoder: FrameDecoder) {
    this.#decoder = decoder
  }

  /** What a line says that repeats one before; nothing when it does not. */
  read(bytes: Uint8Array, start: number, end: number): Message | undefined {
    if (end - start > longestLine) return undefined
    const frames = this.#frames
    for (let i = 0; i < frames.length; i++) {
      const frame = frames[i]!
      if (!frame.fits(bytes, start, end, this.#decoder)) continue
      const message = frame.message(bytes, this.#decoder)
      if (message === undefined) return undefined
      this.#misses = 0
      if (i > 0) {
        frames[i] = frames[0]!
        frames[0] = frame
      }
      return message
    }
    return undefined
  }

  /**
   * Remembers a line that was parsed whole, from the second one on: the first call of a server does not wait until this is
   * compiled, and a server that rests is 30 kB smaller. Gives up on a client that never repeats itself.
   */
  learn(line: string, value: unknown): void {
    if (this.#misses === mostMisses || !isObject(value)) return
    const variable = variableMembers[value.method as string]
    if (variable === undefined || line.length > longestLine) return
    if (!this.#metOne) {
      this.#metOne = true
      return
    }
    const frame = frameOf(line, value, variable)
    if (frame === undefined) return
    if (++this.#misses === mostMisses) {
      this.#frames.length = 0
      return
    }
    if (this.#frames.unshift(frame) > mostFrames) this.#frames.pop()
  }
}

/** The requests that a client repeats, and the member of their params that differs. */
const variableMembers: Record<string, VariableMember> = {
  __proto__: null as never,
  'tools/call': 'arguments',
  'resources/read': 'uri',
}
type VariableMember = 'arguments' | 'uri'

/** As many tools and resources may be met in turn. */
const mostFrames = 8
const mostMisses = 4 * mostFrames
/** In characters. What is longer has more to parse than this saves. */
const longestLine = 4096
const mostDigits = 15
/** In bytes. A longer part is compared sooner by the platform, as `_meta` is. */
const longestLoop = 32

const quote = 0x22
const digit0 = 0x30
const digit9 = 0x39
const backslash = 0x5c
const openingBrace = 0x7b
const closingBrace = 0x7d

/** A line without its id and its value. */
type Parts = readonly [front: string, between: string, back: string]
type Span = readonly [start: number, end: number]

/** What is the same in many lines, and where the rest stands in the line that was met last. */
class Frame {
  readonly #front: Uint8Array
  readonly #between: Uint8Array
  readonly #back: Uint8Array
  /** Some clients put the id at the end of the line. */
  readonly #idFirst: boolean
  /** Nothing for a request that has no such member: then nothing stands between either. */
  readonly #variable: VariableMember | undefined
  readonly #method: string
  readonly #params: Record<string, unknown>
  #id = 0
  #start = 0
  #end = 0

  /** @param model a message of this frame, which belongs to it from now on */
  constructor(parts: Parts, idFirst: boolean, variable: VariableMember | undefined, model: Message) {
    this.#front = asciiBytes(parts[0])
    this.#between = asciiBytes(parts[1])
    this.#back = asciiBytes(parts[2])
    this.#idFirst = idFirst
    this.#variable = variable
    this.#method = model.method
    this.#params = model.params as Record<string, unknown>
    for (const name of Object.keys(this.#params)) frozen(this.#params[name])
  }

  /** Whether a line has the three parts, and an id between them. */
  fits(bytes: Uint8Array, start: number, end: number, decoder: FrameDecoder): boolean {
    const between = this.#between
    let from = start + this.#front.length
    let to = end - this.#back.length
    if (from > to || !isAt(this.#front, bytes, start, decoder) || !isAt(this.#back, bytes, to, decoder)) return false
    if (this.#idFirst) {
      const idStart = from
      while (from < to && isDigit(bytes[from]!)) from++
      if (!this.#readId(bytes, idStart, from)) return false
      from += between.length
      if (from > to || !isAt(between, bytes, from - between.length, decoder)) return false
    } else {
      const idEnd = to
      while (to > from && isDigit(bytes[to - 1]!)) to--
      if (!this.#readId(bytes, to, idEnd)) return false
      to -= between.length
      if (from > to || !isAt(between, bytes, to, decoder)) return false
    }
    this.#start = from
    this.#end = to
    return this.#variable !== undefined || from === to
  }

  /** What the line says that was found to fit last; nothing when its value is none, or not ASCII. */
  message(bytes: Uint8Array, decoder: FrameDecoder): Message | undefined {
    const params = { ...this.#params }
    if (this.#variable !== undefined) {
      for (let i = this.#start; i < this.#end; i++) if (bytes[i]! > 0x7f) return undefined
      try {
        params[this.#variable] = JSON.parse(decoder.ascii(bytes, this.#start, this.#end))
      } catch {
        return undefined
      }
    }
    return { jsonrpc: '2.0', id: this.#id, method: this.#method, params }
  }

  #readId(bytes: Uint8Array, start: number, end: number): boolean {
    const digits = end - start
    if (digits === 0 || digits > mostDigits || (digits > 1 && bytes[start] === digit0)) return false
    let id = 0
    for (let i = start; i < end; i++) id = id * 10 + bytes[i]! - digit0
    this.#id = id
    return true
  }
}

const idMark = Number.MAX_SAFE_INTEGER
const valueMark = '\x7f'

/**
 * The frame of a line. Where the id and the value stand is looked for without much ado, and then tried: a line with marks
 * in these places must have the marks as its id and its value.
 */
function frameOf(line: string, { id, params }: Record<string, unknown>, member: VariableMember): Frame | undefined {
  if (!isObject(params) || id === idMark || params[member] === valueMark) return undefined
  const variable = params[member] === undefined ? undefined : member
  const value = variable === undefined ? undefined : spanOf(variable, line, 0)
  let idSpan = spanOf('id', line, 0)
  if (value !== undefined && idSpan !== undefined && isWithin(idSpan, value)) idSpan = spanOf('id', line, value[1])
  if (idSpan === undefined || (value === undefined) !== (variable === undefined)) return undefined

  const idFirst = value === undefined || idSpan[0] < value[0]
  const first = idFirst ? idSpan : value
  const second = idFirst ? (value ?? [idSpan[1], idSpan[1]]) : idSpan
  const parts: Parts = [line.slice(0, first[0]), line.slice(first[1], second[0]), line.slice(second[1])]
  if (!parts.every(isAscii)) return undefined
  const valueText = variable === undefined ? '' : `"${valueMark}"`
  const marks = idFirst ? [idMark, valueText] : [valueText, idMark]
  const model = parsed(`${parts[0]}${marks[0]}${parts[1]}${marks[1]}${parts[2]}`)
  return isModel(model, variable) ? new Frame(parts, idFirst, variable, model) : undefined
}

function isModel(value: unknown, variable: VariableMember | undefined): value is Message {
  if (!isObject(value) || Object.keys(value).length !== 4 || value.jsonrpc !== '2.0' || value.id !== idMark)
    return false
  return isObject(value.params) && (variable === undefined || value.params[variable] === valueMark)
}

/** Where a member's value may stand that is a whole number, a text or an object. */
function spanOf(name: string, line: string, from: number): Span | undefined {
  const opening = `"${name}":`
  const at = line.indexOf(opening, from)
  if (at < 0) return undefined
  let start = at + opening.length
  while (line[start] === ' ') start++
  const end = valueEnd(line, start)
  return end < 0 ? undefined : [start, end]
}

function isWithin(inner: Span, outer: Span): boolean {
  return inner[0] >= outer[0] && inner[1] <= outer[1]
}

/** Where the value that begins at `at` ends; -1 when it does not, or is something else. */
function valueEnd(line: string, at: number): number {
  let end = at
  while (isDigit(line.charCodeAt(end))) end++
  if (end > at) return end
  let depth = 0
  let inString = false
  for (let i = at; i < line.length; i++) {
    const unit = line.charCodeAt(i)
    if (inString && unit === backslash) i++
    else if (unit === quote) inString = !inString
    else if (!inString && unit === openingBrace) depth++
    else if (!inString && unit === closingBrace) depth--
    if (depth === 0 && !inString) return unit === quote || unit === closingBrace ? i + 1 : -1
  }
  return -1
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isAt(part: Uint8Array, bytes: Uint8Array, at: number, decoder: FrameDecoder): boolean {
  if (part.length > longestLoop) return decoder.isAt(part, bytes, at)
  for (let i = 0; i < part.length; i++) if (bytes[at + i] !== part[i]) return false
  return true
}

function isDigit(byte: number): boolean {
  return byte >= digit0 && byte <= digit9
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0))
}

/** One object serves many requests: nobody may change it for the others. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(Object.freeze(value))) frozen(part)
  return value
}
