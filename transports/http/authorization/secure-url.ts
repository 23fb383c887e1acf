import { isIPv4 } from 'node:net'
import { AuthorizationError } from './authorization-error.ts'

/**
 * An address that nobody on the way can read or answer for: https, or http within this machine.
 *
 * @param what how the address is called where it was given
 * @throws AuthorizationError with code `options`
 */
export function secureUrl(text: string, what: string): URL {
  const wrong = (reason: string) => new AuthorizationError('options', `${what} ${text} ${reason}`)
  if (!URL.canParse(text)) throw wrong('is no address: it looks like https://greenhouse.example/mcp')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw wrong('must begin with https: (http: only for localhost), or anyone on the way could let themselves in')
  }
  if (url.username !== '' || url.password !== '') throw wrong('must not hold a user name or a password')
  if (url.search !== '' || url.hash !== '') throw wrong('must end before any ? or #')
  return url
}

function isLoopback(hostname: string): boolean {
  // A name may begin with 127. too.
  if (isIPv4(hostname)) return hostname.startsWith('127.')
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]'
}
