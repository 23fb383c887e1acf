import { type ClientCapabilities, type ClientInfo, type FormSchema, type LogLevel, logLevels } from '../call.ts'
import type { Caller, CallState } from '../call-state.ts'
import { toolError } from '../content.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject, toJson } from '../json.ts'
import { type Message, notificationLine, type RequestId, requestLine } from '../json-rpc.ts'
import { type Feature, type HandlerTable, handlerTable, ListPage, taskSupport } from '../table.ts'
import { PreparedTask } from '../tasks/task-store.ts'
import type { TaskTerms } from '../tasks/terms.ts'
import { PlainText, StructuredAnswer } from '../tool-answer.ts'
import { type Missing, missingCapability, missingError } from './capabilities.ts'
import type { Dialect, Era, InputAnswer, InputRequest, Speaker, TaskTool } from './era.ts'
import { LegacyTasks, related, revisionWithTasks, tasksCapability } from './legacy-tasks.ts'
import { blockFor, formFor, handshakeTool, revisionNeeded } from './older-revisions.ts'

/** The handshake revisions: `initialize` agrees on a version and on capabilities for the life of a connection. */
export const legacy: Era = {
  name: 'legacy',
  versions: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
  invitation: 'send initialize first',
  speak: speaker => new LegacyDialect(speaker),
}

const mostSubscriptions = 1024
const mostQuestions = 64

/** What a handshake agreed on. */
interface Session extends Caller {
  readonly version: string
}

interface Question {
  resolve: (answer: InputAnswer) => void
  reject: (error: Error) => void
}

/** What a question belongs to: a request, or a task that may have none. */
interface Asking {
  readonly id: RequestId | undefined
  readonly signal: AbortSignal
}

class LegacyDialect implements Dialect {
  readonly era = legacy.name
  readonly methods: HandlerTable
  readonly #speaker: Speaker
  #session: Session | undefined = undefined
  // Until the client chooses, it hears what a person would want to know.
  #logLevel: LogLevel = 'info'
  readonly #subscriptions = new Map<string, () => void>()
  readonly #questions = new Map<RequestId, Question>()
  readonly #tasks: LegacyTasks
  #lastQuestion = 0
  #text: PlainText | undefined = undefined
  #sealedText = ''
  readonly #changedUris = new Set<string>()
  readonly #changedLists = new Set<Feature>()

  constructor(speaker: Speaker) {
    this.#speaker = speaker
    this.#tasks = new LegacyTasks(speaker, () => this.#servesTasks())
    this.methods = handlerTable({
      initialize: params => this.#initialize(params),
      ping: () => ({}),
      'logging/setLevel': params => this.#setLevel(params),
      'resources/subscribe': params => this.#subscribe(params),
      'resources/unsubscribe': params => this.#unsubscribe(params),
      ...this.#tasks.methods,
    })
  }

  claims(method: string): boolean {
    return this.#session !== undefined || method === 'initialize' || method === 'ping'
  }

