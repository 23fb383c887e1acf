import type { Authorizer } from '../authorizer.ts'
import { bearerToken } from './bearer.ts'
import { tokenPrefix } from './token.ts'

/**
 * Takes tokens of Ferrule's own and access tokens of OAuth at one endpoint: scripts have the first, hosts get the second.
 * Who brings none is sent to the authorization server.
 */
export function eitherAuthorizer(tokens: Authorizer, oauth: Authorizer): Authorizer {
  return {
    pages: { ...tokens.pages, ...oauth.pages },
    authorize(request) {
      const token = bearerToken(request)
      return typeof token === 'string' && token.startsWith(tokenPrefix)
        ? tokens.authorize(request)
        : oauth.authorize(request)
    },
  }
}
