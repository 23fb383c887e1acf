import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Atmega328p, flashBytes, readIntelHex } from '../../boards/microcontroller/emulator/index.ts'
import { firmwareDir } from '../microcontroller/chip-rig.ts'

/** The outputs of the firmware `safety` that are on or off, and their pins. */
export const switches = {
  pump: 'D8',
  up: 'D4',
  down: 'D5',
  fan: 'D7',
  saw: 'D12',
  valve: 'D10',
  lift: 'D6',
} as const
export type Switch = keyof typeof switches

/** The numbers of its actuators on the link. */
export const actuators = ['pump', 'up', 'down', 'fan', 'servo', 'saw', 'heater', 'valve', 'lift'] as const
export type Output = (typeof actuators)[number]

/** What the firmware declares, in milliseconds. */
export const holdMs = 500
export const restMs = 300
export const failSafeMs = 1000
export const liftMs = 1500
/** The chip looks at its clock every 4 ms at least, sees a millisecond when it is over, and takes one for nine outputs. */
export const roundMs = 7

/** A chip that runs the firmware with every rule. */
export function safetyChip(): Promise<Atmega328p> {
  const text = readFileSync(join(firmwareDir, 'safety.hex'), 'latin1')
  return Atmega328p.create({ program: readIntelHex(text, flashBytes) })
}

/** What the outputs did, by the clock of the chip. It sees each edge, and not only what stands when a test looks. */
export class PinWitness {
  /** Each time that an output was on: from when to when, in milliseconds of the chip; without an end while it still is. */
  readonly times: Record<Switch, { from: number; to: number | undefined }[]>
  /** What must never be, with the time. */
  readonly breaches: string[] = []
  readonly chip: Atmega328p

  constructor(chip: Atmega328p) {
    this.chip = chip
    const names = Object.keys(switches) as Switch[]
    this.times = Object.fromEntries(names.map(name => [name, []])) as unknown as PinWitness['times']
    for (const name of names) {
      chip.pin(switches[name]).onChange((high, cycle) => {
        const ms = (cycle / chip.hz) * 1000
        const times = this.times[name]
        if (high) times.push({ from: ms, to: undefined })
        else times.at(-1)!.to = ms
        if (this.isOn('up') && this.isOn('down')) this.breaches.push(`up and down at once, at ${ms} ms`)
        const [last] = times.slice(-1)
        if (name === 'pump' && !high && last!.to! - last!.from > holdMs + roundMs)
          this.breaches.push(`the pump ran for ${last!.to! - last!.from} ms, until ${ms} ms`)
      })
    }
  }

  /** Milliseconds of the chip. */
  get now(): number {
    return this.chip.seconds * 1000
  }

  isOn(name: Switch): boolean {
    return this.chip.pin(switches[name]).high
  }

  /** What is on. */
  get on(): Switch[] {
    return (Object.keys(switches) as Switch[]).filter(name => this.isOn(name))
  }

  /** How often an output was switched on. */
  rises(name: Switch): number {
    return this.chip.pin(switches[name]).rises
  }

  /** How long an output was on the last time; until now, when it still is. */
  lastMs(name: Switch): number {
    const last = this.times[name].at(-1)
    return last === undefined ? 0 : (last.to ?? this.now) - last.from
  }

  /** Where the servo is sent, in percent, by its last pulse. */
  get servoPercent(): number {
    return Math.round((this.chip.pin('D9').pulse.cycles / this.chip.hz - 0.001) * 100_000) + 0
  }
}
