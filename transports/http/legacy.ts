import {
  ErrorCode,
  errorLine,
  isObject,
  kindOf,
  type Message,
  protocolVersions,
  RpcError,
} from '../../runtime/index.ts'
import { refuse, sendJson, sendNothing } from './answer.ts'
import { type Exchange, ownerOf, versionHeader } from './exchange.ts'
import { isModern } from './modern.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

/** Answers a POST of the handshake revisions, which live in sessions. */
export function serveLegacyPost(exchange: Exchange, sessions: Sessions, value: unknown): void {
  const { response } = exchange
  if (Array.isArray(value) && value.some(each => kindOf(each) === 'request' && isModern(each))) {
    return refuse(response, 400, 'Requests of 2026-07-28 come one by one, not in a batch')
  }
  const message = isObject(value) ? (value as unknown as Message) : undefined
  const isRequest = kindOf(value) === 'request'
  const wrong = wrongVersion(exchange)
  if (wrong !== undefined) {
    // A client of a newer revision than is known here says so in a header alone.
    if (isRequest) return sendJson(response, 400, errorLine(message!.id, wrong))
    return kindOf(value) === 'notification' && wrong.code === ErrorCode.InvalidParams
      ? sendNothing(response, 202)
      : refuse(response, 400, wrong.message, { code: wrong.code, data: wrong.data })
  }
  if (isRequest && message!.method === 'initialize') return initialize(exchange, sessions, message!)
  const found = findSession(exchange, sessions)
  if (found.session !== undefined) return found.session.post(exchange, value)
  // Nothing is lost with a notification that belongs to no session.
  if (found.status === 400 && kindOf(value) === 'notification') return sendNothing(response, 202)
  refuseUnknown(exchange, found.status, isRequest ? message!.id : undefined)
}

/** Answers a GET or a DELETE, which only sessions have. */
export function serveLegacyStream(exchange: Exchange, sessions: Sessions): void {
  const { request, response } = exchange
  const wrong = wrongVersion(exchange)
  if (wrong?.code === ErrorCode.InvalidParams) {
    return refuse(response, 405, 'This revision has no requests but POST', { headers: { Allow: 'POST' } })
  }
  if (wrong !== undefined) return refuse(response, 400, wrong.message, { code: wrong.code, data: wrong.data })
  const { session, status } = findSession(exchange, sessions)
  if (session === undefined) return refuseUnknown(exchange, status)
  if (request.method === 'GET') return session.get(exchange)
  session.close('The client ended the session')
  sendNothing(response, 204)
}

function initialize(exchange: Exchange, sessions: Sessions, message: Message): void {
  const { response, request } = exchange
  // A dead id is no reason to refuse who begins anew. A living one would leave its session to nobody.
  const known = sessionHeader(exchange)
  if (known !== undefined && sessions.find(known, ownerOf(exchange)) !== undefined) {
    const error = new RpcError(
      ErrorCode.InvalidRequest,
      'This session is initialized: leave out Mcp-Session-Id to begin another one',
    )
    return sendJson(response, 400, errorLine(message.id, error))
  }
  const session = sessions.begin(exchange, ownerOf(exchange))
  if (session === undefined) {
    request.resume()
    return refuse(response, 503, 'There are too many sessions, all in use', { headers: { 'Retry-After': '10' } })
  }
  session.post(exchange, message)
  if (session.version === undefined) session.close('It was not initialized')
}

function sessionHeader({ request }: Exchange): string | undefined {
  const id = request.headers['mcp-session-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

type Found = { session: Session; status: 200 } | { session?: undefined; status: 400 | 404 }

function findSession(exchange: Exchange, sessions: Sessions): Found {
  const id = sessionHeader(exchange)
  if (id === undefined) return { status: 400 }
  const session = sessions.find(id, ownerOf(exchange))
  return session === undefined ? { status: 404 } : { session, status: 200 }
}

function refuseUnknown({ response }: Exchange, status: number, id?: Message['id']): void {
  const message =
    status === 404
      ? 'There is no such session (any more): send initialize without Mcp-Session-Id'
      : 'Send initialize first, and what it answers as Mcp-Session-Id with every request; or requests of 2026-07-28'
  sendJson(response, status, errorLine(id, new RpcError(ErrorCode.InvalidRequest, message)))
}

/** Why the revision in the header does not go with a request that has none in its body; nothing when it does. */
function wrongVersion({ request }: Exchange): RpcError | undefined {
  const version = versionHeader(request)
  const { modern = [], legacy = [] } = protocolVersions
  if (version === undefined || legacy.includes(version)) return undefined
  // Dates sort as texts.
  return version >= (modern.at(-1) ?? '')
    ? new RpcError(
        ErrorCode.InvalidParams,
        'params._meta lacks io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities',
        { supported: modern },
      )
    : new RpcError(ErrorCode.UnsupportedProtocolVersion, 'MCP-Protocol-Version names a revision that is not served', {
        supported: modern,
        requested: version,
      })
}
