import { type ClientCapabilities, type ClientInfo, type FormSchema, type LogLevel, logLevels } from '../call.ts'
import type { CallState } from '../call-state.ts'
import { toolError } from '../content.ts'
import { ErrorCode, RpcError } from '../errors.ts'
import { isObject, toJson } from '../json.ts'
import { type Message, notificationLine, type RequestId, requestLine } from '../json-rpc.ts'
import { type Feature, type HandlerTable, handlerTable, ListPage, PlainText, plainTextMembers } from '../table.ts'
import { type Missing, missingCapability, missingError } from './capabilities.ts'
import type { Dialect, Era, InputAnswer, InputRequest, Speaker } from './era.ts'
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
interface Session {
  version: string
  clientCapabilities: ClientCapabilities
  clientInfo: ClientInfo | undefined
}

interface Question {
  call: CallState
  resolve: (answer: InputAnswer) => void
  reject: (error: Error) => void
}

class LegacyDialect implements Dialect {
  readonly methods: HandlerTable
  readonly #speaker: Speaker
  #session: Session | undefined = undefined
  // Until the client chooses, it hears what a person would want to know.
  #logLevel: LogLevel = 'info'
  readonly #subscriptions = new Map<string, () => void>()
  readonly #questions = new Map<RequestId, Question>()
  #lastQuestion = 0
  readonly #changedUris = new Set<string>()
  readonly #changedLists = new Set<Feature>()

  constructor(speaker: Speaker) {
    this.#speaker = speaker
    this.methods = handlerTable({
      initialize: params => this.#initialize(params),
      ping: () => ({}),
      'logging/setLevel': params => this.#setLevel(params),
      'resources/subscribe': params => this.#subscribe(params),
      'resources/unsubscribe': params => this.#unsubscribe(params),
    })
  }

  claims(method: string): boolean {
    return this.#session !== undefined || method === 'initialize' || method === 'ping'
  }

  open(call: CallState): void {
    if (this.#session === undefined) return
    call.clientInfo = this.#session.clientInfo
    call.clientCapabilities = this.#session.clientCapabilities
  }

  seal(value: unknown, call: CallState): string {
    if (value instanceof PlainText) return `{${plainTextMembers(value)}}`
    if (value instanceof ListPage) return (value.sealed.legacy ??= toJson(pageOf(value)))
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
          call.id,
        )
        reject(reason)
      }
      const aborted = () => giveUp(call.signal.reason as Error)
      const timer = clock.setTimeout(
        () => giveUp(new Error(`The client did not answer "${key}" in ${questionTimeoutMs / 1000} s`)),
        questionTimeoutMs,
      )
      const done = () => {
        clock.clearTimeout(timer)
        call.signal.removeEventListener('abort', aborted)
      }
      call.signal.addEventListener('abort', aborted, { once: true })
      this.#questions.set(id, {
        call,
        resolve: answer => {
          done()
          resolve(answer)
        },
        reject: error => {
          done()
          reject(error)
        },
      })
      this.#speaker.send(requestLine(id, request.method, this.#paramsOf(request)), call.id)
      if (call.signal.aborted) aborted()
    })
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
    }
    const { server } = this.#speaker
    server.onLogLevel()
    const result: Record<string, unknown> = {
      protocolVersion: version,
      capabilities: server.capabilities(),
      serverInfo: server.info,
    }
    if (server.instructions !== undefined) result.instructions = server.instructions
    return result
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

function pageOf({ kind, items, nextCursor }: ListPage): object {
  const listed = kind === 'tools' ? items.map(handshakeTool) : items
  return nextCursor === undefined ? { [kind]: listed } : { [kind]: listed, nextCursor }
}
