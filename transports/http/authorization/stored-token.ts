import { AuthorizationError } from './authorization-error.ts'
import { scopes } from './scopes.ts'

/** What is kept of a token. The token itself is not. */
export interface StoredToken {
  /** Who has it. */
  name: string
  scope: (typeof scopes)[keyof typeof scopes]
  /** The SHA-256 of the token, as base64url. */
  sha256: string
  /** When it was made (RFC 3339). */
  created: string
  /** When it stops working (RFC 3339); never when left out. */
  expires?: string
}

/** Where tokens are kept. It is asked for every request, so that what was revoked stops working at once. */
export interface TokenStore {
  /** All that there are, expired ones too. */
  tokens(): readonly StoredToken[] | Promise<readonly StoredToken[]>
}

/** Whether a token has expired, by the time in ms since 1970. */
export function isExpired(token: StoredToken, now: number): boolean {
  return token.expires !== undefined && Date.parse(token.expires) <= now
}

const version = 1

/** Tokens as the text of a file. */
export function toText(tokens: readonly StoredToken[]): string {
  return `${JSON.stringify({ version, tokens }, null, 2)}\n`
}

/**
 * The tokens in the text of a file. One entry that cannot be read spoils the file: it may be the one that was to expire.
 *
 * @throws AuthorizationError that names the file and the entry
 */
export function fromText(text: string, file: string): StoredToken[] {
  const wrong = (what: string) => new AuthorizationError('token-file', `${file} ${what}`)
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw wrong('is not JSON: mend it, or remove it and make new tokens')
  }
  const found = content as { version?: unknown; tokens?: unknown } | null
  if (found?.version !== version) throw wrong(`is not a file of tokens that this version reads (version ${version})`)
  if (!Array.isArray(found.tokens)) throw wrong('has no list "tokens"')
  return found.tokens.map((entry: unknown, index) => {
    if (!isStoredToken(entry)) throw wrong(`has an entry that is no token: number ${index + 1} of "tokens"`)
    return entry
  })
}

function isStoredToken(entry: unknown): entry is StoredToken {
  if (typeof entry !== 'object' || entry === null) return false
  const { name, scope, sha256, created, expires } = entry as Partial<Record<keyof StoredToken, unknown>>
  return (
    typeof name === 'string' &&
    Object.values(scopes).some(known => known === scope) &&
    typeof sha256 === 'string' &&
    /^[\w-]{43}$/.test(sha256) &&
    isTime(created) &&
    (expires === undefined || isTime(expires))
  )
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
