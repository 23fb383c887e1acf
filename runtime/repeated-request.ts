import { asciiBytes, digit0, isAscii, isDigit } from './ascii.ts'
import { type Decoder, isAt } from './decoder.ts'
import { FlatObject } from './flat-object.ts'
import { isObject } from './json.ts'
import type { Message } from './json-rpc.ts'

/** What a link knows of its bytes, as far as it is needed here. */
type FrameDecoder = Pick<Decoder, 'ascii' | 'utf8' | 'isAt'>

/**
 * A client says most of a request again and again. Only its numbers are new, and the value of what it asks for:
 *
 *   {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{…},"name":"led","arguments":{"on":true}}}
 *   '------- text --------' '---------------------- text ------------------------------'-- value --''- text -'
 *
 * The texts of such a line are remembered. A line that has the same ones is read without them: the digits between are its
 * id and its progress token, and the value is parsed alone. It gives what `JSON.parse` of the whole line gives, whatever
 * the line is: whole numbers and one whole JSON value stand where those of a line stood that was parsed whole. Every other
 * line is parsed whole.
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
      if (message === undefined) continue
      this.#misses = 0
      for (let place = i; place > 0; place--) frames[place] = frames[place - 1]!
      frames[0] = frame
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
const backslash = 0x5c
const openingBrace = 0x7b
const closingBrace = 0x7d

type Span = readonly [start: number, end: number]

/** What differs from line to line: the members of these names, in the order in which they stand in the line. */
interface Place {
  readonly name: 'id' | 'progressToken' | VariableMember
  readonly span: Span
}

/** What is the same in many lines, and what the line said that was met last. */
class Frame {
  /** The texts before the value, with a number between each two; all of them for a request that has no value. */
  readonly #before: readonly Uint8Array[]
  /** Those after it. */
  readonly #after: readonly Uint8Array[]
  readonly #variable: VariableMember | undefined
  readonly #likeValue: FlatObject | undefined
  readonly #method: string
  readonly #params: Record<string, unknown>
  /** The numbers of the line, in its order. */
  readonly #numbers: number[]
  readonly #idAt: number
  readonly #tokenAt: number
  #start = 0
  #end = 0

