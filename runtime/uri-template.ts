import { UriTemplateMatcher } from 'uri-template-matcher'
import { DefinitionError } from './errors.ts'

// The only file that knows the URI template library, of which it uses the part that is right: taking the text of one
// expression apart and decoding it. Where each expression begins and ends is found here, because the library
//   - tries every boundary of every expression with every other: with three of them a URI of 8 KiB takes hours;
//   - stops at the first way to match a beginning of the URI: `{+path}/raw` misses `a/raw/b/raw`;
//   - takes any text for an expression with an operator: `/search{?q}` matches `/searching`;
//   - drops what is left over, such as the third of `1,2,3` in `{x,y}` and unknown names in a query.

/** A URI template (RFC 6570, levels 1 to 3) that is ready to match URIs. */
export interface UriTemplate {
  readonly template: string
  /** The names of the variables, in the order in which they appear. */
  readonly variables: string[]
  /**
   * The decoded values of the variables when this URI is of this template, `undefined` otherwise; never throws. Where
   * a URI can be read in several ways, earlier variables take as little as they can. A variable that the URI leaves
   * out is missing from the record (`{?q}`), which has no prototype. A list is joined with `,`.
   */
  match(uri: string): Record<string, string> | undefined
}

const maxTemplateLength = 2048
const maxUriLength = 8192

/**
 * Compiles a URI template. A variable without operator is one part of the path: it is not empty and holds no `/`, `?`
 * or `#`. Use `{+path}` for several parts.
 *
 * @throws DefinitionError for what is no URI template, and for what cannot be matched back without guessing: `{a:3}`,
 *   `{/a*}`, two variables with nothing between them, or the same variable twice
 */
export function compileUriTemplate(template: string): UriTemplate {
  const parts = parse(template)
  const first = parts[0]
  const start = typeof first === 'string' ? first : ''
  return {
    template,
    variables: parts.flatMap(part => (typeof part === 'string' ? [] : part.names)),
    match(uri) {
      if (typeof uri !== 'string' || uri.length > maxUriLength || !uri.startsWith(start)) return undefined
      const ends = divide(uri, parts)
      return ends === undefined ? undefined : valuesOf(uri, parts, ends)
    },
  }
}

/** An expression, `{?q,limit}`; a literal is a plain string. */
interface Expression {
  readonly operator: string
  readonly names: string[]
  /** Whether the one variable is a list, as in `{?tag*}`. */
  readonly list: boolean
  /** The library's matcher for this expression alone, for which it has nothing to try. */
  readonly matcher: UriTemplateMatcher
}

type Part = string | Expression

