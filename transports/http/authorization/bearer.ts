import type { Authorizer, Refused } from '../authorizer.ts'

/** What a client asks with. */
export type AuthorizationRequest = Parameters<Authorizer['authorize']>[0]

/** Why a request is turned away. The errors are those of RFC 6750, section 3.1. */
export interface Problem {
  status: Refused['status']
  error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  /** One sentence for a person. It never holds the token. */
  message: string
}

/**
 * The bearer token of a request (RFC 6750, section 2.1), or why there is none. A token in the address is refused, even
 * beside a good header: addresses end up in logs, in histories and in what a browser tells the next page.
 */
export function bearerToken({ headers, url }: AuthorizationRequest): string | Problem {
  for (const [name, value] of url.searchParams) {
    if (name === 'access_token' || value.startsWith('ferrule_')) return inAddress
  }
  const { authorization } = headers
  const [, scheme, token] = /^([^ ]+)(?: +(.*))?$/.exec(authorization?.trim() ?? '') ?? []
  if (scheme?.toLowerCase() !== 'bearer') return missing
  return /^[\w.~+/-]+=*$/.test(token ?? '') ? token! : malformed
}

const missing: Problem = {
  status: 401,
  // Without an error: a client that sent nothing learns how to ask, and nothing else (RFC 6750, section 3.1).
  message: 'This server asks for a token: send it as "Authorization: Bearer TOKEN".',
}
const malformed: Problem = {
  status: 400,
  error: 'invalid_request',
  message: 'The Authorization header must be "Bearer", a space, and the token, with nothing around it.',
}
const inAddress: Problem = {
  status: 400,
  error: 'invalid_request',
  message:
    'A token does not belong in an address, which is kept in logs and histories: send it in the Authorization header. ' +
    'Revoke this one and make another.',
}

/**
 * The answer to a request that is turned away.
 *
 * @param parameters what the challenge says besides the error (RFC 6750, section 3, and RFC 9728, section 5.1)
 */
export function refused(problem: Problem, parameters: Readonly<Record<string, string>>): Refused {
  const { status, error, message } = problem
  if (status === 503) return { status, headers: { 'Retry-After': '5' }, message }
  const all = { ...parameters, ...(error && { error, error_description: message }) }
  const challenge = Object.entries(all).map(([name, value]) => `${name}="${quotable(value)}"`)
  return { status, headers: { 'WWW-Authenticate': `Bearer ${challenge.join(', ')}` }, message }
}

/** RFC 6750, section 3, leaves the quotation mark and the backslash out of these values, and all beyond ASCII. */
function quotable(text: string): string {
  return text.replaceAll('"', "'").replace(/[^ -~]|\\/g, '?')
}
