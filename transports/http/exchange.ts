import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Message, Peer, Server } from '../../runtime/index.ts'
import type { HttpLimits } from './options.ts'

/** One request to the endpoint that was let in, and what its answer needs. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly server: Server
  readonly peer: Peer & { client: string }
  readonly limits: HttpLimits
  /** Counts an event stream of this client until its response is closed. `false` when there are as many as there may be. */
  countStream(): boolean
  /** Has the stream cut off, however long it stands, when its reader is no longer let in. */
  cutWhenBarred(): void
}

/** Whether the client takes an event stream for an answer. A client that does not say takes anything. */
export function takesEvents({ headers }: IncomingMessage): boolean {
  return accepts(headers.accept, 'text/event-stream')
}

function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true
  const [kind] = type.split('/')
  return accept
    .toLowerCase()
    .split(',')
    .some(range => [type, `${kind}/*`, '*/*'].includes(range.split(';')[0]!.trim()))
}

/** The header that names the protocol revision. */
export function versionHeader({ headers }: IncomingMessage): string | undefined {
  const value = headers['mcp-protocol-version']
  return typeof value === 'string' ? value.trim() : undefined
}

/** What stands in `params._meta` of a message. */
export function metaOf({ params }: Message): unknown {
  return (params as { _meta?: unknown } | null | undefined)?._meta
}

/** A session belongs to who opened it, with what they were allowed to do then. */
export function ownerOf({ peer }: Exchange): string {
  return `${peer.access} ${peer.client}`
}
