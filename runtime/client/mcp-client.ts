import { type Call, type ClientInfo, type LogLevel, logLevels } from '../call.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { ToolResult } from '../content.ts'
import { DeviceFailure, ErrorCode, RpcError } from '../errors.ts'
import { excerpt } from '../excerpt.ts'
import { isObject } from '../json.ts'
import { kindOf, type Message, notificationLine, whyInvalid } from '../json-rpc.ts'
import type { Feature } from '../table.ts'
import type { CallsOptions, DeviceCalls } from './calls.ts'
import { modernMeta, wantedLogLevel } from './envelope.ts'
import { DeviceError, NoAnswerError } from './failures.ts'
import { meet } from './handshake.ts'
import { LegacyCalls } from './legacy-calls.ts'
import { LegacySubscriptions } from './legacy-subscriptions.ts'
import { ListenStream } from './listen-stream.ts'
import { ModernCalls } from './modern-calls.ts'
import { Requests, type Result } from './requests.ts'
import { neutral, passedOnError, shortened, toldError } from './results.ts'
import type { DeviceSession } from './session.ts'
import type { Subscriptions } from './subscriptions.ts'

/** What a client tells of its device. Everything may be left out. */
export interface McpObserver {
  /** The device was met, for the first time or again. */
  onConnected?(session: DeviceSession): void
  /** The device is gone. */
  onLost?(why: string): void
  onListChanged?(feature: Feature): void
  onResourceUpdated?(uri: string): void
  /** A log message of the device that belongs to no call, or to all. */
  onLog?(level: LogLevel, data: unknown, logger: string | undefined): void
}

/** How a client is made. */
export interface McpClientOptions extends McpObserver {
  /** Sends a message to the device: one line, without its newline. */
  send(line: string): void
  /** Who we are (MCP Implementation). */
  clientInfo: ClientInfo
  /** How the device is called in errors until it has said its name: `/dev/ttyACM0`. */
  label?: string
  /** How long the device may take for an answer, in milliseconds; 30 000 when left out. Progress begins the time anew. */
  requestTimeoutMs?: number
  /** How long a request that is made now waits for a device that is away, in milliseconds; 2000 when left out. */
  awayMs?(): number
  /** How long a host may take to answer a question of the device, in milliseconds; 10 minutes when left out. */
  questionTimeoutMs?: number
  clock?: Clock
  /** Takes lines for the operator. */
  diagnose?(text: string): void
}

/** An item of a device's list as it stands on the wire: nothing in it is checked. */
export type Listed = Record<string, unknown>

const mostPages = 1000
/** Texts for the operator that were told already are kept, so that each is told once; but not for ever. */
const mostTold = 256

/**
 * A client for one device that speaks MCP in lines, in either era. It outlives the device's connection: after
 * {@link McpClient.lost}, {@link McpClient.connect} meets the device again and restores what was subscribed to.
 *
 * Requests that are made for a host's call pass on its progress, its cancelling and the device's questions.
 */
export class McpClient {
  readonly #options: McpClientOptions
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #requests: Requests
  readonly #observers = new Set<McpObserver>()
  readonly #wanted = new Map<string, number>()
  readonly #waiting = new Set<(outcome: DeviceSession | Error) => void>()
  readonly #told = new Set<string>()
  #session: DeviceSession | undefined = undefined
  #lastSession: DeviceSession | undefined = undefined
  #meeting: Promise<DeviceSession> | undefined = undefined
  #calls: DeviceCalls | undefined = undefined
  #subscriptions: Subscriptions | undefined = undefined
  #logLevel: LogLevel | undefined = undefined
  #whyAway = 'it was not met yet'
  #closed = false

