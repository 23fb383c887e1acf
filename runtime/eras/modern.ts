import { type ClientCapabilities, type ClientInfo, type LogLevel, logLevels } from '../call.ts'
import { type Caller, type CallState, InputRequired } from '../call-state.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject, toJson } from '../json.ts'
import { notificationLine, type RequestId } from '../json-rpc.ts'
import type { ServerInfo } from '../server-core.ts'
import { type Feature, type HandlerTable, handlerTable, ListPage } from '../table.ts'
import type { Task } from '../tasks/task.ts'
import { PreparedTask } from '../tasks/task-store.ts'
import type { TaskTerms } from '../tasks/terms.ts'
import { PlainText, StructuredAnswer } from '../tool-answer.ts'
import { missingCapability, missingError } from './capabilities.ts'
import type { Dialect, Era, InputAnswer, InputRequest, Speaker, TaskTool } from './era.ts'
import { detailedTask, needsTasks, TASKS, takesTasks, taskHandle, taskMethods } from './modern-tasks.ts'
import { subjectOf } from './subject.ts'

/** The stateless revisions: each request says in `params._meta` what it needs to be understood. */
export const modern: Era = {
  name: 'modern',
  versions: ['2026-07-28'],
  invitation:
    'put io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities into params._meta',
  speak: speaker => new ModernDialect(speaker),
}

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion'
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

/** Results that a client may keep (server/utilities/caching). */
const cacheable = new Set([
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
])
/** Requests that may be answered by questions (basic/patterns/mrtr). */
const mayAsk = new Set(['tools/call', 'prompts/get', 'resources/read'])

const listTtlMs = 60_000
const stateLifetimeMs = 10 * 60_000
const mostSubscriptions = 64
const mostWatchedUris = 1024

const changeMethods: Record<Feature, { method: string; member: string }> = {
  tools: { method: 'notifications/tools/list_changed', member: 'toolsListChanged' },
  prompts: { method: 'notifications/prompts/list_changed', member: 'promptsListChanged' },
  resources: { method: 'notifications/resources/list_changed', member: 'resourcesListChanged' },
}

/** An open `subscriptions/listen`. */
interface Subscription {
  id: RequestId
  lists: Record<string, true>
  unwatch: (() => void)[]
  changedUris: Set<string>
  changedLists: Set<Feature>
  changedTasks: Set<Task>
  end: (result: object) => void
}

class ModernDialect implements Dialect {
  readonly era = modern.name
  readonly methods: HandlerTable
  // Log messages belong to a request in this era.
  readonly ownLogLevel = undefined
  readonly #speaker: Speaker
  #head = ''
  #headOf: ServerInfo | undefined = undefined
  #text: PlainText | undefined = undefined
  #sealedText = ''
  readonly #subscriptions = new Map<RequestId, Subscription>()
  #meta: Record<string, unknown> | undefined = undefined
  #caller: Caller | undefined = undefined

  constructor(speaker: Speaker) {
    this.#speaker = speaker
    this.methods = handlerTable({
      'server/discover': () => this.#discover(),
      'subscriptions/listen': (params, call) => this.#listen(params, call),
      ...taskMethods(speaker.server),
    })
  }

  claims(_method: string, meta: Record<string, unknown> | undefined): boolean {
    return (
      meta !== undefined &&
      (meta[PROTOCOL_VERSION] !== undefined ||
        meta[CLIENT_CAPABILITIES] !== undefined ||
        Object.hasOwn(meta, CLIENT_INFO) ||
        Object.hasOwn(meta, LOG_LEVEL))
    )
  }

  open(call: CallState, params: Record<string, unknown>): void | Promise<void> {
    const meta = params._meta as Record<string, unknown>
    // A client that repeats itself is read once: see RepeatedMeta.
    if (meta !== this.#meta) {
      this.#caller = callerOf(meta)
      this.#meta = meta
    }
    call.caller = this.#caller!
    call.params = params
    if (params.inputResponses !== undefined || params.requestState !== undefined) return this.#resume(call, params)
  }