const variable = /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*$/
// What RFC 6570, section 2.1 allows outside of braces; anything else would have to be percent-encoded in the URI.
const literal = /^(?:[!#$&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]|%[0-9A-Fa-f]{2})*$/

function parse(template: string): Part[] {
  const wrong = (text: string) => new DefinitionError(`URI template ${JSON.stringify(template)}: ${text}`)
  if (typeof template !== 'string') throw wrong('must be a string')
  if (template === '') throw wrong('is empty')
  if (template.length > maxTemplateLength) {
    throw new DefinitionError(`URI template: is longer than ${maxTemplateLength} characters`)
  }
  const parts: Part[] = []
  const seen = new Set<string>()
  for (const piece of template.split(/(\{[^{}]*\})/)) {
    if (piece === '') continue
    if (!piece.startsWith('{') || !piece.endsWith('}')) {
      if (/[{}]/.test(piece)) throw wrong('has a brace without its partner')
      if (!literal.test(piece)) throw wrong(`${JSON.stringify(piece)} holds a character that no URI has`)
      parts.push(piece)
      continue
    }
    const [, operator = '', list = ''] = /^\{([+#./;?&]?)(.*)\}$/.exec(piece) ?? []
    const names = list.split(',')
    const isList = names.length === 1 && list.endsWith('*')
    if (isList) names[0] = list.slice(0, -1)
    for (const name of names) {
      if (/:\d+$/.test(name)) throw wrong(`${piece} gives only the beginning of a value, which cannot be matched back`)
      if (!variable.test(name)) throw wrong(`${piece} is no list of variable names`)
      // The library would set it as a prototype.
      if (name === '__proto__' || seen.has(name)) throw wrong(`the variable "${name}" is taken`)
      seen.add(name)
    }
    if (isList && (operator === '/' || operator === ';')) throw wrong(`${piece} cannot be matched; use {+${names[0]}}`)
    if ((operator === '' || operator === '+') && typeof parts.at(-1) === 'object') {
      throw wrong(`nothing tells where the variable before ${piece} ends`)
    }
    // `{/a,b}` means `{/a}{/b}`, but the library separates its values at commas.
    const groups = operator === '/' ? names.map(name => [name]) : [names]
    for (const group of groups) {
      const matcher = new UriTemplateMatcher()
      matcher.add(`{${operator}${group.join(',')}${isList ? '*' : ''}}`)
      parts.push({ operator, names: group, list: isList, matcher })
    }
  }
  return parts
}

/**
 * Where each part ends in the URI; nothing when the URI is not of this template. For each part, from the last to the
 * first, it marks the places from which the rest fits: time and memory are parts times length, whatever the URI.
 */
function divide(uri: string, parts: readonly Part[]): number[] | undefined {
  const length = uri.length
  // fits[p][i]: the parts from p on fit the URI from i on.
  const fits = parts.map(() => new Uint8Array(length + 1))
  const end = new Uint8Array(length + 1)
  end[length] = 1
  fits.push(end)
  for (let p = parts.length - 1; p >= 0; p--) {
    const part = parts[p]!
    const here = fits[p]!
    const next = fits[p + 1]!
    if (typeof part === 'string') {
      for (let i = 0; i + part.length <= length; i++) {
        if (next[i + part.length] === 1 && uri.startsWith(part, i)) here[i] = 1
      }
      continue
    }
    // Whether the rest fits somewhere within the run of allowed characters that begins here.
    let reachable = 0
    for (let i = length; i >= 0; i--) {
      const after = reachable
      reachable = next[i] === 1 || (i < length && allows(part, uri.charCodeAt(i)) && after === 1) ? 1 : 0
      if (part.operator === '+') here[i] = reachable
      else if (part.operator === '') here[i] = i < length && allows(part, uri.charCodeAt(i)) ? after : 0
      else here[i] = next[i] === 1 || (uri[i] === part.operator && after === 1) ? 1 : 0
    }
  }
  if (fits[0]![0] !== 1) return undefined

  const ends: number[] = []
  let at = 0
  for (let p = 0; p < parts.length; p++) {
    const part = parts[p]!
    const next = fits[p + 1]!
    if (typeof part === 'string') at += part.length
    // What stands there is rather the value of this variable than of a later one: `{/a}{/b}` reads /x as a.
    else if (part.operator === '+') while (next[at] !== 1) at++
    else if (part.operator === '' || uri[at] === part.operator) {
      const from = at++
      while (at <= length && next[at] !== 1 && allows(part, uri.charCodeAt(at))) at++
      if (next[at] !== 1) at = from
    }
    ends.push(at)
  }
  return ends
}

const slash = 0x2f
const question = 0x3f
const hash = 0x23

function allows(part: Expression, code: number): boolean {
  switch (part.operator) {
    case '+':
    case '#':
      return true
    case '?':
    case '&':
      return code !== hash
    default:
      return code !== slash && code !== question && code !== hash
  }
}

function valuesOf(uri: string, parts: readonly Part[], ends: readonly number[]): Record<string, string> | undefined {
  const values: Record<string, string> = Object.create(null)
  let from = 0
  for (const [p, part] of parts.entries()) {
    const text = uri.slice(from, ends[p])
    from = ends[p]!
    if (typeof part === 'string') continue
    // An expression with an operator that is not there leaves its variables out; `{+path}` is then the empty text.
    if (text === '' && part.operator !== '+') continue
    if (!take(part, text, values)) return undefined
  }
  return values
}

function take(part: Expression, text: string, values: Record<string, string>): boolean {
  let params: Record<string, string | string[]> | undefined
  try {
    params = part.matcher.match(text)?.params
  } catch {
    // The library throws for malformed percent-encoding.
  }
  if (params === undefined) return false
  const query = part.operator === '?' || part.operator === '&' || part.operator === ';'
  const pieces = piecesOf(part, text)
  const names = Object.keys(params).slice(0, pieces)
  // A value too many, a name that the template lacks and a name given twice would be lost without a word.
  if (!part.list && (query ? names.length !== pieces : pieces > part.names.length)) return false
  for (const name of names) {
    const value = params[name]!
    if (typeof value === 'string') {
      values[name] = value
      continue
    }
    // The library leaves the name in front of each value of a list in a query.
    if (query && !value.every(item => item.startsWith(`${name}=`))) return false
    values[name] = value.map(item => (query ? item.slice(name.length + 1) : item)).join(',')
  }
  return true
}

/** How many values the text of an expression holds; a single variable takes all of it, but for a query. */
function piecesOf(part: Expression, text: string): number {
  if (part.operator === '?' || part.operator === '&') return text.slice(1).split('&').length
  if (part.operator === ';') return text.slice(1).split(';').length
  if (part.names.length === 1) return 1
  return part.operator === '.' ? text.slice(1).split('.').length : text.split(',').length
}
