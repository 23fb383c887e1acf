import type { Authorizer } from '../authorizer.ts'
import { AuthorizationError } from './authorization-error.ts'
import { bearerToken, type Problem, refused } from './bearer.ts'
import { accessOf, scopes } from './scopes.ts'
import { seldom } from './seldom.ts'
import { isExpired, type StoredToken, type TokenStore } from './stored-token.ts'
import { hashOf, isSameHash } from './token.ts'

/** How tokens are asked for. */
export interface TokenAuthorizerOptions {
  /** What the client is told that the token is for. */
  realm?: string
  /** Is told when the tokens cannot be read. */
  say?(text: string): void
  /** The time in ms since 1970. */
  now?(): number
}

/**
 * Lets in who has one of the tokens of a store, sent as `Authorization: Bearer` (RFC 6750). The client is `token:NAME`.
 * While the store cannot be read nobody is let in.
 */
export function tokenAuthorizer(store: TokenStore, options: TokenAuthorizerOptions = {}): Authorizer {
  const { realm = 'ferrule', say = () => {}, now = Date.now } = options
  const tell = seldom(say, now)
  const refuse = (problem: Problem) => refused(problem, { realm, scope: `${scopes.read} ${scopes.act}` })
  return {
    async authorize(request) {
      const token = bearerToken(request)
      if (typeof token !== 'string') return refuse(token)
      let tokens: readonly StoredToken[]
      try {
        tokens = await store.tokens()
      } catch (thrown) {
        tell(thrown instanceof AuthorizationError ? thrown.message : `the tokens cannot be read: ${thrown}`)
        return refuse(unreadable)
      }
      const found = match(token, tokens)
      if (found === undefined) return refuse(unknown)
      if (isExpired(found, now())) return refuse(expired)
      return { access: accessOf([found.scope], scopes) ?? 'read', client: `token:${found.name}` }
    },
  }
}

/** Compares with every token, also behind the one that fits, so that the time tells nothing of the list either. */
function match(token: string, tokens: readonly StoredToken[]): StoredToken | undefined {
  const hash = hashOf(token)
  let found: StoredToken | undefined
  for (const each of tokens) if (isSameHash(hash, Buffer.from(each.sha256, 'base64url'))) found = each
  return found
}

const unknown: Problem = {
  status: 401,
  error: 'invalid_token',
  message: 'This token is not known here, or was revoked: make another with "ferrule token create NAME".',
}
const expired: Problem = {
  status: 401,
  error: 'invalid_token',
  message: 'This token has expired: make another with "ferrule token create NAME".',
}
const unreadable: Problem = {
  status: 503,
  message: 'This server cannot read its tokens, so it lets nobody in: its log says why.',
}
