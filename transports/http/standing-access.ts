import type { ServerResponse } from 'node:http'
import type { Authorized, Refused } from './authorizer.ts'

/**
 * While a stream that stands open for news is read, asks every now and then whether its reader would still be let in, and
 * cuts it off when not: nobody goes on listening with a token that was revoked, or has expired. An answer to a call is not
 * such a stream. It was let in when it began, and half of it helps nobody.
 *
 * @param ask asks who the reader is now; while that cannot be told (503), the stream goes on
 */
export function cutWhenBarred(
  response: ServerResponse,
  ask: () => Promise<Authorized | Refused>,
  client: string,
  everyMs: number,
): void {
  const again = setInterval(async () => {
    const who = await ask().catch(() => undefined)
    if (who === undefined || ('status' in who && who.status === 503)) return
    if ('status' in who || who.client !== client) response.destroy()
  }, everyMs)
  again.unref()
  response.once('close', () => clearInterval(again))
}
