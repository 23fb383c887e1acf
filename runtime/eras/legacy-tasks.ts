import { type LogLevel, logLevels } from '../call.ts'
import type { CallState } from '../call-state.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject, toJson } from '../json.ts'
import { notificationLine, type RequestId } from '../json-rpc.ts'
import { type HandlerTable, handlerTable } from '../table.ts'
import type { PreparedTask } from '../tasks/prepared-task.ts'
import { pollMs, type Task } from '../tasks/task.ts'
import type { TaskTerms } from '../tasks/terms.ts'
import { missingError } from './capabilities.ts'
import type { Dialect, Speaker, TaskTool } from './era.ts'
import type { LegacyQuestions } from './legacy-questions.ts'
import { revisionWithTasks } from './older-revisions.ts'

// The experimental tasks of 2025-11-25 (basic/utilities/tasks).

const RELATED_TASK = 'io.modelcontextprotocol/related-task'
const longestPage = 100
const cursorPrefix = 'after:'

/** What the tasks of a connection need of it. */
export interface LegacyTasksOptions {
  readonly speaker: Speaker
  /** The revision that the handshake agreed on. */
  readonly version: () => string
  /** Whether that revision has tasks, and the server too. */
  readonly isServed: () => boolean
  readonly logLevel: () => LogLevel
  /** The neutral value of a tool as the JSON text of its result. */
  readonly seal: (value: unknown, call: CallState) => string
  readonly sealError: Dialect['sealError']
  readonly questions: () => LegacyQuestions
}

/** The tasks of one connection, in the words of the handshake era. */
export class LegacyTasks {
  readonly methods: HandlerTable
  readonly #options: LegacyTasksOptions
  readonly #speaker: Speaker
  /** Requests that wait for the outcome of a task, by its id: while one is open, it is the way to the client. */
  readonly #waiting = new Map<string, RequestId>()

  constructor(options: LegacyTasksOptions) {
    this.#options = options
    this.#speaker = options.speaker
    this.methods = handlerTable({
      'tasks/get': (params, call) => this.#view(this.#taskOf(params, call)),
      'tasks/result': (params, call) => this.#result(this.#taskOf(params, call), call),
      'tasks/list': (params, call) => this.#list(params, call),
      'tasks/cancel': (params, call) => this.#cancel(this.#taskOf(params, call)),
    })
  }

  /**
   * How a call of a tool goes on as a task; nothing when it is answered with the tool's result.
   *
   * @throws RpcError when the client cannot have it the way that the tool needs
   */
  terms(call: CallState, params: Record<string, unknown>, { name, task }: TaskTool): TaskTerms | undefined {
    const { isServed, version } = this.#options
    if (version() < revisionWithTasks) {
      if (task !== 'required') return undefined
      throw missingError({ message: `${name} takes long, and needs a client that takes tasks`, required: {} })
    }
    const wanted = params.task
    if (wanted === undefined) {
      if (task !== 'required') return undefined
      throw new RpcError(ErrorCode.MethodNotFound, `${name} takes long, and runs as a task only: call it with "task"`)
    }
    if (!isServed()) return undefined
    if (!isObject(wanted)) throw invalid('task must be an object')
    const { ttl } = wanted
    if (ttl !== undefined && ttl !== null && !(Number.isFinite(ttl) && (ttl as number) >= 0)) {
      throw invalid('task.ttl must be a number of milliseconds')
    }
    if (task === 'never') {
      throw new RpcError(ErrorCode.MethodNotFound, `${name} does not run as a task: call it without "task"`)
    }
    return this.#terms(call, typeof ttl === 'number' ? Math.round(ttl) : undefined)
  }

