import { LinkCode, LinkDownError, LinkError, UnknownOutcomeError } from './codes.ts'
import type { HostRequest } from './host-request.ts'
import type { DeviceMessage } from './messages.ts'

/** How a question ends when the session ends under it. */
export function lost(request: HostRequest, why: string): Error {
  if (request.question.kind !== 'call') return new LinkDownError(why)
  return new UnknownOutcomeError(
    `${why} while the call was under way: whether it ran is unknown. Read a sensor that shows it before trying again`,
  )
}

/** How a question ends that the device refused. */
export function refusal(request: HostRequest, { code, text }: Extract<DeviceMessage, { kind: 'error' }>): Error {
  if (request.question.kind === 'call') {
    if (code === LinkCode.Forgotten) return lost(request, 'the device forgot the call')
    if (isOlderCopy(request, code)) return lost(request, 'the device restarted, or another program took it over,')
  }
  return new LinkError(code, text)
}

/** Of several copies the first may have run before the restart that the last one met. */
function isOlderCopy(request: HostRequest, code: number): boolean {
  return code === LinkCode.NoSession && (request.copies > 1 || request.sent?.kind === 'cancel')
}
