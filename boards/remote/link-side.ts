import { type Board, type Clock, DeviceFailure } from '../../runtime/index.ts'
import { descriptionChanges } from './description-changes.ts'
import type { StoredDevice } from './description-store.ts'
import type { DeviceAccess } from './device-access.ts'
import { cleanText } from './device-text.ts'
import {
  type DeviceHello,
  type LinkDescription,
  LinkDownError,
  LinkError,
  LinkHost,
  type LinkHostOptions,
  type LinkValue,
} from './link/index.ts'
import { wasNotRun } from './outcomes.ts'
import { Presence } from './presence.ts'
import { remoteBoard } from './remote-board.ts'

/** What a {@link LinkSide} is made of. */
export interface LinkSideOptions {
  clock: Clock
  label: string
  /** What was kept of it in an earlier run. */
  stored: StoredDevice | undefined
  host: Omit<LinkHostOptions, 'onReady' | 'onLost'>
  answerMs: number | undefined
  /** The longest that a request waits for the device, in milliseconds. */
  patienceMs: number
  /** How long a request that is made now may wait. */
  waitMs(): number
  /** Why the device cannot be reached at the moment. */
  whyAway(): string
  /** The device answered on the link. */
  found(): void
  /** It does not any more, though the line is open. */
  gone(why: string): void
  onBoard(board: Board): void
  save(stored: StoredDevice): void
  /** What was kept of a device with this unique id. */
  known(id: string): StoredDevice | undefined
  diagnose(text: string): void
}

type LinkStored = Extract<StoredDevice, { kind: 'link' }>

const describeTries = 3
const describeAgainMs = 1000

/**
 * A device on the compact link as a board: keeps its description in step with its firmware, and lets nobody ask by the
 * numbers of a description that is not the device's.
 */
export class LinkSide {
  readonly host: LinkHost
  readonly #options: LinkSideOptions
  readonly #presence: Presence
  #stored: LinkStored | undefined
  #board: Board | undefined = undefined
  #started = false

