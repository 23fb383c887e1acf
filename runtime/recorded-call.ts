import type { ClientInfo } from './call.ts'
import { InputRequired } from './call-state.ts'
import type { Clock } from './clock.ts'
import { type ToolResult, toolError } from './content.ts'
import { DeviceFailure, publicMessage, RefusedMove } from './errors.ts'
import { isObject } from './json.ts'
import type { RequestId } from './json-rpc.ts'
import { type OpenEntry, type RecordEnd, type Recorder, recordedClient } from './recorder.ts'

export { argumentsRecorder } from './recorded-arguments.ts'

/** What is needed to record the calls of a server. */
export interface CallRecordOptions {
  readonly recorder: Recorder
  readonly clock: Clock
  /** The board's name. */
  readonly board: () => string
}

/** A call as far as the record is concerned. */
export interface RecordedCall {
  readonly clientInfo: ClientInfo | undefined
  /** The name under which the transport knows the client. */
  readonly client: string | undefined
  /** The id of its request; nothing for a task, which outlives it. */
  readonly id?: RequestId
  readonly cancelled: boolean
  /** What the tool threw, when it threw. */
  thrown?: unknown
}

/** What is called. */
export interface RecordedTool {
  readonly name: string
  readonly moves: boolean
  readonly arguments: unknown
}

/** Runs a call and records how it ends. What the record asks to be waited for is waited for. */
export function recordCall(
  { recorder, clock, board }: CallRecordOptions,
  tool: RecordedTool,
  call: RecordedCall,
  run: () => unknown,
): unknown {
  const begun = clock.now()
  const client = recordedClient(call.clientInfo, call.client)
  const open = recorder.begin({
    time: new Date(begun).toISOString(),
    event: 'call',
    board: board(),
    tool: tool.name,
    moves: tool.moves,
    arguments: tool.arguments,
    ...(client === undefined ? {} : { client }),
    ...(call.id === undefined ? {} : { request: call.id }),
  })
  const ended = (result: unknown) => close(open, { ...endOf(call, result), ms: clock.now() - begun }, result)
  const broken = (thrown: unknown) => {
    open.end({ ...endOfThrown(call, thrown), ms: clock.now() - begun })
    throw thrown
  }
  if (open.ready !== undefined) {
    return open.ready.then(
      () => Promise.resolve(run()).then(ended, broken),
      thrown => {
        open.end({ outcome: 'refused', reason: publicMessage(thrown) })
        return toolError(publicMessage(thrown))
      },
    )
  }
  try {
    const value = run()
    return value instanceof Promise ? value.then(ended, broken) : ended(value)
  } catch (thrown) {
    return broken(thrown)
  }
}

function close(open: OpenEntry, end: RecordEnd, result: unknown): unknown {
  const written = open.end(end)
  return written === undefined ? result : written.then(() => result)
}

function endOf(call: RecordedCall, result: unknown): RecordEnd {
  if (call.thrown !== undefined) return endOfThrown(call, call.thrown)
  if (!isObject(result)) return { outcome: 'ran' }
  const { isError, structuredContent } = result as unknown as ToolResult
  if (isError === true) return { outcome: 'failed', reason: firstText(result as unknown as ToolResult) }
  if (!isObject(structuredContent)) return { outcome: 'ran' }
  if (structuredContent.dryRun === true) return { outcome: 'dry-run' }
  const { readback } = structuredContent
  return { outcome: 'ran', ...(isReadback(readback) ? { readback } : {}) }
}

function endOfThrown(call: RecordedCall, thrown: unknown): RecordEnd {
  if (thrown instanceof InputRequired) return { outcome: 'asked' }
  const reason = publicMessage(thrown)
  if (thrown instanceof RefusedMove) return { outcome: 'refused', reason }
  if (thrown instanceof DeviceFailure && thrown.outcome !== 'failed') return { outcome: thrown.outcome, reason }
  return { outcome: call.cancelled ? 'cancelled' : 'failed', reason }
}

function isReadback(value: unknown): value is { sensor: string; value: unknown; unit?: string } {
  return isObject(value) && typeof value.sensor === 'string' && value.value !== undefined
}

function firstText({ content }: ToolResult): string {
  const [first] = content
  return first?.type === 'text' && typeof first.text === 'string' ? first.text.slice(0, 500) : 'it said so'
}
