import type { AVRTimer, CPU } from 'avr8js'

/** An entry of avr8js's list of what happens when, which is sorted by time. */
interface ClockEvent {
  cycles: number
  callback: () => void
  next: ClockEvent | null
}

/** What avr8js 0.21 keeps in a timer. The package is pinned to one version; a test compares both ways of sleeping. */
interface TimerInside {
  count: () => void
  tcnt: number
  ocrA: number
  ocrB: number
  readonly TOP: number
  divider: number
  lastCycle: number
  countingUp: boolean
  tcntUpdated: boolean
  updateDivider: boolean
  timerMode: number
}

const phaseCorrect: readonly number[] = [1, 4]

/**
 * Finds how far a sleeping chip may be taken in one step. avr8js makes an event of each count of each timer, some 750 000
 * a second in an ordinary sketch, while something only happens where a timer meets a compare value or turns round.
 */
export class Sleep {
  readonly #cpu: { nextClockEvent: ClockEvent | null }
  readonly #timers = new Map<() => void, TimerInside>()

  /** @param stepwise stops at each count, as avr8js does it */
  constructor(cpu: CPU, timers: readonly AVRTimer[], stepwise = false) {
    this.#cpu = cpu as unknown as { nextClockEvent: ClockEvent | null }
    if (stepwise) return
    for (const timer of timers as unknown as TimerInside[]) this.#timers.set(timer.count, timer)
  }

  /** The cycle up to which nothing happens, `limit` at most. */
  quietUntil(limit: number): number {
    let until = limit
    for (let event = this.#cpu.nextClockEvent; event !== null && event.cycles < until; event = event.next) {
      const timer = this.#timers.get(event.callback)
      until = Math.min(until, timer === undefined ? event.cycles : Math.max(event.cycles, nextMeeting(timer)))
    }
    return until
  }
}

/** The cycle in which a timer meets one of its compare values or an end of its range. */
function nextMeeting(timer: TimerInside): number {
  const { tcnt, divider, lastCycle, tcntUpdated, updateDivider, TOP: top, countingUp, timerMode } = timer
  if (tcntUpdated || updateDivider) return 0
  let counts = Number.POSITIVE_INFINITY
  const consider = (ahead: number) => {
    if (ahead > 0 && ahead < counts) counts = ahead
  }
  if (phaseCorrect.includes(timerMode)) {
    for (const value of [timer.ocrA, timer.ocrB, top, 0]) consider(countingUp ? value - tcnt : tcnt - value)
  } else {
    for (const value of [timer.ocrA, timer.ocrB, top + 1]) consider(value - tcnt)
  }
  return Number.isFinite(counts) ? lastCycle + counts * divider : 0
}
