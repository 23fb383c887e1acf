import type { Peer } from './access.ts'
import type { Board } from './board.ts'
import { type LogLevel, logLevels } from './call.ts'
import { type Catalog, catalog } from './catalog.ts'
import { type Clock, systemClock } from './clock.ts'
import { completes, completionHandler } from './completion.ts'
import { Connection, type Outlet } from './connection.ts'
import type { Icon } from './content.ts'
import { DeadMan } from './dead-man.ts'
import type { Prompt, Resource, ResourceTemplate, Tool } from './definitions.ts'
import { DefinitionError } from './errors.ts'
import { defaultMaxLineBytes } from './framer.ts'
import { Hardware } from './hardware.ts'
import { sample } from './history/sampler.ts'
import { isObject } from './json.ts'
import { checkLimits, isAllowed, type OperatorLimits } from './operator-limits.ts'
import { type Owner, processOwner } from './owner.ts'
import { promptFeature } from './prompts.ts'
import type { RecordEvent, Recorder, RecordOutcome } from './recorder.ts'
import type { Registry } from './registry.ts'
import { requestStateSealer } from './request-state.ts'
import { resourceFeature } from './resources.ts'
import type { ServerCore, ServerInfo } from './server-core.ts'
import { type StopReport, stoppedOutputs } from './stop-tools.ts'
import { type Feature, features, type HandlerTable, handlerTable, waiting } from './table.ts'
import type { TaskSupport } from './tasks/task.ts'
import { TaskStore } from './tasks/task-store.ts'
import { toolFeature } from './tools.ts'
import { Watches } from './watches.ts'
import { within } from './within.ts'

/** How a server differs from the usual. Everything may be left out. */
export interface ServerOptions {
  /** What clients hand to their model about this server; the board's description when left out. */
  instructions?: string
  websiteUrl?: string
  icons?: readonly Icon[]
  /** Tools of your own, beside the board's actuators. */
  tools?: Record<string, Tool<any>>
  /** Resources of your own by URI, beside the board's sensors. */
  resources?: Record<string, Resource>
  /** Resource templates of your own by URI template (RFC 6570). */
  resourceTemplates?: Record<string, ResourceTemplate>
  prompts?: Record<string, Prompt<any>>
  /** Adds a read-only tool `read_sensors`, for hosts that do not show resources to the model. */
  readSensorsTool?: boolean
  /** What the person who runs the server allows: narrower than the board's own rules, never wider. */
  limits?: OperatorLimits
  /** Keeps a record of every call, and of stops. */
  recorder?: Recorder
  /**
   * A host that says nothing for so long, in milliseconds, hangs: everything is made safe, and what wants to be armed is
   * disarmed. Hosts that ping may have a short time; without it a silent host is waited for as long as its pipe is open.
   */
  hostSilenceMs?: number
  /** Extensions that are served, by id, with their settings (2026-07-28, basic/versioning). */
  extensions?: Record<string, object>
  /** The longest line that is read, in bytes; 4 MiB when left out. */
  maxLineBytes?: number
  /** The longest message that is sent, in bytes; lists are cut into pages to fit. 8 MiB when left out. */
  maxMessageBytes?: number
  /** How many requests of one client may run at once; 1024 when left out. */
  maxCallsInFlight?: number
  /** How long a client may take to answer a question, in milliseconds; 10 minutes when left out. */
  questionTimeoutMs?: number
  /** How many tasks may run at once, and how many outcomes are kept; 256 when left out. One client may have a quarter. */
  maxTasks?: number
  /** How long the outcome of a task is kept, in milliseconds; 5 minutes when left out. */
  taskTtlMs?: number
  /** At least 32 bytes that sign what clients carry between two requests; random when left out. */
  requestStateSecret?: Uint8Array
  /**
   * For a server that learns only later what it serves, such as one for a device behind a cable that was never seen
   * before. It says from the beginning that it has tools, resources and prompts; while this gives a promise, lists and
   * calls wait for it.
   */
  untilKnown?: () => Promise<void> | undefined
  /** Who takes the hardware; an owner for this process when left out. */
  owner?: Owner
  clock?: Clock
  /** Takes lines for the operator, without a newline. Transports send them to stderr. */
  diagnose?: (text: string) => void
}

