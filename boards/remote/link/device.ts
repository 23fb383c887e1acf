import { type Call, type Clock, systemClock } from '../../../runtime/index.ts'
import { type BoardRecords, describeBoard } from './board-records.ts'
import { LinkCode } from './codes.ts'
import type { LinkCounters } from './counters.ts'
import { DeviceAsks } from './device-asks.ts'
import { DeviceCalls } from './device-calls.ts'
import type { LinkDeviceOptions } from './device-options.ts'
import { DeviceOutputs } from './device-outputs.ts'
import { FailSafe } from './fail-safe.ts'
import { maxFrameBytes } from './frame.ts'
import { readHostMessage } from './message-reader.ts'
import {
  type DeviceMessage,
  deviceArray,
  HelloKey,
  type HostMessage,
  linkVersion,
  noSession,
  type ResultOf,
} from './messages.ts'
import { FramePort } from './port.ts'
import type { CborInput, CborItem } from './value.ts'

const levels = ['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug']
const leastFailSafeMs = 300

/**
 * The device's side of the link: serves a board to one host at a time over any line of bytes, and keeps the rules that its
 * actuators declare. The board's `open`, `close`, `makeSafe` and `arm` stay with whoever made the board.
 */
export class LinkDevice {
  readonly #options: LinkDeviceOptions
  readonly #clock: Clock
  readonly #board: BoardRecords
  readonly #port: FramePort
  readonly #outputs: DeviceOutputs
  readonly #calls: DeviceCalls
  readonly #failSafe: FailSafe
  readonly #asks: DeviceAsks
  #session = noSession
  /** Whether anything but its hello came in this session: after that, a hello of the same number begins a new one. */
  #used = false
  #hostFrameBytes = maxFrameBytes

