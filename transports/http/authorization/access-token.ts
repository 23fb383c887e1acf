import type { JWTHeaderParameters, JWTPayload } from 'jose'
import type { Authorized } from '../authorizer.ts'
import { AuthorizationError } from './authorization-error.ts'
import type { Problem } from './bearer.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { loadJose } from './load-jose.ts'
import { accessOf, type Scopes } from './scopes.ts'

/** What an access token has to be. */
export interface AccessTokenRules {
  issuer: string
  /** The audience, in each way that it may be written. */
  audiences: readonly string[]
  scopes: Scopes
  algorithms: readonly string[]
  /** Values of the header `typ`. */
  types: readonly string[]
  clockToleranceSeconds: number
}

/**
 * Checks a JWT access token (RFC 9068, section 4): signature, issuer, audience, times, type and scopes.
 *
 * @returns who it speaks for, or what is wrong with it
 * @throws AuthorizationError when the issuer's keys cannot be had, so that nothing can be told of the token
 */
export async function checkAccessToken(
  token: string,
  keys: IssuerKeys,
  rules: AccessTokenRules,
): Promise<Authorized | Problem> {
  const { jwtVerify } = await loadJose()
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
      issuer: rules.issuer,
      audience: [...rules.audiences],
      algorithms: [...rules.algorithms],
      clockTolerance: rules.clockToleranceSeconds,
      requiredClaims: ['exp'],
    })
    return judge(payload, protectedHeader, rules)
  } catch (thrown) {
    if (thrown instanceof AuthorizationError) throw thrown
    return invalid(reason(thrown, rules))
  }
}

/** What is left to look at when the token is known to be the issuer's, for us, and in time. */
function judge(payload: JWTPayload, { typ }: JWTHeaderParameters, rules: AccessTokenRules): Authorized | Problem {
  const type = typ?.toLowerCase().replace(/^application\//, '')
  if (!rules.types.some(each => each.toLowerCase() === type)) {
    return invalid(`is no access token: its type is ${shown(typ)}, not ${rules.types.join(' or ')}`)
  }
  if (payload.cnf !== undefined) {
    // RFC 9449, section 7.1: as a bearer token, it would work for whoever stole it.
    return invalid('is bound to a key (cnf), which this server cannot check: have the issuer give plain bearer tokens')
  }
  const client = clientOf(payload)
  if (client === undefined) return invalid('says neither whose it is (sub) nor which client has it (client_id)')
  const access = accessOf(scopesOf(payload), rules.scopes)
  if (access !== undefined) return { access, client }
  const { read, act } = rules.scopes
  return {
    status: 403,
    error: 'insufficient_scope',
    message: `The access token has none of the scopes ${read} and ${act}: have the issuer grant one of them.`,
  }
}

/** The scopes of a token: a text as in RFC 9068, or a list, under the name that some issuers give it. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  const granted = scope ?? scp
  if (typeof granted === 'string') return granted.split(' ')
  return Array.isArray(granted) ? granted.filter(each => typeof each === 'string') : []
}

/** One name for each pair of client and person, without characters that mean something elsewhere. */
function clientOf({ client_id, azp, sub }: JWTPayload): string | undefined {
  const [client, person] = [client_id ?? azp, sub].map(each =>
    typeof each === 'string' ? encodeURIComponent(each) : '',
  )
  return client || person ? `oauth:${client}:${person}` : undefined
}

function invalid(what: string): Problem {
  return { status: 401, error: 'invalid_token', message: `The access token ${what}.` }
}

/** What the holder of a token is told: their own token is no secret to them. */
function reason(thrown: unknown, { issuer, audiences }: AccessTokenRules): string {
  const { code, claim, payload } = thrown as { code?: string; claim?: string; payload?: JWTPayload }
  if (code === 'ERR_JWT_EXPIRED') return 'has expired'
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
    if (claim === 'aud') return `is for another server: its audience is ${shown(payload?.aud)}, not ${audiences[0]}`
    if (claim === 'iss') return `is from another issuer: ${shown(payload?.iss)}, not ${issuer}`
    if (claim === 'nbf') return 'is not valid yet: are the clocks of the issuer and of this machine right?'
    if (claim === 'exp') return 'has no end of its time (exp)'
  }
  if (code === 'ERR_JOSE_ALG_NOT_ALLOWED') return 'is signed in a way that is not accepted here'
  if (code === 'ERR_JWKS_NO_MATCHING_KEY') return 'is signed with a key that the issuer does not have'
  if (code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'has a wrong signature'
  return 'is no signed JWT: this server takes no others, so have the issuer give JWT access tokens'
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 200)
}
