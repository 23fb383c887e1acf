import { DefinitionError } from './errors.ts'

// Our own, because of the libraries none is both right and linear: uri-template-matcher tries every boundary with every
// other and takes `{+path}/raw` for no match of `a/raw/b/raw`; uri-template-router lets no part of a list or query be
// left out or change its place, needs 5 to 150 ms to compile one template, and throws for `%FF`.

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
      try {
        return ends && valuesOf(uri, parts, ends)
      } catch {
        // Malformed percent-encoding.
        return undefined
      }
    },
  }
}

/** An expression, `{?q,limit}`; a literal is a plain string. */
interface Expression {
  readonly operator: string
  readonly names: string[]
  /** Whether the one variable is a list, as in `{?tag*}`. */
  readonly isList: boolean
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
  // Whoever copies the values one by one would set a prototype.
  const taken = new Set(['__proto__'])
  for (const piece of template.split(/(\{[^{}]*\})/)) {
    if (piece === '') continue
    const [, operator, list] = /^\{([+#./;?&]?)(.*)\}$/.exec(piece) ?? []
    if (operator === undefined || list === undefined) {
      if (/[{}]/.test(piece)) throw wrong('has a brace without its partner')
      if (!literal.test(piece)) throw wrong(`${JSON.stringify(piece)} holds a character that no URI has`)
      parts.push(piece)
      continue
    }
    const isList = list.endsWith('*') && !list.includes(',')
    const names = (isList ? list.slice(0, -1) : list).split(',')
    for (const name of names) {
      if (/:\d+$/.test(name)) throw wrong(`${piece} gives only the beginning of a value, which cannot be matched back`)
      if (!variable.test(name)) throw wrong(`${piece} is no list of variable names`)
      if (taken.has(name)) throw wrong(`the variable "${name}" is taken`)
      taken.add(name)
    }
    if (isList && (operator === '/' || operator === ';')) throw wrong(`${piece} cannot be matched; use {+${names[0]}}`)
    if ((operator === '' || operator === '+') && typeof parts.at(-1) === 'object') {
      throw wrong(`nothing tells where the variable before ${piece} ends`)
    }
    if (operator === '/') parts.push(...names.map(name => ({ operator, names: [name], isList })))
    else parts.push({ operator, names, isList })
  }
  return parts
}

/**
 * Where each part ends in the URI; nothing when the URI is not of this template. For each part, from the last to the
 * first, it notes where the part ends if it begins here and the rest fits: time and memory are parts times length.
 */
function divide(uri: string, parts: readonly Part[]): number[] | undefined {
  const { length } = uri
  let next = new Int16Array(length + 1).fill(-1)
  next[length] = length
  const table = parts.toReversed().map(part => {
    next = typeof part === 'string' ? endsOfLiteral(uri, part, next) : endsOfExpression(uri, part, next)
    return next
  })
  let at = 0
  const ends = table.reverse().map(here => {
    at = at < 0 ? at : here[at]!
    return at
  })
  return at < 0 ? undefined : ends
}

/** For each place in the URI, where the literal that begins there ends; -1 where it does not, or the rest fails. */
function endsOfLiteral(uri: string, text: string, next: Int16Array): Int16Array<ArrayBuffer> {
  return next.map((_, i) => (uri.startsWith(text, i) && next[i + text.length]! >= 0 ? i + text.length : -1))
}

/** The same for an expression. */
function endsOfExpression(uri: string, { operator }: Expression, next: Int16Array): Int16Array<ArrayBuffer> {
  const here = new Int16Array(next.length)
  const forbidden = operator === '+' || operator === '#' ? '' : operator === '?' || operator === '&' ? '#' : '/?#'
  // The nearest place that can be reached through allowed characters and from which the rest fits.
  let nearest = -1
  for (let i = uri.length; i >= 0; i--) {
    const afterOne = nearest
    const isAllowed = i < uri.length && !forbidden.includes(uri[i]!)
    const empty = next[i]! >= 0 ? i : -1
    nearest = empty >= 0 ? empty : isAllowed ? afterOne : -1
    if (operator === '+') here[i] = nearest
    else if (operator === '') here[i] = isAllowed ? afterOne : -1
    // What stands here is rather the value of this variable than of a later one: `{/a}{/b}` reads /x as a.
    else here[i] = uri[i] === operator && afterOne >= 0 ? afterOne : empty
  }
  return here
}

function valuesOf(uri: string, parts: readonly Part[], ends: readonly number[]): Record<string, string> | undefined {
  const values: Record<string, string> = Object.create(null)
  for (const [p, part] of parts.entries()) {
    if (typeof part === 'string') continue
    const { operator } = part
    const text = uri.slice(ends[p - 1] ?? 0, ends[p])
    // An expression with an operator that is not there leaves its variables out; `{+path}` is then the empty text.
    if (text === '' && operator !== '+') continue
    const isNamed = operator === ';' || operator === '?' || operator === '&'
    const list = operator === '' || operator === '+' ? text : text.slice(1)
    if (!(isNamed ? takeNamed(part, list, values) : takeInOrder(part, list, values))) return undefined
  }
  return values
}

/** `1,2` */
function takeInOrder({ operator, names, isList }: Expression, text: string, values: Record<string, string>): boolean {
  const items = names.length === 1 && !isList ? [text] : text.split(operator === '.' ? '.' : ',')
  if (isList) values[names[0]!] = items.map(decodeURIComponent).join(',')
  else for (const [i, name] of names.entries()) if (i < items.length) values[name] = decodeURIComponent(items[i]!)
  return isList || items.length <= names.length
}

/** `x=1&y=2`. A name that the template lacks, or one that comes twice and is no list, would be lost without a word. */
function takeNamed({ operator, names, isList }: Expression, text: string, values: Record<string, string>): boolean {
  const separator = operator === ';' ? ';' : '&'
  for (const item of text.split(separator)) {
    const equals = item.indexOf('=')
    const name = equals < 0 ? item : item.slice(0, equals)
    const before = values[name]
    // `;x` says that x is empty, where a query says `x=` (RFC 6570, section 3.2.7).
    const isSaid = equals >= 0 || operator === ';'
    if (!isSaid || !names.includes(name) || (before !== undefined && !isList)) return false
    const value = equals < 0 ? '' : decodeURIComponent(item.slice(equals + 1))
    values[name] = before === undefined ? value : `${before},${value}`
  }
  return true
}
