import { Arming } from './arming.ts'
import type { Actuator } from './board.ts'
import type { Clock } from './clock.ts'
import { isObject } from './json.ts'

/** Why a move was refused by a rule that its actuator declares. */
export interface Refusal {
  readonly rule: 'interlock' | 'interval' | 'rate' | 'disarmed'
  /** For the model: what is in the way, and what would be right. */
  readonly message: string
}

/** What the rules need to know of the world. */
export interface RulesOptions {
  readonly clock: Clock
  /** An actuator was away from its safe state for as long as it may: it has to go there now. */
  readonly overdue: (name: string) => void
}

interface Kept {
  readonly name: string
  readonly actuator: Actuator<any>
  /** The arguments it was last given. */
  last: unknown
  movedAt: number
  /** It may be somewhere else than in its safe state. */
  away: boolean
  timer: unknown
  /** How it stood before the move that runs, should that turn out never to have begun. */
  lastBefore: unknown
  movedBefore: number
  awayBefore: boolean
}

/** Time since the last move counts towards `maxRate` up to this, in milliseconds. */
const rateWindowMs = 1000

/**
 * The rules that actuators declare, and where each actuator stands: away from its safe state or not, moved when, armed
 * or not. It moves nothing: it is asked before a move, and told of each.
 */
export class ActuatorRules extends Arming {
  readonly #options: RulesOptions
  readonly #kept = new Map<string, Kept>()