  /**
   * @param places what differs
   * @param texts what stands before, between and after it
   * @param value the value of the line that was learned, if it has one
   * @param model a message of this frame, which belongs to it from now on
   */
  constructor(places: readonly Place[], texts: readonly string[], value: unknown, model: Message) {
    const valueAt = places.findIndex(({ name }) => isVariable(name))
    const before = valueAt < 0 ? texts.length : valueAt + 1
    this.#before = texts.slice(0, before).map(asciiBytes)
    this.#after = texts.slice(before).map(asciiBytes)
    this.#variable = places[valueAt]?.name as VariableMember | undefined
    this.#likeValue = FlatObject.like(value)
    this.#method = model.method
    this.#params = model.params as Record<string, unknown>
    for (const name of Object.keys(this.#params)) frozen(this.#params[name])
    const numbers = places.map(({ name }) => name).filter(name => !isVariable(name))
    this.#numbers = numbers.map(() => 0)
    this.#idAt = numbers.indexOf('id')
    this.#tokenAt = numbers.indexOf('progressToken')
  }

  /** Whether a line has the texts, and numbers between them. */
  fits(bytes: Uint8Array, start: number, end: number, decoder: FrameDecoder): boolean {
    const before = this.#before
    let from = start
    for (let i = 0; i < before.length; i++) {
      if (i > 0) {
        const digits = from
        while (from < end && isDigit(bytes[from]!)) from++
        if (!this.#readNumber(i - 1, bytes, digits, from)) return false
      }
      const text = before[i]!
      if (end - from < text.length || !textIsAt(text, bytes, from, decoder)) return false
      from += text.length
    }
    const after = this.#after
    let to = end
    for (let i = after.length - 1; i >= 0; i--) {
      const text = after[i]!
      to -= text.length
      if (to < from || !textIsAt(text, bytes, to, decoder)) return false
      if (i > 0) {
        const digits = to
        while (to > from && isDigit(bytes[to - 1]!)) to--
        if (!this.#readNumber(before.length + i - 2, bytes, to, digits)) return false
      }
    }
    this.#start = from
    this.#end = to
    return this.#variable !== undefined || from === to
  }

  /** What the line says that was found to fit last; nothing when its value is none, or not UTF-8. */
  message(bytes: Uint8Array, decoder: FrameDecoder): Message | undefined {
    const params = { ...this.#params }
    if (this.#variable !== undefined) {
      const value = this.#likeValue?.read(bytes, this.#start, this.#end) ?? this.#parsedValue(bytes, decoder)
      if (value === undefined) return undefined
      params[this.#variable] = value
    }
    if (this.#tokenAt >= 0) {
      params._meta = { ...(params._meta as object), progressToken: this.#numbers[this.#tokenAt] }
    }
    return { jsonrpc: '2.0', id: this.#numbers[this.#idAt]!, method: this.#method, params }
  }

  #parsedValue(bytes: Uint8Array, decoder: FrameDecoder): unknown {
    const start = this.#start
    const end = this.#end
    let at = start
    while (at < end && bytes[at]! < 0x80) at++
    const text = at === end ? decoder.ascii(bytes, start, end) : decoder.utf8(bytes, start, end)
    return text === undefined ? undefined : parsed(text)
  }

  #readNumber(place: number, bytes: Uint8Array, start: number, end: number): boolean {
    const digits = end - start
    if (digits === 0 || digits > mostDigits || (digits > 1 && bytes[start] === digit0)) return false
    let number = 0
    for (let i = start; i < end; i++) number = number * 10 + bytes[i]! - digit0
    this.#numbers[place] = number
    return true
  }
}

const marks = {
  id: Number.MAX_SAFE_INTEGER,
  progressToken: Number.MAX_SAFE_INTEGER - 1,
  arguments: '\x7f',
  uri: '\x7f',
}

/**
 * The frame of a line. Where the members stand is looked for without much ado, and then tried: a line with marks in these
 * places must have the marks as the values of the members.
 */
function frameOf(line: string, value: Record<string, unknown>, variable: VariableMember): Frame | undefined {
  const names = (['id', 'progressToken', variable] as const).filter(name => memberOf(value, name) !== undefined)
  if (names.some(name => memberOf(value, name) === marks[name])) return undefined
  const valueSpan = names.includes(variable) ? spanOf(variable, line) : undefined
  const places: Place[] = []
  for (const name of names) {
    const span = name === variable ? valueSpan : spanOf(name, line, valueSpan)
    if (span === undefined) return undefined
    places.push({ name, span })
  }
  places.sort((a, b) => a.span[0] - b.span[0])

  const texts: string[] = []
  let marked = ''
  let at = 0
  for (const { name, span } of places) {
    const text = line.slice(at, span[0])
    texts.push(text)
    marked += text + JSON.stringify(marks[name])
    at = span[1]
  }
  texts.push(line.slice(at))
  if (!texts.every(isAscii)) return undefined
  const model = parsed(marked + line.slice(at))
  if (!isObject(model) || Object.keys(model).length !== 4 || model.jsonrpc !== '2.0') return undefined
  if (!names.every(name => memberOf(model, name) === marks[name])) return undefined
  return new Frame(places, texts, memberOf(value, variable), model as unknown as Message)
}

function isVariable(name: Place['name']): name is VariableMember {
  return name !== 'id' && name !== 'progressToken'
}

function memberOf({ id, params }: Record<string, unknown>, name: Place['name']): unknown {
  if (name === 'id') return id
  if (!isObject(params)) return undefined
  if (name !== 'progressToken') return params[name]
  return isObject(params._meta) ? params._meta.progressToken : undefined
}

/** Where a member's value may stand that is a whole number, a text or an object: the first one that is not within `except`. */
function spanOf(name: string, line: string, except?: Span): Span | undefined {
  const opening = `"${name}":`
  let at = line.indexOf(opening)
  if (except !== undefined && at >= except[0] && at < except[1]) at = line.indexOf(opening, except[1])
  if (at < 0) return undefined
  let start = at + opening.length
  while (line[start] === ' ') start++
  const end = valueEnd(line, start)
  return end < 0 ? undefined : [start, end]
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

function textIsAt(text: Uint8Array, bytes: Uint8Array, at: number, decoder: FrameDecoder): boolean {
  return text.length > longestLoop ? decoder.isAt(text, bytes, at) : isAt(text, bytes, at)
}

/** One object serves many requests: nobody may change it for the others. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(Object.freeze(value))) frozen(part)
  return value
}
