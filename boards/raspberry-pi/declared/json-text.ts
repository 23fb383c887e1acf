/** A place in a text, from 1 on. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** What a text that is no JSON has wrong, and where. */
export class JsonMistake extends Error {
  readonly place: Place

  constructor(message: string, place: Place) {
    super(message)
    this.place = place
  }
}

/** A comma too many or too few: what was meant is plain, so that the rest can be read and told of as well. */
export interface Slip {
  readonly text: string
  readonly place: Place
}

/** A JSON text that was read: its value, and where each of its members stands. */
export interface ReadJson {
  readonly value: unknown
  /** Commas that are too many or missing: with one of these it is no JSON. */
  readonly slips: readonly Slip[]
  /** By path, `sensors.air.address`: the line of the member's name, or of the item of a list. */
  readonly lines: ReadonlyMap<string, number>
  /** Members that an object has twice, with the line of the second one. JSON itself allows it, and forgets the first. */
  readonly twice: readonly { readonly path: string; readonly line: number; readonly firstLine: number }[]
}

const deepest = 100

/**
 * Reads a JSON text (RFC 8259), and remembers where things stand.
 *
 * @throws JsonMistake in words for a person who writes JSON by hand
 */
export function readJson(text: string): ReadJson {
  const lines = new Map<string, number>()
  const twice: { path: string; line: number; firstLine: number }[] = []
  const slips: Slip[] = []
  // Notepad begins a file with one.
  let at = text.startsWith('\uFEFF') ? 1 : 0
  space()
  const value = read('', 0)
  space()
  if (at < text.length)
    throw mistake('the file goes on behind its last }: there is one } or ] too many above, or two files are in one')
  return { value, slips, lines, twice }

  function read(path: string, depth: number): unknown {
    if (depth > deepest) throw mistake('this is nested too deep')
    const next = text[at]
    if (next === '{') return object(path, depth)
    if (next === '[') return list(path, depth)
    if (next === '"') return string()
    const word = /^[-+.\w]+/.exec(text.slice(at, at + 400))?.[0] ?? ''
    const literal = { true: true, false: false, null: null }[word]
    if (literal !== undefined) return skip(word, literal)
    if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(word)) return skip(word, Number(word))
    throw mistake(wrongValue(word))
  }

  function object(path: string, depth: number): Record<string, unknown> {
    const start = at
    const value: Record<string, unknown> = {}
    const own = new Map<string, number>()
    at++
    for (let first = true; ; first = false) {
      space()
      if (text[at] === '}') {
        if (!first) slip('there is a comma too many before this }')
        break
      }
      if (text[at] !== '"') throw mistake(at >= text.length ? unclosed(start) : wrongName())
      const line = placeOf(at).line
      const name = string()
      const memberPath = path === '' ? name : `${path}.${name}`
      const firstLine = own.get(name)
      if (firstLine !== undefined) twice.push({ path: memberPath, line, firstLine })
      own.set(name, line)
      lines.set(memberPath, line)
      space()
      if (text[at] !== ':') throw mistake(`there must be a colon behind ${JSON.stringify(name)}`)
      at++
      space()
      const member = read(memberPath, depth + 1)
      // As an own property whatever its name is.
      Object.defineProperty(value, name, { value: member, writable: true, enumerable: true, configurable: true })
      space()
      if (text[at] === '}') break
      separated('}', start)
    }
    at++
    return value
  }

  function list(path: string, depth: number): unknown[] {
    const start = at
    const value: unknown[] = []
    at++
    for (let first = true; ; first = false) {
      space()
      if (text[at] === ']') {
        if (!first) slip('there is a comma too many before this ]')
        break
      }
      if (at >= text.length) throw mistake(unclosed(start))
      lines.set(`${path}.${value.length}`, placeOf(at).line)
      value.push(read(`${path}.${value.length}`, depth + 1))
      space()
      if (text[at] === ']') break
      separated(']', start)
    }
    at++
    return value
  }

  function separated(end: '}' | ']', start: number): void {
    if (text[at] === ',') return void at++
    if (at >= text.length) throw mistake(unclosed(start))
    // The comma belongs where the member before it ends.
    let behind = at
    while (/\s/.test(text[behind - 1] ?? '')) behind--
    if (text[at] === '"' || text[at] === '{' || text[at] === '[' || /[-\w]/.test(text[at]!))
      return slip('a comma is missing here', behind)
    throw mistake(`there must be a comma or ${end} here, and there is ${JSON.stringify(text[at])}${comment()}`)
  }

  function string(): string {
    const start = at
    for (at++; text[at] !== '"'; at++) {
      if (at >= text.length || text[at] === '\n') throw mistake('this text has no " at its end', start)
      if (text[at] === '\\') at++
      else if (text[at]! < ' ') throw mistake('a text cannot have a tab or another invisible sign in it: write \\t')
    }
    at++
    try {
      return JSON.parse(text.slice(start, at))
    } catch {
      throw mistake('this text has a \\ that means nothing: write \\\\ for the sign itself', start)
    }
  }

  function space(): void {
    while (at < text.length && ' \t\n\r'.includes(text[at]!)) at++
  }

  function skip<Value>(word: string, value: Value): Value {
    at += word.length
    return value
  }

  function wrongName(): string {
    const word = /^[\w-]+/.exec(text.slice(at, at + 100))?.[0]
    if (word !== undefined) return `${word} needs quotes: "${word}"`
    if (text[at] === "'") return `JSON takes " and not '`
    if (text[at] === ',') return 'there is a comma too many here'
    return `there must be a name in quotes here, and there is ${JSON.stringify(text[at])}${comment()}`
  }

  function wrongValue(word: string): string {
    if (at >= text.length)
      return text.trim() === ''
        ? 'the file is empty'
        : 'the file ends in the middle of something: a value, and } at the end'
    if (text[at] === "'") return `JSON takes " and not '`
    if (/^0x[0-9a-f]+$/i.test(word)) return `${word} must be a text: write "${word}"`
    if (/^[-+]?[.\d]/.test(word)) return `${word} is no number as JSON writes them, such as 0.5, 30 or -1`
    if (/^(true|false|null|yes|no|on|off)$/i.test(word))
      return `${word} is no word of JSON: write true, false, or a text in quotes`
    if (word !== '') return `${word} needs quotes: "${word}"`
    if (text[at] === ',' || text[at] === '}' || text[at] === ']') return `a value is missing before this ${text[at]}`
    return `there must be a value here, and there is ${JSON.stringify(text[at])}${comment()}`
  }

  function comment(): string {
    return /^(\/[/*]|#)/.test(text.slice(at, at + 2))
      ? '. JSON has no comments: take it out, or write it as a "description"'
      : ''
  }

  function unclosed(start: number): string {
    return `the file ends, and the ${text[start]} of line ${placeOf(start).line} is still open: a ${text[start] === '{' ? '}' : ']'} is missing`
  }

  function slip(text: string, where = at): void {
    slips.push({ text, place: placeOf(where) })
  }

  function mistake(message: string, where = at): JsonMistake {
    return new JsonMistake(message, placeOf(where))
  }

  function placeOf(offset: number): Place {
    const before = text.slice(0, offset)
    const start = before.lastIndexOf('\n') + 1
    return { line: before.split('\n').length, column: offset - start + 1 }
  }
}
