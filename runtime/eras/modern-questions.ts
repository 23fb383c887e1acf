import { type CallState, InputRequired } from '../call-state.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject, toJson } from '../json.ts'
import { missingCapability, missingError } from './capabilities.ts'
import type { InputAnswer, InputRequest, Speaker } from './era.ts'
import { SERVER_INFO } from './meta-keys.ts'
import { subjectOf } from './subject.ts'

// Questions as answers: the client comes again with the same request and what it was asked for (basic/patterns/mrtr).

/** Requests that may be answered by questions (basic/patterns/mrtr). */
const mayAsk = new Set(['tools/call', 'prompts/get', 'resources/read'])
const stateLifetimeMs = 10 * 60_000

/** Notes the question for the answer to the request, and ends the handler. */
export function askByAnswer(call: CallState, key: string, request: InputRequest): Promise<InputAnswer> {
  if (!mayAsk.has(call.method)) {
    return Promise.reject(new RpcError(ErrorCode.InternalError, `${call.method} cannot ask the client anything`))
  }
  const missing = missingCapability(call.clientCapabilities, request)
  if (missing !== undefined) return Promise.reject(missingError(missing))
  call.questions ??= {}
  call.questions[key] = request
  return Promise.reject(new InputRequired())
}

/** What a call asks, as the JSON text of its result. */
export async function sealQuestions(
  speaker: Speaker,
  call: CallState,
  inputRequests: Record<string, InputRequest>,
): Promise<string> {
  const requestState = await speaker.server.requestState.seal({
    answers: call.answers ?? {},
    subject: await subjectOf(call.method, call.params),
    expires: speaker.server.clock.now() + stateLifetimeMs,
  })
  return toJson({
    resultType: 'input_required',
    _meta: { [SERVER_INFO]: speaker.server.info },
    inputRequests,
    requestState,
  })
}

/**
 * Takes what the client was asked for into the call.
 *
 * @throws RpcError for what does not belong to this request, or is too old
 */
export async function resume(speaker: Speaker, call: CallState, params: Record<string, unknown>): Promise<void> {
  const { inputResponses = {}, requestState } = params
  if (!isObject(inputResponses)) throw new RpcError(ErrorCode.InvalidParams, 'inputResponses must be an object')
  if (!mayAsk.has(call.method)) return
  let earlier: Record<string, unknown> = {}
  if (requestState !== undefined) {
    const state = typeof requestState === 'string' ? await speaker.server.requestState.open(requestState) : undefined
    if (state === undefined || !isObject(state.answers) || state.subject !== (await subjectOf(call.method, params))) {
      throw new RpcError(ErrorCode.InvalidParams, 'requestState does not belong to this request')
    }
    if (typeof state.expires !== 'number' || state.expires < speaker.server.clock.now()) {
      throw new RpcError(ErrorCode.InvalidParams, 'requestState is too old: send the request again without it')
    }
    earlier = state.answers
  }
  call.answers = Object.assign(Object.create(null), earlier, inputResponses)
}
