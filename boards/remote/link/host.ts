import { type Clock, systemClock } from '../../../runtime/index.ts'
import { codeText, LinkCode, LinkDownError, LinkError } from './codes.ts'
import type { LinkCounters } from './counters.ts'
import type { LinkDescription } from './description.ts'
import { readDescription } from './description-reader.ts'
import { maxFrameBytes } from './frame.ts'
import { Greeter } from './greeter.ts'
import { type DeviceHello, readHello } from './hello.ts'
import type { LinkCallOptions, LinkHostOptions } from './host-options.ts'
import type { Answer, Question } from './host-request.ts'
import { HostRequests } from './host-requests.ts'
import { HostWatches, type HostWatchOptions, type LinkReading, type ReadingReceiver } from './host-watches.ts'
import type { LineKind } from './line.ts'
import { readDeviceMessage } from './message-reader.ts'
import { type DeviceMessage, HelloKey, type HostMessage, hostArray, linkVersion, noSession } from './messages.ts'
import { FramePort } from './port.ts'
import { isStopId } from './request-ids.ts'
import { platformRandom } from './session.ts'
import { type CborItem, fromItem, type LinkValue } from './value.ts'

/**
 * The host's side of the link: finds the device, keeps the session, asks and is told. It has no line of its own: bytes
 * come in by `receive`, or lines by `line`, and go out to the outlet.
 */
export class LinkHost {
  readonly #options: LinkHostOptions
  readonly #clock: Clock
  readonly #port: FramePort
  readonly #requests: HostRequests
  readonly #watches: HostWatches
  readonly #greeter: Greeter
  #hello: DeviceHello | undefined = undefined
  #boot: number | undefined = undefined
  /** Of the description whose numbers are in use. */
  #hash: number | undefined = undefined
  #armed: boolean | undefined = undefined
  /** Ends an arming that is under way: what comes between must not be undone by a copy of it. */
  #arming: AbortController | undefined = undefined
  #started = false
  #alive = true
  #pingTimer: unknown = undefined