/** A server: one board, and what was added to it, for any number of clients. */
export interface Server {
  readonly info: ServerInfo
  readonly board: Board
  /** The tools by name. Changing them tells every client that the list changed. */
  readonly tools: Registry<Tool<any>>
  readonly resources: Registry<Resource>
  readonly resourceTemplates: Registry<ResourceTemplate>
  readonly prompts: Registry<Prompt<any>>
  readonly maxLineBytes: number
  readonly clock: Clock
  /** Takes lines for the operator. */
  diagnose: (text: string) => void
  /** Tells every client that watches this resource that it changed. */
  resourceUpdated(uri: string): void
  /** Sends a log message to every client that wants to hear it (handshake revisions). */
  log(level: LogLevel, data: unknown, logger?: string): void
  /** The least serious level that any client wants to hear of without a call; nothing when none does. */
  readonly logLevel: LogLevel | undefined
  /** Called when {@link Server.logLevel} may be another one. */
  onLogLevel: () => void
  /** How many clients are connected. */
  readonly clients: number
  /** A new client: its lines go into the connection, the answers into the outlet. */
  connect(outlet: Outlet, peer?: Peer): Connection
  /**
   * Takes the hardware and puts every actuator into its safe state. Clients are answered meanwhile; what needs the
   * hardware waits. Calling it again changes nothing.
   *
   * @throws what the board threw; calls then fail with its message
   */
  open(): Promise<void>
  /**
   * Serves another description of the same hardware, such as a device behind a cable that got new firmware. Clients are
   * told which lists changed. The hardware stays open: neither board's `open` or `close` is called.
   *
   * @throws DefinitionError for a mistake in the new board, and goes on with the old one
   */
  replaceBoard(board: Board): void
  /** Puts every actuator into its safe state, ahead of everything that runs or waits. Returns what went wrong. */
  makeSafe(): Promise<string[]>
  /** The last resort of a process that dies: what can be made safe at once is. */
  makeSafeNow(): void
  /**
   * Puts every actuator into its safe state, as {@link Server.makeSafe} does. What does not say `arming: false` stays there
   * until {@link Server.arm}.
   *
   * @param by who stopped it, for the operator
   */
  stop(by: string): Promise<StopReport>
  /** A person lets the outputs move: after a stop, and those that want to be armed. `by` is who, for the operator. */
  arm(by: string): Promise<void>
  /** Whether a person armed the outputs since the start and since the last stop. */
  readonly armed: boolean
  /** Whether the outputs were stopped, and no person has armed them since. */
  readonly stopped: boolean
  /**
   * Stops for good: calls are broken off, actuators made safe, subscriptions ended, the hardware given back.
   * Calling it again waits for the first.
   */
  close(reason?: string): Promise<void>
}

const brand = Symbol.for('ferrule.server')

/** Whether a value is a {@link Server}, also one of another copy of this package. */
export function isServer(value: unknown): value is Server {
  return isObject(value) && (value as { [brand]?: true })[brand] === true
}

/**
 * Makes a server for a board.
 *
 * @throws DefinitionError for a mistake in a declaration: where it is, and what would be right
 */
export function createServer(board: Board, options: ServerOptions = {}): Server {
  return new BoardServer(board, options)
}

