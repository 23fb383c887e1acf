import { type ClientCapabilities, type ClientInfo, type LogLevel, logLevels } from '../call.ts'
import type { Caller, CallState } from '../call-state.ts'
import { toolError } from '../content.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject, toJson } from '../json.ts'
import { type Message, notificationLine } from '../json-rpc.ts'
import { type Feature, type HandlerTable, ListPage, taskSupport } from '../table.ts'
import { PreparedTask } from '../tasks/prepared-task.ts'
import * as deferredTasks from '../tasks/tasks.ts'
import type { TaskTerms } from '../tasks/terms.ts'
import { PlainText, StructuredAnswer } from '../tool-answer.ts'
import type { Dialect, Era, InputAnswer, InputRequest, Speaker, TaskTool } from './era.ts'
import type { LegacyQuestions } from './legacy-questions.ts'
import type { LegacyTasks } from './legacy-tasks.ts'
import { blockFor, handshakeTool, revisionWithTasks } from './older-revisions.ts'
import * as deferredQuestions from './questions.ts'

/** The handshake revisions: `initialize` agrees on a version and on capabilities for the life of a connection. */
export const legacy: Era = {
  name: 'legacy',
  versions: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
  invitation: 'send initialize first',
  begins: method => method === 'initialize' || method === 'ping',
  speak: speaker => new LegacyDialect(speaker),
}

const mostSubscriptions = 1024

/** What a server says in {@link revisionWithTasks} when any of its tools may be a task. */
const tasksCapability = { list: {}, cancel: {}, requests: { tools: { call: {} } } }

/** What a handshake agreed on. */
interface Session extends Caller {
  readonly version: string
}

class LegacyDialect implements Dialect {
  readonly era = legacy.name
  readonly methods: HandlerTable
  readonly #speaker: Speaker
  #session: Session | undefined = undefined
  // Until the client chooses, it hears what a person would want to know.
  #logLevel: LogLevel = 'info'
  readonly #subscriptions = new Map<string, () => void>()
  #askedQuestions: LegacyQuestions | undefined = undefined
  #begunTasks: LegacyTasks | undefined = undefined
  #text: PlainText | undefined = undefined
  #sealedText = ''
  readonly #changedUris = new Set<string>()
  readonly #changedLists = new Set<Feature>()

  constructor(speaker: Speaker) {
    this.#speaker = speaker
    this.methods = {
      __proto__: null as never,
      initialize: params => this.#initialize(params),
      ping: () => ({}),
      'logging/setLevel': params => this.#setLevel(params),
      'resources/subscribe': params => this.#subscribe(params),
      'resources/unsubscribe': params => this.#unsubscribe(params),
      'tasks/get': (params, call) => this.#task(params, call),
      'tasks/result': (params, call) => this.#task(params, call),
      'tasks/list': (params, call) => this.#task(params, call),
      'tasks/cancel': (params, call) => this.#task(params, call),
    }
  }

  get isOpen(): boolean {
    return this.#session !== undefined
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
    return this.#questions.ask(call, key, request)
  }

  taskTerms(call: CallState, params: Record<string, unknown>, tool: TaskTool): TaskTerms | undefined {
    return this.#tasks.terms(call, params, tool)
  }

  response(message: Message): void {
    this.#askedQuestions?.response(message)
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
    this.#askedQuestions?.close()
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

  get #questions(): LegacyQuestions {
    this.#askedQuestions ??= deferredQuestions.legacyQuestions({
      speaker: this.#speaker,
      version: () => this.#version,
      capabilities: () => this.#session?.clientCapabilities ?? {},
    })
    return this.#askedQuestions
  }

  get #tasks(): LegacyTasks {
    this.#begunTasks ??= deferredTasks.legacyTasks({
      speaker: this.#speaker,
      version: () => this.#version,
      isServed: () => this.#servesTasks(),
      logLevel: () => this.#logLevel,
      seal: (value, call) => this.seal(value, call),
      sealError: (error, call) => this.sealError(error, call),
      questions: () => this.#questions,
    })
    return this.#begunTasks
  }

  #task(params: Record<string, unknown>, call: CallState): unknown {
    return this.#tasks.methods[call.method]!(params, call)
  }

  #servesTasks(): boolean {
    return this.#version >= revisionWithTasks && this.#speaker.server.servesTasks()
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
