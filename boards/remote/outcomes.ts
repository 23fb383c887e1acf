import { cleanText } from './device-text.ts'
import { refusals } from './link/codes.ts'
import { codeText, LinkCode, LinkDownError, LinkError, UnknownOutcomeError } from './link/index.ts'

/** Of these a small device says what is in the way, and not what to do. */
const byRules: readonly number[] = [LinkCode.Interlocked, LinkCode.TooSoon, LinkCode.NotArmed]

const madeSafe: readonly number[] = [LinkCode.TimedOut, LinkCode.Cancelled, LinkCode.Stopped]

/** What is told of a move that failed: by whom it was refused, or which sensor shows what came of it. */
export function moveFailure(thrown: unknown, device: string, readback: string | undefined): unknown {
  if (thrown instanceof UnknownOutcomeError) {
    const where = readback === undefined ? '' : `: ${readback} does`
    return new UnknownOutcomeError(`${device}: ${cleanText(thrown.message)}${where}`)
  }
  if (!(thrown instanceof LinkError)) return thrown
  const text = cleanText(thrown.message)
  if (!refusals.includes(thrown.code)) return new LinkError(thrown.code, `${device}: ${text}`)
  const advice = codeText(thrown.code)
  // A second sentence is its own advice.
  const saysAll = !byRules.includes(thrown.code) || text === advice || /\. [A-Z]/.test(text)
  return new LinkError(
    thrown.code,
    `refused by ${device}, and nothing was moved: ${saysAll ? text : `${text} (${advice})`}`,
  )
}

/** What is told of a reading that failed. */
export function readFailure(thrown: unknown, device: string): unknown {
  return thrown instanceof LinkError ? new LinkError(thrown.code, `${device}: ${cleanText(thrown.message)}`) : thrown
}

/** Whether the device itself says that it put into its safe state what it broke off. */
export function wasMadeSafe(thrown: unknown): boolean {
  return thrown instanceof LinkError && madeSafe.includes(thrown.code)
}

/** Whether it is certain that a request did nothing, as the device or the link says: it may be sent again. */
export function wasNotRun(thrown: unknown): boolean {
  return thrown instanceof LinkDownError || (thrown instanceof LinkError && thrown.code === LinkCode.NoSession)
}
