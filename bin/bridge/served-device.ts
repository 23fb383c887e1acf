import { type DescriptionStore, unknownBoard } from '../../boards/remote/index.ts'
import type { Board, LogLevel, OperatorLimits, Server, StopReport } from '../../runtime/index.ts'
import type { Traffic } from '../trace/lines.ts'
import { WireTrace } from '../trace/wire.ts'
import { findBoard } from './auto.ts'
import { CabledDevice } from './device.ts'
import type { DeviceLog } from './device-log.ts'
import { McpSide } from './mcp-side.ts'
import type { Mirror } from './mirror.ts'
import type { BridgePort } from './options.ts'
import { answers, bootMs } from './probe.ts'
import { isSought } from './sought.ts'

/** How a {@link ServedDevice} is made. */
export interface ServedDeviceOptions {
  port: BridgePort
  store: DescriptionStore
  storeKey: string
  mirror: Mirror | undefined
  /** Takes what it prints. */
  log: DeviceLog
  /** What whoever runs the bridge holds it to. */
  limits: OperatorLimits
  /** What it offers is other than the last time, a short text for each change. */
  onChanges(changes: readonly string[]): void
  /** Its board is another one now. */
  onBoard(): void
  say(text: string): void
}

/** A device that was never seen gets this long to say what it is before lists are answered without it, in milliseconds. */
const knownMs = 7000
/** Even on a busy machine a port is tried in less than this, in milliseconds. */
const triedMs = 2000
/** A request waits this long for a device that is away, in milliseconds. */
const awayMs = 2000
/** Where its port is not there, there is nothing to wait for after this, in milliseconds. */
const absentMs = 1000
/** Others pass by themselves: a copy of the bridge that is just ending still has the port. */
const hopeless: ReadonlySet<string> = new Set(['absent', 'several', 'denied', 'not-a-port', 'no-library', 'failed'])
/** RFC 5424, by severity. */
const levels: readonly LogLevel[] = ['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug']

/** One device of the bridge: the board that it is, and what it says. */
export class ServedDevice {
  readonly cable: CabledDevice
  readonly #options: ServedDeviceOptions
  readonly #label: string
  readonly #stop = new AbortController()
  #board: Board | undefined = undefined
  #mcp: McpSide | undefined = undefined
  #server: Server | undefined = undefined
  #started = false
  #openedAt = Number.NEGATIVE_INFINITY
  #settle: () => void = () => {}
  #learning: Promise<void> | undefined