  constructor(options: LinkHostOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    const random = options.random ?? platformRandom
    this.#port = new FramePort({
      outlet: options.outlet,
      onFrame: (bytes, length) => this.#take(readDeviceMessage(bytes, 0, length)),
      ...(options.onText && { onText: options.onText }),
      ...(options.onJson && { onJson: options.onJson }),
    })
    this.#greeter = new Greeter({
      clock: this.#clock,
      random,
      say: session => this.#sayHello(session),
      repeated: () => void this.#port.counters.repeats++,
    })
    this.#requests = new HostRequests({
      clock: this.#clock,
      random,
      counters: this.#port.counters,
      baud: options.baud ?? 115_200,
      marginMs: options.marginMs ?? 20,
      tries: options.tries ?? 5,
      awayMs: options.awayMs ?? 3000,
      send: message => this.#send(message),
      gaveUp: () => this.#lose('the device does not answer any more'),
      isAlive: () => this.#alive,
    })
    this.#watches = new HostWatches({
      watch: async (sensor, watch) =>
        readingOf(await this.#ask((session, id) => ({ kind: 'watch', session, id, sensor, ...watch }))),
      unwatch: sensor => this.#ask((session, id) => ({ kind: 'unwatch', session, id, sensor })),
      read: sensor => this.read(sensor),
    })
  }

  /** Says hello, again and again until the device answers. Call it once the line is open. */
  start(): void {
    if (this.#started) return
    this.#started = true
    this.#greeter.begin()
  }

  /** The line is gone, or no longer ours: all that is under way ends, and nothing is sent until `start`. */
  suspend(why = 'the cable was pulled'): void {
    this.#started = false
    this.#greeter.stop()
    this.#end(why)
  }

  /** Ends it for good; what waits ends with an error. Send `stop` first when the outputs are to be safe. */
  close(): void {
    this.suspend('the link was closed')
    this.#requests.close()
  }

  /** Takes the next bytes of the line, cut anywhere. */
  receive(chunk: Uint8Array): void {
    this.#port.receive(chunk)
  }

  /** Takes one line (without its newline), for those who have a framer of their own. Tells what it was. */
  line(bytes: Uint8Array, start: number, end: number): LineKind {
    return this.#port.line(bytes, start, end)
  }

  /** What the device said of itself; undefined while it is away. */
  get hello(): DeviceHello | undefined {
    return this.#hello
  }

  /**
   * Whether the outputs that need arming may move, as far as the device has said; `undefined` where none needs it, and
   * while the device is away.
   */
  get armed(): boolean | undefined {
    return this.#hello === undefined ? undefined : this.#armed
  }

  /** The session's number; 0 while the device is away. */
  get session(): number {
    return this.#hello === undefined ? noSession : this.#greeter.session
  }

  /** What it has seen. */
  get counters(): Readonly<LinkCounters> {
    return this.#port.counters
  }

  /** How many questions wait or are under way. */
  get pending(): number {
    return this.#requests.pending
  }

  /**
   * Asks for the whole description, entry by entry. Store it under its hash; a hello with the same hash needs none.
   *
   * @throws LinkDownError, or LinkError when it is malformed or changed meanwhile
   */
  async describe(): Promise<LinkDescription> {
    const record = async (number: number) =>
      (await this.#ask((session, id) => ({ kind: 'describe', session, id, record: number }), maxFrameBytes)).item
    const records = [await record(0)]
    const { session } = this
    while (records.length < (this.#hello?.records ?? 0)) records.push(await record(records.length))
    if (this.#hello === undefined || this.session !== session) {
      throw new LinkDownError('the device restarted while it described itself')
    }
    return readDescription(this.#hello.name, this.#hello.hash, records)
  }

  /**
   * Reads a sensor by its number.
   *
   * @throws LinkError when the device says why it cannot; LinkDownError when it does not answer
   */
  async read(sensor: number, options: { signal?: AbortSignal; timeMs?: number } = {}): Promise<LinkReading> {
    return readingOf(
      await this.#ask((session, id) => ({ kind: 'read', session, id, sensor }), undefined, {
        signal: options.signal,
        timeMs: options.timeMs ?? 10_000,
      }),
    )
  }

  /**
   * Moves an actuator by its number; it runs once or not at all.
   *
   * @throws LinkError when the device refused or failed; UnknownOutcomeError when nobody can say whether it ran;
   *   LinkDownError when it was never sent
   */
  async call(actuator: number, args: readonly LinkValue[], options: LinkCallOptions = {}): Promise<LinkValue> {
    try {
      const { item } = await this.#requests.ask({
        kind: 'call',
        message: (session, id) => ({ kind: 'call', session, id, actuator, args }),
        answerBytes: undefined,
        timeMs: options.timeMs ?? 60_000,
        onProgress: options.onProgress,
        signal: options.signal,
      })
      return valueOrThrow(item)
    } catch (thrown) {
      if (thrown instanceof LinkError && thrown.code === LinkCode.NotArmed) this.#armed = false
      throw thrown
    }
  }

  /**
   * A person lets the outputs that need it move, or no longer: then they go into their safe state. It never waits for a
   * device that is away, and is over when a stop comes first, so that nothing is armed later than a person meant it.
   *
   * @returns whether they may move now
   * @throws LinkDownError when the device is away, or goes away; LinkError when it has no such outputs
   */
  async arm(armed: boolean): Promise<boolean> {
    if (this.#hello === undefined) throw new LinkDownError('the device does not answer, and nothing was armed')
    this.#endArming('another word on it came first')
    const arming = new AbortController()
    this.#arming = arming
    try {
      const { item } = await this.#ask((session, id) => ({ kind: 'arm', session, id, armed }), 16, {
        signal: arming.signal,
      })
      this.#armed = item === true
      return this.#armed
    } finally {
      if (this.#arming === arming) this.#arming = undefined
    }
  }

  /** Watches a sensor, over restarts of the device too, until the function that it returns is called. */
  watch(sensor: number, receiver: ReadingReceiver, options: HostWatchOptions = {}): () => void {
    return this.#watches.add(sensor, receiver, options)
  }

  /** Asks for a sign of life. */
  async ping(): Promise<void> {
    const { item } = await this.#ask((session, id) => ({ kind: 'ping', session, id }), 16)
    if (typeof item === 'number') this.#watches.compare(item)
  }

  /**
   * Everything to its safe value, ahead of all that waits; also sent to a device that did not answer the hello yet.
   *
   * @returns the numbers of the actuators that did not get there
   * @throws LinkDownError when the device does not answer: its own fail-safe timer is what is left
   */
  async stop(): Promise<number[]> {
    this.#endArming('a stop came first, and nothing was armed')
    const { item } = await this.#requests.ask({
      kind: 'stop',
      message: (session, id) => ({ kind: 'stop', session, id }),
      answerBytes: undefined,
      timeMs: 5000,
      onProgress: undefined,
      signal: undefined,
    })
    if (this.#armed !== undefined) this.#armed = false
    return Array.isArray(item) ? item.filter(number => typeof number === 'number') : []
  }

  /**
   * Says whether the host's own host lives. While it does (as at the beginning) the device is pinged well within its
   * fail-safe period; when it does not, nothing is sent by itself, and the device makes itself safe.
   */
  keepAlive(alive: boolean): void {
    this.#alive = alive
    this.#pingOn()
  }

  #take(message: ReturnType<typeof readDeviceMessage>): void {
    const { counters } = this.#port
    if (message.kind === 'broken') return this.#port.damaged()
    if (message.kind === 'unknown') return void counters.unknown++
    if (message.kind === 'hello') return this.#greeted(message)
    if (message.kind === 'log') return this.#options.onLog?.(message.severity, message.text)
    if (message.session !== this.#greeter.session && !isStop(message)) return this.#late(message)
    if (message.kind === 'error' && message.code === LinkCode.NoSession && this.#hello !== undefined) {
      this.#requests.take(message)
      return this.#lose('the device restarted, or another program took it over')
    }
    if (message.kind === 'update') this.#watches.update(message.sensor, message)
    else if (!this.#requests.take(message)) this.#late(message)
  }

  #late(message: DeviceMessage): void {
    this.#port.counters.late++
    const id = 'id' in message ? ` to question ${message.id}` : ''
    this.#options.diagnose?.(`dropped: a late ${message.kind}${id} of session ${message.session}`)
  }

  #greeted({ session, version, members }: Extract<DeviceMessage, { kind: 'hello' }>): void {
    if (!this.#started) return void this.#port.counters.late++
    if (session === noSession) {
      // It has just booted: what it was told before is gone.
      if (this.#hello !== undefined) this.#lose('the device restarted')
      else this.#greeter.say()
      return
    }
    if (session !== this.#greeter.session || this.#hello !== undefined) return void this.#port.counters.late++
    if (version !== linkVersion) {
      this.#options.diagnose?.(`${codeText(LinkCode.Version)}: ${version} instead of ${linkVersion}`)
      return
    }
    const hello = readHello(members)
    const restarted = this.#boot !== undefined && this.#boot !== hello.boot
    if (restarted) this.#port.counters.restarts++
    this.#boot = hello.boot
    this.#hello = hello
    this.#armed = hello.armed
    this.#greeter.stop()
    this.#port.counters.sessions++
    // What waited names sensors and actuators by numbers that mean others now. A hash of 0 says nothing.
    if (this.#hash !== undefined && (this.#hash !== hello.hash || hello.hash === 0)) {
      this.#requests.refuseWaiting('the device has other firmware now, and nothing was moved: look at its tools again')
      this.#watches.clear()
    }
    this.#hash = hello.hash
    // First what waits, then what is told: a receiver may ask for more.
    this.#requests.open(session, hello)
    this.#watches.renew()
    this.#pingOn()
    this.#options.onReady?.(hello, restarted)
  }

  #lose(why: string): void {
    this.#end(why)
    if (this.#started) this.#greeter.begin()
  }

  #end(why: string): void {
    const wasReady = this.#hello !== undefined
    this.#hello = undefined
    this.#endArming(`${why}: whether it is armed is unknown`)
    this.#clock.clearTimeout(this.#pingTimer)
    this.#requests.shut(why)
    if (wasReady) this.#options.onLost?.(why)
  }

  #endArming(why: string): void {
    this.#arming?.abort(new LinkDownError(why))
    this.#arming = undefined
  }

  #sayHello(session: number): void {
    const { failSafeMs } = this.#options
    const members = new Map<number, CborItem>([[HelloKey.host.maxFrame, maxFrameBytes]])
    if (failSafeMs !== undefined) members.set(HelloKey.host.failSafeMs, failSafeMs)
    this.#port.send(hostArray({ kind: 'hello', session, version: linkVersion, members }), maxFrameBytes)
  }

  #pingOn(): void {
    this.#clock.clearTimeout(this.#pingTimer)
    if (!this.#alive || this.#hello === undefined) return
    this.#pingTimer = this.#clock.setTimeout(() => {
      // One that goes unanswered ends the session, and so tells of a device that went away.
      this.ping().catch(() => {})
      this.#pingOn()
    }, this.#hello.failSafeMs / 3)
  }

  #ask(message: Question['message'], answerBytes?: number, options?: Partial<Question>): Promise<Answer> {
    return this.#requests.ask({
      kind: 'ask',
      message,
      answerBytes,
      timeMs: 10_000,
      onProgress: undefined,
      signal: undefined,
      ...options,
    })
  }

  #send(message: HostMessage): number {
    return this.#port.send(hostArray(message), this.#hello?.maxFrame ?? maxFrameBytes, this.#hello?.floats ?? 4)
  }
}

function isStop(message: DeviceMessage): boolean {
  return 'id' in message && isStopId(message.id)
}

function readingOf({ item, ageMs }: Answer): LinkReading {
  return { value: valueOrThrow(item), ageMs }
}

function valueOrThrow(item: CborItem): LinkValue {
  const value = fromItem(item)
  if (value === undefined) throw new LinkError(LinkCode.Failed, 'the device gave a value that has no meaning here')
  return value
}
