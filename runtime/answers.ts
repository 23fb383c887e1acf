import type { Batch } from './batch.ts'
import type { CallState } from './call-state.ts'
import type { CallsInFlight } from './calls-in-flight.ts'
import { asRpcError, diagnostic, ErrorCode, RpcError } from './errors.ts'
import { utf8Length } from './json.ts'
import { errorLine, type RequestId, successHead, successLine, successTail } from './json-rpc.ts'
import type { ServerCore } from './server-core.ts'

const longestKeptResult = 1000

/** Answers the requests of one connection: a handler's value or what it threw, sealed by its era, in a line of its id. */
export class Answers {
  readonly #server: ServerCore
  readonly #inFlight: CallsInFlight
  readonly #send: (line: string, about: RequestId) => void
  #lastResult = ''
  #lastTail = successTail('')

  constructor(server: ServerCore, inFlight: CallsInFlight, send: (line: string, about: RequestId) => void) {
    this.#server = server
    this.#inFlight = inFlight
    this.#send = send
  }

  /** Waits for what a handler promised, and answers with it. */
  await(call: CallState, value: Promise<unknown>, batch: Batch | undefined): void {
    batch?.expect(call)
    this.#inFlight.add(call)
    value.then(
      result => {
        if (call.settled) return
        try {
          this.seal(call, result, batch)
        } catch (thrown) {
          this.fail(call, thrown, batch)
        }
      },
      thrown => this.fail(call, thrown, batch),
    )
  }

  /**
   * Answers with a handler's value.
   *
   * @throws RpcError when it cannot be written
   */
  seal(call: CallState, value: unknown, batch: Batch | undefined): void {
    let result: string | Promise<string>
    try {
      result = call.dialect.seal(value, call)
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message.split('\n')[0] : 'it cannot be written'
      throw new RpcError(ErrorCode.InternalError, `The answer to ${call.method} is no JSON: ${why}`)
    }
    if (typeof result === 'string') this.#answer(call, result, batch)
    else this.#awaitSealed(call, result, batch)
  }

  // By itself: a function that makes closures allocates their scope when it begins, whether it gets to them or not.
  #awaitSealed(call: CallState, result: Promise<string>, batch: Batch | undefined): void {
    batch?.expect(call)
    this.#inFlight.add(call)
    result.then(
      text => this.#answer(call, text, batch),
      thrown => this.fail(call, thrown, batch),
    )
  }

  /** Answers with what was thrown. */
  fail(call: CallState, thrown: unknown, batch: Batch | undefined): void {
    if (call.settled) return
    // Whatever became of the question on its way through the handler, the client is asked, and the handler runs again.
    if (call.questions !== undefined && !(thrown instanceof RpcError)) {
      try {
        return this.seal(call, undefined, batch)
      } catch (again) {
        thrown = again
      }
    }
    if (!(thrown instanceof RpcError)) this.#server.diagnose(`${call.method} failed: ${diagnostic(thrown)}`)
    const sealed = call.dialect.sealError(asRpcError(thrown), call)
    if (typeof sealed === 'string') this.#answer(call, sealed, batch)
    else this.#settle(call, errorLine(call.id, sealed), batch)
  }

  #answer(call: CallState, result: string, batch: Batch | undefined): void {
    const line = this.#successLine(call.id, result)
    const limit = batch === undefined ? this.#server.maxMessageBytes : batch.room
    if (line.length * 3 > limit) {
      const bytes = utf8Length(line) + 1
      if (bytes > limit) {
        const error = new RpcError(
          ErrorCode.InternalError,
          `The answer to ${call.method} is ${bytes} bytes, more than the ${Math.max(0, limit)} that may be sent`,
        )
        return this.#settle(call, errorLine(call.id, error), batch)
      }
    }
    this.#settle(call, line, batch)
  }

  /** A tool's last text comes as the same string again: what stands around it is joined once. */
  #successLine(id: RequestId, result: string): string {
    if (typeof id !== 'number' || result.length > longestKeptResult) return successLine(id, result)
    if (result !== this.#lastResult) {
      this.#lastResult = result
      this.#lastTail = successTail(result)
    }
    return successHead + id + this.#lastTail
  }

  #settle(call: CallState, line: string, batch: Batch | undefined): void {
    if (call.settled) return
    call.settled = true
    this.#inFlight.forget(call)
    if (batch !== undefined) batch.add(call, line)
    else this.#send(line, call.id)
  }
}
