import { type ClientCapabilities, type ClientInfo, type LogLevel, logLevels } from '../call.ts'
import type { Caller, CallState } from '../call-state.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject, toJson } from '../json.ts'
import type { ServerInfo } from '../server-core.ts'
import { type Feature, type HandlerTable, ListPage } from '../table.ts'
import { PreparedTask } from '../tasks/prepared-task.ts'
import * as deferredTasks from '../tasks/tasks.ts'
import type { TaskTerms } from '../tasks/terms.ts'
import { PlainText, StructuredAnswer } from '../tool-answer.ts'
import type { Dialect, Era, InputAnswer, InputRequest, Speaker, TaskTool } from './era.ts'
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION, SERVER_INFO } from './meta-keys.ts'
import type { ModernSubscriptions } from './modern-subscriptions.ts'
import * as deferredSubscriptions from './modern-subscriptions.ts'
import * as deferredQuestions from './questions.ts'

/** The stateless revisions: each request says in `params._meta` what it needs to be understood. */
export const modern: Era = {
  name: 'modern',
  versions: ['2026-07-28'],
  invitation:
    'put io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities into params._meta',
  begins: (_method, meta) =>
    meta !== undefined &&
    (meta[PROTOCOL_VERSION] !== undefined ||
      meta[CLIENT_CAPABILITIES] !== undefined ||
      Object.hasOwn(meta, CLIENT_INFO) ||
      Object.hasOwn(meta, LOG_LEVEL)),
  speak: speaker => new ModernDialect(speaker),
}

/** Results that a client may keep (server/utilities/caching). */
const cacheable = new Set([
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
])
/** The extension of 2026-07-28 by which a call may go on as a task. */
const tasksExtension = 'io.modelcontextprotocol/tasks'

const listTtlMs = 60_000

class ModernDialect implements Dialect {
  readonly era = modern.name
  readonly methods: HandlerTable
  readonly isOpen = false
  // Log messages belong to a request in this era.
  readonly ownLogLevel = undefined
  readonly #speaker: Speaker
  #head = ''
  #headOf: ServerInfo | undefined = undefined
  #text: PlainText | undefined = undefined
  #sealedText = ''
  #subscriptions: ModernSubscriptions | undefined = undefined
  #taskMethods: HandlerTable | undefined = undefined
  #meta: Record<string, unknown> | undefined = undefined
  #caller: Caller | undefined = undefined

  constructor(speaker: Speaker) {
    this.#speaker = speaker
    this.methods = {
      __proto__: null as never,
      'server/discover': () => this.#discover(),
      'subscriptions/listen': (params, call) => this.#listen(params, call),
      'tasks/get': (params, call) => this.#task(params, call),
      'tasks/update': (params, call) => this.#task(params, call),
      'tasks/cancel': (params, call) => this.#task(params, call),
    }
  }

  open(call: CallState, params: Record<string, unknown>): void | Promise<void> {
    const meta = params._meta as Record<string, unknown>
    // A client that repeats itself is read once: see RepeatedRequest.
    if (meta !== this.#meta) {
      this.#caller = callerOf(meta)
      this.#meta = meta
    }
    call.caller = this.#caller!
    call.params = params
    if (params.inputResponses !== undefined || params.requestState !== undefined) {
      return deferredQuestions.resume(this.#speaker, call, params)
    }
  }

  seal(value: unknown, call: CallState): string | Promise<string> {
    if (call.questions !== undefined) return deferredQuestions.sealQuestions(this.#speaker, call, call.questions)
    return this.#sealValue(value, call.method)
  }

  sealError(error: RpcError): RpcError {
    return error.code === ErrorCode.ResourceNotFound
      ? new RpcError(ErrorCode.InvalidParams, error.message, error.data)
      : error
  }

  logLevel(call: CallState): LogLevel | undefined {
    return call.caller.logLevel
  }

  ask(call: CallState, key: string, request: InputRequest): Promise<InputAnswer> {
    return deferredQuestions.askByAnswer(call, key, request)
  }

  taskTerms(call: CallState, _params: Record<string, unknown>, tool: TaskTool): TaskTerms | undefined {
    return deferredTasks.modernTerms(call, tool, {
      seal: value => this.#sealValue(value, call.method),
      sealError: error => this.sealError(error),
    })
  }

  // A modern server asks nothing by requests of its own, so no response can be for it.
  response(): void {}
  // Log messages belong to a request in this era.
  log(): void {}

  takesBatches(): boolean {
    return false
  }

  listChanged(feature: Feature): void {
    this.#subscriptions?.listChanged(feature)
  }

  drained(): void {
    this.#subscriptions?.tellAll()
  }

  farewell(): void {
    this.#subscriptions?.farewell()
  }

  close(): void {
    this.#subscriptions?.close()
  }

  #listen(params: Record<string, unknown>, call: CallState): Promise<object> {
    this.#subscriptions ??= deferredSubscriptions.modernSubscriptions(this.#speaker)
    return this.#subscriptions.listen(params, call)
  }

  #task(params: Record<string, unknown>, call: CallState): unknown {
    this.#taskMethods ??= deferredTasks.modernTaskMethods(this.#speaker.server)
    return this.#taskMethods[call.method]!(params, call)
  }

