/**
 * Why a port is not open:
 * `absent` nothing is there, `several` more than one fits, `busy` another program has it, `denied` no permission,
 * `not-a-port` something else is there, `unreachable` the network gives no connection, `lost` it was open and went away,
 * `released` it was given back on purpose, `closed` this program closed it, `spec` it was named in a way that means nothing,
 * `no-library` the package `serialport` is not installed, `failed` anything else.
 */
export type PortErrorCode =
  | 'absent'
  | 'several'
  | 'busy'
  | 'denied'
  | 'not-a-port'
  | 'unreachable'
  | 'lost'
  | 'released'
  | 'closed'
  | 'spec'
  | 'no-library'
  | 'failed'

/** A port that cannot be used. The message says which, why, and what to do. */
export class PortError extends Error {
  override readonly name = 'PortError'
  readonly code: PortErrorCode

  constructor(code: PortErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A failure of a port that nobody foresaw, with its text in ours. */
export function asPortError(thrown: unknown, name: string): PortError {
  if (thrown instanceof PortError) return thrown
  return new PortError('failed', `${name} does not work: ${messageOf(thrown)}`, { cause: thrown })
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
