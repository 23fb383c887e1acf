import type { Peer } from './access.ts'
import type { Board } from './board.ts'
import { refuseTwins, register, replace } from './board-definitions.ts'
import { type LogLevel, logLevels } from './call.ts'
import type { CallState } from './call-state.ts'
import { type Catalog, catalog } from './catalog.ts'
import { type Clock, systemClock } from './clock.ts'
import { Connection, type Outlet } from './connection.ts'
import { DeadMan } from './dead-man.ts'
import type { Prompt, Resource, ResourceTemplate, Tool } from './definitions.ts'
import * as deferredQuestions from './eras/questions.ts'
import { DefinitionError } from './errors.ts'
import { defaultMaxLineBytes } from './framer.ts'
import { Hardware } from './hardware.ts'
import { isObject } from './json.ts'
import { ListChanges } from './list-changes.ts'
import type { OperatorLimits } from './operator-limits.ts'
import * as deferredLimits from './operator-limits.ts'
import { processOwner } from './owner.ts'
import type { PromptFeature } from './prompts.ts'
import * as deferredPrompts from './prompts.ts'
import type { RecordEvent, RecordOutcome } from './recorder.ts'
import type { Registry } from './registry.ts'
import { resourceFeature } from './resources.ts'
import { type Server, serverBrand } from './server.ts'
import type { RequestStateSealer, ServerCore, ServerInfo } from './server-core.ts'
import { limitOf, type ServerOptions, serverInfo } from './server-options.ts'
import type { StopReport } from './stop-tools.ts'
import { type Feature, features, type Handler, type HandlerTable, handlerTable, waiting } from './table.ts'
import type { TaskSupport } from './tasks/task.ts'
import type { TaskStore, TaskStoreOptions } from './tasks/task-store.ts'
import * as deferredTasks from './tasks/tasks.ts'
import { toolFeature } from './tools.ts'
import { Watches } from './watches.ts'
import { within } from './within.ts'

/**
 * Makes a server for a board.
 *
 * @throws DefinitionError for a mistake in a declaration: where it is, and what would be right
 */
export function createServer(board: Board, options: ServerOptions = {}): Server {
  return new BoardServer(board, options)
}

