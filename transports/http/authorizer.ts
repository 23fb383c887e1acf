import type { IncomingHttpHeaders } from 'node:http'
import type { Access } from '../../runtime/index.ts'

/** Decides who a request comes from. It is asked for every request to the endpoint, before anything is read of the body. */
export interface Authorizer {
  authorize(request: { headers: IncomingHttpHeaders; url: URL }): Authorized | Refused | Promise<Authorized | Refused>
  /** Further pages that anyone may read, by path, such as /.well-known/oauth-protected-resource (RFC 9728). */
  pages?: Readonly<Record<string, () => { type: string; body: string }>>
}

/** A request that is let in. */
export interface Authorized {
  /**
   * `read`: sensors and lists only. `act`: the actuators too. `person`: a person who works the board themselves, so also
   * what is not for a model, and without being asked first.
   */
  access: Access
  /** A stable name of who it is, for limits, sessions and logs. A session belongs to the client that opened it. */
  client: string
}

/** A request that is turned away. */
export interface Refused {
  /**
   * 400: it asks in a way that means nothing (RFC 6750, section 3.1). 401: who it is, is not known. 403: who it is may not.
   * 503: nobody can tell just now, which says nothing against the token: keep it and try again.
   */
  status: 400 | 401 | 403 | 503
  /** Headers of the answer, such as `WWW-Authenticate`. */
  headers: Record<string, string>
  /** One sentence for the person who reads it. */
  message: string
}