class BoardServer implements Server, ServerCore {
  readonly [brand] = true
  info: ServerInfo
  board: Board
  instructions: string | undefined
  readonly tools: Registry<Tool<any>>
  readonly resources: Registry<Resource>
  readonly resourceTemplates: Registry<ResourceTemplate>
  readonly prompts: Registry<Prompt<any>>
  readonly table: HandlerTable = handlerTable({})
  readonly clock: Clock
  readonly maxLineBytes: number
  readonly maxMessageBytes: number
  readonly maxCallsInFlight: number
  readonly questionTimeoutMs: number
  readonly requestState: ServerCore['requestState']
  readonly tasks: TaskStore
  diagnose: (text: string) => void
  onLogLevel: () => void = () => {}
  readonly #options: ServerOptions
  readonly #limits: OperatorLimits
  #catalog: Catalog
  readonly #features: {
    methods: Record<Feature, HandlerTable>
    completes: () => boolean
    completion: HandlerTable[string]
  }
  readonly #toolEntries: () => Iterable<{ readonly task: TaskSupport }>
  readonly #resourceFeature: ReturnType<typeof resourceFeature>
  readonly #connections = new Set<Connection>()
  readonly #watches = new Watches(
    (uri, changed) => this.#resourceFeature.watch(uri, changed),
    text => this.diagnose(text),
  )
  readonly #changed = new Set<Feature>()
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
    this.maxLineBytes = limit('maxLineBytes', options.maxLineBytes, defaultMaxLineBytes)
    // The official SDK's readers give up on lines over 10 MiB.
    this.maxMessageBytes = limit('maxMessageBytes', options.maxMessageBytes, 8 * 1024 * 1024)
    this.maxCallsInFlight = limit('maxCallsInFlight', options.maxCallsInFlight, 1024)
    this.questionTimeoutMs = limit('questionTimeoutMs', options.questionTimeoutMs, 10 * 60_000)
    this.requestState = requestStateSealer(options.requestStateSecret)
    this.tasks = new TaskStore({
      clock: this.clock,
      mostRunning: limit('maxTasks', options.maxTasks, 256),
      keepMs: limit('taskTtlMs', options.taskTtlMs, 5 * 60_000),
      questionTimeoutMs: this.questionTimeoutMs,
      maxMessageBytes: this.maxMessageBytes,
    })
    this.diagnose = options.diagnose ?? (() => {})
    this.instructions = options.instructions ?? board.description
    this.#hardware = new Hardware({
      board: () => this.board,
      actuators: () => this.#catalog.actuators,
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
            silenceMs: limit('hostSilenceMs', hostSilenceMs, 0),
            silent: () => void this.#hostIsSilent(hostSilenceMs),
          })
    if (options.untilKnown === undefined) checkLimits(this.#limits, board, Object.keys(options.tools ?? {}))
    for (const id of Object.keys(options.extensions ?? {})) {
      if (!extensionId.test(id)) throw new DefinitionError(`extension "${id}": an id looks like com.example/name`)
    }

    const tools = toolFeature({
      changed: () => this.#listChanged('tools'),
      maxMessageBytes: this.maxMessageBytes,
      diagnose: text => this.diagnose(text),
      tasks: this.tasks,
      // Arming asks a person in any case.
      isAllowed: name => name === 'arm_outputs' || isAllowed(this.#limits, name),
      record: options.recorder && { recorder: options.recorder, clock: this.clock, board: () => this.board.name },
    })
    const resources = resourceFeature(() => this.#listChanged('resources'), this.maxMessageBytes)
    const prompts = promptFeature(() => this.#listChanged('prompts'), this.maxMessageBytes)
    this.tools = tools.registry
    this.#toolEntries = () => tools.registry.entries()
    this.resources = resources.resources
    this.resourceTemplates = resources.templates
    this.prompts = prompts.registry
    this.#resourceFeature = resources
    const { untilKnown } = options
    const served = (methods: HandlerTable) => (untilKnown === undefined ? methods : waiting(methods, untilKnown))
    this.#features = {
      methods: {
        tools: served(tools.methods),
        resources: served(resources.methods),
        prompts: served(prompts.methods),
      },
      completes: () => completes(prompts, resources),
      completion: completionHandler(prompts, resources),
    }
    this.#fill()
    if (untilKnown !== undefined) for (const feature of features) this.#listChanged(feature)
    this.#made = true
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
    if (this.#catalog.rules.stopped) next.rules.stop()
    this.#catalog.rules.close()
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
    for (const registry of [this.tools, this.resources, this.resourceTemplates, this.prompts]) registry.sealAnew()
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
    const { rules, confirmations, actuators, sensors } = this.#catalog
    rules.stop()
    confirmations.forget()
    const failures = await this.#hardware.takeAndStop()
    this.diagnose(
      `Everything was stopped by ${by}${failures.size === 0 ? '' : `: ${[...failures.values()].join('; ')}`}`,
    )
    this.#record('stop', `by ${by}`, failures.size === 0 ? 'ran' : 'failed')
    // A board that makes itself safe as a whole fails as a whole.
    const failed = failures.has(this.board.name) ? actuators.map(({ name }) => name) : failures.keys()
    return {
      outputs: await stoppedOutputs(actuators, new Set(failed), sensors),
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
    this.#catalog.rules.arm()
    this.diagnose(`The outputs were armed by ${by}`)
    this.#record('arm', `by ${by}`)
  }

  get armed(): boolean {
    return this.#catalog.rules.armed
  }

  get stopped(): boolean {
    return this.#catalog.rules.stopped
  }

  close(reason = 'The server is shutting down'): Promise<void> {
    this.#closing ??= this.#shutDown(reason)
    return this.#closing
  }

  /** Reads in the background what the board wants to have remembered. */
  #sample(): void {
    this.#stopSampling()
    this.#stopSampling = sample(this.#catalog.sensors, this.clock)
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
    const { tools = {}, resources = {}, resourceTemplates = {}, prompts = {} } = this.#options
    add('tool', this.tools, this.#catalog.tools, tools)
    add('resource', this.resources, this.#catalog.resources, resources)
    add('resource template', this.resourceTemplates, this.#catalog.resourceTemplates, resourceTemplates)
    add('prompt', this.prompts, {}, prompts)
  }

  /** A feature is served from the moment that it has something, and stays: clients were told that it is there. */
  #listChanged(feature: Feature): void {
    Object.assign(this.table, this.#features?.methods[feature])
    if (this.#features?.completes()) this.table['completion/complete'] = this.#features.completion
    if (!this.#made) return
    // Many changes in one go are one change for the client.
    if (this.#changed.size === 0) {
      Promise.resolve().then(() => {
        const features = [...this.#changed]
        this.#changed.clear()
        for (const connection of this.#connections) for (const each of features) connection.listChanged(each)
      })
    }
    this.#changed.add(feature)
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
    this.#tasksOver = this.tasks.close(gone)
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

function add<D>(what: string, registry: Registry<D>, own: Record<string, D>, added: Record<string, D>): void {
  refuseTwins(what, own, added)
  for (const [key, definition] of Object.entries(own)) registry.set(key, definition)
  for (const [key, definition] of Object.entries(added)) registry.set(key, definition)
}

/** Puts `next` in the place of `last`. What stays the same is not touched. */
function replace<D>(registry: Registry<D>, last: Record<string, D>, next: Record<string, D>): void {
  for (const key of Object.keys(last)) if (!Object.hasOwn(next, key)) registry.delete(key)
  for (const [key, definition] of Object.entries(next)) registry.set(key, definition)
}

function refuseTwins(what: string, own: object, added: object): void {
  const twin = Object.keys(added).find(key => Object.hasOwn(own, key))
  if (twin !== undefined) throw new DefinitionError(`${what} "${twin}" is declared twice: the board has one too`)
}

/** Whether a level is as serious as another one. Every level is less serious than none at all. */
function isAtLeast(level: LogLevel, other: LogLevel | undefined): boolean {
  return other !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(other)
}

function serverInfo(board: Board, { websiteUrl, icons }: ServerOptions): ServerInfo {
  return {
    name: board.name,
    version: board.version ?? '0.0.0',
    ...(board.title === undefined ? {} : { title: board.title }),
    ...(websiteUrl === undefined ? {} : { websiteUrl }),
    ...(icons === undefined ? {} : { icons }),
  }
}

function limit(name: string, value: number | undefined, usual: number): number {
  if (value === undefined) return usual
  if (!Number.isSafeInteger(value) || value < 1) throw new DefinitionError(`${name} must be a whole number from 1 on`)
  return value
}