class BoardServer implements Server, ServerCore {
  readonly [serverBrand] = true
  info: ServerInfo
  board: Board
  instructions: string | undefined
  readonly tools: Registry<Tool<any>>
  readonly resources: Registry<Resource>
  readonly resourceTemplates: Registry<ResourceTemplate>
  readonly table: HandlerTable = handlerTable({})
  readonly clock: Clock
  readonly maxLineBytes: number
  readonly maxMessageBytes: number
  readonly maxCallsInFlight: number
  readonly questionTimeoutMs: number
  diagnose: (text: string) => void
  onLogLevel: () => void = () => {}
  readonly #options: ServerOptions
  #requestState: RequestStateSealer | undefined = undefined
  readonly #taskOptions: TaskStoreOptions
  #tasks: TaskStore | undefined = undefined
  readonly #limits: OperatorLimits
  #catalog: Catalog
  #prompts: PromptFeature | undefined = undefined
  #completion: Handler | undefined = undefined
  readonly #methods: Partial<Record<Feature, HandlerTable>>
  readonly #toolEntries: () => Iterable<{ readonly task: TaskSupport }>
  readonly #resourceFeature: ReturnType<typeof resourceFeature>
  readonly #connections = new Set<Connection>()
  readonly #watches = new Watches(
    (uri, changed) => this.#resourceFeature.watch(uri, changed),
    text => this.diagnose(text),
  )
  readonly #changes = new ListChanges(feature => {
    for (const connection of this.#connections) connection.listChanged(feature)
  })
  readonly #hardware: Hardware
  #stopSampling: () => void = () => {}
  readonly deadMan: DeadMan | undefined
  #closing: Promise<void> | undefined = undefined
  #tasksOver: Promise<void> | undefined = undefined
  #made = false

  constructor(board: Board, options: ServerOptions) {
    if (!isObject(board)) throw new DefinitionError('createServer needs a board: { name, sensors, actuators }')
    this.board = board
    this.#options = options
    this.#limits = options.limits ?? {}
    this.clock = options.clock ?? systemClock
    this.maxLineBytes = limitOf('maxLineBytes', options.maxLineBytes, defaultMaxLineBytes)
    // The official SDK's readers give up on lines over 10 MiB.
    this.maxMessageBytes = limitOf('maxMessageBytes', options.maxMessageBytes, 8 * 1024 * 1024)
    this.maxCallsInFlight = limitOf('maxCallsInFlight', options.maxCallsInFlight, 1024)
    this.questionTimeoutMs = limitOf('questionTimeoutMs', options.questionTimeoutMs, 10 * 60_000)
    if (options.requestStateSecret !== undefined)
      this.#requestState = deferredQuestions.requestStateSealer(options.requestStateSecret)
    this.#taskOptions = {
      clock: this.clock,
      mostRunning: limitOf('maxTasks', options.maxTasks, 256),
      keepMs: limitOf('taskTtlMs', options.taskTtlMs, 5 * 60_000),
      questionTimeoutMs: this.questionTimeoutMs,
      maxMessageBytes: this.maxMessageBytes,
    }
    this.diagnose = options.diagnose ?? (() => {})
    this.instructions = options.instructions ?? board.description
    this.#hardware = new Hardware({
      board: () => this.board,
      actuators: () => this.#catalog.actuators,
      arming: () => this.#catalog.arming,
      rules: () => this.#catalog.rules,
      owner: options.owner ?? sharedOwner,
      clock: this.clock,
      diagnose: text => this.diagnose(text),
      onOpen: () => {
        this.#record('open', 'the hardware was taken')
        this.#sample()
      },
    })
    this.#catalog = this.#catalogOf(board)
    this.info = serverInfo(board, options)
    const { hostSilenceMs } = options
    this.deadMan =
      hostSilenceMs === undefined
        ? undefined
        : new DeadMan({
            clock: this.clock,
            silenceMs: limitOf('hostSilenceMs', hostSilenceMs, 0),
            silent: () => void this.#hostIsSilent(hostSilenceMs),
          })
    const { limits } = options
    if (limits !== undefined && options.untilKnown === undefined) {
      deferredLimits.checkLimits(limits, board, Object.keys(options.tools ?? {}))
    }
    for (const id of Object.keys(options.extensions ?? {})) {
      if (!extensionId.test(id)) throw new DefinitionError(`extension "${id}": an id looks like com.example/name`)
    }

    const { allow } = this.#limits
    const tools = toolFeature({
      changed: () => this.#listChanged('tools'),
      maxMessageBytes: this.maxMessageBytes,
      diagnose: text => this.diagnose(text),
      tasks: () => this.tasks,
      // Arming asks a person in any case.
      isAllowed: name => name === 'arm_outputs' || allow === undefined || Object.hasOwn(allow, name),
      record: options.recorder && { recorder: options.recorder, clock: this.clock, board: () => this.board.name },
    })
    const resources = resourceFeature(() => this.#listChanged('resources'), this.maxMessageBytes)
    this.tools = tools.registry
    this.#toolEntries = () => tools.registry.entries()
    this.resources = resources.resources
    this.resourceTemplates = resources.templates
    this.#resourceFeature = resources
    this.#methods = { tools: this.#served(tools.methods), resources: this.#served(resources.methods) }
    this.#fill()
    if (options.untilKnown !== undefined) for (const feature of features) this.#listChanged(feature)
    this.#made = true
  }

  get prompts(): Registry<Prompt<any>> {
    return this.#promptFeature().registry
  }

  capabilities(): Record<string, unknown> {
    const { table } = this
    const capabilities: Record<string, unknown> = { logging: {} }
    if (table['tools/list'] !== undefined) capabilities.tools = { listChanged: true }
    if (table['resources/list'] !== undefined) capabilities.resources = { subscribe: true, listChanged: true }
    if (table['prompts/list'] !== undefined) capabilities.prompts = { listChanged: true }
    if (table['completion/complete'] !== undefined) capabilities.completions = {}
    if (this.#options.extensions !== undefined) capabilities.extensions = this.#options.extensions
    return capabilities
  }

  get requestState(): RequestStateSealer {
    this.#requestState ??= deferredQuestions.requestStateSealer()
    return this.#requestState
  }

  get tasks(): TaskStore {
    if (this.#tasks === undefined) {
      this.#tasks = deferredTasks.taskStore(this.#taskOptions)
      if (this.#closing !== undefined) void this.#tasks.close(new Error('The server is shutting down'))
    }
    return this.#tasks
  }

  left(connection: object, reason: Error): void {
    this.#tasks?.left(connection, reason)
  }

  servesTasks(): boolean {
    for (const { task } of this.#toolEntries()) if (task !== 'never') return true
    return false
  }

  knowsResource(uri: string): boolean {
    return this.#resourceFeature.knows(uri)
  }

  subscribe(uri: string, changed: () => void): () => void {
    return this.#watches.add(uri, changed)
  }

  resourceUpdated(uri: string): void {
    this.#watches.tell(uri)
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    for (const connection of this.#connections) connection.log(level, data, logger)
  }

  get logLevel(): LogLevel | undefined {
    let least: LogLevel | undefined
    for (const { logLevel } of this.#connections) {
      if (logLevel !== undefined && !isAtLeast(logLevel, least)) least = logLevel
    }
    return least
  }

  get clients(): number {
    return this.#connections.size
  }

  connect(outlet: Outlet, peer?: Peer): Connection {
    const ended = () => {
      this.#connections.delete(connection)
      this.onLogLevel()
    }
    const connection = new Connection(
      this,
      outlet,
      undefined,
      ended,
      this.#limits.readOnly ? { ...peer, access: 'read' } : peer,
    )
    this.#connections.add(connection)
    return connection
  }

  open(): Promise<void> {
    return this.#hardware.open()
  }

  replaceBoard(board: Board): void {
    const next = this.#catalogOf(board, board.name === this.board.name ? this.#catalog.sensors : [])
    if (this.#catalog.arming.stopped) next.arming.stop()
    this.#catalog.rules?.close()
    const { tools = {}, resources = {}, resourceTemplates = {} } = this.#options
    const last = this.#catalog
    refuseTwins('tool', next.tools, tools)
    refuseTwins('resource', next.resources, resources)
    refuseTwins('resource template', next.resourceTemplates, resourceTemplates)
    this.board = board
    this.#catalog = next
    this.info = serverInfo(board, this.#options)
    this.instructions = this.#options.instructions ?? board.description
    replace(this.tools, last.tools, next.tools)
    replace(this.resources, last.resources, next.resources)
    replace(this.resourceTemplates, last.resourceTemplates, next.resourceTemplates)
    for (const registry of [this.tools, this.resources, this.resourceTemplates]) registry.sealAnew()
    this.#prompts?.registry.sealAnew()
    this.#watches.restart()
    if (this.#hardware.isOpen) this.#sample()
  }

  makeSafe(): Promise<string[]> {
    return this.#hardware.makeSafe()
  }

  makeSafeNow(): void {
    this.#hardware.makeSafeNow()
  }

  async stop(by: string): Promise<StopReport> {
    const { arming, actuators } = this.#catalog
    arming.stop()
    this.#catalog.forgetConsent()
    const failures = await this.#hardware.takeAndStop()
    this.diagnose(
      `Everything was stopped by ${by}${failures.size === 0 ? '' : `: ${[...failures.values()].join('; ')}`}`,
    )
    this.#record('stop', `by ${by}`, failures.size === 0 ? 'ran' : 'failed')
    // A board that makes itself safe as a whole fails as a whole.
    const failed = failures.has(this.board.name) ? actuators.map(({ name }) => name) : failures.keys()
    return {
      outputs: await this.#catalog.stopped(new Set(failed)),
      failures: [...failures.values()],
    }
  }

  async #hostIsSilent(ms: number): Promise<void> {
    const why = `The host said nothing for ${ms / 1000} s`
    this.diagnose(`${why}: everything is put into its safe state`)
    this.#record('safe', why)
    for (const failure of (await this.#hardware.stop()).values()) this.diagnose(failure)
  }

  #record(event: RecordEvent, reason: string, outcome?: RecordOutcome): void {
    this.#options.recorder?.record({
      time: new Date(this.clock.now()).toISOString(),
      event,
      board: this.board.name,
      reason,
      ...(outcome === undefined ? {} : { outcome }),
    })
  }

  async arm(by: string): Promise<void> {
    await this.#hardware.ready()
    await this.board.arm?.(true)
    this.#catalog.arming.arm()
    this.diagnose(`The outputs were armed by ${by}`)
    this.#record('arm', `by ${by}`)
  }

  get armed(): boolean {
    return this.#catalog.arming.armed
  }

  get stopped(): boolean {
    return this.#catalog.arming.stopped
  }

  close(reason = 'The server is shutting down'): Promise<void> {
    this.#closing ??= this.#shutDown(reason)
    return this.#closing
  }

  /** Reads in the background what the board wants to have remembered. */
  #sample(): void {
    this.#stopSampling()
    this.#stopSampling = this.#catalog.sample()
  }

  #catalogOf(board: Board, lastSensors: Catalog['sensors'] = []): Catalog {
    return catalog(board, {
      lastSensors,
      clock: this.clock,
      diagnose: text => this.diagnose(text),
      ready: () => this.#hardware.ready(),
      readSensorsTool: this.#options.readSensorsTool ?? false,
      limits: this.#limits,
      stop: by => this.stop(by),
      arm: by => this.arm(by),
    })
  }

  #fill(): void {
    const { tools = {}, resources = {}, resourceTemplates = {}, prompts } = this.#options
    register('tool', this.tools, this.#catalog.tools, tools)
    register('resource', this.resources, this.#catalog.resources, resources)
    register('resource template', this.resourceTemplates, this.#catalog.resourceTemplates, resourceTemplates)
    if (prompts !== undefined) register('prompt', this.prompts, {}, prompts)
  }

  #promptFeature(): PromptFeature {
    if (this.#prompts === undefined) {
      this.#prompts = deferredPrompts.promptFeature(() => this.#listChanged('prompts'), this.maxMessageBytes)
      this.#methods.prompts = this.#served(this.#prompts.methods)
    }
    return this.#prompts
  }

  #served(methods: HandlerTable): HandlerTable {
    const { untilKnown } = this.#options
    return untilKnown === undefined ? methods : waiting(methods, untilKnown)
  }

  /** A feature is served from the moment that it has something, and stays: clients were told that it is there. */
  #listChanged(feature: Feature): void {
    if (feature === 'prompts') this.#promptFeature()
    Object.assign(this.table, this.#methods[feature])
    if (this.table['completion/complete'] === undefined && this.#completes()) {
      this.table['completion/complete'] = (params, call) => this.#complete(params, call)
    }
    if (this.#made) this.#changes.add(feature)
  }

  #complete(params: Record<string, unknown>, call: CallState): unknown {
    this.#completion ??= deferredPrompts.completionHandler(this.#promptFeature(), this.#resourceFeature)
    return this.#completion(params, call)
  }

  #completes(): boolean {
    if (this.#resourceFeature.completes()) return true
    return this.#prompts !== undefined && deferredPrompts.completes(this.#prompts)
  }

  /** Waits until every call is answered, but not for long. */
  async #idle(): Promise<void> {
    const answered = Promise.all([this.#tasksOver, ...Array.from(this.#connections, connection => connection.idle())])
    await within(answered, lastAnswersMs, this.clock).catch(() => {})
  }

  async #shutDown(reason: string): Promise<void> {
    const gone = new Error(reason)
    this.#stopSampling()
    this.#record('close', reason)
    this.deadMan?.close()
    const givenBack = this.#hardware.close(reason)
    this.#tasksOver = this.#tasks?.close(gone)
    for (const connection of this.#connections) {
      // Subscriptions first: to be aborted would end them without a word.
      connection.farewell()
      connection.abort(gone)
    }
    await givenBack
    await this.#idle()
    for (const connection of [...this.#connections]) connection.close(gone)
  }
}

const sharedOwner = processOwner()
/** How long calls that were told to stop may take to be answered, in milliseconds. */
const lastAnswersMs = 100
/** A key of `_meta` with its prefix (basic/index): labels with dots between, a slash, a name or nothing. */
const extensionId = /^[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)*\/([a-z0-9]([a-z0-9._-]*[a-z0-9])?)?$/i

/** Whether a level is as serious as another one. Every level is less serious than none at all. */
function isAtLeast(level: LogLevel, other: LogLevel | undefined): boolean {
  return other !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(other)
}