  /** @throws DefinitionError when the texts of one entry are longer than a frame */
  constructor(options: LinkDeviceOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#board = describeBoard(options.board)
    this.#port = new FramePort({
      outlet: options.outlet,
      onFrame: (message, length) => this.#take(readHostMessage(message, 0, length)),
    })
    this.#failSafe = new FailSafe(this.#clock, this.#ownFailSafeMs, () => {
      options.diagnose?.('nothing came from the host for too long: everything is put into its safe state')
      void this.#outputs.stop()
    })
    this.#asks = new DeviceAsks({
      sensors: this.#board.sensors,
      clock: this.#clock,
      workingAfterMs: this.#answerMs / 2,
      result: (id, value) => this.#result(id, value),
      error: (id, error) => this.#error(id, error),
      working: id => void this.#send({ kind: 'progress', session: this.#session, id }),
      update: (sensor, value) => void this.#send({ kind: 'update', session: this.#session, sensor, value, ageMs: 0 }),
    })
    this.#outputs = new DeviceOutputs({
      actuators: this.#board.actuators,
      clock: this.#clock,
      log: (level, data) => this.log(level, typeof data === 'string' ? data : (JSON.stringify(data) ?? '')),
      diagnose: text => options.diagnose?.(text),
    })
    this.#calls = new DeviceCalls({
      outputs: this.#outputs,
      calls: this.#callLimit,
      clock: this.#clock,
      workingAfterMs: this.#answerMs / 2,
      answer: (id, outcome) => {
        if ('code' in outcome) this.#error(id, outcome)
        else this.#result(id, outcome.value)
      },
      progress: (id, progress, total, text) => {
        this.#send({
          kind: 'progress',
          session: this.#session,
          id,
          ...(progress !== undefined && { progress }),
          ...(total !== undefined && { total }),
          ...(text !== undefined && { text }),
        })
      },
    })
  }

  /**
   * The boot is over: puts everything into its initial state, or else its safe one, and says hello without being asked, so
   * that a host sees the restart at once.
   */
  start(): void {
    this.#outputs.start()
    // Ends whatever the boot loader printed, or the frame that the restart cut.
    this.#port.newline()
    this.#send({ kind: 'hello', session: noSession, version: linkVersion, members: this.#hello() })
  }

  /** Takes the next bytes of the line, cut anywhere. */
  receive(chunk: Uint8Array): void {
    this.#port.receive(chunk)
  }

  /** Sends a line of the device's log to the host. */
  log(level: Parameters<Call['log']>[0], text: string): void {
    this.#send({ kind: 'log', session: this.#session, severity: levels.indexOf(level), text: text.slice(0, 200) })
  }

  /** Whether the outputs that need arming may move; `undefined` where none needs it. */
  get armed(): boolean | undefined {
    return this.#outputs.armed
  }

  /** What it has seen. */
  get counters(): Readonly<LinkCounters> {
    return this.#port.counters
  }

  /** Ends the session, and everything goes to its safe state. */
  async close(): Promise<void> {
    this.#endSession()
    this.#session = noSession
    await this.#outputs.stop()
    this.#outputs.close()
  }

  get #ownFailSafeMs(): number {
    return this.#options.failSafeMs ?? 5000
  }

  get #answerMs(): number {
    return this.#options.answerMs ?? 50
  }

  get #callLimit(): number {
    return this.#options.calls ?? 4
  }

  #take(message: ReturnType<typeof readHostMessage>): void {
    if (message.kind === 'broken') return this.#port.damaged()
    if (message.kind === 'hello') return this.#greet(message)
    const { session, id } = message
    if (message.kind === 'stop') return void this.#stop(message)
    if (session !== this.#session || session === noSession) {
      this.#port.counters.late++
      if (session !== undefined && id !== undefined) {
        this.#send({ kind: 'error', session, id, code: LinkCode.NoSession })
      }
      return
    }
    this.#used = true
    this.#failSafe.feed()
    if (message.kind !== 'unknown') return this.#serve(message)
    this.#port.counters.unknown++
    if (id !== undefined) this.#error(id, { code: LinkCode.Unsupported })
  }

  #serve(message: Exclude<HostMessage, { kind: 'hello' | 'stop' }>): void {
    const { id } = message
    switch (message.kind) {
      case 'call':
        return this.#calls.call(id, message.actuator, message.args, message.open)
      case 'cancel':
        return this.#calls.cancel(id)
      case 'ping':
        return this.#result(id, this.#asks.updates & 0xff)
      case 'describe': {
        const record = this.#board.records[message.record]
        return record === undefined ? this.#error(id, { code: LinkCode.Unknown }) : this.#result(id, record)
      }
      case 'read':
        return this.#asks.read(id, message.sensor)
      case 'unwatch':
        this.#asks.unwatch(message.sensor)
        return this.#result(id, null)
      case 'watch':
        return this.#asks.watch(id, message)
      case 'arm':
        if (this.armed === undefined) return this.#error(id, { code: LinkCode.Unsupported })
        this.#outputs.arm(message.armed)
        return this.#result(id, this.armed)
    }
  }

  #greet({ session, version, members }: Extract<HostMessage, { kind: 'hello' }>): void {
    if (version === linkVersion && (session !== this.#session || this.#used)) {
      this.#endSession()
      this.#port.counters.sessions++
      this.#session = session
      const { maxFrame, failSafeMs } = HelloKey.host
      this.#hostFrameBytes = Math.min(maxFrameBytes, wholeOr(members.get(maxFrame), maxFrameBytes))
      const asked = Math.max(leastFailSafeMs, wholeOr(members.get(failSafeMs), this.#ownFailSafeMs))
      this.#failSafe.periodMs = Math.min(this.#ownFailSafeMs, asked)
      // Not by a copy: who says hello again and again hears nothing of us.
      this.#failSafe.feed()
    }
    this.#send({ kind: 'hello', session, version: linkVersion, members: this.#hello() })
  }

  #hello(): Map<number, CborItem> {
    const { board, id, firmware, boot } = this.#options
    const { armed } = this
    const key = HelloKey.device
    return new Map<number, CborItem>([
      [key.name, board.name],
      [key.id, id],
      [key.firmware, firmware ?? board.version ?? '0.0.0'],
      [key.hash, this.#board.hash],
      [key.records, this.#board.records.length],
      [key.boot, boot],
      [key.maxFrame, maxFrameBytes],
      [key.calls, this.#callLimit],
      [key.failSafeMs, this.#failSafe.periodMs],
      [key.answerMs, this.#answerMs],
      [key.floats, 8],
      ...(armed === undefined ? [] : [[key.armed, armed] as const]),
    ])
  }

  #endSession(): void {
    this.#used = false
    this.#calls.newSession()
    this.#asks.newSession()
    this.#failSafe.stop()
  }

  /** Obeyed from anybody: a stop that asked for the right session first could come too late. */
  async #stop({ session, id }: { session: number; id: number }): Promise<void> {
    if (session === this.#session && session !== noSession) this.#failSafe.feed()
    const working = this.#clock.setTimeout(() => this.#send({ kind: 'progress', session, id }), this.#answerMs / 2)
    const failed = await this.#outputs.stop()
    this.#clock.clearTimeout(working)
    this.#send({ kind: 'result', session, id, item: failed.length > 0 ? failed : null, ageMs: 0 })
  }

  #result(id: number, item: CborInput): void {
    const result: ResultOf = { kind: 'result', session: this.#session, id, item, ageMs: 0 }
    if (this.#send(result) === 0) this.#error(id, { code: LinkCode.TooLarge })
  }

  #error(id: number, { code, text }: { code: number; text?: string }): void {
    this.#send({ kind: 'error', session: this.#session, id, code, ...(text !== undefined && { text }) })
  }

  #send(message: DeviceMessage | ResultOf): number {
    return this.#port.send(deviceArray(message), this.#hostFrameBytes)
  }
}

function wholeOr(item: CborItem | undefined, otherwise: number): number {
  return typeof item === 'number' && Number.isInteger(item) && item > 0 ? item : otherwise
}
