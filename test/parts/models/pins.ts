import type { Digital, PWM } from '../../../boards/io.ts'

/** Pins whose changes are written down, in one list for all: `forward on`, `speed 0.5`. */
export class Pins {
  readonly events: string[] = []
  /** What goes wrong with the next write of a pin of this name. */
  readonly failures = new Map<string, Error>()
  readonly levels = new Map<string, number>()

  digital(name: string): Digital {
    return {
      read: () => this.levels.get(name) === 1,
      write: value => this.#write(name, Number(value), value ? 'on' : 'off'),
      close: () => void this.events.push(`${name} closed`),
    }
  }

  pwm(name: string): PWM {
    return {
      hz: 1000,
      write: duty => this.#write(name, duty, String(duty)),
      close: () => void this.events.push(`${name} closed`),
    }
  }

  /** What happened since it was asked last. */
  take(): string[] {
    return this.events.splice(0)
  }

  #write(name: string, level: number, told: string): void {
    const failure = this.failures.get(name)
    this.failures.delete(name)
    if (failure !== undefined) throw failure
    this.levels.set(name, level)
    this.events.push(`${name} ${told}`)
  }
}
