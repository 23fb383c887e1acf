import { DeviceFailure } from '../errors.ts'
import { isObject } from '../json.ts'

/** The error that a device answered a request with. */
export class DeviceError extends DeviceFailure {
  override readonly name = 'DeviceError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Why a request has no answer: it took too long, the device went away meanwhile or was away, or nobody waits for it. */
export type Cause = 'late' | 'lost' | 'away' | 'cancelled'

/** A request that got no answer of the device. */
export class NoAnswerError extends DeviceFailure {
  override readonly name = 'NoAnswerError'
  readonly why: Cause

  constructor(why: Cause, message: string) {
    super(message)
    this.why = why
  }
}

/** Reads the `error` member of a message. Whatever stands in it, an error comes out. */
export function deviceErrorOf(error: unknown): DeviceError {
  if (!isObject(error)) return new DeviceError(0, 'an error without a text', undefined)
  const { code, message, data } = error
  return new DeviceError(
    typeof code === 'number' && Number.isInteger(code) ? code : 0,
    typeof message === 'string' && message.trim() !== '' ? message : 'an error without a text',
    data,
  )
}
