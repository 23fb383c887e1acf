import { type Board, systemClock } from '../../runtime/index.ts'
import type { StoredDevice } from './description-store.ts'
import { DeviceLines } from './device-lines.ts'
import { cleanJsonText, cleanText } from './device-text.ts'
import { isResponse, type RpcMessage } from './json-rpc-line.ts'
import type { DeviceHello, LinkCounters, LinkDescription } from './link/index.ts'
import { LinkSide } from './link-side.ts'
import { isOfProbe, mcpProbe } from './mcp-probe.ts'
import { unknownBoard } from './remote-board.ts'
import type { RemoteDeviceOptions } from './remote-options.ts'
import { type DeviceKind, Search } from './search.ts'
import { Shelf } from './shelf.ts'
import { Whereabouts } from './whereabouts.ts'

/** A device that fell silent restarts, more often than not: it gets this long before MCP is tried, in milliseconds. */
const comesBackMs = 3000
/** Complaints about what was asked while searching come this long after it was found, in milliseconds. */
const complaintsMs = 2000

/**
 * A device behind a line. It finds out whether the device speaks the compact link, which makes it a {@link Board}, or
 * MCP itself, whose messages it then hands on; waits for it while it boots or is away; and keeps what it was told of it.
 *
 *   unknown ── answers the hello ──▶ link ── silent, or the line is gone ──▶ unknown
 *           ── answers the probe ──▶ mcp  ── the line is gone, lookAgain ──▶ unknown
 */
export class RemoteDevice {
  /** How people call it before it has said its own name. */
  readonly label: string
  readonly #options: RemoteDeviceOptions
  readonly #empty: Board
  readonly #shelf: Shelf
  readonly #where: Whereabouts
  readonly #lines: DeviceLines
  readonly #link: LinkSide
  readonly #search: Search
  #kind: 'unknown' | DeviceKind = 'unknown'
  #last: DeviceKind
  #lastTold = ''
  #toldAway = false