  /** Begins a task. Returns the JSON text of the answer to its call; changes of its status are told from then on. */
  begin(prepared: PreparedTask): string {
    const task = prepared.begin()
    task.observe(() => {
      // How far it is can be left out for a client that does not read. Where it is cannot.
      if (this.#speaker.congested && task.status === 'working') return
      this.#speaker.send(notificationLine('notifications/tasks/status', this.#view(task)))
    })
    return toJson({ task: this.#view(task) })
  }

  /** The request that what belongs to a task may go with, if one is open. */
  #about(taskId: string): RequestId | undefined {
    return this.#waiting.get(taskId)
  }

  #terms(call: CallState, ttlMs: number | undefined): TaskTerms {
    const about = (taskId: string) => this.#about(taskId)
    const notify = (taskId: string, method: string, params: object) => {
      if (this.#speaker.congested) return
      this.#speaker.send(notificationLine(method, related(params, taskId)), about(taskId))
    }
    const { progressToken } = call
    const { seal, sealError, logLevel, questions } = this.#options
    return {
      asksFirst: false,
      ttlMs,
      seal: value => seal(value, call),
      sealError: error => sealError(error, call),
      refusal: request => questions().refusal(request),
      ask: (taskId, key, request, signal) => {
        const params = related(questions().paramsOf(request) ?? {}, taskId)
        return questions().askAbout({ id: about(taskId), signal }, key, request.method, params)
      },
      progress: (taskId, progress, total, message) => {
        if (progressToken === undefined) return
        notify(taskId, 'notifications/progress', {
          progressToken,
          progress,
          ...(total !== undefined && Number.isFinite(total) ? { total } : {}),
          ...(message === undefined ? {} : { message }),
        })
      },
      log: (taskId, level, data, logger) => {
        if (logLevels.indexOf(level) < logLevels.indexOf(logLevel())) return
        notify(taskId, 'notifications/message', logger === undefined ? { level, data } : { level, logger, data })
      },
    }
  }

  #taskOf({ taskId }: Record<string, unknown>, call: CallState): Task {
    this.#serve(call)
    const task = this.#speaker.server.tasks.find(taskId, call)
    if (task !== undefined) return task
    throw new RpcError(ErrorCode.InvalidParams, 'Unknown task: it never was, or it ended and was forgotten')
  }

  #serve({ method }: CallState): void {
    if (!this.#options.isServed()) throw new RpcError(ErrorCode.MethodNotFound, `Unknown method ${method}`)
  }

  async #result(task: Task, call: CallState): Promise<unknown> {
    this.#waiting.set(task.id, call.id)
    try {
      await ended(task, call.signal)
    } finally {
      if (this.#waiting.get(task.id) === call.id) this.#waiting.delete(task.id)
    }
    const { outcome } = task
    if (outcome?.status === 'completed') return related(JSON.parse(outcome.result), task.id)
    if (outcome?.status === 'failed') throw outcome.error
    throw new RpcError(ErrorCode.InvalidParams, 'The task was cancelled: it has no result')
  }

  #list({ cursor }: Record<string, unknown>, call: CallState): object {
    this.#serve(call)
    const tasks = this.#speaker.server.tasks.of(call)
    const last = cursor === undefined ? -1 : tasks.findIndex(({ id }) => cursorPrefix + id === cursor)
    if (cursor !== undefined && last < 0) {
      throw new RpcError(ErrorCode.InvalidParams, 'Unknown cursor: start again without one')
    }
    const page = tasks.slice(last + 1, last + 1 + longestPage)
    const views = page.map(task => this.#view(task))
    const isLast = last + 1 + page.length === tasks.length
    return isLast ? { tasks: views } : { tasks: views, nextCursor: cursorPrefix + page.at(-1)!.id }
  }

  #cancel(task: Task): object {
    if (task.outcome !== undefined) {
      throw new RpcError(ErrorCode.InvalidParams, `The task has ended already: it is ${statusOf(task)}`)
    }
    this.#speaker.server.tasks.cancel(task, new Error('Cancelled by the client'))
    return this.#view(task)
  }

  #view(task: Task): object {
    const { id, statusMessage, createdAt, lastUpdatedAt, ttlMs = null, outcome } = task
    return {
      taskId: id,
      status: statusOf(task),
      ...(statusMessage === undefined ? {} : { statusMessage }),
      createdAt: new Date(createdAt).toISOString(),
      lastUpdatedAt: new Date(lastUpdatedAt).toISOString(),
      ttl: ttlMs,
      ...(outcome === undefined ? { pollInterval: pollMs(task, this.#speaker.server.clock.now()) } : {}),
    }
  }
}

/** The same with the mark that says which task it belongs to. */
function related<T extends object>(message: T, taskId: string): T & { _meta: object } {
  const { _meta } = message as { _meta?: object }
  return { ...message, _meta: { ..._meta, [RELATED_TASK]: { taskId } } }
}

// A tool's failure is a result, but this revision counts it among the failed tasks.
function statusOf({ status, outcome }: Task): string {
  return outcome?.status === 'completed' && outcome.isError ? 'failed' : status
}

function ended(task: Task, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (task.outcome !== undefined) return resolve()
    const done = () => {
      unobserve()
      signal.removeEventListener('abort', aborted)
    }
    const aborted = () => {
      done()
      reject(signal.reason)
    }
    const unobserve = task.observe(() => {
      if (task.outcome === undefined) return
      done()
      resolve()
    })
    signal.addEventListener('abort', aborted, { once: true })
    if (signal.aborted) aborted()
  })
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message)
}
