import type { Authorized, Authorizer } from '../authorizer.ts'
import { type AccessTokenRules, checkAccessToken } from './access-token.ts'
import { AuthorizationError } from './authorization-error.ts'
import { bearerToken, type Problem, refused } from './bearer.ts'
import { issuerKeys } from './issuer-keys.ts'
import { loadJose } from './load-jose.ts'
import { metadataPages, metadataUrl, resourceMetadata } from './resource-metadata.ts'
import { scopes as defaultScopes, type Scopes } from './scopes.ts'
import { secureUrl } from './secure-url.ts'
import { seldom } from './seldom.ts'

/** Who gives the access tokens, and for what. */
export interface OAuthOptions {
  /** The authorization server, exactly as its tokens say it in `iss`. https, or http on localhost. */
  issuer: string
  /**
   * The address of this server's endpoint, as clients know it: they ask for tokens for this resource (RFC 8707), and
   * tokens for any other are refused.
   */
  audience: string
  /** Where the issuer's keys are (RFC 7517); its metadata says so when left out. */
  jwksUri?: string
  /** What the issuer calls the two scopes, where it has names of its own. */
  scopes?: Scopes
  /** What clients show people as the name of this server. */
  name?: string
  /** The ways of signing that are accepted; never one with a shared secret, and never none. */
  algorithms?: readonly string[]
  /**
   * The types of token that are accepted: `at+jwt`, which RFC 9068 asks for, and `JWT`, which is what Keycloak, Auth0 and
   * Entra say unless told otherwise. Tokens for logging in are also called JWT; they have another audience and no scopes.
   */
  types?: readonly string[]
  /** How far the clocks may differ. */
  clockToleranceSeconds?: number
  /** How long the issuer may take for an answer. */
  timeoutMs?: number
  /** How long after a look at the issuer's keys an unknown key is no reason for another look. */
  keyCooldownMs?: number
  /** After this long the issuer's keys are fetched again. */
  keyMaxAgeMs?: number
  /** Is told when tokens cannot be checked. */
  say?(text: string): void
}

/** An authorizer that takes the tokens of an OAuth authorization server. */
export interface OAuthAuthorizer extends Authorizer {
  pages: NonNullable<Authorizer['pages']>
  /**
   * Fetches the issuer's keys, so that a mistake is seen at the start and not at the first request. Serving need not wait
   * for it: the issuer may start later than this server.
   *
   * @throws AuthorizationError with what is wrong
   */
  ready(): Promise<void>
}

const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/**
 * Makes this server an OAuth 2.1 resource server, as the authorization pages of MCP describe it: it tells clients where
 * to get a token (RFC 9728) and checks the JWT access tokens that they bring. The client is `oauth:CLIENT:SUBJECT`. While
 * the issuer's keys cannot be had nobody is let in.
 *
 * @throws AuthorizationError with code `options`
 */
export function oauthAuthorizer(options: OAuthOptions): OAuthAuthorizer {
  const { issuer, audience, scopes = defaultScopes, name = 'Ferrule', say = () => {} } = options
  secureUrl(issuer, 'the issuer')
  const resource = secureUrl(audience, 'the audience')
  const algorithms = options.algorithms ?? asymmetric
  const strange = algorithms.find(each => !asymmetric.includes(each))
  if (strange !== undefined) {
    throw new AuthorizationError('options', `the algorithm ${strange} is not accepted: ${asymmetric.join(', ')} are`)
  }
  const rules: AccessTokenRules = {
    issuer,
    // An address without a path is the same with a slash behind it (RFC 3986, section 6.2.3), and clients write both.
    audiences: resource.pathname === '/' ? [audience, resource.origin, resource.href] : [audience],
    scopes,
    algorithms,
    types: options.types ?? ['at+jwt', 'JWT'],
    clockToleranceSeconds: options.clockToleranceSeconds ?? 30,
  }
  const keys = issuerKeys({
    issuer,
    jwksUri: options.jwksUri === undefined ? undefined : secureUrl(options.jwksUri, 'the address of the keys'),
    timeoutMs: options.timeoutMs ?? 5000,
    cooldownMs: options.keyCooldownMs ?? 30_000,
    maxAgeMs: options.keyMaxAgeMs ?? 600_000,
  })
  const challenge = {
    resource_metadata: metadataUrl(resource),
    // Both: a client asks for all that it is told here, and the issuer grants what the person may have.
    scope: `${scopes.read} ${scopes.act}`,
  }
  const tell = seldom(say)
  return {
    pages: metadataPages(resource, resourceMetadata(audience, issuer, scopes, name)),
    async ready() {
      await loadJose()
      await keys.load()
    },
    async authorize(request) {
      const token = bearerToken(request)
      const found = typeof token === 'string' ? await check(token) : token
      return 'access' in found ? found : refused(found, challenge)
    },
  }

  async function check(token: string): Promise<Authorized | Problem> {
    try {
      return await checkAccessToken(token, keys, rules)
    } catch (thrown) {
      tell(thrown instanceof Error ? thrown.message : String(thrown))
      return cannotTell
    }
  }
}

const cannotTell: Problem = {
  status: 503,
  message:
    'This server cannot check tokens just now, so it lets nobody in: its log says why. Keep the token and try again.',
}