  #discover(): object {
    const { server } = this.#speaker
    const result: Record<string, unknown> = {
      supportedVersions: modern.versions,
      capabilities: this.#capabilities(),
      ttlMs: listTtlMs,
      cacheScope: 'public',
    }
    if (server.instructions !== undefined) result.instructions = server.instructions
    return result
  }

  #capabilities(): Record<string, unknown> {
    const { server } = this.#speaker
    const capabilities = server.capabilities()
    if (!server.servesTasks()) return capabilities
    return { ...capabilities, extensions: { ...(capabilities.extensions as object | undefined), [tasksExtension]: {} } }
  }

  #sealValue(value: unknown, method: string): string {
    const { info, clock } = this.#speaker.server
    if (this.#headOf !== info) {
      this.#headOf = info
      this.#head = sealHead(info)
      this.#text = undefined
    }
    if (value instanceof PlainText) return this.#sealText(value)
    if (value instanceof StructuredAnswer) return `${this.#head}${value.members('any')}}`
    if (value instanceof ListPage) return (value.sealed.modern ??= this.#sealObject(pageOf(value), true))
    if (value instanceof PreparedTask) {
      const handle = deferredTasks.taskHandle(value.begin(), clock.now())
      return toJson({ resultType: 'task', _meta: { [SERVER_INFO]: info }, ...handle })
    }
    return this.#sealObject(value, cacheable.has(method))
  }

  // A tool gives its last text again when it is the same.
  #sealText(value: PlainText): string {
    if (this.#text !== value) {
      this.#text = value
      this.#sealedText = `${this.#head}${value.members()}}`
    }
    return this.#sealedText
  }

  #sealObject(value: unknown, caches: boolean): string {
    if (!isObject(value)) throw new TypeError('a result must be an object')
    let head = this.#head
    if (caches && value.ttlMs === undefined) head += '"ttlMs":0,"cacheScope":"private",'
    if (isObject(value._meta)) {
      const merged = { ...value, _meta: { ...value._meta, [SERVER_INFO]: this.#speaker.server.info } }
      return toJson({ resultType: 'complete', ...(caches && value.ttlMs === undefined ? uncached : {}), ...merged })
    }
    const body = toJson(value)
    return body === '{}' ? `${head.slice(0, -1)}}` : head + body.slice(1)
  }
}

const uncached = { ttlMs: 0, cacheScope: 'private' }

/**
 * Who calls, as a request's `_meta` says.
 *
 * @throws RpcError when it is malformed, or of a revision that is not served
 */
function callerOf(meta: Record<string, unknown>): Caller {
  const version = meta[PROTOCOL_VERSION]
  if (typeof version !== 'string') throw malformed(PROTOCOL_VERSION, 'a string', version)
  const capabilities = meta[CLIENT_CAPABILITIES]
  if (!isObject(capabilities)) throw malformed(CLIENT_CAPABILITIES, 'an object', capabilities)
  const info = meta[CLIENT_INFO]
  if (info !== undefined && (!isObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string')) {
    throw malformed(CLIENT_INFO, 'an object with name and version', info)
  }
  const level = meta[LOG_LEVEL]
  if (level !== undefined && !logLevels.includes(level as LogLevel)) {
    throw malformed(LOG_LEVEL, `one of ${logLevels.join(', ')}`, level)
  }
  if (!modern.versions.includes(version)) {
    throw new RpcError(
      ErrorCode.UnsupportedProtocolVersion,
      `Protocol revision ${version.slice(0, 40)} is not served with every request; ${modern.versions.join(', ')} is`,
      { supported: modern.versions, requested: version },
    )
  }
  return {
    clientInfo: info as ClientInfo | undefined,
    clientCapabilities: capabilities as ClientCapabilities,
    logLevel: level as LogLevel | undefined,
  }
}

function pageOf({ kind, items, nextCursor }: ListPage): object {
  const hints = { ttlMs: listTtlMs, cacheScope: 'public' }
  return nextCursor === undefined ? { [kind]: items, ...hints } : { [kind]: items, nextCursor, ...hints }
}

function sealHead(info: ServerInfo): string {
  return `{"resultType":"complete","_meta":${toJson({ [SERVER_INFO]: info })},`
}

function malformed(key: string, expected: string, found: unknown): RpcError {
  return new RpcError(
    ErrorCode.InvalidParams,
    found === undefined ? `params._meta lacks ${key}` : `${key} must be ${expected}`,
  )
}