  open(call: CallState): void {
    if (this.#session !== undefined) call.caller = this.#session
  }

  seal(value: unknown, call: CallState): string {
    if (value instanceof PlainText) return this.#sealText(value)
    if (value instanceof StructuredAnswer) return `{${value.members(call.anyOutput ? 'wrapped' : 'object')}}`
    if (value instanceof ListPage) return this.#sealPage(value)
    if (value instanceof PreparedTask) return this.#tasks.begin(value)
    if (!isObject(value)) throw new TypeError('a result must be an object')
    switch (call.method) {
      case 'tools/call':
        return toJson(this.#toolResult(value, call))
      case 'prompts/get':
        return toJson(this.#promptResult(value))
      case 'resources/read': {
        const { ttlMs: _ttlMs, cacheScope: _cacheScope, ...rest } = value
        return toJson(rest)
      }
      default:
        return toJson(value)
    }
  }

  sealError(error: RpcError, call: CallState): RpcError | string {
    if (error.code !== ErrorCode.MissingRequiredClientCapability) return error
    return call.method === 'tools/call'
      ? toJson(toolError(error.message))
      : new RpcError(ErrorCode.InternalError, error.message, error.data)
  }

  // The level holds for the whole connection from the moment that it is set, also for calls that run.
  logLevel(): LogLevel | undefined {
    return this.ownLogLevel
  }

  get ownLogLevel(): LogLevel | undefined {
    return this.#session === undefined ? undefined : this.#logLevel
  }

  ask(call: CallState, key: string, request: InputRequest): Promise<InputAnswer> {
    const missing = this.#missing(request)
    if (missing !== undefined) return Promise.reject(missingError(missing))
    return this.#question(call, key, request.method, this.#paramsOf(request))
  }

  taskTerms(call: CallState, params: Record<string, unknown>, { name, task }: TaskTool): TaskTerms | undefined {
    if (this.#version < revisionWithTasks) {
      if (task !== 'required') return undefined
      throw missingError({ message: `${name} takes long, and needs a client that takes tasks`, required: {} })
    }
    const wanted = params.task
    if (wanted === undefined) {
      if (task !== 'required') return undefined
      throw new RpcError(ErrorCode.MethodNotFound, `${name} takes long, and runs as a task only: call it with "task"`)
    }
    if (!this.#servesTasks()) return undefined
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

  response({ id, result, error }: Message): void {
    const question = this.#questions.get(id)
    if (question === undefined) return
    this.#questions.delete(id)
    if (error !== undefined) {
      const message = isObject(error) && typeof error.message === 'string' ? error.message : 'no reason given'
      question.reject(new Error(`The client refused: ${message}`))
    } else if (isObject(result)) question.resolve(result)
    else question.reject(new Error('The client answered with something that is no result'))
  }

  takesBatches(): boolean {
    return this.#session?.version === '2025-03-26'
  }

  listChanged(feature: Feature): void {
    if (this.#session === undefined) return
    this.#changedLists.add(feature)
    this.#tell()
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    if (this.#session === undefined || this.#speaker.congested) return
    if (logLevels.indexOf(level) < logLevels.indexOf(this.#logLevel)) return
    this.#speaker.send(
      notificationLine('notifications/message', logger === undefined ? { level, data } : { level, logger, data }),
    )
  }

  drained(): void {
    this.#tell()
  }

  // This era has no words for leaving.
  farewell(): void {}

  close(): void {
    for (const unsubscribe of this.#subscriptions.values()) unsubscribe()
    this.#subscriptions.clear()
    for (const { reject } of this.#questions.values()) reject(new Error('The client is gone'))
    this.#questions.clear()
    this.#changedUris.clear()
    this.#changedLists.clear()
  }

  #initialize(params: Record<string, unknown>): object {
    const { protocolVersion, capabilities, clientInfo } = params
    if (typeof protocolVersion !== 'string') throw invalid('protocolVersion must be a string')
    if (!isObject(capabilities)) throw invalid('capabilities must be an object')
    if (!isObject(clientInfo)) throw invalid('clientInfo must be an object')
    this.close()
    this.#logLevel = 'info'
    const version = legacy.versions.includes(protocolVersion) ? protocolVersion : legacy.versions[0]!
    this.#session = {
      version,
      clientCapabilities: capabilities as ClientCapabilities,
      clientInfo: clientInfo as unknown as ClientInfo,
      logLevel: undefined,
    }
    const { server } = this.#speaker
    server.onLogLevel()
    const result: Record<string, unknown> = {
      protocolVersion: version,
      capabilities: this.#servesTasks() ? { ...server.capabilities(), tasks: tasksCapability } : server.capabilities(),
      serverInfo: server.info,
    }
    if (server.instructions !== undefined) result.instructions = server.instructions
    return result
  }

  #servesTasks(): boolean {
    return this.#version >= revisionWithTasks && this.#speaker.server.servesTasks()
  }

  #terms(call: CallState, ttlMs: number | undefined): TaskTerms {
    const about = (taskId: string) => this.#tasks.about(taskId)
    const notify = (taskId: string, method: string, params: object) => {
      if (this.#speaker.congested) return
      this.#speaker.send(notificationLine(method, related(params, taskId)), about(taskId))
    }
    const { progressToken } = call
    return {
      asksFirst: false,
      ttlMs,
      seal: value => this.seal(value, call),
      sealError: error => this.sealError(error, call),
      refusal: request => {
        const missing = this.#missing(request)
        return missing === undefined ? undefined : missingError(missing)
      },
      ask: (taskId, key, request, signal) => {
        const params = related(this.#paramsOf(request) ?? {}, taskId)
        return this.#question({ id: about(taskId), signal }, key, request.method, params)
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
        if (logLevels.indexOf(level) < logLevels.indexOf(this.#logLevel)) return
        notify(taskId, 'notifications/message', logger === undefined ? { level, data } : { level, logger, data })
      },
    }
  }

  #question({ id: about, signal }: Asking, key: string, method: string, params?: object): Promise<InputAnswer> {
    if (this.#questions.size >= mostQuestions) {
      return Promise.reject(new RpcError(ErrorCode.InternalError, `More than ${mostQuestions} questions are open`))
    }
    const { clock, questionTimeoutMs } = this.#speaker.server
    const id = `ferrule-${++this.#lastQuestion}`
    return new Promise<InputAnswer>((resolve, reject) => {
      const giveUp = (reason: Error) => {
        if (!this.#questions.delete(id)) return
        done()
        this.#speaker.send(
          notificationLine('notifications/cancelled', { requestId: id, reason: reason.message }),
          about,
        )
        reject(reason)
      }
      const aborted = () => giveUp(signal.reason as Error)
      const timer = clock.setTimeout(
        () => giveUp(new Error(`The client did not answer "${key}" in ${questionTimeoutMs / 1000} s`)),
        questionTimeoutMs,
      )
      const done = () => {
        clock.clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
      }
      signal.addEventListener('abort', aborted, { once: true })
      this.#questions.set(id, {
        resolve: answer => {
          done()
          resolve(answer)
        },
        reject: error => {
          done()
          reject(error)
        },
      })
      this.#speaker.send(requestLine(id, method, params), about)
      if (signal.aborted) aborted()
    })
  }

  #setLevel({ level }: Record<string, unknown>): object {
    if (!logLevels.includes(level as LogLevel)) throw invalid(`level must be one of ${logLevels.join(', ')}`)
    this.#logLevel = level as LogLevel
    this.#speaker.server.onLogLevel()
    return {}
  }

  #subscribe({ uri }: Record<string, unknown>): object {
    const { server } = this.#speaker
    this.#needsResources('resources/subscribe')
    if (typeof uri !== 'string') throw invalid('uri must be a string')
    if (!server.knowsResource(uri)) throw new RpcError(ErrorCode.ResourceNotFound, 'Resource not found', { uri })
    if (this.#subscriptions.has(uri)) return {}
    if (this.#subscriptions.size >= mostSubscriptions) {
      throw new RpcError(ErrorCode.InternalError, `More than ${mostSubscriptions} subscriptions on one connection`)
    }
    this.#subscriptions.set(
      uri,
      server.subscribe(uri, () => {
        this.#changedUris.add(uri)
        this.#tell()
      }),
    )
    return {}
  }

  #unsubscribe({ uri }: Record<string, unknown>): object {
    this.#needsResources('resources/unsubscribe')
    if (typeof uri !== 'string') throw invalid('uri must be a string')
    this.#subscriptions.get(uri)?.()
    this.#subscriptions.delete(uri)
    this.#changedUris.delete(uri)
    return {}
  }

  #needsResources(method: string): void {
    if (this.#speaker.server.capabilities().resources !== undefined) return
    throw new RpcError(ErrorCode.MethodNotFound, `Unknown method ${method}`)
  }

  // What piles up while the client does not read is told once, when it reads again.
  #tell(): void {
    if (this.#speaker.congested) return
    for (const feature of this.#changedLists) {
      this.#speaker.send(notificationLine(`notifications/${feature}/list_changed`))
    }
    for (const uri of this.#changedUris) {
      this.#speaker.send(notificationLine('notifications/resources/updated', { uri }))
    }
    this.#changedLists.clear()
    this.#changedUris.clear()
  }

  get #version(): string {
    return this.#session?.version ?? ''
  }

  #missing(request: InputRequest): Missing | undefined {
    const missing = missingCapability(this.#session?.clientCapabilities ?? {}, request)
    if (missing !== undefined || request.method !== 'elicitation/create') return missing
    const needed = revisionNeeded(request.params ?? {})
    if (this.#version >= needed) return undefined
    return { message: `This question needs a client of revision ${needed} or later`, required: { elicitation: {} } }
  }

  #paramsOf({ method, params }: InputRequest): object | undefined {
    if (method !== 'elicitation/create' || params === undefined) return params
    if (params.mode === 'url') return { ...params, elicitationId: crypto.randomUUID() }
    return { ...params, requestedSchema: formFor(this.#version, params.requestedSchema as FormSchema) }
  }

  // A tool gives its last text again when it is the same.
  #sealText(value: PlainText): string {
    if (this.#text !== value) {
      this.#text = value
      this.#sealedText = `{${value.members()}}`
    }
    return this.#sealedText
  }

  #sealPage(page: ListPage): string {
    if (this.#version >= revisionWithTasks) return (page.sealed.legacyWithTasks ??= toJson(pageOf(page, true)))
    return (page.sealed.legacy ??= toJson(pageOf(page, false)))
  }

  #toolResult(value: Record<string, unknown>, call: CallState): Record<string, unknown> {
    const { structuredContent, ...rest } = value
    if (Array.isArray(rest.content)) rest.content = rest.content.map(block => blockFor(this.#version, block))
    if (structuredContent === undefined) return rest
    return {
      ...rest,
      // Wrapped as its schema is in the list, which does not depend on the value.
      structuredContent:
        call.anyOutput || !isObject(structuredContent) ? { result: structuredContent } : structuredContent,
    }
  }

  #promptResult(value: Record<string, unknown>): Record<string, unknown> {
    if (!Array.isArray(value.messages)) return value
    return {
      ...value,
      messages: value.messages.map(message => ({ ...message, content: blockFor(this.#version, message.content) })),
    }
  }
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message)
}

function pageOf({ kind, items, nextCursor }: ListPage, withTasks: boolean): object {
  const listed = kind === 'tools' ? items.map(tool => handshakeTool(withTasks ? withExecution(tool) : tool)) : items
  return nextCursor === undefined ? { [kind]: listed } : { [kind]: listed, nextCursor }
}

function withExecution(tool: Record<string, unknown>): Record<string, unknown> {
  const support = (tool as { [taskSupport]?: string })[taskSupport]
  return support === undefined ? tool : { ...tool, execution: { taskSupport: support } }
}
