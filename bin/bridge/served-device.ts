import { type DescriptionStore, unknownBoard } from '../../boards/remote/index.ts'
import type { Board, LogLevel, Server } from '../../runtime/index.ts'
import type { Traffic } from '../trace-lines.ts'
import { WireTrace } from '../trace-wire.ts'
import { findBoard } from './auto.ts'
import { CabledDevice } from './device.ts'
import { McpSide } from './mcp-side.ts'
import type { Mirror } from './mirror.ts'
import type { BridgePort } from './options.ts'
import { answers } from './probe.ts'

/** How a {@link ServedDevice} is made. */
export interface ServedDeviceOptions {
  port: BridgePort
  store: DescriptionStore
  storeKey: string
  mirror: Mirror | undefined
  /** Its board is another one now. */
  onBoard(): void
  say(text: string): void
}

/** A device that was never seen gets this long to say what it is before lists are answered without it, in milliseconds. */
const knownMs = 7000
/** And this long when there is nothing to wait for: its port is not there. */
const absentMs = 1000
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
  #settle: () => void = () => {}
  #learning: Promise<void> | undefined

  constructor(options: ServedDeviceOptions) {
    const { port, store, storeKey, say, mirror } = options
    this.#options = options
    this.#label = port.spec === 'auto' ? 'the board' : port.spec
    const told = (line: string) => {
      say(`${this.cable.remote.name}: ${line}`)
      // Below what hosts hear that never asked.
      this.#server?.log('debug', line, this.cable.remote.name)
    }
    this.cable = new CabledDevice({
      port: { ...port, spec: port.spec },
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
        say(`${this.cable.remote.name}: ${text}`)
        this.#server?.log(levels[severity] ?? 'info', text, this.cable.remote.name)
      },
      onPort: change => {
        if (change.state === 'away') setTimeout(() => this.#known(), absentMs).unref()
      },
    })
    if (mirror !== undefined) {
      this.cable.look((direction, bytes) => {
        if (direction === 'in') mirror.show(bytes)
      })
    }
    const { stored } = this.cable.remote
    this.#learning =
      stored === undefined
        ? new Promise(resolve => {
            this.#settle = resolve
          })
        : undefined
  }

  get prefix(): string | undefined {
    return this.#options.port.prefix
  }

  /** The board as far as it is known. */
  get board(): Board {
    return this.#board ?? (this.#label === 'the board' ? unknownBoard('board') : this.cable.remote.board)
  }

  /** While nothing is known of it yet: resolves when that changes, or has taken too long. */
  get learning(): Promise<void> | undefined {
    return this.#learning
  }

  /** Says which server the device is offered by, which may be before it was ever seen. */
  serveOn(server: Server): void {
    this.#server = server
    const { port, say } = this.#options
    this.#mcp = new McpSide({
      remote: this.cable.remote,
      server,
      prefix: port.prefix,
      answerMs: port.answerMs,
      say,
      onBoard: board => {
        this.#board = board
        this.#options.onBoard()
      },
    })
  }

  /** Takes the port; where none was named, looks for the board first. */
  start(): void {
    setTimeout(() => this.#known(), knownMs).unref()
    if (this.#started || this.#options.port.spec !== 'auto') return this.cable.start()
    this.#started = true
    const { say, port } = this.#options
    const found = findBoard({ say, signal: this.#stop.signal, answers: spec => answers({ ...port, spec }) })
    found.then(
      spec => {
        if (!this.#stop.signal.aborted) this.cable.start(spec)
      },
      thrown => {
        if (!this.#stop.signal.aborted) say(String(thrown.message ?? thrown))
      },
    )
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
