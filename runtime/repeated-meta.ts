import { isObject } from './json.ts'

/**
 * In 2026-07-28 a client says with each request who it is and what it can do, in the same bytes each time: more than half
 * of a usual line. Here the line is parsed without them:
 *
 *   last line   …"params":{"_meta":{…},"name":…      its _meta is remembered: the bytes, and what they say
 *   this line   …"params":{"_meta":{…},"name":…      the same bytes?
 *   is read as  …"params":{"_meta":"␡","name":…      and what was remembered is put where the mark comes out
 *
 * It gives what `JSON.parse` of the whole line gives, whatever the line is. The remembered bytes are `"_meta":` and one
 * whole JSON object. Where they begin, a line is either outside of a string, or within one that ends at their second
 * quote, or broken. So the object is always one whole value of the line, and another value may stand for it. The mark is
 * a character that the rest of the line has neither as it is nor as an escape: if `params._meta` is the mark, then the
 * object stood there, with no other member of that name after it. In every other case the line is parsed whole.
 */
export class RepeatedMeta {
  readonly #text: (bytes: Uint8Array, start: number, end: number) => string
  /** `"_meta":{…}` as it came last. */
  #member: Uint8Array | undefined = undefined
  #meta: Record<string, unknown> | undefined = undefined
  #misses = 0
  /** The line without its `_meta`, as it is parsed. */
  #rest = new Uint8Array(0)

  /** @param text gives the text of a part of bytes that are ASCII */
  constructor(text: (bytes: Uint8Array, start: number, end: number) => string) {
    this.#text = text
  }

  /** What a line says that repeats the `_meta` before; nothing when it does not. The bytes are ASCII. */
  read(bytes: Uint8Array, start: number, end: number): unknown {
    const member = this.#member
    if (member === undefined) return undefined
    const length = end - start - member.length + markedMember.length
    if (length > longestRest) return undefined
    const at = placeOf(member, bytes, start, end)
    if (at < 0) return undefined
    const rest = this.#rest
    const markAt = copyPlain(rest, 0, bytes, start, at)
    if (markAt < 0) return undefined
    for (let i = 0; i < markedMember.length; i++) rest[markAt + i] = markedMember[i]!
    if (copyPlain(rest, markAt + markedMember.length, bytes, at + member.length, end) < 0) return undefined
    let value: unknown
    try {
      value = JSON.parse(this.#text(rest, 0, length))
    } catch {
      return undefined
    }
    if (!isObject(value) || !isObject(value.params) || value.params._meta !== mark) return undefined
    value.params._meta = this.#meta
    this.#misses = 0
    return value
  }

  /** Remembers the `_meta` of a line that was parsed whole. Gives up on a client that never repeats itself. */
  learn(line: string, value: unknown): void {
    if (!isObject(value) || !isObject(value.params) || !isObject(value.params._meta)) return
    if (this.#misses === mostMisses) return
    const at = line.indexOf(opening)
    const end = at < 0 ? -1 : objectEnd(line, at + opening.length - 1)
    if (end < 0 || end - at < shortestMember) return
    if (++this.#misses === mostMisses) {
      this.#member = undefined
      return
    }
    try {
      this.#meta = frozen(JSON.parse(line.slice(at + opening.length - 1, end)))
    } catch {
      this.#member = undefined
      return
    }
    if (this.#rest.length === 0) this.#rest = new Uint8Array(longestRest)
    this.#member = asciiBytes(line.slice(at, end))
  }
}

const quote = 0x22
const backslash = 0x5c
const underscore = 0x5f
const letterU = 0x75
const openingBrace = 0x7b
const closingBrace = 0x7d
const del = 0x7f

const opening = '"_meta":{'
const mark = '\x7f'
/** So long may a line be without its `_meta`, in bytes: what is longer has more to parse than this saves. */
const longestRest = 2048
/** A shorter member is parsed as fast as it is compared. */
const shortestMember = 64
const longestMember = 2048
const mostMisses = 8
const markedMember = asciiBytes(`"_meta":"${mark}"`)

/** Where the member stands in a line, or -1. */
function placeOf(member: Uint8Array, bytes: Uint8Array, start: number, end: number): number {
  const last = end - member.length
  for (let at = start; at <= last; at++) {
    if (bytes[at] !== quote || bytes[at + 1] !== underscore) continue
    let same = 2
    while (same < member.length && bytes[at + same] === member[same]) same++
    if (same === member.length) return at
  }
  return -1
}

/**
 * Copies a part of a line, by a loop: `set` would take a view, which is 100 bytes and slower.
 *
 * @returns where the copy ends, or -1 when the part may hold the mark, as it is or as an escape
 */
function copyPlain(target: Uint8Array, targetStart: number, bytes: Uint8Array, start: number, end: number): number {
  let to = targetStart
  let last = 0
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte === del || (byte === letterU && last === backslash)) return -1
    target[to++] = byte
    last = byte
  }
  return to
}

/** Where the object that begins at `at` ends, if it is a short one and all ASCII; else -1. */
function objectEnd(line: string, at: number): number {
  let depth = 0
  let inString = false
  for (let i = at; i < line.length && i - at < longestMember; i++) {
    const unit = line.charCodeAt(i)
    if (unit > 0x7f) return -1
    if (inString) {
      if (unit === backslash) i++
      else if (unit === quote) inString = false
    } else if (unit === quote) inString = true
    else if (unit === openingBrace) depth++
    else if (unit === closingBrace && --depth === 0) return i + 1
  }
  return -1
}

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0))
}

/** One object serves many requests: nobody may change it for the others. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(Object.freeze(value))) frozen(part)
  return value
}