  constructor(options: LinkSideOptions) {
    const { stored } = options
    this.#options = options
    this.#presence = new Presence(options.clock)
    this.#stored = stored?.kind === 'link' ? stored : undefined
    if (this.#stored !== undefined) this.#board = this.#boardOf(this.#stored)
    this.host = new LinkHost({
      ...options.host,
      clock: options.clock,
      onReady: (hello, restarted) => void this.#ready(hello, restarted),
      onLost: why => this.#lost(why),
    })
  }

  /** The board that was described last; nothing when none was. */
  get board(): Board | undefined {
    return this.#board
  }

  get description(): LinkDescription | undefined {
    return this.#stored?.description
  }

  /** How it is called in texts. */
  get name(): string {
    const { label } = this.#options
    const name = cleanText(this.#stored?.description.name ?? '', 64)
    return name === '' ? label : `${name} (${label})`
  }

  start(): void {
    this.#started = true
    this.host.start()
  }

  suspend(why: string): void {
    this.#started = false
    this.host.suspend(why)
  }

  /** It is something else now: nobody gets to it by this description. */
  forget(why: string): void {
    this.suspend(why)
    this.#stored = undefined
    this.#board = undefined
    this.#presence.refuse(new LinkDownError(why))
  }

  /** @throws Error when the device, or one of its actuators, did not get there */
  async stop(): Promise<void> {
    const failed = await this.host.stop().catch(() => {
      throw new Error(`${this.name} does not answer: its own fail-safe has to make it safe`)
    })
    if (failed.length === 0) return
    const names = failed.map(number => this.description?.actuators[number]?.name ?? `number ${number}`)
    throw new Error(
      `${this.name}: not in its safe state: ${names.map(name => cleanText(name, 64)).join(', ')}. Check it`,
    )
  }

  /**
   * Nothing is armed later than a person meant it: a device that is away, or restarts meanwhile, is not waited for.
   *
   * @throws DeviceFailure when the device is away or refuses
   */
  async #arm(stored: LinkStored, armed: boolean): Promise<void> {
    const what = armed ? 'armed' : 'disarmed'
    if (this.#stored !== stored) throw this.#replaced()
    if (!this.#presence.here) {
      throw new DeviceFailure(`${this.name} ${this.#options.whyAway()}; its outputs were not ${what}`)
    }
    const is = await this.host.arm(armed).catch(thrown => {
      throw new DeviceFailure(`${this.name}: its outputs were not ${what}: ${cleanText(messageOf(thrown))}`)
    })
    if (is !== armed) throw new DeviceFailure(`${this.name}: it says that its outputs are ${is ? '' : 'not '}armed`)
  }

  close(): void {
    this.#started = false
    this.host.close()
    this.#presence.end(new LinkDownError(`${this.name} was closed; nothing was moved`))
  }

  #lost(why: string): void {
    this.#presence.leave()
    if (this.#started) this.#options.gone(why)
  }

  async #ready(hello: DeviceHello, restarted: boolean): Promise<void> {
    const { diagnose, found } = this.#options
    found()
    if (restarted) diagnose(`${this.name} restarted: its outputs are as after a start`)
    const last = this.#stored
    if (last !== undefined && last.id !== hello.id && hello.id !== '') {
      diagnose(`${this.#options.label}: another device answers than the last time (${cleanText(hello.id, 64)})`)
    }
    const known = last?.id === hello.id ? last : this.#options.known(hello.id)
    const isSame = last !== undefined && hello.hash !== 0 && last.description.hash === hello.hash
    if (isSame && last.id === hello.id && last.firmware === hello.firmware && last.description.name === hello.name) {
      this.#presence.arrive()
      return
    }
    const description = isSame ? { ...last.description, name: hello.name } : await this.#describe(hello)
    if (description === undefined || this.host.hello !== hello) return
    if (known?.kind === 'link') this.#tellChanges(known.description, description)
    this.#take({ kind: 'link', description, id: hello.id, firmware: hello.firmware })
  }

  /** Whoever trusted the device trusted what it said then. */
  #tellChanges(before: LinkDescription, after: LinkDescription): void {
    if (before.hash === after.hash && before.hash !== 0) return
    const changes = descriptionChanges(before, after)
    if (changes.length === 0) return
    this.#options.diagnose(
      `${this.name}: it says something else of itself than the last time. ${changes.join('; ')}. Check that this is the program you meant to run on it`,
    )
  }

  #take(stored: LinkStored): void {
    const isFirst = this.#stored === undefined
    this.#stored = stored
    this.#board = this.#boardOf(stored)
    try {
      this.#options.onBoard(this.#board)
      this.#options.save(stored)
    } catch (thrown) {
      this.#options.diagnose(`${this.name}: what it describes cannot be served. ${messageOf(thrown)}`)
    }
    // Those who wait hold on to the board before.
    if (!isFirst) this.#presence.refuse(this.#replaced())
    this.#presence.arrive()
  }

  /** The device's own description; nothing when it cannot be had in this session. */
  async #describe(hello: DeviceHello): Promise<LinkDescription | undefined> {
    for (let tries = 1; this.host.hello === hello; tries++) {
      try {
        return await this.host.describe()
      } catch (thrown) {
        // A device that went away is described when it is back.
        if (!(thrown instanceof LinkError)) return undefined
        if (tries === describeTries) {
          this.#options.diagnose(
            `${this.#options.label}: ${cleanText(thrown.message)}. Its firmware has to be corrected`,
          )
          return undefined
        }
        await new Promise<void>(resolve => this.#options.clock.setTimeout(resolve, describeAgainMs))
      }
    }
    return undefined
  }

  #boardOf(stored: LinkStored): Board {
    const { label, diagnose } = this.#options
    return remoteBoard(stored.description, {
      firmware: stored.firmware,
      label,
      device: this.#accessFor(stored),
      tell: text => diagnose(`${label}: ${text}`),
    })
  }

  #accessFor(stored: LinkStored): DeviceAccess {
    const { label, answerMs, patienceMs } = this.#options
    const name = cleanText(stored.description.name, 64)
    return {
      name: name === '' ? label : `${name} (${label})`,
      patienceMs,
      answerMs,
      read: (sensor, options) =>
        this.#request(stored, options.signal, async () => (await this.host.read(sensor, options)).value),
      call: (actuator, args, options) =>
        this.#request(stored, options.signal, () => this.host.call(actuator, args, options)),
      watch: (sensor, changed) => this.#watch(stored, sensor, changed),
      arm: armed => this.#arm(stored, armed),
      stop: () => this.stop(),
    }
  }

  async #request(stored: LinkStored, signal: AbortSignal, send: () => Promise<LinkValue>): Promise<LinkValue> {
    const { clock, waitMs } = this.#options
    const until = clock.now() + waitMs()
    for (let isFirst = true; ; isFirst = false) {
      await this.#reachable(stored, Math.max(0, until - clock.now()), signal)
      try {
        return await send()
      } catch (thrown) {
        // The device restarted unnoticed, or the cable was pulled before this was sent.
        if (!isFirst || !wasNotRun(thrown)) throw thrown
      }
    }
  }

  async #reachable(stored: LinkStored, ms: number, signal: AbortSignal): Promise<void> {
    const late = () => new LinkDownError(`${this.name} ${this.#options.whyAway()}; nothing was moved`)
    if (this.#stored === stored) await this.#presence.wait(ms, late, signal)
    if (this.#stored !== stored) throw this.#replaced()
  }

  #replaced(): Error {
    return new LinkDownError(`${this.name} has other firmware now, and nothing was moved: look at its tools again`)
  }

  /** The link keeps watches over restarts; this holds one back until the device is known to be the one described. */
  #watch(stored: LinkStored, sensor: number, changed: (value: LinkValue) => void): () => void {
    let unwatch: (() => void) | undefined
    let stopped = false
    const begin = () => {
      if (stopped || this.#stored !== stored) return
      unwatch = this.host.watch(sensor, ({ value }) => {
        if (this.#stored === stored) changed(value)
      })
    }
    const cancel = this.#presence.whenHere(begin)
    return () => {
      stopped = true
      cancel()
      unwatch?.()
    }
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
