import type { Call, ClientInfo } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Message } from '../json-rpc.ts'
import type { Exchange, Requests, Result } from './requests.ts'

/** Requests that a host's call is behind, in the way of one era: with progress, cancelling and questions. */
export interface DeviceCalls {
  /** @throws InputRequired when the device asks something that the host answers by repeating its request */
  run(method: string, params: Record<string, unknown>, call: Call): Promise<Result>
  /** The calls that run, oldest first. */
  readonly running: Iterable<Call>
  /** A request of the device. */
  question(message: Message): void
  /** The device gave up a request of its own. */
  withdrawn(id: unknown): void
  /** The device is gone. */
  close(): void
}

/** What the calls to a device need of its client. */
export interface CallsOptions {
  requests: Requests
  version: string
  clientInfo: ClientInfo
  clock: Clock
  timeoutMs: number
  /** How long a host may take to come back with an answer, in milliseconds. */
  questionMs: number
  deviceName(): string
  send(line: string): void
  diagnose(text: string): void
}

/** Waits for an exchange on behalf of a call: cancels it when the call is told to stop. */
export function follow(exchange: Exchange, call: Call, cancel: (reason: string) => void): Promise<Result> {
  const { signal } = call
  const stop = () => cancel(signal.reason instanceof Error ? signal.reason.message : 'The call was stopped')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return exchange.outcome.finally(() => signal.removeEventListener('abort', stop))
}
