import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Names of this computer for itself. */
const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Whether an address to listen at can be reached from this computer only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Why a request is not let in. */
export interface Barred {
  status: 400 | 403 | 421
  message: string
}

/**
 * Lets requests in by the name that they were sent to and by the web page that they come from, before anything else is
 * looked at. A page that has its own name point at this computer is found out by either.
 */
export class Gate {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>

  constructor(allowedHosts: readonly string[], allowedOrigins: readonly string[]) {
    this.#hosts = new Set([...loopbackNames, ...allowedHosts.map(host => host.toLowerCase())])
    this.#origins = new Set(allowedOrigins.map(origin => origin.toLowerCase().replace(/\/$/, '')))
  }

  /** Why this request is not let in; nothing when it is. */
  bars({ headers, rawHeaders, url = '', socket }: IncomingMessage): Barred | undefined {
    // An absolute URL would bring a second name, beside that of the header.
    if (!url.startsWith('/')) return { status: 400, message: 'The request must name a path' }
    if (count(rawHeaders, 'host') > 1) return { status: 400, message: 'The request names more than one host' }
    const host = headers.host?.toLowerCase() ?? ''
    // Anybody can have a name point here. Nobody can have an address do so, so the own one needs no permission.
    if (!this.#knowsHost(host) && addressIn(host) !== plainAddress(socket.localAddress)) {
      return {
        status: 421,
        message: `This server does not go by the name "${shown(host)}": allow it with allowedHosts`,
      }
    }
    const origin = headers.origin?.toLowerCase()
    if (origin !== undefined && !this.#knowsOrigin(origin, host)) {
      return {
        status: 403,
        message: `Pages of ${shown(origin)} may not use this server: allow them with allowedOrigins`,
      }
    }
    return undefined
  }

  #knowsHost(host: string): boolean {
    const parts = hostAndPort.exec(host)
    return parts !== null && (this.#hosts.has(parts[1]!) || this.#hosts.has(host))
  }

  #knowsOrigin(origin: string, host: string): boolean {
    if (this.#origins.has(origin)) return true
    const from = /^https?:\/\/([^/?#@\\]+)$/.exec(origin)?.[1]
    if (from === undefined) return false
    // A page of this very server, or one that a program on the reader's own computer serves.
    return from === host || loopbackNames.includes(hostAndPort.exec(from)?.[1] ?? '')
  }
}

/** The address that a host consists of, where it is no name. */
function addressIn(host: string): string | false {
  const address = hostAndPort.exec(host)?.[1]?.replace(/^\[|\]$/g, '') ?? ''
  return isIP(address) !== 0 && address
}

/** An IPv4 address as it is written, also where the connection is one of IPv6. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/, '')
}

const hostAndPort = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/

function count(rawHeaders: readonly string[], name: string): number {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === name) found++
  return found
}

/** The headers that let a page of an allowed origin read an answer. */
export function corsHeaders({ headers }: IncomingMessage): Record<string, string> {
  return headers.origin === undefined
    ? {}
    : {
        'Access-Control-Allow-Origin': headers.origin,
        'Access-Control-Expose-Headers': 'Mcp-Session-Id, WWW-Authenticate, Retry-After',
        Vary: 'Origin',
      }
}

const askable = /^(accept|authorization|content-type|last-event-id|mcp-[a-z0-9-]+)$/i

/** The headers that answer a preflight: what a page may send. */
export function preflightHeaders({ headers }: IncomingMessage): Record<string, string> {
  const asked = headers['access-control-request-headers'] ?? ''
  return {
    'Access-Control-Allow-Methods': 'POST, GET, DELETE',
    'Access-Control-Allow-Headers': asked
      .split(',')
      .map(name => name.trim())
      .filter(name => askable.test(name))
      .join(', '),
    'Access-Control-Max-Age': '600',
    // A page of the internet that may use a server in a private network (Private Network Access).
    ...(headers['access-control-request-private-network'] === 'true' && {
      'Access-Control-Allow-Private-Network': 'true',
    }),
  }
}

function shown(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?')
}
