import type { Authorizer } from './authorizer.ts'

/** How the HTTP transport differs from the usual. Everything may be left out. */
export interface HttpOptions {
  /** Where it listens: a name or an address. `localhost`, which is 127.0.0.1 and ::1, when left out. */
  host?: string
  /** The port; 8970 when left out, any free one for 0. */
  port?: number
  /** The path of the endpoint; `/mcp` when left out. */
  path?: string
  /** Names under which it may be reached beside those of this computer itself, such as `pi.local` or `pi.local:8970`. */
  allowedHosts?: readonly string[]
  /** Web pages of other origins that may use it, such as `https://app.example.org`. */
  allowedOrigins?: readonly string[]
  /** Decides who a request comes from. Without one, everybody on this computer may do everything, and nobody else anything. */
  authorizer?: Authorizer
  /** Serves HTTPS with this key and certificate, both as PEM. */
  tls?: { key: string | Buffer; cert: string | Buffer }
  /** Serves the two endpoints of the revision 2024-11-05 as well: `/sse` and `/messages`. */
  legacySse?: boolean
  /** Pages that anyone may read, by path, such as `/`. */
  pages?: Readonly<Record<string, Page>>
  limits?: Partial<HttpLimits>
}

/** Makes a page each time that it is asked for. */
export type Page = () => {
  type: string
  body: string | Uint8Array
  /** Further headers, such as a Content-Security-Policy. */
  headers?: Readonly<Record<string, string>>
}

/** How much of everything there may be. */
export interface HttpLimits {
  /** The longest body that is read, in bytes; the server's `maxLineBytes` when left out. */
  maxBodyBytes: number
  /** The longest header section of a request, in bytes. */
  maxHeaderBytes: number
  /** TCP connections at a time. */
  maxConnections: number
  /** Requests of one client that are answered at the same time, event streams not counted. */
  maxRequestsPerClient: number
  /** Event streams of one client at the same time. */
  maxStreamsPerClient: number
  /** Requests of one client in a second; twice as many may come at once after a pause. */
  requestsPerSecond: number
  /** Sessions at a time (handshake revisions). */
  maxSessions: number
  /** Sessions of one client at a time. */
  maxSessionsPerClient: number
  /** A session that is not used for so long ends, in milliseconds. */
  sessionIdleMs: number
  /** What is kept of the streams of one session, so that a client can take them up again, in bytes. */
  replayBytes: number
  /** What may wait for a client that does not read, in bytes, before its stream is cut off. */
  maxPendingBytes: number
  /** A client that reads nothing for so long while something waits for it is cut off, in milliseconds. */
  stalledMs: number
  /** How often a silent stream shows that it lives, in milliseconds. */
  keepAliveMs: number
  /**
   * How long the stream of one call stays open before its client has to come back for the rest, in milliseconds, for
   * proxies that end what lasts long; 0 for as long as it takes. For clients of 2025-11-25, who know how.
   */
  streamMs: number
  /** How long the header section of a request may take, in milliseconds. */
  headersTimeoutMs: number
  /** How long a whole request may take to come, in milliseconds. */
  requestTimeoutMs: number
  /** How long a body may pause while it comes, in milliseconds. */
  bodyIdleMs: number
  /** How long answers may take to be read when the server closes, in milliseconds. */
  closeMs: number
}

/** The limits when nothing else is said. */
export const usualLimits: HttpLimits = Object.freeze({
  maxBodyBytes: 4 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 1024,
  maxRequestsPerClient: 256,
  maxStreamsPerClient: 256,
  requestsPerSecond: 1000,
  maxSessions: 256,
  maxSessionsPerClient: 128,
  sessionIdleMs: 30 * 60_000,
  replayBytes: 512 * 1024,
  maxPendingBytes: 1024 * 1024,
  stalledMs: 30_000,
  keepAliveMs: 15_000,
  streamMs: 0,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  bodyIdleMs: 10_000,
  closeMs: 1000,
})