  seal(value: unknown, call: CallState): string | Promise<string> {
    if (call.questions !== undefined) return this.#sealQuestions(call, call.questions)
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
    if (!mayAsk.has(call.method)) {
      return Promise.reject(new RpcError(ErrorCode.InternalError, `${call.method} cannot ask the client anything`))
    }
    const missing = missingCapability(call.clientCapabilities, request)
    if (missing !== undefined) return Promise.reject(missingError(missing))
    call.questions ??= {}
    call.questions[key] = request
    return Promise.reject(new InputRequired())
  }

  taskTerms(call: CallState, _params: Record<string, unknown>, { name, task }: TaskTool): TaskTerms | undefined {
    if (task === 'never') return undefined
    if (!takesTasks(call)) {
      if (task === 'required') throw needsTasks(name)
      return undefined
    }
    return {
      asksFirst: true,
      ttlMs: undefined,
      seal: value => this.#sealValue(value, call.method),
      sealError: error => this.sealError(error),
      refusal: request => {
        const missing = missingCapability(call.clientCapabilities, request)
        return missing === undefined ? undefined : missingError(missing)
      },
    }
  }

  // A modern server asks nothing by requests of its own, so no response can be for it.
  response(): void {}
  // Log messages belong to a request in this era.
  log(): void {}

  takesBatches(): boolean {
    return false
  }

  listChanged(feature: Feature): void {
    for (const subscription of this.#subscriptions.values()) {
      if (subscription.lists[changeMethods[feature].member] !== true) continue
      subscription.changedLists.add(feature)
      this.#tell(subscription)
    }
  }

  drained(): void {
    for (const subscription of this.#subscriptions.values()) this.#tell(subscription)
  }

  farewell(): void {
    for (const subscription of this.#subscriptions.values()) {
      this.#unwatch(subscription)
      subscription.end({ _meta: { [SUBSCRIPTION_ID]: subscription.id } })
    }
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) this.#unwatch(subscription)
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
    return { ...capabilities, extensions: { ...(capabilities.extensions as object | undefined), [TASKS]: {} } }
  }

