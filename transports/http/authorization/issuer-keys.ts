import type { JWTVerifyGetKey } from 'jose'
import { AuthorizationError } from './authorization-error.ts'
import { findJwksUri } from './issuer-metadata.ts'
import { loadJose } from './load-jose.ts'

/** Where the keys of an issuer are, and how they are kept. */
export interface IssuerKeysOptions {
  issuer: string
  /** Where they are; the issuer's metadata says so when left out. */
  jwksUri?: URL | undefined
  /** How long the issuer may take for an answer. */
  timeoutMs: number
  /** How long after a look at the keys a token with an unknown key is no reason for another look. */
  cooldownMs: number
  /** After this long the keys are fetched again, so that one that was withdrawn is not trusted for ever. */
  maxAgeMs: number
}

/** The public keys of an issuer (RFC 7517), fetched when they are needed, and again when a token names a new one. */
export interface IssuerKeys {
  /** Finds the key of a token. */
  readonly find: JWTVerifyGetKey
  /** Fetches the keys if need be. */
  load(): Promise<void>
}

/** What a token is to blame for. Anything else that goes wrong on the way to a key is the issuer's. */
const faultsOfTheToken = [
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JWS_INVALID',
]

/**
 * The keys of an issuer. Both of its functions throw an {@link AuthorizationError} with code `issuer` when the issuer
 * does not give its keys: then nothing can be told of any token.
 */
export function issuerKeys(options: IssuerKeysOptions): IssuerKeys {
  const { issuer, timeoutMs, cooldownMs, maxAgeMs } = options
  let finding: ReturnType<typeof connect> | undefined
  const keySet = () => {
    finding ??= connect().catch(thrown => {
      finding = undefined
      throw thrown
    })
    return finding
  }
  return {
    async find(header, token) {
      const set = await keySet()
      try {
        return await set(header, token)
      } catch (thrown) {
        const { code } = thrown as { code?: string }
        throw code !== undefined && faultsOfTheToken.includes(code) ? thrown : noKeys(issuer, thrown)
      }
    },
    async load() {
      const set = await keySet()
      if (set.fresh) return
      await set.reload().catch(thrown => {
        throw noKeys(issuer, thrown)
      })
    },
  }

  async function connect() {
    const { createRemoteJWKSet } = await loadJose()
    const url = options.jwksUri ?? (await findJwksUri(issuer, timeoutMs))
    return createRemoteJWKSet(url, { timeoutDuration: timeoutMs, cooldownDuration: cooldownMs, cacheMaxAge: maxAgeMs })
  }
}

function noKeys(issuer: string, thrown: unknown): AuthorizationError {
  const { message, cause } = thrown as Error
  const why = cause instanceof Error ? cause.message : message
  return new AuthorizationError('issuer', `the issuer ${issuer} does not give its keys: ${why}`, { cause: thrown })
}
