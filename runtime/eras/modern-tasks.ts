import type { CallState } from '../call-state.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject } from '../json.ts'
import type { ServerCore } from '../server-core.ts'
import type { HandlerTable } from '../table.ts'
import { pollMs, type Task } from '../tasks/task.ts'
import type { TaskTerms } from '../tasks/terms.ts'
import { missingCapability, missingError } from './capabilities.ts'
import type { TaskTool } from './era.ts'

// The extension io.modelcontextprotocol/tasks of 2026-07-28.

/** The extension's id. */
const TASKS = 'io.modelcontextprotocol/tasks'

/** Whether the client of a request takes a task for an answer. */
export function takesTasks({ clientCapabilities: { extensions } }: CallState): boolean {
  return isObject(extensions) && isObject(extensions[TASKS])
}

/** The error for a client that does not take tasks. */
export function needsTasks(what: string): RpcError {
  return missingError({ message: `${what} needs a client that takes tasks`, required: { extensions: { [TASKS]: {} } } })
}

/**
 * How a call of a tool goes on as a task; nothing when it is answered with the tool's result.
 *
 * @throws RpcError when the tool needs a client that takes tasks, and this one does not
 */
export function modernTerms(
  call: CallState,
  { name, task }: TaskTool,
  { seal, sealError }: Pick<TaskTerms, 'seal' | 'sealError'>,
): TaskTerms | undefined {
  if (task === 'never') return undefined
  if (!takesTasks(call)) {
    if (task === 'required') throw needsTasks(name)
    return undefined
  }
  return {
    asksFirst: true,
    ttlMs: undefined,
    seal,
    sealError,
    refusal: request => {
      const missing = missingCapability(call.clientCapabilities, request)
      return missing === undefined ? undefined : missingError(missing)
    },
  }
}

/** The methods of the extension. */
export function modernTaskMethods(server: ServerCore): HandlerTable {
  const taskOf = ({ taskId }: Record<string, unknown>, call: CallState): Task => {
    if (!server.servesTasks() && server.tasks.size === 0) {
      throw new RpcError(ErrorCode.MethodNotFound, `Unknown method ${call.method}`)
    }
    if (!takesTasks(call)) throw needsTasks(call.method)
    const task = server.tasks.find(taskId, call)
    if (task === undefined) {
      throw new RpcError(ErrorCode.InvalidParams, 'Unknown task: it never was, or it ended and was forgotten')
    }
    return task
  }
  return {
    'tasks/get': (params, call) => detailedTask(taskOf(params, call), server.clock.now()),
    'tasks/update': (params, call) => {
      const task = taskOf(params, call)
      const { inputResponses } = params
      if (!isObject(inputResponses)) throw new RpcError(ErrorCode.InvalidParams, 'inputResponses must be an object')
      // An answer to what is not asked, or not asked any more, changes nothing.
      for (const [key, answer] of Object.entries(inputResponses)) {
        if (isObject(answer)) task.questions.get(key)?.answer(answer)
      }
      return {}
    },
    'tasks/cancel': (params, call) => {
      server.tasks.stop(taskOf(params, call), new Error('Cancelled by the client'))
      return {}
    },
  }
}

/** A task as the answer to the call that began it tells of it. */
export function taskHandle(task: Task, now: number): Record<string, unknown> {
  const { id, status, statusMessage, createdAt, lastUpdatedAt, ttlMs = null, outcome } = task
  return {
    taskId: id,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(lastUpdatedAt).toISOString(),
    ttlMs,
    ...(outcome === undefined ? { pollIntervalMs: pollMs(task, now) } : {}),
  }
}

/** A task with everything that is known of it: what is asked, or what came of it. */
export function detailedTask(task: Task, now: number): Record<string, unknown> {
  const { outcome, questions } = task
  const handle = taskHandle(task, now)
  if (outcome?.status === 'completed') return { ...handle, result: JSON.parse(outcome.result) }
  if (outcome?.status === 'failed') {
    const { code, message, data } = outcome.error
    return { ...handle, error: data === undefined ? { code, message } : { code, message, data } }
  }
  if (questions.size === 0) return handle
  return { ...handle, inputRequests: Object.fromEntries(Array.from(questions, ([key, { request }]) => [key, request])) }
}