  constructor(options: McpClientOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#timeoutMs = options.requestTimeoutMs ?? 30_000
    this.#observers.add(options)
    this.#requests = new Requests({
      send: options.send,
      clock: this.#clock,
      deviceName: () => this.deviceName,
      diagnose: text => this.#tell(text),
    })
  }

  /** What the device said at the last handshake; nothing while it is away. */
  get session(): DeviceSession | undefined {
    return this.#session
  }

  /** How the device is called in texts for people. */
  get deviceName(): string {
    const info = this.#lastSession?.serverInfo
    const own = info === undefined ? '' : shortened(info.title ?? info.name).slice(0, 80)
    return own || (this.#options.label ?? 'The device')
  }

  /** Hears of the device until the function that is returned is called. */
  observe(observer: McpObserver): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  /**
   * Meets the device: finds out its era and agrees on a revision. Called again after it was lost, or when it may have
   * started anew.
   *
   * @param first the era to try first, where it is known from before
   * @throws Error when the device does not answer, or not as an MCP server
   */
  connect(first: DeviceSession['era'] | undefined = this.#lastSession?.era): Promise<DeviceSession> {
    if (this.#closed) return Promise.reject(new DeviceFailure(`${this.deviceName} was let go`))
    if (this.#meeting !== undefined) return this.#meeting
    const meeting = this.#meet(first).finally(() => {
      if (this.#meeting === meeting) this.#meeting = undefined
    })
    this.#meeting = meeting
    return meeting
  }

  /** Takes a line of the device. Never throws. */
  receive(line: string): void {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      if (line.trim() !== '') this.#tell(`${this.deviceName} sent a line that is no JSON: ${excerpt(line)}`)
      return
    }
    // 2025-03-26 lets a device send several messages at once.
    for (const message of Array.isArray(value) ? value : [value]) this.#receiveOne(message)
  }

  /** The device is gone: all that waits for it ends with an error that says so. */
  lost(why: string): void {
    this.#whyAway = why
    const was = this.#session
    this.#session = undefined
    this.#calls?.close()
    this.#subscriptions?.close()
    this.#calls = undefined
    this.#subscriptions = undefined
    this.#meeting = undefined
    this.#requests.lost(why)
    if (was !== undefined) for (const observer of this.#observers) observer.onLost?.(why)
  }

  /** Ends it for good. */
  close(): void {
    this.#closed = true
    this.lost('it was let go')
    const gone = new NoAnswerError('away', `${this.deviceName} was let go. Nothing was done.`)
    for (const wait of this.#waiting) wait(gone)
  }

  /** All tools of the device, from all pages; none where it has no tools. */
  listTools(): Promise<Listed[]> {
    return this.#list('tools', 'tools/list', 'tools')
  }

  listResources(): Promise<Listed[]> {
    return this.#list('resources', 'resources/list', 'resources')
  }

  listResourceTemplates(): Promise<Listed[]> {
    return this.#list('resources', 'resources/templates/list', 'resourceTemplates')
  }

  listPrompts(): Promise<Listed[]> {
    return this.#list('prompts', 'prompts/list', 'prompts')
  }

  /**
   * Calls a tool for a host. What the device says went wrong is thrown as an Error whose message is for the model.
   *
   * @throws InputRequired through the handler, when the device asks something that the host answers by repeating
   */
  async callTool(name: string, args: Record<string, unknown>, call: Call): Promise<ToolResult> {
    try {
      const result = await this.#call('tools/call', { name, arguments: args }, call)
      const { content = [] } = result
      if (!Array.isArray(content))
        throw new DeviceFailure(`${this.deviceName} answered with something that is no tool result`)
      return { ...result, content: content.filter(isObject) } as unknown as ToolResult
    } catch (thrown) {
      if (!(thrown instanceof DeviceError)) throw thrown
      if (thrown.code !== ErrorCode.MissingRequiredClientCapability) throw new DeviceFailure(toldError(thrown))
      throw passedOnError(thrown, 'tools/call')
    }
  }

  /** Reads a resource: `contents`, and how long they may be kept where the device says so. */
  async readResource(uri: string, call: Call): Promise<Result> {
    const result = await this.#call('resources/read', { uri }, call).catch(thrown => {
      throw thrown instanceof DeviceError ? passedOnError(thrown, 'resources/read', uri) : hostError(thrown)
    })
    if (Array.isArray(result.contents)) return result
    throw new RpcError(ErrorCode.InternalError, `${this.deviceName} read ${uri} and gave no contents`)
  }

  async getPrompt(name: string, args: Record<string, string>, call: Call): Promise<Result> {
    const result = await this.#call('prompts/get', { name, arguments: args }, call).catch(thrown => {
      throw thrown instanceof DeviceError ? passedOnError(thrown, 'prompts/get') : hostError(thrown)
    })
    if (Array.isArray(result.messages)) return result
    throw new RpcError(ErrorCode.InternalError, `${this.deviceName} gave no messages for the prompt ${name}`)
  }

  /** Suggests values for an argument of a prompt or a variable of a template (MCP `completion/complete`). */
  async complete(
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
    argument: { name: string; value: string },
    others: Record<string, string> = {},
  ): Promise<string[]> {
    const context = Object.keys(others).length === 0 ? {} : { context: { arguments: others } }
    const { completion } = await this.#request('completion/complete', { ref, argument, ...context })
    const values = isObject(completion) ? completion.values : undefined
    return Array.isArray(values) ? values.filter(value => typeof value === 'string') : []
  }

  /**
   * Hears of changes of a resource through `onResourceUpdated`, until the function that is returned is called. It is
   * subscribed to again whenever the device comes back.
   */
  async subscribe(uri: string): Promise<() => void> {
    const count = (this.#wanted.get(uri) ?? 0) + 1
    this.#wanted.set(uri, count)
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      const left = (this.#wanted.get(uri) ?? 1) - 1
      if (left > 0) return void this.#wanted.set(uri, left)
      this.#wanted.delete(uri)
      this.#subscriptions?.remove(uri)
    }
    if (count > 1 || this.#subscriptions === undefined) return end
    try {
      await this.#subscriptions.add(uri)
    } catch (thrown) {
      // A device that was lost meanwhile is asked again when it is back.
      if (thrown instanceof NoAnswerError && thrown.why === 'lost') return end
      end()
      throw thrown
    }
    return end
  }

  /**
   * Says from which level on the device shall send log messages. It is told again whenever it comes back. A device of
   * 2026-07-28 is told with each call what its host wants to hear.
   */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level
    if (this.#session?.era !== 'legacy' || this.#session.capabilities.logging === undefined) return
    await this.#request('logging/setLevel', { level })
  }

  async #meet(first: DeviceSession['era'] | undefined): Promise<DeviceSession> {
    let session: DeviceSession
    try {
      session = await meet({
        requests: this.#requests,
        clientInfo: this.#options.clientInfo,
        notify: method => this.#options.send(notificationLine(method)),
        deviceName: () => this.deviceName,
        first,
      })
    } catch (thrown) {
      if (thrown instanceof Error) this.#whyAway = thrown.message
      throw thrown
    }
    this.#calls?.close()
    this.#subscriptions?.close()
    this.#told.clear()
    this.#session = session
    this.#lastSession = session
    const common = {
      requests: this.#requests,
      clientInfo: this.#options.clientInfo,
      clock: this.#clock,
      timeoutMs: this.#timeoutMs,
      deviceName: () => this.deviceName,
      diagnose: (text: string) => this.#tell(text),
    }
    const calls: CallsOptions = {
      ...common,
      version: session.version,
      questionMs: this.#options.questionTimeoutMs ?? 10 * 60_000,
      send: line => this.#options.send(line),
    }
    this.#calls = session.era === 'modern' ? new ModernCalls(calls) : new LegacyCalls(calls)
    this.#subscriptions =
      session.era === 'modern' ? new ListenStream({ ...common, session }) : new LegacySubscriptions(common)
    for (const wait of this.#waiting) wait(session)
    for (const observer of this.#observers) observer.onConnected?.(session)
    void this.#restore()
    return session
  }

  /** Asks the device for what was asked of it before it was away. */
  async #restore(): Promise<void> {
    const level = this.#logLevel
    if (level !== undefined) {
      await this.setLogLevel(level).catch(thrown => this.#tell(`${this.deviceName}: ${String(thrown.message)}`))
    }
    const uris = [...this.#wanted.keys()]
    await this.#subscriptions?.start(uris)
    for (const uri of uris) for (const observer of this.#observers) observer.onResourceUpdated?.(uri)
  }

  #receiveOne(value: unknown): void {
    const kind = kindOf(value)
    const message = value as Message
    if (kind === 'response') {
      const isNameless = message.id === undefined || message.id === null
      if (!isNameless) return this.#requests.answer(message)
      if (this.#requests.refused(message.error)) return
      const said = isObject(message.error) ? shortened(String(message.error.message)) : 'no reason given'
      return this.#tell(`${this.deviceName} could not read a line: ${said}`)
    }
    if (kind === 'request') {
      // Before the handshake a device may send what it likes; it is not heard.
      if (this.#calls !== undefined) return this.#calls.question(message)
      return this.#tell(`${this.deviceName} sent ${excerpt(message.method)} before it was met`)
    }
    if (kind === 'notification')
      return this.#notification(message.method, isObject(message.params) ? message.params : {})
    this.#tell(`${this.deviceName} sent something that is no message: ${whyInvalid(value)}`)
  }

  #notification(method: string, params: Record<string, unknown>): void {
    switch (method) {
      case 'notifications/progress':
        return this.#requests.progress(params)
      case 'notifications/message':
        return this.#log(params)
      case 'notifications/cancelled':
        this.#calls?.withdrawn(params.requestId)
        return this.#subscriptions?.ended(params.requestId)
      case 'notifications/subscriptions/acknowledged':
        return this.#subscriptions?.acknowledged(params)
      case 'notifications/resources/updated':
        if (typeof params.uri !== 'string') return
        for (const observer of this.#observers) observer.onResourceUpdated?.(params.uri)
        return
    }
    const feature = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method)?.[1] as Feature | undefined
    if (feature !== undefined) for (const observer of this.#observers) observer.onListChanged?.(feature)
  }

  /** In neither era does a log message say to which call it belongs: it can be told only where one call runs. */
  #log({ level, data, logger }: Record<string, unknown>): void {
    if (!logLevels.includes(level as LogLevel)) return
    const name = typeof logger === 'string' ? logger : undefined
    const calls = [...(this.#calls?.running ?? [])]
    const [call] = calls.filter(each => wantedLogLevel(each) !== undefined)
    if (calls.length === 1 && call !== undefined) call.log(level as LogLevel, data, name)
    else for (const observer of this.#observers) observer.onLog?.(level as LogLevel, data, name)
  }

  async #list(feature: Feature, method: string, key: string): Promise<Listed[]> {
    const { capabilities } = await this.#ready()
    if (capabilities[feature] === undefined) return []
    const items: Listed[] = []
    const seen = new Set<string>()
    let cursor: string | undefined
    for (let page = 1; page <= mostPages; page++) {
      const result = await this.#page(method, cursor === undefined ? {} : { cursor })
      const listed = result[key]
      if (!Array.isArray(listed)) throw new DeviceFailure(`${this.deviceName} answered ${method} without ${key}`)
      for (const item of listed) if (isObject(item)) items.push(item)
      const { nextCursor } = result
      if (typeof nextCursor !== 'string') return items
      if (seen.has(nextCursor)) break
      seen.add(nextCursor)
      cursor = nextCursor
    }
    this.#tell(`${this.deviceName} gives its list of ${feature} without an end: it was cut`)
    return items
  }

  /** Asking for a list moves nothing, so a line that was lost is sent once more. */
  async #page(method: string, params: object): Promise<Result> {
    try {
      return await this.#request(method, params)
    } catch (thrown) {
      if (!(thrown instanceof NoAnswerError) || thrown.why !== 'late') throw thrown
      return this.#request(method, params)
    }
  }

  async #request(method: string, params: object): Promise<Result> {
    const { era, version } = await this.#ready()
    const meta = era === 'modern' ? { _meta: modernMeta(version, this.#options.clientInfo, undefined) } : {}
    const send = () =>
      this.#requests.send(method, () => ({ ...params, ...meta }), { timeoutMs: this.#timeoutMs }).outcome
    return neutral(await this.#meetingAgain(send), this.deviceName)
  }

  async #call(method: string, params: Record<string, unknown>, call: Call): Promise<Result> {
    await this.#ready(call.signal)
    return neutral(await this.#meetingAgain(() => this.#calls!.run(method, params, call)), this.deviceName)
  }

  /** A device may start anew without the line being cut. What it refuses for that reason it has not done. */
  async #meetingAgain(send: () => Promise<Result>): Promise<Result> {
    try {
      return await send()
    } catch (thrown) {
      const hasForgotten = thrown instanceof DeviceError && forgotHandshake.test(thrown.message)
      if (!hasForgotten || this.#session?.era !== 'legacy') throw thrown
      await this.connect('legacy')
      return send()
    }
  }

  /** The session, or the one that comes within a moment. */
  #ready(signal?: AbortSignal): Promise<DeviceSession> {
    if (this.#session !== undefined) return Promise.resolve(this.#session)
    return new Promise((resolve, reject) => {
      const settle = (outcome: DeviceSession | Error) => {
        this.#waiting.delete(settle)
        this.#clock.clearTimeout(timer)
        signal?.removeEventListener('abort', stopped)
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
      }
      const stopped = () => settle(new NoAnswerError('cancelled', 'The call was stopped'))
      const away = () => {
        const text = `${this.deviceName} is away: ${this.#whyAway}. Nothing was done: check its cable and power, then call again.`
        settle(new NoAnswerError('away', text))
      }
      const timer = this.#clock.setTimeout(away, this.#closed ? 0 : (this.#options.awayMs?.() ?? 2000))
      this.#waiting.add(settle)
      signal?.addEventListener('abort', stopped, { once: true })
    })
  }

  #tell(text: string): void {
    if (this.#told.has(text) || this.#told.size >= mostTold) return
    this.#told.add(text)
    this.#options.diagnose?.(text)
  }
}

/** How devices say that they do not remember a handshake. */
const forgotHandshake = /(not|before|without|never)\b.{0,30}\binitiali[sz]|initiali[sz]e? first/i

/** What is no error of the device, such as one that is away, as the host is told it. */
function hostError(thrown: unknown): unknown {
  return thrown instanceof NoAnswerError ? new RpcError(ErrorCode.InternalError, thrown.message) : thrown
}