  constructor(options: ServedDeviceOptions) {
    const { port, store, storeKey, say, mirror, log } = options
    this.#options = options
    this.#label = port.spec === 'auto' ? 'the board' : port.spec
    const told = (line: string) => {
      log.line(this.cable.remote.name, line)
      // Below what hosts hear that never asked.
      this.#server?.log('debug', line, this.cable.remote.name)
    }
    this.cable = new CabledDevice({
      port,
      label: this.#label,
      store,
      storeKey,
      say,
      onBoard: board => this.#take(board),
      onMcp: mcp => void this.#mcp?.met(mcp).then(() => this.#known()),
      onMcpLine: line => this.#mcp?.line(line),
      onMcpLost: why => this.#mcp?.lost(why),
      onText: told,
      onLog: (severity, text) => {
        log.line(this.cable.remote.name, text)
        this.#server?.log(levels[severity] ?? 'info', text, this.cable.remote.name)
      },
      onPort: change => {
        this.#openedAt = change.state === 'open' ? Date.now() : Number.NEGATIVE_INFINITY
        if (this.cable.remote.stored !== undefined) this.#known()
        if (change.state === 'away' && hopeless.has(change.reason.code)) {
          setTimeout(() => {
            if (this.cable.portState !== 'open') this.#known()
          }, absentMs).unref()
        }
      },
    })
    if (mirror !== undefined) {
      this.cable.look((direction, bytes) => {
        if (direction === 'in') mirror.show(bytes)
      })
    }
    this.#learning = new Promise(resolve => {
      this.#settle = resolve
    })
  }

  get prefix(): string | undefined {
    return this.#options.port.prefix
  }

  /** The board as far as it is known. */
  get board(): Board {
    return this.#board ?? (this.#label === 'the board' ? unknownBoard('board') : this.cable.remote.board)
  }

  /** While nothing is known of it, or its port was not tried yet: resolves when that changes, or takes too long. */
  get learning(): Promise<void> | undefined {
    return this.#learning
  }

  /** Says which server the device is offered by, which may be before it was ever seen. */
  serveOn(server: Server): void {
    this.#server = server
    const { port, say, limits, onChanges } = this.#options
    this.#mcp = new McpSide({
      hold: { limits, stopped: () => server.stopped },
      onChanges,
      remote: this.cable.remote,
      server,
      prefix: port.prefix,
      answerMs: port.answerMs,
      awayMs: () => Math.max(awayMs, this.#openedAt + bootMs - Date.now()),
      say,
      onBoard: board => {
        this.#board = board
        this.#options.onBoard()
      },
    })
  }

  /** Takes the port; where none was named, looks for the board first. */
  start(): void {
    // What is known from an earlier run is given at once. What waits is only for the port to be tried: whoever calls
    // then waits for a board that boots, and not for one that is away.
    const isStored = this.cable.remote.stored !== undefined
    setTimeout(() => this.#known(), isStored ? triedMs : knownMs).unref()
    if (!isSought(this.cable.spec)) return this.cable.start()
    // It is looked for already.
    if (this.#started) return
    this.#started = true
    const { port } = this.#options
    const say = (text: string) => {
      // There is no port to be tried.
      if (isStored) this.#known()
      this.#options.say(text)
    }
    const found = findBoard({
      spec: port.spec,
      say,
      signal: this.#stop.signal,
      answers: (spec, called) => answers({ ...port, spec }, called),
    })
    found.then(
      spec => {
        if (!this.#stop.signal.aborted) this.cable.start(spec)
      },
      thrown => {
        if (!this.#stop.signal.aborted) say(String(thrown.message ?? thrown))
      },
    )
  }

  /** Another program has the port, until `start`: nothing is waited for. */
  standBy(): void {
    this.#known()
  }

  /** Has it stop by its own tool, where it speaks MCP itself; any other is stopped by its board. */
  async stop(): Promise<StopReport | undefined> {
    return this.#mcp?.stop()
  }

  /** A person lets its outputs move, where it speaks MCP itself. */
  async arm(): Promise<void> {
    await this.#mcp?.arm()
  }

  /** What there is to know of it, for whoever asks from another terminal. */
  status(): object {
    const { remote, spec, port, portState, portAway } = this.cable
    return {
      spec,
      prefix: this.prefix,
      path: port?.path,
      identity: port,
      state: portState,
      away: portAway?.message ?? remote.away,
      kind: remote.kind,
      name: remote.name,
      firmware: remote.hello?.firmware,
      armed: remote.armed,
      counters: remote.counters,
    }
  }

  /** Hands what goes over the cable to `show`, decoded, until the function that it returns is called. */
  trace(show: (traffic: Traffic) => void): () => void {
    const wire = new WireTrace({ show, description: () => this.cable.remote.description })
    return this.cable.look((direction, bytes) => wire.push(direction, bytes))
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#known()
    this.#mcp?.close()
    await this.cable.close()
  }

  #take(board: Board): void {
    const spokeMcp = this.#board !== undefined && this.cable.remote.kind === 'link'
    this.#board = this.cable.remote.kind === 'mcp' ? this.#board : board
    if (spokeMcp) void this.#mcp?.forget()
    this.#options.onBoard()
    if (this.cable.remote.kind === 'link') this.#known()
  }

  #known(): void {
    this.#learning = undefined
    this.#settle()
  }
}
