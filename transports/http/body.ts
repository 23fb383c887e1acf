import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

/** Why a body was not taken. */
export interface BadBody {
  status: 400 | 408 | 413 | 415
  message: string
}

/** Why a body of this type is not read at all; nothing when it is. */
export function badMediaType({ headers }: IncomingMessage): BadBody | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  if (type.trim() !== 'application/json') {
    return { status: 415, message: 'The body must be JSON: send it with Content-Type: application/json' }
  }
  const charset = parameters.map(each => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(each)?.[1]).find(each => each)
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    return { status: 415, message: `The body must be UTF-8, not ${charset.slice(0, 40)}` }
  }
  if (![undefined, 'identity'].includes(headers['content-encoding']?.toLowerCase())) {
    return { status: 415, message: 'The body must not be compressed' }
  }
  return undefined
}

/** How long and how slow a body may be. */
export interface BodyLimits {
  maxBodyBytes: number
  bodyIdleMs: number
}

/** Reads a body as text. Nothing when the client is gone before its end. */
export function readText(
  request: IncomingMessage,
  { maxBodyBytes, bodyIdleMs }: BodyLimits,
): Promise<string | BadBody | undefined> {
  const tooLong: BadBody = { status: 413, message: `The body is longer than ${maxBodyBytes} bytes` }
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return Promise.resolve(tooLong)
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let bytes = 0
    const done = (outcome: string | BadBody | undefined) => {
      clearTimeout(idle)
      request.off('data', take)
      resolve(outcome)
    }
    const idle = setTimeout(() => done({ status: 408, message: 'The body stopped coming' }), bodyIdleMs)
    const take = (chunk: Buffer) => {
      idle.refresh()
      bytes += chunk.length
      if (bytes > maxBodyBytes) return done(tooLong)
      chunks.push(chunk)
    }
    request.on('data', take)
    request.once('end', () => done(decoded(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))))
    request.once('close', () => done(undefined))
  })
}

function decoded(bytes: Buffer): string | BadBody {
  if (!isUtf8(bytes)) return { status: 400, message: 'The body is not UTF-8' }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasMark ? 3 : 0)
}
