import { type Board, type Clock, Framer, systemClock } from '../../runtime/index.ts'
import type { StoredDevice } from './description-store.ts'
import { cleanText } from './device-text.ts'
import { findMessages, isResponse, type RpcMessage } from './json-rpc-line.ts'
import type { DeviceHello, LinkCounters, LinkDescription } from './link/index.ts'
import { LinkSide } from './link-side.ts'
import { isOfProbe, mcpProbe } from './mcp-probe.ts'
import { Printed } from './printed.ts'
import { unknownBoard } from './remote-board.ts'
import type { RemoteDeviceOptions } from './remote-options.ts'
import { type DeviceKind, Search } from './search.ts'
import { SentLines } from './sent-lines.ts'

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
  readonly label: string
  readonly #options: RemoteDeviceOptions
  readonly #clock: Clock
  readonly #link: LinkSide
  readonly #search: Search
  readonly #sent = new SentLines()
  readonly #printed: Printed
  readonly #known = new Set<() => void>()
  #framer: Framer
  #kind: 'unknown' | DeviceKind = 'unknown'
  #last: DeviceKind
  #stored: StoredDevice | undefined
  #empty: Board
  #open = false
  #openedAt = Number.NEGATIVE_INFINITY
  #answeredAt = Number.NEGATIVE_INFINITY
  #away: string | undefined = undefined
  #bytesIn = 0
  #lastTold = ''

  constructor(options: RemoteDeviceOptions) {
    const { label, store, storeKey, answerMs, awayMs = 2500, bootMs = 8000 } = options
    this.#options = options
    this.label = label
    const clock = options.clock ?? systemClock
    this.#clock = clock
    this.#stored = storeKey === undefined ? undefined : store?.load(storeKey)
    this.#last = this.#stored?.kind ?? 'link'
    this.#empty = unknownBoard(label)
    this.#framer = this.#newFramer()
    this.#printed = new Printed(
      line => options.onText?.(line),
      () => this.#tell(`${label} sends bytes that are no text: noise, as of a board that restarts. It is left out`),
    )
    this.#link = new LinkSide(
      {
        clock,
        label,
        answerMs,
        patienceMs: Math.max(awayMs, bootMs),
        waitMs: () => this.#waitMs(awayMs, bootMs),
        whyAway: () => this.#whyAway(),
        found: () => this.#found('link'),
        gone: why => this.#gone(why),
        onBoard: board => this.#onBoard(board),
        save: stored => this.#save(stored),
        diagnose: text => this.#tell(text),
        host: {
          outlet: { write: bytes => this.#write(bytes) },
          awayMs,
          ...(options.random && { random: options.random }),
          ...(options.baud !== undefined && { baud: options.baud }),
          onText: (bytes, start, end) => this.#printed.take(bytes, start, end),
          onLog: (severity, text) => options.onLog?.(severity, cleanText(text)),
          diagnose: text => this.#tell(`${label}: ${text}`),
        },
      },
      this.#stored?.kind === 'link' ? this.#stored : undefined,
    )
    this.#search = new Search({
      clock,
      startLink: () => this.#link.start(),
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
    return this.#stored
  }

  /** How it is called in texts: `greenhouse (/dev/ttyACM0)`. */
  get name(): string {
    return this.#link.name
  }

  /** What a device on the link said of itself; nothing while it is away. */
  get hello(): DeviceHello | undefined {
    return this.#kind === 'link' ? this.#link.host.hello : undefined
  }

  get description(): LinkDescription | undefined {
    return this.#link.description
  }

  /** What the link has seen. Bytes are those of the line, whatever was spoken on it. */
  get counters(): Readonly<LinkCounters> {
    return { ...this.#link.counters, bytesIn: this.#bytesIn }
  }

  /** Why it cannot be used at the moment; nothing when it can. */
  get away(): string | undefined {
    return this.#kind === 'unknown' ? this.#whyAway() : undefined
  }

  /**
   * Waits until something is known of it: at once where something was kept or it has answered, else for `ms` at most.
   * Tells whether it is.
   */
  known(ms: number): Promise<boolean> {
    const isKnown = () => this.#stored !== undefined || this.#kind === 'mcp'
    if (isKnown()) return Promise.resolve(true)
    return new Promise(resolve => {
      const done = () => {
        this.#clock.clearTimeout(timer)
        this.#known.delete(done)
        resolve(isKnown())
      }
      const timer = this.#clock.setTimeout(done, ms)
      this.#known.add(done)
    })
  }

  /** The line is open: begins to look for the device. */
  opened(): void {
    if (this.#open) this.lost(new Error('the line was opened anew'))
    this.#open = true
    this.#openedAt = this.#clock.now()
    this.#away = undefined
    this.#printed.begin()
    this.#framer = this.#newFramer()
    this.#search.begin(this.#last)
  }

  /** The line is gone, and why. */
  lost(reason: Error): void {
    if (!this.#open) return
    this.#open = false
    this.#away = cleanText(reason.message)
    this.#search.end()
    const kind = this.#kind
    this.#kind = 'unknown'
    this.#link.suspend(this.#away)
    if (kind === 'mcp') this.#options.onMcpLost?.(this.#away)
  }

  /** Takes the next bytes of the line, cut anywhere. */
  receive(chunk: Uint8Array): void {
    if (!this.#open) return
    this.#bytesIn += chunk.length
    this.#framer.push(chunk)
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
    if (this.#kind !== 'mcp') throw new Error(`${this.name} ${this.#whyAway()}`)
    this.#sent.add(text)
    await this.#options.line.write(`${text}\n`)
  }

  /** A device that speaks MCP stopped making sense, or stopped answering: finds out anew what is there. */
  lookAgain(why: string): void {
    if (this.#kind !== 'mcp') return
    this.#leaveMcp(why)
    this.#search.begin('mcp')
  }

  /** Keeps the lists of a device that speaks MCP for the next run. */
  rememberMcp(lists: unknown): void {
    this.#save({ kind: 'mcp', lists })
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
    if (this.#last !== 'link' || this.#link.board === undefined) return
    if (!this.#open) throw new Error(`${this.name} ${this.#whyAway()}: its own fail-safe has to make it safe`)
    await this.#link.stop()
  }

  /** Ends it for good; what waits ends with an error. The line stays whoever's it is. */
  async close(): Promise<void> {
    this.#open = false
    this.#away = 'was closed'
    this.#search.end()
    this.#kind = 'unknown'
    this.#link.close()
    this.#tellKnown()
  }

  #newFramer(): Framer {
    const { maxLineBytes } = this.#options
    return new Framer({
      ...(maxLineBytes !== undefined && { maxLineBytes }),
      onLine: (bytes, start, end) => this.#line(bytes, start, end),
      onOverlong: () => this.#printed.noise(),
    })
  }

  #line(bytes: Uint8Array, start: number, end: number): void {
    // A device on the link prints what it likes, JSON too.
    const found = this.#kind === 'link' ? undefined : findMessages(bytes, start, end)
    if (found !== undefined) {
      if (found.start > start) this.#printed.take(bytes, start, found.start)
      for (const { message, text } of found.messages) this.#message(message, text)
      return
    }
    const frames = this.#link.counters.framesIn
    this.#link.host.line(bytes, start, end)
    if (this.#kind === 'mcp' && this.#link.counters.framesIn > frames) {
      this.#leaveMcp('it speaks the compact link now')
      this.#search.begin('link')
    }
  }

  #message(message: RpcMessage, text: string): void {
    if (this.#sent.isEcho(text) || (isOfProbe(message) && !isResponse(message))) {
      return this.#tell(`${this.label} gives back what it is sent: its line echoes. That is left out`)
    }
    if (this.#kind === 'mcp') {
      if (!isOfProbe(message) && !this.#isComplaint(message)) this.#options.onMcpLine?.(text)
    } else if (isResponse(message)) {
      this.#foundMcp(message)
    } else if (this.#search.running) {
      // It speaks without being asked: it has booted.
      this.#search.begin('mcp')
    }
  }

  #foundMcp(answer: RpcMessage): void {
    const hadBoard = this.#link.board !== undefined
    this.#link.forget(`${this.name} speaks MCP itself now, and nothing was moved: look at its tools again`)
    this.#found('mcp')
    if (this.#stored?.kind !== 'mcp') this.#stored = undefined
    if (hadBoard) this.#onBoard(this.#empty)
    const { supportedVersions } = (answer.result ?? {}) as { supportedVersions?: unknown }
    this.#options.onMcp?.({ era: Array.isArray(supportedVersions) ? 'modern' : undefined })
    this.#tellKnown()
  }

  #leaveMcp(why: string): void {
    this.#kind = 'unknown'
    this.#away = why
    this.#options.onMcpLost?.(why)
  }

  /** What it says against the hello of the link, which is no JSON. */
  #isComplaint({ id, error }: RpcMessage): boolean {
    const isAboutNothing = error !== undefined && (id === undefined || id === null)
    return isAboutNothing && this.#clock.now() - this.#answeredAt < complaintsMs
  }

  #found(kind: DeviceKind): void {
    this.#search.end()
    this.#kind = kind
    this.#last = kind
    this.#answeredAt = this.#clock.now()
    this.#lastTold = ''
  }

  #gone(why: string): void {
    this.#kind = 'unknown'
    this.#away = why
    this.#tell(`${this.name}: ${why}`)
    this.#search.begin('link', comesBackMs)
  }

  #onBoard(board: Board): void {
    this.#options.onBoard(board)
  }

  #save(stored: StoredDevice): void {
    this.#stored = stored
    const { store, storeKey } = this.#options
    if (storeKey !== undefined) store?.save(storeKey, stored)
    this.#tellKnown()
  }

  #tellKnown(): void {
    for (const done of [...this.#known]) done()
  }

  get #isBooting(): boolean {
    return this.#open && this.#answeredAt < this.#openedAt
  }

  #waitMs(awayMs: number, bootMs: number): number {
    if (this.#isBooting) return Math.max(awayMs, this.#openedAt + bootMs - this.#clock.now())
    // It answers, and says what it is.
    return this.#kind === 'link' ? Math.max(awayMs, bootMs) : awayMs
  }

  #whyAway(): string {
    if (!this.#open) return `is away (${this.#away ?? 'the line to it is not open'}): it is used again once it is back`
    if (this.#kind === 'link') return 'has not yet said what it can do: try again in a moment'
    if (this.#isBooting)
      return 'has not answered since it was connected: it may be starting. Check its power and firmware'
    return `does not answer (${this.#away ?? 'it fell silent'}): check its power and its cable`
  }

  #silent(ms: number): void {
    const { baud = 115_200 } = this.#options
    const came = {
      nothing: 'it sends nothing at all. Check its power, and whether its program speaks the link or MCP',
      text: 'it prints text, and answers neither the link nor MCP. Check which program runs on it',
      noise: `what it sends is noise. The line is set to ${baud} baud: check whether the device uses another speed`,
    }
    this.#tell(`${this.name} does not answer for ${ms / 1000} s: ${came[this.#printed.kind]}`)
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
