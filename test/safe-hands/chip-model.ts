import { LinkCode } from '../../boards/remote/link/index.ts'
import { failSafeMs, holdMs, liftMs, type Output, restMs, roundMs, type Switch } from './chip-pins.ts'

interface Stand {
  value: number
  away: boolean
  awayAt: number
  /** When it moved last: not before and not after. What the chip does by itself it does within a round. */
  movedAt: [earliest: number, latest: number] | undefined
}

const servoRate = 40
const ranges: Partial<Record<Output, (value: number) => boolean>> = {
  servo: value => value >= 0 && value <= 100,
  valve: value => [0, 3, 7].includes(value),
  heater: value => value >= 0 && value <= 60.5,
  lift: value => value >= 0 && value <= 20_000,
}

/**
 * What the text of the link says of a device with these rules (sections 5 to 8), written down once more: how each output
 * stands, and since when. Its time is that of the chip, in milliseconds.
 */
export class ChipModel {
  now = 0
  armed = false
  /** How many calls were carried out since the start. */
  runs = 0
  readonly #stands = new Map<Output, Stand>()
  #fedAt: number | undefined = undefined
  #session = false
  #used = false
  /** When the move of the lift began, and how long it takes. */
  #lift: { from: number; ms: number } | undefined = undefined
  #lastEvent = Number.NEGATIVE_INFINITY

  constructor() {
    this.restart()
  }

  restart(): void {
    for (const name of ['pump', 'up', 'down', 'fan', 'servo', 'saw', 'heater', 'valve', 'lift'] as const) {
      this.#stands.set(name, { value: 0, away: false, awayAt: 0, movedAt: undefined })
    }
    this.armed = false
    this.runs = 0
    this.#fedAt = undefined
    this.#session = false
    this.#used = false
    this.#lift = undefined
  }

  /** Whether the chip will have done, so many milliseconds from now, all that it has begun to do by itself. */
  isSettled(aheadMs: number): boolean {
    const then = this.now + aheadMs
    const due = this.#due()
    return then - this.#lastEvent >= roundMs && (due === undefined || due.at > then)
  }

  /** What is on. */
  get on(): Switch[] {
    const names = ['pump', 'up', 'down', 'fan', 'saw', 'valve'] as const
    const on: Switch[] = names.filter(name => this.#stands.get(name)!.value !== 0)
    return this.#lift === undefined ? on : [...on, 'lift']
  }

  get servoPercent(): number {
    return this.#stands.get('servo')!.value
  }

  /** Lets so much time go by. */
  pass(ms: number): void {
    const until = this.now + ms
    for (let due = this.#due(); due !== undefined && due.at <= until; due = this.#due()) {
      this.now = Math.max(this.now, due.at)
      this.#lastEvent = this.now
      due.happens()
    }
    this.now = until
  }

  /** A good frame of the session came. */
  frame(): void {
    if (!this.#session) return
    this.#used = true
    this.#fedAt = this.now
  }

  hello(): void {
    if (this.#session && !this.#used) return
    this.#session = true
    this.#used = false
    this.#fedAt = this.now
    if (this.#lift !== undefined) this.#makeSafe('lift')
  }

  stop(): void {
    this.armed = false
    this.#allSafe()
  }

  arm(armed: boolean): void {
    this.armed = armed
    if (!armed) this.#makeSafe('saw')
  }

  /** The codes with which a call may be answered now: one, or two where it is a matter of the chip's round. */
  answers(name: Output, value: number): number[] {
    const stand = this.#stands.get(name)!
    if (name === 'lift' && this.#lift !== undefined) return [LinkCode.Busy]
    if (ranges[name]?.(value) === false) return [LinkCode.OutOfRange]
    const runs = name === 'lift' && value > 0 ? -1 : 0
    if (value === 0) return [runs]
    const other = name === 'up' ? 'down' : name === 'down' ? 'up' : undefined
    if (other !== undefined && this.#stands.get(other)!.away) return [LinkCode.Interlocked]
    if (name === 'saw' && !this.armed) return [LinkCode.NotArmed]
    const within = (at: number) =>
      name === 'fan'
        ? this.now - at >= restMs
        : Math.abs(value - stand.value) <= Math.floor((servoRate * Math.min(1000, this.now - at)) / 1000)
    if (name !== 'fan' && name !== 'servo') return [runs]
    const moved = stand.movedAt ?? [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
    return [...new Set(moved.map(at => (within(at) ? runs : LinkCode.TooSoon)))]
  }

  /** A call was carried out. */
  set(name: Output, value: number): void {
    this.runs++
    const stand = this.#stands.get(name)!
    stand.movedAt = [this.now, this.now]
    stand.value = value
    if (value !== 0 && !stand.away) stand.awayAt = this.now
    stand.away = value !== 0
    if (name === 'lift' && value > 0) this.#lift = { from: this.now, ms: value }
  }

  /** What the chip does next by itself. */
  #due(): { at: number; happens: () => void } | undefined {
    const due: { at: number; happens: () => void }[] = []
    const pump = this.#stands.get('pump')!
    if (pump.away) due.push({ at: pump.awayAt + holdMs, happens: () => this.#makeSafe('pump', roundMs) })
    const lift = this.#lift
    if (lift !== undefined && lift.ms < liftMs) {
      due.push({
        at: lift.from + lift.ms,
        happens: () => {
          this.#lift = undefined
        },
      })
    } else if (lift !== undefined) {
      due.push({ at: lift.from + liftMs, happens: () => this.#makeSafe('lift', roundMs) })
    }
    if (this.#fedAt !== undefined) {
      due.push({
        at: this.#fedAt + failSafeMs,
        happens: () => {
          this.#fedAt = undefined
          this.armed = false
          this.#allSafe(roundMs)
        },
      })
    }
    return due.sort((one, other) => one.at - other.at)[0]
  }

  #allSafe(withinMs = 0): void {
    for (const name of this.#stands.keys()) this.#makeSafe(name, withinMs)
  }

  #makeSafe(name: Output, withinMs = 0): void {
    const stand = this.#stands.get(name)!
    if (stand.away) stand.movedAt = [this.now, this.now + withinMs]
    stand.away = false
    stand.value = 0
    if (name === 'lift') this.#lift = undefined
  }
}