  constructor(actuators: Readonly<Record<string, Actuator<any>>>, options: RulesOptions) {
    super()
    this.#options = options
    for (const [name, actuator] of Object.entries(actuators)) {
      const last = actuator.initial ?? actuator.safe
      this.#kept.set(name, {
        name,
        actuator,
        last,
        movedAt: Number.NEGATIVE_INFINITY,
        away: false,
        timer: undefined,
        lastBefore: last,
        movedBefore: Number.NEGATIVE_INFINITY,
        awayBefore: false,
      })
    }
  }

  /** Whether an actuator with rules of its own may be away from its safe state. */
  isAway(name: string): boolean {
    return this.#kept.get(name)?.away === true
  }

  /** Why a move with these arguments is refused now; nothing when it may begin. */
  refusal(name: string, args: unknown): Refusal | undefined {
    const kept = this.#kept.get(name)
    if (kept === undefined) return undefined
    const { actuator } = kept
    // The way to safety is always open.
    if (isSafe(actuator, args)) return undefined
    if (this.#isDisarmed(actuator)) {
      return {
        rule: 'disarmed',
        message: `${name} was not moved: ${this.stopped ? 'the outputs were stopped and stay off' : 'it stays off'} until a person arms the outputs (with ferrule arm, or by the tool arm_outputs in a host that can ask)`,
      }
    }
    if (actuator.selfKept === true) return undefined
    return this.#interlock(kept) ?? this.#interval(kept) ?? this.#rate(kept, args)
  }

  /** It was given its initial arguments at the start, which is no move: it may be away from its safe state. */
  starts(name: string): void {
    const kept = this.#kept.get(name)
    if (kept?.actuator.initial === undefined || !isRuled(kept.actuator)) return
    kept.last = kept.actuator.initial
    if (!isSafe(kept.actuator, kept.last)) this.#leave(kept)
  }

  /** A move begins. From now on the actuator counts as away, unless it is the way to its safe state. */
  begins(name: string, args: unknown): void {
    const kept = this.#kept.get(name)
    if (kept === undefined || !isRuled(kept.actuator)) return
    kept.lastBefore = kept.last
    kept.movedBefore = kept.movedAt
    kept.awayBefore = kept.away
    kept.last = args
    kept.movedAt = this.#options.clock.now()
    if (!isSafe(kept.actuator, args)) this.#leave(kept)
  }

  /**
   * A move is over. A momentary actuator is safe then, however it ended, and so is one that was given its safe arguments.
   *
   * @param done whether the move did what it was asked for
   */
  ended(name: string, args: unknown, done: boolean): void {
    const kept = this.#kept.get(name)
    if (kept === undefined || !isRuled(kept.actuator)) return
    if (kept.actuator.momentary === true || (done && isSafe(kept.actuator, args))) this.#settle(kept)
  }

  /** The move that began did nothing yet: somebody is asked first. Everything is as it was before. */
  withdraw(name: string): void {
    const kept = this.#kept.get(name)
    if (kept === undefined || !isRuled(kept.actuator)) return
    if (!kept.awayBefore) this.#settle(kept)
    kept.last = kept.lastBefore
    kept.movedAt = kept.movedBefore
  }

  /** The actuator was put into its safe state. */
  madeSafe(name: string): void {
    const kept = this.#kept.get(name)
    if (kept === undefined || !isRuled(kept.actuator)) return
    if (kept.away) kept.movedAt = this.#options.clock.now()
    if (kept.actuator.safe !== null) kept.last = kept.actuator.safe
    this.#settle(kept)
  }

  /** Forgets every timer: nothing is overdue any more. */
  close(): void {
    for (const kept of this.#kept.values()) this.#clearTimer(kept)
  }

  #isDisarmed({ arming, selfKept }: Actuator<any>): boolean {
    if (arming === false) return false
    return this.stopped || (arming === true && selfKept !== true && !this.armed)
  }

  #interlock({ name, actuator: { group } }: Kept): Refusal | undefined {
    if (group === undefined) return undefined
    for (const other of this.#kept.values()) {
      if (other.name === name || other.actuator.group !== group || !other.away) continue
      return {
        rule: 'interlock',
        message: `${name} was not moved: ${other.name} is on, and of the group "${group}" only one may be. Put ${other.name} into its safe state first (${JSON.stringify(other.actuator.safe)})`,
      }
    }
    return undefined
  }

  #interval({ name, actuator: { minIntervalMs }, movedAt }: Kept): Refusal | undefined {
    if (minIntervalMs === undefined) return undefined
    const left = movedAt + minIntervalMs - this.#options.clock.now()
    if (!(left > 0)) return undefined
    return {
      rule: 'interval',
      message: `${name} was not moved: it moves at most once in ${seconds(minIntervalMs)}. Call again in ${seconds(left)}`,
    }
  }

  #rate({ name, actuator: { maxRate }, last, movedAt }: Kept, args: unknown): Refusal | undefined {
    if (maxRate === undefined || !isObject(args) || !isObject(last)) return undefined
    const elapsed = Math.max(0, this.#options.clock.now() - movedAt)
    const most = (maxRate * Math.min(elapsed, rateWindowMs)) / 1000
    for (const member in args) {
      const value = args[member]
      const before = last[member]
      if (typeof value !== 'number' || typeof before !== 'number' || Math.abs(value - before) <= most) continue
      return {
        rule: 'rate',
        message: `${name} was not moved: ${member} may change by ${maxRate} a second, and goes from ${before} to ${value} here. Go there in steps`,
      }
    }
    return undefined
  }

  #leave(kept: Kept): void {
    if (kept.away) return
    kept.away = true
    const { holdForMs } = kept.actuator
    if (holdForMs !== undefined) this.#watch(kept, holdForMs)
  }

  #watch(kept: Kept, ms: number): void {
    kept.timer = this.#options.clock.setTimeout(() => {
      // Until it is safe it is asked for again and again: a failed attempt is no reason to leave it on.
      this.#watch(kept, againMs)
      this.#options.overdue(kept.name)
    }, ms)
  }

  #settle(kept: Kept): void {
    kept.away = false
    this.#clearTimer(kept)
  }

  #clearTimer(kept: Kept): void {
    this.#options.clock.clearTimeout(kept.timer)
    kept.timer = undefined
  }
}

/** An actuator that could not be made safe when its time was over is tried again after so long, in milliseconds. */
const againMs = 2000

/** Whether anything has to be remembered of its moves: most actuators have no such rules, and their calls cost nothing. */
function isRuled({ holdForMs, minIntervalMs, maxRate, group, selfKept }: Actuator<any>): boolean {
  if (selfKept === true) return false
  return holdForMs !== undefined || minIntervalMs !== undefined || maxRate !== undefined || group !== undefined
}

/** Whether these arguments put the actuator into its safe state. */
export function isSafe({ safe }: Actuator<any>, args: unknown): boolean {
  return safe !== null && (args === safe || sameValue(args, safe))
}

/** Whether two JSON values are the same, whatever the order of their members. */
function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, at) => sameValue(value, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  // By `for`, since this is asked thrice in each call: lists of names and a function would be 400 bytes of it.
  let members = 0
  for (const name in one) {
    if (!Object.hasOwn(other, name) || !sameValue(one[name], other[name])) return false
    members++
  }
  for (const _ in other) members--
  return members === 0
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${Math.ceil(ms / 100) / 10} s`
}
