import { AuthorizationError } from './authorization-error.ts'
import { secureUrl } from './secure-url.ts'

/**
 * Asks an issuer where it publishes its keys: its metadata (RFC 8414, section 3, and OpenID Connect Discovery 1.0,
 * section 4) is looked for at the three places that MCP names, in its order.
 *
 * @param issuer exactly as the issuer calls itself
 * @returns its `jwks_uri`
 * @throws AuthorizationError with code `issuer`: what was asked, and what came
 */
export async function findJwksUri(issuer: string, timeoutMs: number): Promise<URL> {
  const signal = AbortSignal.timeout(timeoutMs)
  const answers: string[] = []
  for (const url of metadataUrls(issuer)) {
    const found = await ask(url, signal)
    if (typeof found === 'string') answers.push(`${url} ${found}`)
    else return jwksUri(found, issuer, url)
  }
  const what = `the issuer ${issuer} does not say where its keys are`
  throw new AuthorizationError('issuer', [`${what}:`, ...answers].join('\n  '))
}

/** Where the metadata of an issuer may be. */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const forms = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  return [...new Set(forms)]
}

async function ask(url: string, signal: AbortSignal): Promise<object | string> {
  try {
    // What is trusted is this address: where it might send us to is not.
    const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } })
    if (response.status !== 200) return `answers ${response.status}`
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? body : 'answers with no metadata'
  } catch (thrown) {
    const { message, cause } = thrown as Error
    return `does not answer: ${cause instanceof Error ? cause.message : message}`
  }
}

function jwksUri(metadata: { issuer?: unknown; jwks_uri?: unknown }, issuer: string, url: string): URL {
  if (metadata.issuer !== issuer) {
    // RFC 8414, section 3.3: what does not match must not be used. Most often it is a slash at the end.
    const what = `${url} calls itself ${JSON.stringify(metadata.issuer)}, not "${issuer}"`
    throw new AuthorizationError('issuer', `${what}: give the issuer exactly as it calls itself`)
  }
  if (typeof metadata.jwks_uri !== 'string') {
    throw new AuthorizationError('issuer', `${url} names no jwks_uri: give the address of the keys too`)
  }
  return secureUrl(metadata.jwks_uri, `the jwks_uri of ${issuer},`)
}