  constructor(options: RemoteDeviceOptions) {
    const { label, answerMs, clock = systemClock, awayMs = 2500, bootMs = 8000 } = options
    this.#options = options
    this.label = label
    this.#empty = unknownBoard(label)
    this.#shelf = new Shelf(clock, options.store, options.storeKey)
    this.#where = new Whereabouts(clock, { awayMs, bootMs })
    // To a device on the link a line of JSON is nothing; to one that reads JSON a frame of the link is a mistake.
    this.#last = this.#shelf.stored?.kind ?? 'mcp'
    this.#lines = new DeviceLines({
      maxLineBytes: options.maxLineBytes,
      // A device on the link prints what it likes, JSON too.
      findsMessages: () => this.#kind !== 'link',
      onMessage: (message, text) => this.#message(message, text),
      onLine: (bytes, start, end) => this.#line(bytes, start, end),
      onText: line => options.onText?.(line),
      onNoise: () =>
        this.#tell(`${label} sends bytes that are no text: noise, as of a board that restarts. It is left out`),
      onEcho: () => this.#tell(`${label} gives back what it is sent: its line echoes. That is left out`),
    })
    this.#link = new LinkSide({
      clock,
      label,
      answerMs,
      stored: this.#shelf.stored,
      patienceMs: Math.max(awayMs, bootMs),
      waitMs: () => this.#where.waitMs(this.#kind === 'link'),
      whyAway: () => this.#where.text(this.#kind === 'link'),
      found: () => this.#found('link'),
      gone: why => this.#gone(why),
      onBoard: options.onBoard,
      save: stored => this.#shelf.save(stored),
      known: id => this.#shelf.known(id),
      diagnose: text => this.#tell(text),
      host: {
        outlet: { write: bytes => this.#write(bytes) },
        awayMs,
        ...(options.random && { random: options.random }),
        ...(options.baud !== undefined && { baud: options.baud }),
        ...(options.marginMs !== undefined && { marginMs: options.marginMs }),
        onText: (bytes, start, end) => this.#lines.print(bytes, start, end),
        onLog: (severity, text) => options.onLog?.(severity, cleanText(text)),
        diagnose: text => this.#tell(`${label}: ${text}`),
      },
    })
    this.#search = new Search({
      clock,
      startLink: () => this.#link.start(),
      // A first newline ends whatever a program before us left on the line.
      probeMcp: number => this.#write(`${number === 0 ? '\n' : ''}${mcpProbe(number)}\n`),
      silent: ms => this.#silent(ms),
    })
  }

  /** What answers; `unknown` while nothing does. */
  get kind(): 'unknown' | DeviceKind {
    return this.#kind
  }

  /** The board as it was described last, perhaps in an earlier run; one without anything when nothing is known. */
  get board(): Board {
    return this.#link.board ?? this.#empty
  }

  /** What was kept of it, of this run or an earlier one. */
  get stored(): StoredDevice | undefined {
    return this.#shelf.stored
  }

  /** How it is called in texts: `greenhouse (/dev/ttyACM0)`. */
  get name(): string {
    return this.#link.name
  }

  /** What a device on the link said of itself; nothing while it is away. */
  get hello(): DeviceHello | undefined {
    return this.#link.host.hello
  }

  /**
   * Whether the outputs of a device on the link that need arming may move, as far as it has said; `undefined` where none
   * needs it, and while it is away.
   */
  get armed(): boolean | undefined {
    return this.#link.host.armed
  }

  /** What a device on the link can do, as it was described last. */
  get description(): LinkDescription | undefined {
    return this.#link.description
  }

  /** What the link has seen. The bytes that came in are those of the line, whatever was spoken on it. */
  get counters(): Readonly<LinkCounters> {
    return { ...this.#link.host.counters, bytesIn: this.#lines.bytes }
  }

  /** Why it cannot be used at the moment, after its name; nothing when it can. */
  get away(): string | undefined {
    return this.#kind === 'unknown' ? this.#where.text(false) : undefined
  }

  /**
   * Waits until something is known of it: at once where something was kept or it has answered, else for `ms` at most.
   * Tells whether it is.
   */
  known(ms: number): Promise<boolean> {
    return this.#shelf.filled(ms)
  }

  /** The line is open: begins to look for the device. */
  opened(): void {
    this.lost(new Error('the line was opened anew'))
    this.#where.opened()
    this.#lines.begin()
    this.#search.begin(this.#last)
  }

  /** The line is gone, and why. */
  lost(reason: Error): void {
    if (!this.#where.open) return
    this.#where.lost(reason.message)
    this.#search.end()
    this.#link.suspend(cleanText(reason.message))
    this.#leave(reason.message)
  }

  /** Takes the next bytes of the line, cut anywhere. */
  receive(chunk: Uint8Array): void {
    if (this.#where.open) this.#lines.push(chunk)
  }

  /** Says whether the host's own host lives: while it does not, a device on the link makes itself safe. */
  keepAlive(alive: boolean): void {
    this.#link.host.keepAlive(alive)
  }

  /**
   * Sends one message to a device that speaks MCP.
   *
   * @throws Error when it is not there
   */
  async sendLine(text: string): Promise<void> {
    if (this.#kind !== 'mcp') throw new Error(`${this.name} ${this.#where.text(false)}`)
    this.#lines.sent(text)
    await this.#options.line.write(`${text}\n`)
  }

  /** A device that speaks MCP stopped answering, or making sense: finds out anew what is there. */
  lookAgain(why: string): void {
    if (this.#kind !== 'mcp') return
    this.#where.fellSilent(why)
    this.#leave(why)
    this.#search.begin('mcp')
  }

  /** Keeps the lists of a device that speaks MCP for the next run. */
  rememberMcp(lists: unknown): void {
    this.#shelf.save({ kind: 'mcp', lists })
  }

  /** Asks a device on the link for a sign of life. */
  ping(): Promise<void> {
    return this.#link.host.ping()
  }

  /**
   * Puts everything of a device on the link into its safe state.
   *
   * @throws Error when it did not get there
   */
  async stop(): Promise<void> {
    if (this.#kind === 'mcp' || this.#link.board === undefined) return
    if (this.#where.open) return this.#link.stop()
    throw new Error(`${this.name} ${this.#where.text(false)}. Its own fail-safe has to make it safe`)
  }

  /** Ends it for good; what waits ends with an error. The line stays with whoever opened it. */
  async close(): Promise<void> {
    this.lost(new Error('it was closed'))
    this.#link.close()
    this.#shelf.close()
  }

  #line(bytes: Uint8Array, start: number, end: number): void {
    const { host } = this.#link
    const frames = host.counters.framesIn
    host.line(bytes, start, end)
    if (this.#kind === 'link' || host.counters.framesIn === frames) return
    // A frame is as good as an answer: it is there, and has booted.
    if (this.#kind === 'unknown') return this.#link.start()
    const why = 'it speaks the compact link now'
    this.#where.fellSilent(why)
    this.#leave(why)
    this.#search.begin('link')
  }

  #message(message: RpcMessage, text: string): void {
    if (this.#kind === 'mcp') {
      if (!isOfProbe(message) && !this.#isComplaint(message)) this.#options.onMcpLine?.(cleanJsonText(text))
    } else if (isResponse(message)) {
      this.#foundMcp(message)
    } else if (this.#search.running) {
      // It speaks without being asked: it has booted.
      this.#search.begin('mcp')
    }
  }

  /** What it says against the hello of the link, which is no JSON. */
  #isComplaint({ id, error }: RpcMessage): boolean {
    return error !== undefined && (id ?? null) === null && this.#where.sinceFoundMs < complaintsMs
  }

  #foundMcp(answer: RpcMessage): void {
    const hadBoard = this.#link.board !== undefined
    this.#link.forget(`${this.name} speaks MCP itself now, and nothing was moved: look at its tools again`)
    this.#found('mcp')
    this.#shelf.found('mcp')
    if (hadBoard) this.#options.onBoard(this.#empty)
    const { supportedVersions } = (answer.result ?? {}) as { supportedVersions?: unknown }
    this.#options.onMcp?.({ era: Array.isArray(supportedVersions) ? 'modern' : undefined })
  }

  #found(kind: DeviceKind): void {
    this.#search.end()
    this.#kind = kind
    this.#last = kind
    this.#where.answered()
    this.#lastTold = ''
    if (this.#toldAway) this.#tell(`${this.name} answers`)
    this.#toldAway = false
  }

  #gone(why: string): void {
    this.#where.fellSilent(why)
    this.#leave(why)
    this.#tell(`${this.name}: ${why}`)
    this.#toldAway = true
    this.#search.begin('link', comesBackMs)
  }

  #leave(why: string): void {
    const kind = this.#kind
    this.#kind = 'unknown'
    if (kind === 'mcp') this.#options.onMcpLost?.(cleanText(why))
  }

  #silent(ms: number): void {
    const { baud = 115_200 } = this.#options
    const came = {
      nothing: 'it sends nothing at all. Check its power, and whether its program speaks the link or MCP',
      text: 'it prints text, and answers neither the link nor MCP. Check which program runs on it',
      noise: `what it sends is noise. The line is set to ${baud} baud: check whether the device uses another speed`,
    }
    this.#tell(`${this.name} has not answered for ${ms / 1000} s: ${came[this.#lines.printed]}`)
    this.#toldAway = true
  }

  #write(data: Uint8Array | string): void {
    // A line that is gone is told by whoever has it.
    this.#options.line.write(data).catch(() => {})
  }

  #tell(text: string): void {
    if (text === this.#lastTold) return
    this.#lastTold = text
    this.#options.diagnose?.(text)
  }
}