  #listen(params: Record<string, unknown>, call: CallState): Promise<object> {
    const filter = params.notifications
    if (!isObject(filter)) throw new RpcError(ErrorCode.InvalidParams, 'notifications must be an object')
    const offered = this.#speaker.server.capabilities() as Record<
      string,
      { listChanged?: boolean; subscribe?: boolean }
    >
    if (this.#subscriptions.size >= mostSubscriptions) {
      throw new RpcError(ErrorCode.InternalError, `More than ${mostSubscriptions} subscriptions on one connection`)
    }
    const subscription: Subscription = {
      id: call.id,
      lists: {},
      unwatch: [],
      changedUris: new Set(),
      changedLists: new Set(),
      changedTasks: new Set(),
      end: () => {},
    }
    const honoured: Record<string, unknown> = {}
    for (const feature of Object.keys(changeMethods) as Feature[]) {
      const { member } = changeMethods[feature]
      const wanted = filter[member]
      if (wanted !== undefined && typeof wanted !== 'boolean') {
        throw new RpcError(ErrorCode.InvalidParams, `notifications.${member} must be true or false`)
      }
      if (wanted === true && offered[feature]?.listChanged === true) {
        subscription.lists[member] = true
        honoured[member] = true
      }
    }
    const uris = filter.resourceSubscriptions
    if (uris !== undefined) {
      if (!Array.isArray(uris) || !uris.every(uri => typeof uri === 'string')) {
        throw new RpcError(ErrorCode.InvalidParams, 'notifications.resourceSubscriptions must be a list of URIs')
      }
      if (uris.length > mostWatchedUris) {
        throw new RpcError(ErrorCode.InternalError, `More than ${mostWatchedUris} URIs in one subscription`)
      }
      if (offered.resources?.subscribe === true) honoured.resourceSubscriptions = [...new Set(uris)]
    }
    const tasks = this.#tasksToWatch(filter.taskIds, call)
    if (tasks !== undefined) honoured.taskIds = tasks.map(({ id }) => id)
    this.#notify(subscription, 'notifications/subscriptions/acknowledged', { notifications: honoured })
    this.#subscriptions.set(call.id, subscription)
    for (const uri of (honoured.resourceSubscriptions ?? []) as string[]) {
      subscription.unwatch.push(
        this.#speaker.server.subscribe(uri, () => {
          subscription.changedUris.add(uri)
          this.#tell(subscription)
        }),
      )
    }
    for (const task of tasks ?? []) {
      const changed = () => {
        subscription.changedTasks.add(task)
        this.#tell(subscription)
      }
      subscription.unwatch.push(task.observe(changed))
      // What came about before this was open is told first, so that nobody waits for an end that has been.
      changed()
    }
    call.signal.addEventListener('abort', () => this.#unwatch(subscription), { once: true })
    return new Promise(resolve => {
      subscription.end = result => {
        resolve(result)
        // The cancellation page wants this notice from the server, the subscriptions page the result before it.
        // Both microtasks of the result's way to the stream come first.
        Promise.resolve()
          .then(() => {})
          .then(() =>
            this.#notify(subscription, 'notifications/cancelled', { requestId: call.id, reason: 'The server ends' }),
          )
      }
    })
  }

  #tasksToWatch(taskIds: unknown, call: CallState): Task[] | undefined {
    if (taskIds === undefined) return undefined
    if (!takesTasks(call)) throw needsTasks('notifications.taskIds')
    if (!Array.isArray(taskIds) || !taskIds.every(id => typeof id === 'string')) {
      throw new RpcError(ErrorCode.InvalidParams, 'notifications.taskIds must be a list of ids')
    }
    if (taskIds.length > mostWatchedUris) {
      throw new RpcError(ErrorCode.InternalError, `More than ${mostWatchedUris} tasks in one subscription`)
    }
    const known = [...new Set(taskIds)].map(id => this.#speaker.server.tasks.find(id, call))
    return known.filter(task => task !== undefined)
  }

  #unwatch(subscription: Subscription): void {
    this.#subscriptions.delete(subscription.id)
    for (const unwatch of subscription.unwatch) unwatch()
    subscription.unwatch = []
  }

  // What piles up while the client does not read is told once, when it reads again.
  #tell(subscription: Subscription): void {
    if (this.#speaker.congested) return
    for (const feature of subscription.changedLists) this.#notify(subscription, changeMethods[feature].method, {})
    for (const uri of subscription.changedUris) this.#notify(subscription, 'notifications/resources/updated', { uri })
    const now = this.#speaker.server.clock.now()
    for (const task of subscription.changedTasks) {
      this.#notify(subscription, 'notifications/tasks', detailedTask(task, now))
    }
    subscription.changedLists.clear()
    subscription.changedUris.clear()
    subscription.changedTasks.clear()
  }

  #notify(subscription: Subscription, method: string, params: object): void {
    this.#speaker.send(
      notificationLine(method, { ...params, _meta: { [SUBSCRIPTION_ID]: subscription.id } }),
      subscription.id,
    )
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
      const handle = taskHandle(value.begin(), clock.now())
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

  async #sealQuestions(call: CallState, inputRequests: Record<string, InputRequest>): Promise<string> {
    const requestState = await this.#speaker.server.requestState.seal({
      answers: call.answers ?? {},
      subject: await subjectOf(call.method, call.params),
      expires: this.#speaker.server.clock.now() + stateLifetimeMs,
    })
    return toJson({
      resultType: 'input_required',
      _meta: { [SERVER_INFO]: this.#speaker.server.info },
      inputRequests,
      requestState,
    })
  }

  async #resume(call: CallState, params: Record<string, unknown>): Promise<void> {
    const { inputResponses = {}, requestState } = params
    if (!isObject(inputResponses)) throw new RpcError(ErrorCode.InvalidParams, 'inputResponses must be an object')
    if (!mayAsk.has(call.method)) return
    let earlier: Record<string, unknown> = {}
    if (requestState !== undefined) {
      const state =
        typeof requestState === 'string' ? await this.#speaker.server.requestState.open(requestState) : undefined
      if (state === undefined || !isObject(state.answers) || state.subject !== (await subjectOf(call.method, params))) {
        throw new RpcError(ErrorCode.InvalidParams, 'requestState does not belong to this request')
      }
      if (typeof state.expires !== 'number' || state.expires < this.#speaker.server.clock.now()) {
        throw new RpcError(ErrorCode.InvalidParams, 'requestState is too old: send the request again without it')
      }
      earlier = state.answers
    }
    call.answers = Object.assign(Object.create(null), earlier, inputResponses)
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
