import type { Authorized, Authorizer } from '../authorizer.ts'
import { bearerToken } from './bearer.ts'
import { hashOf, isSameHash, newToken } from './token.ts'

/** A key for one run of a server: it looks like any token of Ferrule's, and is kept nowhere. */
export function newRunKey(): string {
  return newToken()
}

/**
 * Lets in who has the key of this run, sent as `Authorization: Bearer`, as a person. Who brings another token is for
 * `others` to decide.
 *
 * @param withoutToken what who brings none may do; `others` decide about them too when left out
 */
export function runKeyAuthorizer(key: string, others: Authorizer, withoutToken?: Authorized): Authorizer {
  const hash = hashOf(key)
  return {
    ...(others.pages && { pages: others.pages }),
    authorize(request) {
      const token = bearerToken(request)
      if (typeof token === 'string' && isSameHash(hashOf(token), hash)) return { access: 'person', client: 'page' }
      const hasNone = typeof token !== 'string' && token.status === 401
      return hasNone && withoutToken !== undefined ? withoutToken : others.authorize(request)
    },
  }
}
